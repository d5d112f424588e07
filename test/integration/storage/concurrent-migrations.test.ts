import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { migrate, pendingMigrations, readMigrations } from '../../../src/storage/migrate.ts';
import { isOutsideTransaction, statementsOf } from '../../../src/storage/migration-file.ts';
import { createEmptyDatabase } from '../../support/database.ts';

const log = () => {};

const TABLE =
  'CREATE TABLE things (id int, name text); INSERT INTO things SELECT n, n::text FROM generate_series(1, 2000) n;';
const INDEXES = `-- vouchgraph: outside a transaction
-- Two indexes; this line is a comment.
create index concurrently if not exists things_by_id on things (id);

create unique index concurrently if not exists things_by_name
  on things (name) where name <> ';';
`;

/** An empty database, and a folder with a table and the migration that indexes it. */
async function setUp(indexes = INDEXES) {
  const database = await createEmptyDatabase();
  const folder = await mkdtemp(join(tmpdir(), 'vouchgraph-migrations-'));
  onTestFinished(async () => {
    await rm(folder, { recursive: true });
    await database.drop();
  });
  const connectionString = database.ownerUrl;
  const write = async (name: string, sql: string) => {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'migration.sql'), sql);
  };
  const options = { connectionString, log, folder: pathToFileURL(`${folder}/`) };
  await write('1_table', TABLE);
  await migrate(options);
  await write('2_indexes', indexes);
  return { connectionString, options };
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  client.on('error', () => {});
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

async function indexesOf(client: pg.Client): Promise<{ name: string; valid: boolean }[]> {
  const { rows } = await client.query(
    `select indexrelid::regclass::text as name, indisvalid as valid from pg_index
     where indrelid = 'things'::regclass order by 1`,
  );
  return rows;
}

const BUILT = [
  { name: 'things_by_id', valid: true },
  { name: 'things_by_name', valid: true },
];

/** Keeps a snapshot until its transaction ends: builds wait for it. */
const HOLD_SNAPSHOT = 'begin isolation level repeatable read; select count(*) from things';

/** Resolves once the build of an index waits for a transaction, with the id of its backend. */
function waitsForTransaction(client: pg.Client): Promise<number> {
  return vi.waitFor(
    async () => {
      const { rows } = await client.query(
        `select pid from pg_stat_activity where datname = current_database()
         and wait_event = 'virtualxid' and query like 'create%'`,
      );
      expect(rows).toHaveLength(1);
      return rows[0].pid;
    },
    { timeout: 60_000, interval: 50 },
  );
}

describe('a migration outside a transaction', () => {
  it('runs each statement alone, and is recorded once all are done', async () => {
    const { connectionString, options } = await setUp();
    const client = await connect(connectionString);
    expect(await pendingMigrations(options)).toEqual(['2_indexes']);
    expect(await migrate(options)).toEqual({ applied: ['2_indexes'] });
    expect(await indexesOf(client)).toEqual(BUILT);
    expect(await pendingMigrations(options)).toEqual([]);
    expect(await migrate(options)).toEqual({ applied: [] });
    const { rows } = await client.query(
      `select checksum, finished_at is not null as finished from _prisma_migrations where migration_name = '2_indexes'`,
    );
    const [, migration] = await readMigrations(options.folder);
    expect(rows).toEqual([{ checksum: migration?.checksum, finished: true }]);
  });

  it('is applied once by several processes that start concurrently', async () => {
    const { connectionString, options } = await setUp();
    const client = await connect(connectionString);
    // Delays the build until all processes wait: the build must not wait for processes that wait for the lock.
    await client.query(HOLD_SNAPSHOT);
    const results = Array.from({ length: 6 }, () => migrate(options));
    await waitsForTransaction(await connect(connectionString));
    await client.query('commit');
    expect((await Promise.all(results)).flatMap(({ applied }) => applied)).toEqual(['2_indexes']);
    expect(await indexesOf(client)).toEqual(BUILT);
  });

  it('blocks no writer of the table while it waits and builds', async () => {
    const { connectionString, options } = await setUp();
    const [reader, writer] = [await connect(connectionString), await connect(connectionString)];
    await reader.query(HOLD_SNAPSHOT);
    const migrating = migrate(options);
    await waitsForTransaction(writer);
    await writer.query(`set lock_timeout = '5s'`);
    await writer.query(`insert into things values (0, 'new')`);
    await reader.query('commit');
    await migrating;
    expect(await indexesOf(writer)).toEqual(BUILT);
  });

  it('restarts after an interrupted build that left an invalid index', async () => {
    const { connectionString, options } = await setUp();
    const [reader, other] = [await connect(connectionString), await connect(connectionString)];
    await reader.query(HOLD_SNAPSHOT);
    const migrating = migrate(options);
    const interrupted = migrating.catch((error: unknown) => error);
    const pid = await waitsForTransaction(other);
    await other.query('select pg_terminate_backend($1)', [pid]);
    expect(await interrupted).toMatchObject({ code: 'migration.failed' });
    await reader.query('commit');
    await vi.waitFor(
      async () => {
        const { rows } = await other.query('select 1 from pg_stat_activity where pid = $1', [pid]);
        expect(rows).toEqual([]);
      },
      { timeout: 50_000 },
    );
    expect(await indexesOf(other)).toEqual([{ name: 'things_by_id', valid: false }]);
    expect(await pendingMigrations(options)).toEqual(['2_indexes']);

    expect(await migrate(options)).toEqual({ applied: ['2_indexes'] });
    expect(await indexesOf(other)).toEqual(BUILT);
  });

  it('reports the cause of a failed build, and keeps earlier builds', async () => {
    const { connectionString, options } = await setUp();
    const client = await connect(connectionString);
    await client.query(`insert into things values (1, '1')`);
    await expect(migrate(options)).rejects.toMatchObject({
      code: 'migration.failed',
      message: expect.stringMatching(
        /^migration 2_indexes failed and continues with the next start: could not create/,
      ),
    });
    expect(await indexesOf(client)).toEqual([BUILT[0], { name: 'things_by_name', valid: false }]);
    await client.query('delete from things where ctid in (select max(ctid) from things where id = 1)');
    expect(await migrate(options)).toEqual({ applied: ['2_indexes'] });
    expect(await indexesOf(client)).toEqual(BUILT);
  });

  it('gives priority to another tool that waits for the lock of migrations inside a statement', async () => {
    const { connectionString, options } = await setUp();
    const [reader, tool] = [await connect(connectionString), await connect(connectionString)];
    await reader.query(HOLD_SNAPSHOT);
    const migrating = migrate(options);
    await waitsForTransaction(await connect(connectionString));
    // Like Prisma, which waits with a snapshot: the build would wait for it, and it for the lock.
    const waiting = tool.query('select pg_advisory_lock(72707369)');
    // Until the server has searched for a deadlock and found none: the build is the one to find it.
    await vi.waitFor(
      async () => {
        const { rows } = await reader.query(
          `select 1 from pg_locks where locktype = 'advisory' and not granted
             and database = (select oid from pg_database where datname = current_database())
             and waitstart < clock_timestamp() - 2 * current_setting('deadlock_timeout')::interval`,
        );
        expect(rows).toHaveLength(1);
      },
      { timeout: 50_000 },
    );
    await reader.query('commit');
    await waiting;
    await tool.query('select pg_advisory_unlock(72707369)');
    expect(await migrating).toEqual({ applied: ['2_indexes'] });
    expect(await indexesOf(tool)).toEqual(BUILT);
  });
});

