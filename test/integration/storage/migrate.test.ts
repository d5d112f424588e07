import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  type MigrationError,
  migrate,
  pendingMigrations,
  readMigrations,
  type ServerFacts,
  serverProblem,
} from '../../../src/storage/migrate.ts';
import {
  createEmptyDatabase,
  createTestDatabase,
  queryAsAdmin,
  type TestDatabase,
} from '../../support/database.ts';

const log = () => {};

async function query(connectionString: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

async function emptyDatabase(): Promise<string> {
  const database = await createEmptyDatabase();
  onTestFinished(database.drop);
  return database.ownerUrl;
}

/** A folder with the given migrations. */
async function migrationsFolder(migrations: Record<string, string>): Promise<URL> {
  const folder = await mkdtemp(join(tmpdir(), 'vouchgraph-migrations-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, sql] of Object.entries(migrations)) {
    await mkdir(join(folder, name));
    await writeFile(join(folder, name, 'migration.sql'), sql);
  }
  return pathToFileURL(`${folder}/`);
}

async function failure(promise: Promise<unknown>): Promise<MigrationError> {
  const error = await promise.then(
    () => new Error('it succeeded'),
    (reason: unknown) => reason,
  );
  expect(error).toMatchObject({ name: 'MigrationError' });
  expect((error as Error).message).not.toContain('\n');
  return error as MigrationError;
}

describe('migrate', () => {
  it('applies every migration once', async () => {
    const connectionString = await emptyDatabase();
    const names = (await readMigrations()).map((migration) => migration.name);
    const lines: string[] = [];

    expect(await pendingMigrations({ connectionString })).toEqual(names);
    expect(await migrate({ connectionString, log: (line) => lines.push(line) })).toEqual({ applied: names });
    expect(await migrate({ connectionString, log: (line) => lines.push(line) })).toEqual({ applied: [] });
    expect(await pendingMigrations({ connectionString })).toEqual([]);
    expect(lines).toEqual(['migrating a new database']);
  });

  it('runs without the just-in-time compiler of the server', async () => {
    const connectionString = await emptyDatabase();
    await query(
      connectionString,
      `do $$ begin execute format('alter database %I set jit = on', current_database()); end $$`,
    );
    const folder = await migrationsFolder({
      '1_jit': `CREATE TABLE seen AS SELECT current_setting('jit') AS jit;`,
    });
    await migrate({ connectionString, log, folder });
    expect((await query(connectionString, 'SELECT jit FROM seen')).rows).toEqual([{ jit: 'off' }]);
  });

  it('logs each migration of an existing database', async () => {
    const connectionString = await emptyDatabase();
    const earlier = { '1_a': 'CREATE TABLE a (id int);' };
    await migrate({ connectionString, log, folder: await migrationsFolder(earlier) });
    const later = { ...earlier, '2_b': 'CREATE TABLE b (id int);', '3_c': 'CREATE TABLE c (id int);' };
    const lines: string[] = [];
    const folder = await migrationsFolder(later);
    await migrate({ connectionString, log: (line) => lines.push(line), folder });
    expect(lines).toEqual(['migrating the database (1 of 2): 2_b', 'migrating the database (2 of 2): 3_c']);
  });

  it('lists pending migrations without changes', async () => {
    const connectionString = await emptyDatabase();
    await pendingMigrations({ connectionString });
    const { rows } = await query(connectionString, `SELECT relname FROM pg_class WHERE relname ~ '^_prisma'`);
    expect(rows).toEqual([]);
  });

  it('accepts concurrent migrations of one database by several processes', async () => {
    const connectionString = await emptyDatabase();
    const results = await Promise.all(Array.from({ length: 6 }, () => migrate({ connectionString, log })));
    const names = (await readMigrations()).map((migration) => migration.name);
    expect(results.flatMap((result) => result.applied)).toEqual(names);
  });

  it('applies several migrations once and in order when processes start concurrently', async () => {
    const connectionString = await emptyDatabase();
    const folder = await migrationsFolder({
      '1_table': 'CREATE TABLE steps (n int);',
      '2_one': 'INSERT INTO steps VALUES (1);',
      '3_two': 'INSERT INTO steps SELECT max(n) + 1 FROM steps;',
    });
    const results = await Promise.all(
      Array.from({ length: 6 }, () => migrate({ connectionString, log, folder })),
    );
    expect(results.flatMap((result) => result.applied)).toEqual(['1_table', '2_one', '3_two']);
    expect((await query(connectionString, 'SELECT n FROM steps ORDER BY n')).rows).toEqual([
      { n: 1 },
      { n: 2 },
    ]);
  });

  it('accepts concurrent migrations of several databases of one server', async () => {
    const urls = await Promise.all([emptyDatabase(), emptyDatabase(), emptyDatabase(), emptyDatabase()]);
    const results = await Promise.all(urls.map((connectionString) => migrate({ connectionString, log })));
    expect(results.every((result) => result.applied.length > 0)).toBe(true);
  });

  it('rolls back a migration that fails, and keeps those before it', async () => {
    const connectionString = await emptyDatabase();
    const folder = await migrationsFolder({
      '1_good': 'CREATE TABLE good (id int);',
      '2_bad': 'CREATE TABLE half (id int); INSERT INTO half VALUES (1); SELECT 1 / 0;',
    });
    const error = await failure(migrate({ connectionString, log, folder }));
    expect(error.message).toBe('migration 2_bad failed and was rolled back: division by zero');
    const { rows } = await query(
      connectionString,
      `SELECT to_regclass('good') AS good, to_regclass('half') AS half`,
    );
    expect(rows).toEqual([{ good: 'good', half: null }]);
    expect(await pendingMigrations({ connectionString, folder })).toEqual(['2_bad']);
  });

  it('sends a file unchanged, with semicolons in literals and blocks', async () => {
    const connectionString = await emptyDatabase();
    const folder = await migrationsFolder({
      '1_text': `CREATE TABLE t (v text); DO $$ BEGIN INSERT INTO t VALUES ('a;b'); INSERT INTO t VALUES (';'); END $$;`,
    });
    await migrate({ connectionString, log, folder });
    const { rows } = await query(connectionString, 'SELECT v FROM t');
    expect(rows).toEqual([{ v: 'a;b' }, { v: ';' }]);
  });

  it('rejects a database that a newer version migrated', async () => {
    const connectionString = await emptyDatabase();
    await migrate({
      connectionString,
      log,
      folder: await migrationsFolder({ '1_a': 'SELECT 1', '2_b': 'SELECT 1' }),
    });
    const folder = await migrationsFolder({ '1_a': 'SELECT 1' });
    for (const attempt of [migrate, pendingMigrations]) {
      const error = await failure(attempt({ connectionString, log, folder }));
      expect(error.code).toBe('migration.newer_database');
      expect(error.message).toContain('the database was migrated by a newer Vouchgraph (migration 2_b)');
    }
  });

  it('rejects a migration that was changed after it was applied', async () => {
    const connectionString = await emptyDatabase();
    await migrate({ connectionString, log, folder: await migrationsFolder({ '1_a': 'SELECT 1' }) });
    const error = await failure(
      migrate({ connectionString, log, folder: await migrationsFolder({ '1_a': 'SELECT 2' }) }),
    );
    expect(error.code).toBe('migration.changed');
    expect(error.message).toContain('migration 1_a was changed');
  });

  it('recognizes a migration after a checkout converted its line ends', async () => {
    const connectionString = await emptyDatabase();
    await migrate({
      connectionString,
      log,
      folder: await migrationsFolder({ '1_a': 'SELECT 1;\nSELECT 2;\n' }),
    });
    const folder = await migrationsFolder({ '1_a': 'SELECT 1;\r\nSELECT 2;\r\n' });
    expect(await pendingMigrations({ connectionString, folder })).toEqual([]);
  });

  it('explains how to resolve a migration that another tool left unfinished', async () => {
    const connectionString = await emptyDatabase();
    const folder = await migrationsFolder({ '1_a': 'SELECT 1' });
    await migrate({ connectionString, log, folder });
    await query(connectionString, 'UPDATE _prisma_migrations SET finished_at = NULL');
    expect((await failure(migrate({ connectionString, log, folder }))).code).toBe('migration.unfinished');
  });

  it('repeats a migration that was marked as rolled back', async () => {
    const connectionString = await emptyDatabase();
    const folder = await migrationsFolder({ '1_a': 'SELECT 1' });
    await migrate({ connectionString, log, folder });
    await query(connectionString, 'UPDATE _prisma_migrations SET rolled_back_at = now()');
    expect(await migrate({ connectionString, log, folder })).toEqual({ applied: ['1_a'] });
  });
});

describe('the server and the role that migrates', () => {
  const good: ServerFacts = {
    versionNumber: 180_004,
    owner: 'vouchgraph',
    canCreateRoles: true,
    missingRoles: ['vouchgraph_app', 'vouchgraph_system'],
    foreignRoles: [],
  };

  it('supports PostgreSQL 15 and later', () => {
    expect(serverProblem(good)).toBeNull();
    expect(serverProblem({ ...good, versionNumber: 150_000 })).toBeNull();
    expect(serverProblem({ ...good, versionNumber: 140_012 })?.message).toBe(
      'PostgreSQL 15 or newer is required, and this server has version 14',
    );
  });

  it('names the two statements to run when the role may not create roles', () => {
    expect(serverProblem({ ...good, canCreateRoles: false })?.message).toBe(
      'the database role vouchgraph is not permitted to create the roles of Vouchgraph: ask an administrator to run ' +
        'CREATE ROLE vouchgraph_app NOLOGIN NOBYPASSRLS ROLE vouchgraph; ' +
        'CREATE ROLE vouchgraph_system NOLOGIN NOBYPASSRLS ROLE vouchgraph;',
    );
  });

  it('names the grants to run when the roles belong to another role', () => {
    const facts = { ...good, missingRoles: [], foreignRoles: ['vouchgraph_app', 'vouchgraph_system'] };
    expect(serverProblem(facts)?.message).toContain(
      'run GRANT vouchgraph_app TO vouchgraph; GRANT vouchgraph_system TO vouchgraph;',
    );
  });

  describe('without the right to create roles', () => {
    const role = `vouchgraph_plain_${process.pid}`;
    let connectionString: string;

    beforeEach(async () => {
      const database = await createEmptyDatabase();
      const url = new URL(database.ownerUrl);
      const name = url.pathname.slice(1);
      await queryAsAdmin(`CREATE ROLE ${role} LOGIN PASSWORD 'plain'`);
      await queryAsAdmin(`GRANT ${role} TO CURRENT_USER`);
      await queryAsAdmin(`ALTER DATABASE ${name} OWNER TO ${role}`);
      url.username = role;
      url.password = 'plain';
      connectionString = url.toString();
      return async () => {
        await database.drop();
        await queryAsAdmin(`DROP ROLE ${role}`);
      };
    });

    it('fails with the required statements, and migrates after they were run', async () => {
      const error = await failure(migrate({ connectionString, log }));
      expect(error.code).toBe('migration.roles');
      for (const statement of error.message.match(/(?:CREATE|GRANT)[^;]*;/g) ?? [])
        await queryAsAdmin(statement);
      expect((await migrate({ connectionString, log })).applied).not.toEqual([]);
      for (const name of ['vouchgraph_app', 'vouchgraph_system']) {
        const { rows } = await query(
          connectionString,
          `SET ROLE ${name}; SELECT count(*)::int AS n FROM accounts`,
        ).then((results) => (results as unknown as pg.QueryResult[])[1] ?? { rows: [] });
        expect(rows).toEqual([{ n: 0 }]);
      }
    });
  });
});

describe('the catalog after migrating', () => {
  let database: TestDatabase;

  beforeAll(async () => {
    database = await createTestDatabase();
  });
  afterAll(() => database.drop());

  /** Names, so that a failure says which table it is. */
  async function namesWhere(sql: string): Promise<string[]> {
    const { rows } = await query(database.ownerUrl, sql);
    return rows.map((row) => row.name as string);
  }

  const TABLES = `pg_class c WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')
    AND c.relname <> '_prisma_migrations'`;

  it('has tables, and partitions for the next days', async () => {
    const tables = await namesWhere(`SELECT relname AS name FROM ${TABLES}`);
    expect(tables).toContain('accounts');
    expect(tables.filter((name) => /^outbox_events_\d{8}$/.test(name)).length).toBeGreaterThanOrEqual(7);
  });

  it('enables and forces row-level security on every table and partition', async () => {
    expect(
      await namesWhere(
        `SELECT c.relname AS name FROM ${TABLES} AND NOT (c.relrowsecurity AND c.relforcerowsecurity)`,
      ),
    ).toEqual([]);
  });

  it('has exactly the two policies on every table and partition', async () => {
    const { rows } = await query(
      database.ownerUrl,
      `SELECT DISTINCT array_agg(concat_ws(' ', p.polname, p.polcmd, p.polpermissive,
                (SELECT string_agg(r::regrole::text, ',') FROM unnest(p.polroles) AS r),
                pg_get_expr(p.polqual, p.polrelid), '/', pg_get_expr(p.polwithcheck, p.polrelid))
                ORDER BY p.polname) FILTER (WHERE p.polname IS NOT NULL) AS policies
       FROM (SELECT oid FROM ${TABLES}) AS t LEFT JOIN pg_policy p ON p.polrelid = t.oid
       GROUP BY t.oid`,
    );
    const own =
      "(project_id = ( SELECT (NULLIF(current_setting('app.project'::text, true), ''::text))::uuid AS \"nullif\"))";
    expect(rows.map((row) => row.policies)).toEqual([
      ['every_project * t vouchgraph_system true / true', `one_project * t vouchgraph_app ${own} / ${own}`],
    ]);
  });

  it('starts each primary key and each index with project_id, except for system lookups over all projects', async () => {
    const ofAllProjects = [
      // By the page, which has only its session.
      'verification_sessions_session_id_idx',
      // Expired rows.
      'face_templates_expiry',
      'document_sightings_expiry',
      'media_objects_expiry',
      'audit_log_expiry',
      'audit_log_person',
      'verification_sessions_results',
      'verification_sessions_without_result',
      // Pending rows.
      'outbox_unnumbered_writes_pkey',
      'audit_unchained_pkey',
      'email_batches_open',
      'backtests_claimable',
      'email_checks_claimable',
      'verification_sessions_claimable',
      'demonstration_data_claimable',
    ];
    const others = (names: readonly string[]) => names.filter((name) => !ofAllProjects.includes(name));
    expect(
      others(
        await namesWhere(
          `SELECT i.indexrelid::regclass::text AS name
         FROM (SELECT oid FROM ${TABLES}) AS t JOIN pg_index i ON i.indrelid = t.oid
         LEFT JOIN pg_attribute a ON a.attrelid = t.oid AND a.attnum = i.indkey[0]
         WHERE a.attname IS DISTINCT FROM 'project_id'`,
        ),
      ),
    ).toEqual([]);
    expect(
      await namesWhere(
        `SELECT c.relname AS name FROM ${TABLES}
         AND NOT EXISTS (SELECT FROM pg_index i WHERE i.indrelid = c.oid AND i.indisprimary)`,
      ),
    ).toEqual([]);
  });

  it('grants neither role more than it needs', async () => {
    const { rows } = await query(
      database.ownerUrl,
      `SELECT rolname, rolsuper, rolbypassrls, rolcanlogin FROM pg_roles
       WHERE rolname IN ('vouchgraph_app', 'vouchgraph_system') ORDER BY rolname`,
    );
    expect(rows).toEqual([
      { rolname: 'vouchgraph_app', rolsuper: false, rolbypassrls: false, rolcanlogin: false },
      { rolname: 'vouchgraph_system', rolsuper: false, rolbypassrls: false, rolcanlogin: false },
    ]);
  });

  it('shows rows to their own project only, and none without a project', async () => {
    const [mine, other] = ['11111111-1111-4111-8111-111111111111', '22222222-2222-4222-8222-222222222222'];
    const client = new pg.Client({ connectionString: database.ownerUrl });
    await client.connect();
    onTestFinished(() => client.end());
    await client.query('SET ROLE vouchgraph_system');
    await client.query(
      `INSERT INTO projects (project_id, name, environment, encrypted_key)
       VALUES ('${mine}', 'mine', 'sandbox', ''), ('${other}', 'other', 'sandbox', '')`,
    );
    const seen = async () =>
      (await client.query('SELECT name FROM projects ORDER BY name')).rows.map((row) => row.name);
    expect(await seen()).toEqual(['mine', 'other']);
    await client.query('SET ROLE vouchgraph_app');
    expect(await seen()).toEqual([]);
    await client.query(`SELECT set_config('app.project', '${mine}', false)`);
    expect(await seen()).toEqual(['mine']);
    await expect(
      client.query(`INSERT INTO lists (project_id, list_id, name) VALUES ('${other}', '${mine}', 'x')`),
    ).rejects.toThrow('row-level security');
  });

  it('records migrations in the format of Prisma', async () => {
    const [first] = await readMigrations();
    const file = new URL(`../../../prisma/migrations/${first?.name}/migration.sql`, import.meta.url);
    expect(first?.sql).toBe(await readFile(file, 'utf8'));
    const { rows } = await query(
      database.ownerUrl,
      `SELECT migration_name, checksum, length(id) AS id_length, finished_at >= started_at AS finished, logs,
              rolled_back_at, applied_steps_count FROM _prisma_migrations ORDER BY migration_name LIMIT 1`,
    );
    expect(rows).toEqual([
      {
        migration_name: first?.name,
        checksum: first?.checksum,
        id_length: 36,
        finished: true,
        logs: null,
        rolled_back_at: null,
        applied_steps_count: 1,
      },
    ]);
  });
});
