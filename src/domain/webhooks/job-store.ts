import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { PgBoss } from 'pg-boss';
import { newId } from '../../platform/ids.ts';
import type { Database, Row, Statement } from '../../storage/database.ts';
import { DELIVERY_QUEUE, JOB_SCHEMA, RETRY_QUEUE, startBoss } from '../../storage/job-schema.ts';
import { isSerializationFailure, translateError } from '../../storage/translate-error.ts';
import { withConnection } from '../../storage/with-connection.ts';
import { PER_ENDPOINT } from './slots.ts';

/*
 * The jobs of deliveries, kept by pg-boss. Each delivery that waits has one job, which says that it is to be looked
 * at; when it is due is said by its own row and our clock. First attempts have a queue of their own: looking for the
 * next job walks past those that are for later, and a receiver that fails for days leaves many of these.
 *
 * First attempts of one account at one endpoint go out in order: together they have one job in the queue, under one key.
 * Whoever ends it adds that of the next.
 */

export type QueueName = 'first' | 'retry';
const QUEUES: Readonly<Record<QueueName, string>> = { first: DELIVERY_QUEUE, retry: RETRY_QUEUE };

/** The place of a delivery among those of its account at its endpoint; `accountId` is the internal id. */
export type AccountOrder = { readonly accountId: string; readonly position: number };

/** Ids alone: nothing of a project may stand in its jobs. */
export type DeliveryJob = {
  readonly projectId: string;
  readonly deliveryId: string;
  readonly endpointId: string;
  /** Absent or null where it waits for no other: retries, what is sent again, and what is about no account. */
  readonly order?: AccountOrder | null;
};
export type TakenJob = DeliveryJob & { readonly jobId: string; readonly queue: QueueName };

export type NewJob = DeliveryJob & {
  /** For how many milliseconds it waits. */
  readonly afterMs?: number;
  /** Jobs of lower ranks come first. */
  readonly rank?: number;
};

/** The order of a delivery as its row, or its event's, tells it. */
export function orderOf(row: { account_id: string | null; position: string }): AccountOrder | null {
  return row.account_id === null ? null : { accountId: row.account_id, position: Number(row.position) };
}

/** Several statements that hold together, seen by all projects; each names its project nevertheless. */
export type SystemTransaction = {
  run<T = Row>(statement: Statement, values: readonly unknown[]): Promise<T[]>;
  /** Takes jobs that are due, of other endpoints than these, and a few of each only. */
  takeJobs(queue: QueueName, limit: number, without: readonly string[]): Promise<TakenJob[]>;
  /**
   * Adds jobs; a delivery that has one in the queue keeps that. Of deliveries in the order of an account the first
   * alone has one, and none where the account has one at that endpoint.
   */
  addJobs(queue: QueueName, jobs: readonly NewJob[]): Promise<void>;
  removeJobs(jobs: readonly TakenJob[]): Promise<void>;
  /** Makes the jobs of deliveries due at once; `accountId` is the internal id. */
  hasten(
    deliveries: readonly { deliveryId: string; endpointId: string; accountId: string | null }[],
  ): Promise<void>;
};

export type Jobs = {
  /**
   * Runs `work` between BEGIN and COMMIT; repeated whole, twice, after a deadlock. Where `isRepeatable`, the disk is
   * not waited for: should the server die at once, all of it did not happen, and is done again.
   */
  transaction<T>(
    work: (transaction: SystemTransaction) => Promise<T>,
    options?: { isRepeatable?: boolean },
  ): Promise<T>;
  query<T = Row>(statement: Statement, values: readonly unknown[]): Promise<T[]>;
  /** How many jobs are under way, in all processes. */
  countTaken(): Promise<number>;
  /** Gives back what processes took that are gone since a minute; done every minute anyway where the process keeps up. */
  keepUp(): Promise<void>;
  close(): Promise<void>;
};

type JobData = { p: string; d: string; e: string; a?: string; n?: number };

