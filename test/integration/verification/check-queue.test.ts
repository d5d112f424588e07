import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  type CheckKind,
  type CheckQueue,
  openCheckQueue,
} from '../../../src/domain/verification/check/check-queue-store.ts';
import { type Database, openDatabase } from '../../../src/storage/database.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { connectAs } from '../../support/sql.ts';

/* Only the queue: no gateway claims jobs. */
let testDatabase: TestDatabase;
let database: Database;
let owner: pg.Client;
let queue: CheckQueue;
const errors: unknown[] = [];
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  owner = await connectAs(testDatabase, 'owner');
  database = openDatabase({ connectionString: testDatabase.ownerUrl, poolSize: 2 });
  queue = await openCheckQueue(database.system, (error) => errors.push(error));
});
afterAll(async () => {
  await queue.close();
  await database.close();
  await owner.end();
  await testDatabase.drop();
  expect(errors).toEqual([]);
});

const ONE = { name: 'test.one', text: 'select 1' };
async function added(kind: CheckKind): Promise<string> {
  const sessionId = randomUUID();
  expect(await queue.addWith(ONE, [], { projectId: randomUUID(), sessionId, kind, afterSeconds: 0 })).toBe(
    true,
  );
  return sessionId;
}
/** Seconds until a job is due. */
async function dueIn(sessionId: string): Promise<number> {
  const text = `select extract(epoch from start_after - now())::float8 as seconds from vouchgraph_jobs.job where data->>'s' = $1`;
  return (await owner.query(text, [sessionId])).rows[0].seconds;
}

it('the check queue separates simulated checks from those with images', async () => {
  const real = await added('real');
  const simulated = await added('simulated');
  const taken = await queue.claim('simulated', 10);
  expect(taken.map(({ sessionId }) => sessionId)).toEqual([simulated]);
  const others = await queue.claim('real', 10);
  expect(others.map(({ sessionId }) => sessionId)).toEqual([real]);
  for (const { jobId } of [...taken, ...others]) await queue.finish(jobId);
});

it('the check queue delays each retry of a failed check longer, up to a minute', async () => {
  const sessionId = await added('real');
  const waits: number[] = [];
  for (let retries = 0; retries < 10; retries += 1) {
    const [job] = await queue.claim('real', 1);
    expect(job).toMatchObject({ sessionId, retries });
    await queue.release(job!.jobId);
    expect(await queue.claim('real', 1)).toEqual([]);
    waits.push(await dueIn(sessionId));
    await queue.runNow(sessionId);
  }
  expect(waits[0]).toBeGreaterThan(1);
  expect(waits[0]).toBeLessThan(4.1);
  expect(waits[3]).toBeGreaterThan(10);
  expect(waits.at(-1)).toBeGreaterThan(50);
  expect(Math.max(...waits)).toBeLessThan(60.1);
  const [job] = await queue.claim('real', 1);
  await queue.finish(job!.jobId);
});

it('the check queue assigns a check to the next process that requests one', async () => {
  const sessionId = await added('real');
  const [mine] = await queue.claim('real', 1);
  await queue.handOver(mine!.jobId);
  const [theirs] = await queue.claim('real', 1);
  expect(theirs).toMatchObject({ sessionId, jobId: mine!.jobId });
  await queue.finish(theirs!.jobId);
});

it('the check queue keeps the job of a retake while the job of the previous images completes', async () => {
  const sessionId = await added('real');
  const [first] = await queue.claim('real', 1);
  const job = { projectId: randomUUID(), sessionId, kind: 'real', afterSeconds: 0, retakes: 1 } as const;
  expect(await queue.addWith(ONE, [], job)).toBe(true);
  await queue.finish(first!.jobId);
  expect(await queue.pending(job.projectId)).toEqual([`${sessionId}:1`]);
  const [second] = await queue.claim('real', 1);
  expect(second).toMatchObject({ sessionId, retries: 0 });
  await queue.finish(second!.jobId);
});
