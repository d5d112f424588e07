import { type JobInsert, PgBoss } from 'pg-boss';
import type { Database, Row, Statement } from '../../../storage/database.ts';
import { JOB_SCHEMA, startBoss, VERIFICATION_QUEUE } from '../../../storage/job-schema.ts';
import { queryPrepared } from '../../../storage/prepared-text.ts';
import { isSerializationFailure, translateError } from '../../../storage/translate-error.ts';
import { withConnection } from '../../../storage/with-connection.ts';

/*
 * Queue of submitted verifications, in pg-boss. The transaction that submits a session adds its job. The worker that
 * claims a job finishes it when the result is written, and sends a heartbeat every few seconds. A job without a heartbeat
 * is reassigned to another process. A crashed gateway therefore delays a verification by seconds, and images that wait
 * long in the queue are not read twice.
 */

/** A process counts as dead after this time without a heartbeat. The library allows no lower value. */
const SILENCE_SECONDS = 10;
const TOUCH_MS = 2500;
/** Interval at which one of all processes looks for jobs without a heartbeat. */
const MONITOR_SECONDS = 5;
/** A job that runs longer counts as stuck, even with heartbeats. */
const MAX_SECONDS = 900;
/** Delay of the first retry. It doubles with each retry, up to a minute. */
const RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 60;

export type CheckJob = { readonly projectId: string; readonly sessionId: string };
/** Simulated checks read no images and are claimed separately. */
export type CheckKind = 'simulated' | 'real';
export type ClaimedCheck = CheckJob & {
  readonly jobId: string;
  /** Number of earlier attempts. */
  readonly retries: number;
};

/** The priority of the library only distinguishes the two kinds of jobs. */
const PRIORITIES: Readonly<Record<CheckKind, number>> = { real: 0, simulated: 1 };

export type NewCheck = CheckJob & {
  readonly kind: CheckKind;
  readonly afterSeconds: number;
  /** Number of retakes before this submission. Its job may be added while the previous one is being finished. */
  readonly retakes?: number;
};

export type CheckQueue = {
  /** Runs a statement and adds the job if it returns a row, in one transaction. Returns whether the job was added. */
  addWith(statement: Statement, values: readonly unknown[], job: NewCheck): Promise<boolean>;
  claim(kind: CheckKind, limit: number): Promise<ClaimedCheck[]>;
  /** Finishes the job. */
  finish(jobId: string): Promise<void>;
  /** Releases the job for a retry, with a delay that grows with the number of retries. */
  release(jobId: string): Promise<void>;
  /** Releases the job to other processes immediately, because this process shuts down. */
  handOver(jobId: string): Promise<void>;
  /** Makes a job due now, by the key that `pending` returns. */
  runNow(key: string): Promise<void>;
  /** Keys of waiting and running jobs of a project, in all processes. The key of a first submission is its session id. */
  pending(projectId: string): Promise<string[]>;
  close(): Promise<void>;
};

type JobData = { p: string; s: string };

const COUNT: Statement = {
  name: 'verification.pending_jobs',
  text: `select singleton_key as key from ${JOB_SCHEMA}.job
         where name = '${VERIFICATION_QUEUE}' and state < 'completed' and data->>'p' = $1`,
};

async function openBoss(system: Database['system'], onError: (error: unknown) => void): Promise<PgBoss> {
  const boss = new PgBoss({
    schema: JOB_SCHEMA,
    migrate: false,
    schedule: false,
    // Done below for this queue only.
    supervise: false,
    monitorIntervalSeconds: MONITOR_SECONDS,
    // These need the owner of the tables or an administrator.
    reindex: false,
    monitorVacuum: false,
    db: {
      executeSql: (text, values) => withConnection(system, (client) => queryPrepared(client, text, values)),
    },
  });
  boss.on('error', onError);
  await startBoss(boss);
  return boss;
}