/** Opens the queue; `keepsUp` says whether this process gives back what others left behind. */
export async function openJobs(
  system: Database['system'],
  { keepsUp, onError }: { keepsUp: boolean; onError: (error: unknown) => void },
): Promise<Jobs> {
  const boss = new PgBoss({
    schema: JOB_SCHEMA,
    migrate: false,
    schedule: false,
    supervise: keepsUp,
    // What only the owner of the tables may do, or only an administrator see.
    reindex: false,
    monitorVacuum: false,
    db: { executeSql: (text, values) => withConnection(system, (client) => execute(client, text, values)) },
  });
  boss.on('error', onError);
  await startBoss(boss);

  async function attempt<T>(
    work: (transaction: SystemTransaction) => Promise<T>,
    isRepeatable: boolean,
  ): Promise<T> {
    return withConnection(system, async (client) => {
      // Not waited for on its own: it leaves with the first statement.
      const begun = client.query(isRepeatable ? BEGIN_REPEATABLE : 'begin');
      begun.catch(() => {});
      try {
        const result = await work(transactionOn(client));
        await begun;
        await client.query('commit');
        return result;
      } catch (error) {
        await client.query('rollback').catch(() => {});
        throw error;
      }
    });
  }

  function transactionOn(client: pg.ClientBase): SystemTransaction {
    const db = { executeSql: (text: string, values?: unknown[]) => execute(client, text, values) };
    return {
      run: (statement, values) => run(client, statement, values),
      async takeJobs(queue, limit, without) {
        const jobs = await boss.fetch<JobData>(QUEUES[queue], {
          batchSize: limit,
          groupConcurrency: PER_ENDPOINT,
          ignoreGroups: without.length > 0 ? [...without] : null,
          db,
        });
        return jobs.map(({ id, data: { p, d, e, a, n } }) => ({
          jobId: id,
          queue,
          projectId: p,
          deliveryId: d,
          endpointId: e,
          order: a === undefined || n === undefined ? null : { accountId: a, position: n },
        }));
      },
      async addJobs(queue, jobs) {
        for (let left = firstOfEachKey(queue, jobs); left.length > 0; ) {
          const rows = left.map(([key, job]) => jobRow(queue, key, job));
          const added = new Set(await boss.insert(QUEUES[queue], rows, { db, returnId: true }));
          const ordered = left.filter(
            ([key, job], index) => !added.has(rows[index]!.id) && key !== job.deliveryId,
          );
          left = await endedMeanwhile(client, queue, ordered);
        }
      },
      async removeJobs(jobs) {
        for (const [queue, taken] of Map.groupBy(jobs, (job) => job.queue))
          await boss.deleteJob(
            QUEUES[queue],
            taken.map(({ jobId }) => jobId),
            { db },
          );
      },
      async hasten(deliveries) {
        const keys = deliveries.flatMap(({ deliveryId, endpointId, accountId }) =>
          accountId === null ? [deliveryId] : [deliveryId, accountKey(endpointId, accountId)],
        );
        await run(client, HASTEN, [Object.values(QUEUES), [...new Set(keys)]]);
      },
    };
  }

  return {
    async transaction(work, { isRepeatable = false } = {}) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await attempt(work, isRepeatable);
        } catch (error) {
          if (tries < 3 && isSerializationFailure(error)) continue;
          throw translateError(error);
        }
      }
    },
    query: (statement, values) => withConnection(system, (client) => run(client, statement, values)),
    async countTaken() {
      const [row] = await withConnection(system, (client) => run(client, COUNT_TAKEN, []));
      return row.taken;
    },
    async keepUp() {
      await boss.supervise();
    },
    async close() {
      await boss.stop({ graceful: false });
    },
  };
}

/**
 * A queue grows and shrinks faster than the planner's statistics, which then speak for reading and sorting all of it to find a
 * few rows: every statement of ours has an index in the right order.
 */
const BEGIN_REPEATABLE = `begin; set local synchronous_commit = off; set local enable_seqscan = off;
  set local enable_bitmapscan = off; set local enable_sort = off`;

const COUNT_TAKEN: Statement = {
  name: 'webhook.count_taken',
  text: `select count(*)::int as taken from ${JOB_SCHEMA}.job
         where name in ('${DELIVERY_QUEUE}', '${RETRY_QUEUE}') and state = 'active'`,
};

/**
 * Whether a delivery `d` of a statement has a job of its own, or, while it waits for its first attempt, is behind that of its
 * account. What was tried before, and is sent again, is behind none.
 */
