import { randomUUID } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COLUMN_TYPES } from '../../../src/storage/column-types.ts';
import { type Call, type Database, openDatabase, type Statement } from '../../../src/storage/database.ts';
import { runBatch } from '../../../src/storage/statement-batch.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

let testDatabase: TestDatabase;
let database: Database;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  // One connection, so that each test uses the state of the previous one.
  database = openDatabase({ connectionString: testDatabase.ownerUrl, poolSize: 1 });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const INSERT: Statement = {
  name: 'test.insert',
  text: 'insert into lists (project_id, list_id, name) values ($1, $2, $3)',
};
const COUNT: Statement = {
  name: 'test.count',
  text: 'select count(*)::int as lists from lists where project_id = $1',
};
const DIVIDE: Statement = { name: 'test.divide', text: 'select 1 / $1::int as quotient' };

describe('statements that are sent together', () => {
  it('each return their own rows', async () => {
    const project = database.forProject(randomUUID());
    const rows = await project.transaction(async (transaction) => {
      const first = await transaction.run([DIVIDE, [1]], [COUNT, [project.projectId]], [DIVIDE, [1]]);
      const last = await transaction.commit(
        [INSERT, [project.projectId, randomUUID(), 'one']],
        [COUNT, [project.projectId]],
      );
      return [...first, ...last];
    });
    expect(rows).toEqual([[{ quotient: 1 }], [{ lists: 0 }], [{ quotient: 1 }], [], [{ lists: 1 }]]);
  });

  it('receive arrays with every value as it was, alone and together', async () => {
    const project = database.forProject(randomUUID());
    const texts = ['', 'NULL', 'null', 'a b', 'a,b', '{}', '"', '\\', '\\x00', '\n', 'é😀', '1e5', ' ', null];
    const times = [new Date(0), new Date('2026-02-28T23:59:59.999Z'), new Date('9999-12-31T23:59:59Z')];
    const hashes = [Buffer.from('00ff5c22', 'hex'), Buffer.alloc(0)];
    const numbers = [0, -1.5, 1e300, 5e-324, Number.POSITIVE_INFINITY];
    const values = [
      texts,
      times,
      hashes,
      numbers,
      [true, false, null],
      [randomUUID()],
      [{ a: '"\\,{}' }],
      [],
    ];
    const sent: Call = [
      {
        name: 'test.arrays',
        text: `select $1::text[] as a, $2::timestamptz[] as b, $3::bytea[] as c, $4::float8[] as d, $5::boolean[] as e,
          $6::uuid[] as f, $7::jsonb[] as g, $8::int[] as h`,
      },
      values,
    ];
    const [[together]] = (await project.transaction((transaction) => transaction.commit(sent))) as [[object]];
    const [alone] = (await project.query(...sent)) as [object];
    expect(Object.values(together)).toEqual(values);
    expect(Object.values(alone)).toEqual(values);
  });

  it('are rolled back together when one of them fails, although the commit was sent too', async () => {
    const project = database.forProject(randomUUID());
    const insert = [INSERT, [project.projectId, randomUUID(), 'undone']] as const;
    await expect(
      project.transaction((transaction) => transaction.commit(insert, [DIVIDE, [0]])),
    ).rejects.toThrow();
    expect(await project.query(COUNT, [project.projectId])).toEqual([{ lists: 0 }]);
  });

  it('leave a connection that can prepare the statements after the failed one', async () => {
    const project = database.forProject(randomUUID());
    const unseen: Statement = { name: `test.${randomUUID()}`, text: 'select 7 as seven' };
    await expect(
      project.transaction((transaction) => transaction.commit([DIVIDE, [0]], [unseen, []])),
    ).rejects.toThrow();
    expect(await project.query(unseen, [])).toEqual([{ seven: 7 }]);
    expect(await project.query(DIVIDE, [1])).toEqual([{ quotient: 1 }]);
  });

  it('are not committed when a value of one of them cannot be sent', async () => {
    const project = database.forProject(randomUUID());
    const circular: Record<string, unknown> = {};
    circular.self = circular;
    const insert = [INSERT, [project.projectId, randomUUID(), 'unsent']] as const;
    await expect(
      project.transaction((transaction) => transaction.commit(insert, [DIVIDE, [circular]])),
    ).rejects.toThrow();
    expect(await project.query(COUNT, [project.projectId])).toEqual([{ lists: 0 }]);
    expect(await project.query(DIVIDE, [1])).toEqual([{ quotient: 1 }]);
  });

  it('have their columns when the server described them in an earlier batch, whether it had rows or not', async () => {
    const project = database.forProject(randomUUID());
    const list: Statement = {
      name: 'test.list',
      text: 'select name, list_id, created_at, null::int as missing from lists where project_id = $1',
    };
    const listId = randomUUID();
    const read = () => project.transaction((transaction) => transaction.run([list, [project.projectId]]));
    expect(await read()).toEqual([[]]);
    await project.query(INSERT, [project.projectId, listId, 'one']);
    const row = { name: 'one', list_id: listId, created_at: expect.any(Date), missing: null };
    expect(await read()).toEqual([[row]]);
    expect(await read()).toEqual([[row]]);
  });

  it('are described by the server once per connection', async () => {
    const client = new pg.Client({ connectionString: testDatabase.ownerUrl });
    await client.connect();
    let described = 0;
    const { connection } = client as unknown as { connection: EventEmitter };
    connection.on('rowDescription', () => {
      described += 1;
    });
    const call = { name: 'test.seven', text: 'select 7 as seven, $1::int as given', values: [1] };
    const run = async () => (await runBatch(client, [call, call], COLUMN_TYPES)).map(({ rows }) => rows);
    const rows = [[{ seven: 7, given: 1 }], [{ seven: 7, given: 1 }]];
    expect(await run()).toEqual(rows);
    expect(described).toBe(2);
    expect(await run()).toEqual(rows);
    expect(described).toBe(2);
    await client.end();
  });
});
