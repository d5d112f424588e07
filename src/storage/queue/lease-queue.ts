import { newId } from '@vouchgraph/platform/ids';
import type { Database, Statement } from '../database.ts';

/*
 * Rows of a table as the jobs of a queue. A row with a `claimable_at` is a job that is due at this time. A claim sets
 * `lease_id` and moves `claimable_at` to the end of the lease. The process renews its lease while it works. After a crash
 * the lease expires, and another process claims the row.
 *
 * The statement that inserts a row or changes its state also adds the job, and the statement that stores the result ends
 * it (`ENDED`): no job exists without its row, and none is lost in between. A result is stored once, because its statement
 * requires the state before it, or the lease. A job of a lost lease changes nothing then.
 *
 * Times are those of the database, since the clocks of gateways differ.
 */

/** A job that this process works on. Each claim has an id of its own. */
export type Lease = { readonly projectId: string; readonly id: string; readonly leaseId: string };

export type LeasedTable = {
  /** First and last part of the names of the statements: `subject.claim_jobs`. */
  readonly subject: string;
  readonly jobs: string;
  readonly table: string;
  /** The column of the primary key behind `project_id`. */
  readonly key: string;
  readonly leaseSeconds: number;
  /** Further condition on a job `x`. */
  readonly condition?: string;
  /** SQL of common table expressions, of which `candidates` (project_id, key) contains the rows to choose from. */
  readonly candidates?: string;
  /** Order in which jobs of `x` and `candidates c` are claimed; by default the one that is due first. */
  readonly order?: string;
  /** Further assignments of a claim to the row `x`. */
  readonly claimed?: string;
  /** Further assignments of a release. */
  readonly released?: string;
  /** Further columns of a claimed row `x` to return. */
  readonly columns?: string;
};

type System = Pick<Database['system'], 'query'>;

export type LeaseQueue<Job extends Lease = Lease> = {
  readonly leaseSeconds: number;
  /** Claims jobs of a project, or of all projects with null. `values` are $4 and the following of the table's own SQL. */
  claim(
    system: System,
    projectId: string | null,
    limit: number,
    ...values: readonly unknown[]
  ): Promise<Job[]>;
  /** Extends leases. A row that a transaction has locked keeps its time until the next renewal. */
  renew(system: System, leases: readonly Lease[]): Promise<void>;
  /** Makes jobs due again, now or after some seconds. Does nothing for lost leases. */
  release(system: System, leases: readonly Lease[], afterSeconds?: number): Promise<void>;
  /** Ends jobs that no other statement ends. Does nothing for lost leases. */
  end(system: System, leases: readonly Lease[]): Promise<void>;
};

/** SQL assignments: the row is no job any more. */
export const ENDED = 'lease_id = null, claimable_at = null';

/** SQL: the end of a lease that begins now. */
export const leaseEnd = (seconds: number) => `now() + interval '${seconds} seconds'`;

/** Creates the statements of a queue. `Row` contains the columns of the table's declaration. */
export function createLeaseQueue<Row extends object = object>(table: LeasedTable): LeaseQueue<Lease & Row> {
  const claim = claimStatement(table);
  const renew = changeStatement(
    table,
    'renew',
    `claimable_at = ${leaseEnd(table.leaseSeconds)}`,
    'skip locked',
  );
  const release = changeStatement(
    table,
    'release',
    list('lease_id = null', `claimable_at = now() + $4 * interval '1 second'`, table.released),
  );
  const end = changeStatement(table, 'end', ENDED);
  const change = async (
    statement: Statement,
    system: System,
    leases: readonly Lease[],
    ...values: unknown[]
  ) => {
    if (leases.length > 0) await system.query(statement, [...arraysOf(leases), ...values]);
  };
  return {
    leaseSeconds: table.leaseSeconds,
    async claim(system, projectId, limit, ...values) {
      const leaseId = newId();
      const rows = await system.query<Omit<Lease, 'leaseId'> & Row>(claim, [
        projectId,
        leaseId,
        limit,
        ...values,
      ]);
      return rows.map((row) => ({ ...row, leaseId }));
    },
    renew: (system, leases) => change(renew, system, leases),
    release: (system, leases, afterSeconds = 0) => change(release, system, leases, afterSeconds),
    end: (system, leases) => change(end, system, leases),
  };
}

function arraysOf(leases: readonly Lease[]): string[][] {
  return [
    leases.map(({ projectId }) => projectId),
    leases.map(({ id }) => id),
    leases.map(({ leaseId }) => leaseId),
  ];
}

function list(...parts: readonly (string | undefined)[]): string {
  return parts.filter((part) => part !== undefined).join(', ');
}

/** Jobs that another process is claiming are skipped, so that processes do not wait for each other. */
function claimStatement(queue: LeasedTable): Statement {
  const { subject, jobs, table, key, candidates, order = 'x.claimable_at', claimed, columns } = queue;
  const from = candidates
    ? `candidates c join ${table} x on x.project_id = c.project_id and x.${key} = c.${key}`
    : `${table} x`;
  const next = `next as (
             select x.project_id, x.${key} from ${from}
             where x.claimable_at <= now() and ($1::uuid is null or x.project_id = $1) and (${queue.condition ?? 'true'})
             order by ${order} limit $3 for no key update of x skip locked
           )`;
  return {
    name: `${subject}.claim_${jobs}`,
    text: `with ${list(candidates, next)}
           update ${table} x set ${list('lease_id = $2', `claimable_at = ${leaseEnd(queue.leaseSeconds)}`, claimed)}
           from next where x.project_id = next.project_id and x.${key} = next.${key}
           returning ${list('x.project_id as "projectId"', `x.${key} as id`, columns)}`,
  };
}

/** Rows are locked in one order, so that two statements of several rows do not deadlock. */
function changeStatement(
  { subject, jobs, table, key }: LeasedTable,
  verb: string,
  change: string,
  wait: '' | 'skip locked' = '',
): Statement {
  return {
    name: `${subject}.${verb}_${jobs}`,
    text: `with held as materialized (
             select x.project_id, x.${key} from unnest($1::uuid[], $2::uuid[], $3::uuid[]) as l (project_id, id, lease_id)
             join ${table} x on x.project_id = l.project_id and x.${key} = l.id and x.lease_id = l.lease_id
             order by x.project_id, x.${key} for no key update of x ${wait}
           )
           update ${table} x set ${change}
           from held where x.project_id = held.project_id and x.${key} = held.${key}`,
  };
}
