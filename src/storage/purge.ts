import { setTimeout as delay } from 'node:timers/promises';
import { NIL_UUID } from '@vouchgraph/platform/ids';
import type { Database, Statement } from './database.ts';

/*
 * Removes old rows in batches. Each batch is one statement that commits separately: it stays far below the statement
 * timeout on a slow disk, holds few locks, and its deletions persist when the next one fails. Concurrent gateways can
 * purge: a batch skips the rows that another one has locked.
 */

/** One run of the purges. */
export type PurgeRun = {
  readonly system: Pick<Database['system'], 'query'>;
  readonly now: Date;
  /** Aborted when the gateway closes: a purge stops behind the batch under way, and the next run continues. */
  readonly signal: AbortSignal;
  /** Receives the number of rows that a purge has processed so far, after each batch. */
  readonly onProgress: (purge: string, rows: number) => void;
};

/** Small enough for a disk that reads 100 pages a second. */
const BATCH_ROWS = 250;

/** Leaves the disk and the pool to requests between two batches. */
const PAUSE_MS = 5;

/** A value of the column by which a purge selects, as the database returns it. */
type Position = string | Date;

/** Result of a batch: number of rows, and its position, so that the next one continues after deleted rows. */
type Batch = { readonly rows: number; readonly through: Position | null };

/** Batch of a sweep: numbers of examined rows and of removed rows. */
type SweptBatch = { readonly examined: number; readonly rows: number };

/** Repeats a batch until one is not full. */
async function runBatches(
  run: PurgeRun,
  name: string,
  rowsBefore: number,
  start: Position,
  runBatch: (from: Position) => Promise<Batch>,
): Promise<number> {
  let rows = rowsBefore;
  for (let from = start; !run.signal.aborted; await delay(PAUSE_MS)) {
    const batch = await runBatch(from);
    rows += batch.rows;
    if (batch.rows > 0) run.onProgress(name, rows);
    if (batch.rows < BATCH_ROWS) break;
    from = batch.through ?? from;
  }
  return rows;
}

/** Selection of the old rows of a table, and their change. */
export type PurgedTable = {
  /** Name of the purge in logs, and of its statements. */
  readonly name: string;
  readonly table: string;
  /** The primary key behind `project_id`. */
  readonly key: readonly string[];
  /** Rows are old up to the limit, by this column. An index must serve it: see `index`. */
  readonly column: string;
  /** Sorts before every value of the column. */
  readonly first: '-infinity' | typeof NIL_UUID;
  /** Additional condition on a row `x`. */
  readonly condition?: string;
  /** SQL that takes a lock of the project ($3) before the rows are locked; only where the index is one of a project. */
  readonly lock?: string;
  /** Whether the index that serves the column begins with `project_id`, or is one of all projects. */
  readonly index: 'project' | 'all';
  /**
   * Data-modifying statement for the rows in `chosen` (project_id and the key); deletes them by default. An update must
   * make `condition` false.
   */
  readonly change?: string;
  /** Further statements by name for these rows: CTEs, of which a later one may read an earlier. */
  readonly also?: Readonly<Record<string, string>>;
};

/** Makes the purge of a table. It returns the number of rows that it processed. */
export function createPurge(table: PurgedTable): (run: PurgeRun, before: Position) => Promise<number> {
  const batch = batchStatement(table);
  if (table.index === 'all') {
    return (run, before) =>
      runBatches(run, table.name, 0, table.first, async (from) => {
        const [result] = await run.system.query<Batch>(batch, [before, from]);
        return result!;
      });
  }
  const projects = projectsStatement(table);
  return async (run, before) => {
    let rows = 0;
    for (const { project_id } of await run.system.query(projects, [before])) {
      rows = await runBatches(run, table.name, rows, table.first, async (from) => {
        const [result] = await run.system.query<Batch>(batch, [before, from, project_id]);
        return result!;
      });
    }
    return rows;
  };
}

/**
 * Examines the rows of a table once, in the order of ids that begin with the time of creation, and stores its position in
 * `purge_progress`: for rows of which most are kept and which no index separates. One gateway at a time sweeps a project;
 * others skip it.
 */