function jobOf({ projectId, sessionId, kind, afterSeconds, retakes = 0 }: NewCheck): JobInsert<JobData> {
  return {
    data: { p: projectId, s: sessionId },
    singletonKey: retakes === 0 ? sessionId : `${sessionId}:${retakes}`,
    priority: PRIORITIES[kind],
    startAfter: afterSeconds,
    retryDelay: RETRY_SECONDS,
    retryBackoff: true,
    retryDelayMax: MAX_RETRY_SECONDS,
    heartbeatSeconds: SILENCE_SECONDS,
    expireInSeconds: MAX_SECONDS,
  };
}

/** Runs a statement and adds the job if it returns a row, in one transaction. */
function runWithJob(
  system: Database['system'],
  boss: PgBoss,
  { name, text }: Statement,
  values: readonly unknown[],
  job: NewCheck,
): Promise<boolean> {
  return withConnection(system, async (client) => {
    await client.query('begin');
    try {
      const { rows } = await client.query({ name, text, values: values as unknown[] });
      if (rows.length > 0) {
        const db = { executeSql: (sql: string, bound?: unknown[]) => queryPrepared(client, sql, bound) };
        await boss.insert(VERIFICATION_QUEUE, [jobOf(job)], { db });
      }
      await client.query('commit');
      return rows.length > 0;
    } catch (error) {
      await client.query('rollback').catch(() => {});
      throw error;
    }
  });
}

/** Sends heartbeats for claimed jobs and looks for jobs without one, until it is stopped. */
function keepAlive(
  boss: PgBoss,
  held: ReadonlySet<string>,
  onError: (error: unknown) => void,
): { stop(): void } {
  let isStopped = false;
  const failed = (error: unknown) => {
    if (!isStopped) onError(error);
  };
  const touching = setInterval(() => {
    if (held.size > 0) boss.touch(VERIFICATION_QUEUE, [...held]).catch(failed);
  }, TOUCH_MS);
  const lookingOut = setInterval(() => {
    boss.supervise(VERIFICATION_QUEUE).catch(failed);
  }, MONITOR_SECONDS * 1000);
  for (const timer of [touching, lookingOut]) timer.unref();
  return {
    stop() {
      isStopped = true;
      clearInterval(touching);
      clearInterval(lookingOut);
    },
  };
}

export async function openCheckQueue(
  system: Database['system'],
  onError: (error: unknown) => void,
): Promise<CheckQueue> {
  const boss = await openBoss(system, onError);
  /** Jobs that this process claimed and has not finished. */
  const held = new Set<string>();
  const alive = keepAlive(boss, held, onError);
  return {
    async addWith(statement, values, job) {
      for (let tries = 1; ; tries += 1) {
        try {
          return await runWithJob(system, boss, statement, values, job);
        } catch (error) {
          if (tries < 3 && isSerializationFailure(error)) continue;
          throw translateError(error);
        }
      }
    },
    async claim(kind, limit) {
      const jobs = await boss.fetch<JobData>(VERIFICATION_QUEUE, {
        batchSize: limit,
        includeMetadata: true,
        minPriority: PRIORITIES[kind],
        maxPriority: PRIORITIES[kind],
      });
      for (const { id } of jobs) held.add(id);
      return jobs.map(({ id, retryCount, data: { p, s } }) => ({
        jobId: id,
        projectId: p,
        sessionId: s,
        retries: retryCount,
      }));
    },
    async finish(jobId) {
      held.delete(jobId);
      await boss.deleteJob(VERIFICATION_QUEUE, jobId);
    },
    async release(jobId) {
      held.delete(jobId);
      await boss.fail(VERIFICATION_QUEUE, jobId);
    },
    async handOver(jobId) {
      held.delete(jobId);
      await boss.fail(VERIFICATION_QUEUE, jobId);
      await boss.update(VERIFICATION_QUEUE, undefined, { id: jobId, startAfter: 0 });
    },
    async runNow(key) {
      await boss.update(VERIFICATION_QUEUE, undefined, { singletonKey: key, startAfter: 0 });
    },
    async pending(projectId) {
      const rows = await system.query<Row>(COUNT, [projectId]);
      return rows.map((row): string => row.key);
    },
    async close() {
      alive.stop();
      await boss.stop({ graceful: false });
    },
  };
}