export const HAS_OWN_JOB = hasJob([DELIVERY_QUEUE, RETRY_QUEUE], 'd.delivery_id::text');
export const IS_UNTRIED = `(d.attempts = 0 and not exists (
  select 1 from webhook_attempts a where a.project_id = $1 and a.delivery_id = d.delivery_id
))`;
const HAS_JOB_OF_ACCOUNT = hasJob([DELIVERY_QUEUE], `d.endpoint_id::text || ' ' || d.account_id::text`);
export const HAS_JOB = `(${HAS_OWN_JOB} or (d.account_id is not null and ${HAS_JOB_OF_ACCOUNT} and ${IS_UNTRIED}))`;

function hasJob(queues: readonly string[], key: string): string {
  const each = queues.map(
    (queue) => `exists (
      select 1 from ${JOB_SCHEMA}.job j
      where j.name = '${queue}' and coalesce(j.singleton_key, '') = ${key} and j.state <= 'active' and j.policy = 'exclusive'
    )`,
  );
  return `(${each.join(' or ')})`;
}

const accountKey = (endpointId: string, accountId: string) => `${endpointId} ${accountId}`;

/** Jobs of one key are one at a time in a queue. */
function keyOf(queue: QueueName, { deliveryId, endpointId, order }: DeliveryJob): string {
  return queue === 'first' && order ? accountKey(endpointId, order.accountId) : deliveryId;
}

function firstOfEachKey(queue: QueueName, jobs: readonly NewJob[]): [string, NewJob][] {
  return [...Map.groupBy(jobs, (job) => keyOf(queue, job))].map(([key, [first]]) => [key, first!]);
}

function jobRow(queue: QueueName, key: string, job: NewJob) {
  const { projectId, deliveryId, endpointId, order, afterMs = 0, rank = 0 } = job;
  const place = queue === 'first' && order ? { a: order.accountId, n: order.position } : {};
  return {
    id: newId(),
    data: { p: projectId, d: deliveryId, e: endpointId, ...place } satisfies JobData,
    singletonKey: key,
    group: { id: endpointId },
    // A number is a duration from the database's now: our own clock may be another.
    startAfter: Math.max(0, afterMs) / 1000,
    priority: -rank,
  };
}

/** Held until the end of the transaction; in the order in which jobs are removed, so that nobody waits in a circle. */
const HOLD: Statement = {
  name: 'webhook.hold_jobs',
  text: `select singleton_key from ${JOB_SCHEMA}.job
         where name = $1 and coalesce(singleton_key, '') = any($2) and state <= 'active' and policy = 'exclusive'
         order by id for share`,
};

const HASTEN: Statement = {
  name: 'webhook.hasten_jobs',
  text: `update ${JOB_SCHEMA}.job set start_after = ${JOB_SCHEMA}.job_now()
         where name = any($1) and coalesce(singleton_key, '') = any($2) and state < 'active' and policy = 'exclusive'
           and start_after > ${JOB_SCHEMA}.job_now()`,
};

/**
 * Whoever ends the job that is in the way adds the next one, and sees what is committed by then: the job is held until
 * we are. What was in the way and has ended meanwhile is left to be added after all.
 */
async function endedMeanwhile(
  client: pg.ClientBase,
  queue: QueueName,
  jobs: [string, NewJob][],
): Promise<[string, NewJob][]> {
  if (jobs.length === 0) return [];
  const rows = await run(client, HOLD, [QUEUES[queue], jobs.map(([key]) => key)]);
  const held = new Set(rows.map((row): string => row.singleton_key));
  return jobs.filter(([key]) => !held.has(key));
}

async function run(client: pg.ClientBase, { name, text }: Statement, values: readonly unknown[]) {
  const { rows } = await client.query({ name, text, values: values as unknown[] });
  return rows as Row[];
}

/** The queue's own statements with values are prepared under their hash; those without are several in one text. */
const names = new LRUCache<string, string>({ max: 500 });
async function execute(client: pg.ClientBase, text: string, values?: unknown[]): Promise<{ rows: Row[] }> {
  if (!values || values.length === 0) return client.query(text);
  let name = names.get(text);
  if (!name) {
    name = `jobs:${createHash('sha256').update(text).digest('hex').slice(0, 32)}`;
    names.set(text, name);
  }
  return client.query({ name, text, values });
}
