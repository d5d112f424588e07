import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Database, openDatabase, type Statement } from '../../../src/storage/database.ts';
import { createTestDatabase, queryAsAdmin, type TestDatabase } from '../../support/database.ts';

/* The server's settings are those of PostgreSQL before version 18, which compiles statements with a high cost. */

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  const name = new URL(testDatabase.ownerUrl).pathname.slice(1);
  await queryAsAdmin(`alter database ${name} set jit = 'on'`);
  database = openDatabase({ connectionString: testDatabase.ownerUrl, poolSize: 2 });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const SHOW_JIT: Statement = { name: 'test.show_jit', text: `select current_setting('jit') as jit` };
const OFF = [{ jit: 'off' }];

describe('the just-in-time compiler of the server is off', () => {
  it('for requests, jobs, queues and dedicated connections', async () => {
    const project = database.forProject('019ab0f3-6f3e-7c6e-8f5e-0f7d1b0a9c11');
    expect(await project.query(SHOW_JIT, [])).toEqual(OFF);
    expect(await project.transaction(async ({ commit }) => (await commit([SHOW_JIT, []]))[0])).toEqual(OFF);
    expect(await database.system.query(SHOW_JIT, [])).toEqual(OFF);
    expect(
      await database.system.queueTransaction(async ({ commit }) => (await commit([SHOW_JIT, []]))[0]),
    ).toEqual(OFF);
    const client = await database.system.connect();
    const { rows } = await client.query(SHOW_JIT.text).finally(() => client.release());
    expect(rows).toEqual(OFF);
  });
});
