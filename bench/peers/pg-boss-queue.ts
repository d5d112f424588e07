import { createHash } from 'node:crypto';
import { getConstructionPlans, PgBoss } from 'pg-boss';
import type { Execute, PgBossQueue } from '../queue.ts';

/* The queue of submitted verifications in pg-boss: one job of a session at a time, with heartbeats and retries. */

const SCHEMA = 'bench_jobs';
const QUEUE = 'verification';

/** The library names no statements: prepared under the hash of their text they are planned once, as ours are. */
const executorOf = (execute: Execute) => ({
  executeSql: (text: string, values?: unknown[]) =>
    values && values.length > 0
      ? execute({ name: createHash('sha256').update(text).digest('hex').slice(0, 40), text, values })
      : execute({ text }),
});

export async function openPgBoss(execute: Execute): Promise<PgBossQueue> {
  const began = performance.now();
  await execute({ text: getConstructionPlans(SCHEMA) });
  const boss = new PgBoss({
    schema: SCHEMA,
    migrate: false,
    schedule: false,
    supervise: false,
    db: executorOf(execute),
  });
  boss.on('error', () => {});
  const created = performance.now();
  await boss.start();
  const started = performance.now();
  await boss.createQueue(QUEUE, { policy: 'exclusive', retryLimit: 1000 });
  return {
    createMs: created - began,
    startMs: started - created,
    add: (inTransaction: Execute, projectId: string, sessionId: string) =>
      boss.insert(
        QUEUE,
        [
          {
            data: { p: projectId, s: sessionId },
            singletonKey: sessionId,
            heartbeatSeconds: 10,
            expireInSeconds: 900,
          },
        ],
        { db: executorOf(inTransaction) },
      ),
    claim: async (limit: number) => {
      const jobs = await boss.fetch(QUEUE, {
        batchSize: limit,
        includeMetadata: true,
        minPriority: 0,
        maxPriority: 0,
      });
      return jobs.map(({ id }) => id);
    },
    renew: (ids: string[]) => boss.touch(QUEUE, ids),
    end: (id: string) => boss.deleteJob(QUEUE, id),
    close: () => boss.stop({ graceful: false }),
  };
}