export type Sweep = {
  /** Name of the sweep in logs, in `purge_progress` and of its statements. */
  readonly name: string;
  readonly table: string;
  /** The column of the ids. */
  readonly id: string;
  /** Condition on which an examined row `x` is old; $3 and higher are the caller's values. */
  readonly condition: string;
  /** Further statements by name, for the rows in `chosen` (project_id and id): CTEs, of which a later one may read an earlier. */
  readonly also: Readonly<Record<string, string>>;
};

/** Creates a sweep of the rows whose ids are below a limit. It returns the number of removed rows. */
export function createSweep(
  sweep: Sweep,
): (run: PurgeRun, below: string, ...values: unknown[]) => Promise<number> {
  const { name, table, id } = sweep;
  const begin: Statement = {
    name: `purge.${name}_begin`,
    text: `insert into purge_progress (project_id, purge, through)
           select p.project_id, '${name}', '${NIL_UUID}' from projects p on conflict (project_id, purge) do nothing`,
  };
  const projects: Statement = {
    name: `purge.${name}_projects`,
    text: `select g.project_id from purge_progress g where g.purge = '${name}' and exists (
             select 1 from ${table} x where x.project_id = g.project_id and x.${id} > g.through and x.${id} < $1
           )`,
  };
  const batch = sweepStatement(sweep);
  return async (run, below, ...values) => {
    await run.system.query(begin, []);
    let rows = 0;
    for (const { project_id } of await run.system.query(projects, [below])) {
      for (let isFull = true; isFull && !run.signal.aborted; await delay(PAUSE_MS)) {
        const [swept] = await run.system.query<SweptBatch>(batch, [project_id, below, ...values]);
        rows += swept!.rows;
        if (swept!.rows > 0) run.onProgress(name, rows);
        isFull = swept!.examined === BATCH_ROWS;
      }
    }
    return rows;
  };
}

function asCtes(statements: Readonly<Record<string, string>>): string {
  return Object.entries(statements)
    .map(([name, statement]) => `${name} as (${statement})`)
    .join(', ');
}

function sweepStatement({ name, table, id, condition, also }: Sweep): Statement {
  return {
    name: `purge.${name}`,
    text: `with progress as materialized (
             select through from purge_progress where project_id = $1 and purge = '${name}' for update skip locked
           ), examined as materialized (
             select x.${id} from ${table} x
             where x.project_id = $1 and x.${id} > (select through from progress) and x.${id} < $2
             order by x.${id} limit ${BATCH_ROWS}
           ), chosen as materialized (
             select x.project_id, x.${id} from ${table} x
             where x.project_id = $1 and x.${id} in (select ${id} from examined) and (${condition})
             order by x.${id} for update
           ), ${asCtes(also)}, removed as (
             delete from ${table} x using chosen c where x.project_id = $1 and x.${id} = c.${id}
           ), moved as (
             update purge_progress g set through = last.${id}
             from (select ${id} from examined order by ${id} desc limit 1) last
             where g.project_id = $1 and g.purge = '${name}'
           )
           select (select count(*)::int from examined) as examined, (select count(*)::int from chosen) as rows`,
  };
}

/** The projects that have old rows: one look into the index for each. */
function projectsStatement({ name, table, column, condition = 'true' }: PurgedTable): Statement {
  return {
    name: `purge.${name}_projects`,
    text: `select p.project_id from projects p where exists (
             select 1 from ${table} x where x.project_id = p.project_id and x.${column} <= $1 and (${condition})
           )`,
  };
}

function batchStatement(purged: PurgedTable): Statement {
  const { name, table, key, column, condition = 'true', index, lock } = purged;
  const sameRow = ['project_id', ...key].map((each) => `x.${each} = c.${each}`).join(' and ');
  const change = purged.change ?? `delete from ${table} x using chosen c where ${sameRow}`;
  return {
    name: `purge.${name}`,
    text: `with ${lock ? `locked as materialized (select ${lock}), ` : ''}chosen as materialized (
             select x.project_id, ${key.map((each) => `x.${each}`).join(', ')}, x.${column} as at
             from ${lock ? 'locked, ' : ''}${table} x
             where ${index === 'project' ? 'x.project_id = $3 and ' : ''}x.${column} <= $1 and x.${column} >= $2
               and (${condition})
             order by x.${column} limit ${BATCH_ROWS} for update of x skip locked
           ), ${asCtes({ changed: change, ...purged.also })}
           select count(*)::int as rows, (array_agg(at order by at desc))[1] as through from chosen`,
  };
}
