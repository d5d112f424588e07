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

const CREATE_TABLE = /^\s*create\s+table\s+(?:if\s+not\s+exists\s+)?"?(\w+)"?/gim;
const CREATE_INDEX =
  /^\s*create\s+(?:unique\s+)?index\s+(concurrently\s+)?(?:if\s+not\s+exists\s+)?"?(\w+)"?\s+on\s+(?:only\s+)?"?(\w+)"?/gim;
const ADD_INDEXED_CONSTRAINT =
  /alter\s+table\s+(?:only\s+)?"?(\w+)"?[^;]*?\badd\s+(?:constraint\s+"?\w+"?\s+)?(?:unique|primary\s+key)(?!\s+using\s+index)/gi;
const REPEATABLE = /^(create (unique )?index concurrently if not exists|drop index concurrently if exists) /i;

/** Indexes whose build would block the writers of a table that an earlier migration created. */
function blockingIndexes(sql: string): string[] {
  const created = new Set([...sql.matchAll(CREATE_TABLE)].map(([, table]) => table));
  const indexes = [...sql.matchAll(CREATE_INDEX)]
    .filter(([, concurrently, , table]) => (concurrently ? !isOutsideTransaction(sql) : !created.has(table)))
    .map(([, , index, table]) => `index ${index} on ${table}`);
  const constraints = [...sql.matchAll(ADD_INDEXED_CONSTRAINT)]
    .filter(([, table]) => !created.has(table))
    .map(([, table]) => `constraint on ${table}`);
  return [...indexes, ...constraints];
}

/** Statements of a file outside a transaction that fail when an interrupted run is repeated. */
function unrepeatableStatements(sql: string): string[] {
  if (!isOutsideTransaction(sql)) return [];
  return statementsOf(sql).filter((statement) => !REPEATABLE.test(statement));
}

describe('the migrations', () => {
  it('build indexes of existing tables concurrently, outside a transaction', async () => {
    const blocking = (await readMigrations()).flatMap(({ name, sql }) =>
      blockingIndexes(sql).map((index) => `${name}: ${index}`),
    );
    expect(blocking).toEqual([]);
  });

  it('outside a transaction contain repeatable statements only', async () => {
    const unrepeatable = (await readMigrations()).flatMap(({ name, sql }) =>
      unrepeatableStatements(sql).map((statement) => `${name}: ${statement.split('\n', 1)[0]}`),
    );
    expect(unrepeatable).toEqual([]);
  });
});

describe('the rules for migrations', () => {
  it('find an index or a constraint that blocks the writers of an existing table', () => {
    const index = 'create index a on things (id);';
    expect(blockingIndexes(index)).toEqual(['index a on things']);
    expect(blockingIndexes('CREATE UNIQUE INDEX "a" ON "things" ("id");')).toEqual(['index a on things']);
    expect(blockingIndexes('alter table things add constraint b unique (id);')).toEqual([
      'constraint on things',
    ]);
    expect(blockingIndexes('create index concurrently if not exists a on things (id);')).toHaveLength(1);
    expect(blockingIndexes(`CREATE TABLE "things" ("id" INTEGER);\n${index}`)).toEqual([]);
    expect(blockingIndexes(INDEXES)).toEqual([]);
  });

  it('find a statement outside a transaction that cannot be repeated', () => {
    const file = (statement: string) => `-- vouchgraph: outside a transaction\n${statement};\n`;
    const once = [
      'create index concurrently a on things (id)',
      'drop index concurrently a',
      'delete from things',
    ];
    expect(once.flatMap((statement) => unrepeatableStatements(file(statement)))).toEqual(once);
    expect(unrepeatableStatements(file('drop index concurrently if exists a'))).toEqual([]);
    expect(unrepeatableStatements(INDEXES)).toEqual([]);
    expect(unrepeatableStatements('delete from things;')).toEqual([]);
  });
});
