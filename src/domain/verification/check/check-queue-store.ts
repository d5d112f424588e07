import { type JobInsert, PgBoss } from 'pg-boss';
import type { Database, Row, Statement } from '../../../storage/database.ts';
import { JOB_SCHEMA, startBoss, VERIFICATION_QUEUE } from '../../../storage/job-schema.ts';
import { queryPrepared } from '../../../storage/prepared-text.ts';
import { isSerializationFailure, translateError } from '../../../storage/translate-error.ts';
import { withConnection } from '../../../storage/with-connection.ts';

/*
 * Verifications whose pictures wait to be read, kept by pg-boss: the job is added in the transaction that submits the
 * session, and whoever takes it ends it when its result is written. Who reads says so every few seconds: a job of which
 * nothing was heard is given to another process, so that a gateway that died delays a verification by seconds, while
 * pictures that wait long for their turn are not read twice.
 */

/** After so long without a word its process is taken for dead; the library allows no less. */
const SILENCE_SECONDS = 10;
const TOUCH_MS = 2500;
/** How often silent jobs are looked for, by one of all processes. */
const LOOK_OUT_SECONDS = 5;
/** Beyond it a job is taken for stuck, however alive its process is. */
const MAX_SECONDS = 900;
/** What fails is tried again after these seconds, then after twice as many, up to a minute. */
const RETRY_SECONDS = 2;
const MAX_RETRY_SECONDS = 60;

export type CheckJob = { readonly projectId: string; readonly sessionId: string };
/** Simulated ones need no reader of pictures, and are taken apart from those that do. */
export type CheckKind = 'simulated' | 'real';
export type TakenCheck = CheckJob & {
  readonly jobId: string;
  /** How often it was taken before. */
  readonly retries: number;
};

/** The library takes jobs by their priority: here it only tells the two kinds apart. */
const PRIORITIES: Readonly<Record<CheckKind, number>> = { real: 0, simulated: 1 };

export type NewCheck = CheckJob & {
  readonly kind: CheckKind;
  readonly afterSeconds: number;
  /** Number of retakes before this submission: its job may be added while that of the one before is being finished. */
  readonly retakes?: number;
};

export type CheckQueue = {
  /** Runs a statement and adds the job where it returned a row, together; whether it did. */
  addWith(statement: Statement, values: readonly unknown[], job: NewCheck): Promise<boolean>;
  take(kind: CheckKind, limit: number): Promise<TakenCheck[]>;
  /** The job is over. */
  finish(jobId: string): Promise<void>;
  /** It is to be tried again, after some seconds that grow with its retries. */
  giveBack(jobId: string): Promise<void>;
  /** Somebody else is to take it at once: this process ends. */
  handOver(jobId: string): Promise<void>;
  /** Makes a job due at once, by the key that `pending` returns. */
  runNow(key: string): Promise<void>;
  /** Keys of the jobs of a project that are waiting or running, in all processes; that of a first submission is its session. */
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
    // Done for this queue alone, below.
    supervise: false,
    monitorIntervalSeconds: LOOK_OUT_SECONDS,
    // What only the owner of the tables may do, or only an administrator see.
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

/** Runs a statement and adds the job where it returned a row, in one transaction. */
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

/** Says of the jobs that are held that they are alive, and looks for silent ones, until it is stopped. */
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
  }, LOOK_OUT_SECONDS * 1000);
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
  /** Taken by this process, and not ended yet. */
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
    async take(kind, limit) {
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
    async giveBack(jobId) {
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
