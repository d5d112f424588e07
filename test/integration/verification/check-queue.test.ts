import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  CHECK_QUEUES,
  type CheckKind,
  claimableAfter,
  retrySeconds,
} from '../../../src/domain/verification/check/check-queue-store.ts';
import { type Database, openDatabase } from '../../../src/storage/database.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { connectAs } from '../../support/sql.ts';

/* Only the queue: no gateway claims checks. */
let testDatabase: TestDatabase;
let database: Database;
let system: pg.Client;
beforeAll(async () => {
  testDatabase = await createTestDatabase();
  system = await connectAs(testDatabase, 'vouchgraph_system');
  database = openDatabase({ connectionString: testDatabase.ownerUrl, poolSize: 2 });
});
afterAll(async () => {
  await database.close();
  await system.end();
  await testDatabase.drop();
});

const SUBMIT = `update verification_sessions set ${claimableAfter(0)} where session_id = $1`;
async function submitted(kind: CheckKind): Promise<string> {
  const sessionId = randomUUID();
  await system.query(
    `insert into verification_sessions (project_id, session_id, kind, simulation, secret_hash, request_id, created_at,
       expires_at)
     values (gen_random_uuid(), $1, 'face', $2, '', gen_random_uuid(), now(), now())`,
    [sessionId, kind === 'real' ? null : '{}'],
  );
  await system.query(SUBMIT, [sessionId]);
  return sessionId;
}
const claim = (kind: CheckKind, limit = 10) => CHECK_QUEUES[kind].claim(database.system, null, limit);

it('simulated checks are claimed separately from those with images', async () => {
  const real = await submitted('real');
  const simulated = await submitted('simulated');
  const taken = await claim('simulated');
  expect(taken.map(({ id }) => id)).toEqual([simulated]);
  const others = await claim('real');
  expect(others.map(({ id }) => id)).toEqual([real]);
  await CHECK_QUEUES.real.end(database.system, [...taken, ...others]);
});

it('each retry of a failed check is delayed longer, up to a minute', async () => {
  const sessionId = await submitted('real');
  const waits: number[] = [];
  for (let retries = 0; retries < 8; retries += 1) {
    const [job] = await claim('real');
    expect(job).toMatchObject({ id: sessionId, retries });
    waits.push(retrySeconds(job!));
    await CHECK_QUEUES.real.release(database.system, [job!], 60);
    expect(await claim('real')).toEqual([]);
    await system.query('update verification_sessions set claimable_at = now() where session_id = $1', [
      sessionId,
    ]);
  }
  expect(waits).toEqual([2, 4, 8, 16, 32, 60, 60, 60]);
  await CHECK_QUEUES.real.end(database.system, await claim('real'));
});

it('a released check is due at once', async () => {
  const sessionId = await submitted('real');
  for (let round = 0; round < 100; round += 1) {
    const jobs = await claim('real');
    expect(jobs.map(({ id }) => id)).toEqual([sessionId]);
    await CHECK_QUEUES.real.release(database.system, jobs);
  }
  await CHECK_QUEUES.real.end(database.system, await claim('real'));
});

it('a retake is a new job, which the end of the previous images does not end', async () => {
  const sessionId = await submitted('real');
  const [first] = await claim('real');
  await system.query(SUBMIT, [sessionId]);
  await CHECK_QUEUES.real.end(database.system, [first!]);
  const [second] = await claim('real');
  expect(second).toMatchObject({ id: sessionId, retries: 0 });
  await CHECK_QUEUES.real.release(database.system, [first!]);
  expect(await claim('real')).toEqual([]);
  await CHECK_QUEUES.real.end(database.system, [second!]);
});