/** Migrations that were released before indexes had to be built concurrently. */
const RELEASED: Record<string, string> = {
  '20261121000000_initial': 'fc2565fdb609ce33044d85eb6f891672a4224e571580374ef8449ef117e25a61',
  '20261121090000_signals': '88b4dbfb7e533d0d8f24469fac8dbf54c3b1f47b5b5b6eadee0786736567cc10',
  '20261121110000_linking': '7ba943d5b4c7d895738ecb01544808e48fd048082a9b0d6a3dc4f3ed4ea0cf69',
  '20261121150000_rules': '2f4bab88ea6e430124e009b9acc03cfcb54d9d717327910a54071dfec289db49',
  '20261121170000_events': '6a75ac6ed1ea8a3e7d738c173e73965bebb00e805c67b87ff9d1696ba39ebfb4',
  '20261121190000_verification': 'a36faea9b4f6fc37d7f5c4acc2c51d733bace6d068967affa2fb6f84a9574847',
  '20261121200000_delivery_order': '1fb98b799287a128968a731762626a8a62f75ada37c950d3b2f25e30841d0d0d',
  '20261121210000_outbox_drop': 'd81426ef0cd5a121ad0bc4f33a95986ae4d65cab456129a673372f5612112f43',
};
const LAST_RELEASED = '20261121210000_outbox_drop';

const CREATE_TABLE = /^\s*create\s+table\s+(?:if\s+not\s+exists\s+)?"?(\w+)"?/gim;
const CREATE_INDEX =
  /^\s*create\s+(?:unique\s+)?index\s+(concurrently\s+)?(?:if\s+not\s+exists\s+)?"?(\w+)"?\s+on\s+(?:only\s+)?"?(\w+)"?/gim;
const ADD_INDEXED_CONSTRAINT =
  /alter\s+table\s+(?:only\s+)?"?(\w+)"?[^;]*?\badd\s+(?:constraint\s+"?\w+"?\s+)?(?:unique|primary\s+key)(?!\s+using\s+index)/gi;

describe('the migrations', () => {
  it('that were released are unchanged', async () => {
    const migrations = await readMigrations();
    const released = migrations.filter(({ name }) => name <= LAST_RELEASED);
    expect(Object.fromEntries(released.map(({ name, checksum }) => [name, checksum]))).toEqual(RELEASED);
  });

  it('build indexes of existing tables concurrently, outside a transaction', async () => {
    const blocking: string[] = [];
    for (const { name, sql } of await readMigrations()) {
      if (name <= LAST_RELEASED) continue;
      const created = new Set([...sql.matchAll(CREATE_TABLE)].map(([, table]) => table));
      for (const [, concurrently, index, table] of sql.matchAll(CREATE_INDEX)) {
        const allowed = concurrently ? isOutsideTransaction(sql) : created.has(table);
        if (!allowed) blocking.push(`${name}: index ${index} on ${table}`);
      }
      for (const [, table] of sql.matchAll(ADD_INDEXED_CONSTRAINT))
        if (!created.has(table)) blocking.push(`${name}: constraint on ${table}`);
    }
    expect(blocking).toEqual([]);
  });

  it('outside a transaction contain repeatable statements only', async () => {
    const unrepeatable: string[] = [];
    for (const { name, sql } of await readMigrations()) {
      if (!isOutsideTransaction(sql)) continue;
      for (const statement of statementsOf(sql))
        if (
          !/^(create (unique )?index concurrently if not exists|drop index concurrently if exists) /i.test(
            statement,
          )
        )
          unrepeatable.push(`${name}: ${statement.split('\n', 1)[0]}`);
    }
    expect(unrepeatable).toEqual([]);
  });
});
