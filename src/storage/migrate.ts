import { createHash, randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { OperatorError } from '@vouchgraph/platform/errors';
import type pg from 'pg';
import { concurrentIndexName, isOutsideTransaction, statementsOf } from './migration-file.ts';
import { openConnection } from './open-connection.ts';

/*
 * Applies prisma/migrations to a database. The record is kept in Prisma's own table with Prisma's own checksums and under
 * Prisma's own lock, so that `prisma migrate deploy` and this code can be used alternately on one database; a file of
 * several statements outside a transaction must be applied by this code.
 *
 * Each file is sent as one simple query between BEGIN and COMMIT, together with its record: PostgreSQL's DDL is
 * transactional, so a failed migration leaves nothing, and the server itself finds the ends of statements, which a split at
 * every `;` does not (literals, DO blocks).
 *
 * Files that build indexes concurrently are run outside a transaction (migration-file.ts). Such a build waits for every
 * transaction that is open in the database, also for a statement that waits for the lock of migrations: that would be a
 * deadlock. So no process waits for the lock inside a statement; processes poll for it instead. Other tools, such as Prisma,
 * do wait: the server reports the deadlock, and the build releases the lock for them.
 */

/** Reason why the database cannot be migrated, in one line for the operator. */
export class MigrationError extends OperatorError {
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'MigrationError';
    this.code = code;
  }
}

/** One folder of prisma/migrations. */
export type Migration = {
  /** The folder's name, `<UTC>_<what>`; it also gives the order. */
  readonly name: string;
  readonly sql: string;
  /** SHA-256 of the file in hex, as Prisma computes it. */
  readonly checksum: string;
};

export type MigrateOptions = {
  /** The owner of the database: it makes tables and, the first time, roles. */
  connectionString: string;
  log: (line: string) => void;
  /** Where the migrations are; the product's own unless a test brings others. */
  folder?: URL;
};

const MIGRATIONS = new URL('../../prisma/migrations/', import.meta.url);

/** The advisory lock that Prisma takes for the same purpose. */
const MIGRATION_LOCK = 72707369;

/** Interval of attempts to take a lock that another process holds. */
const LOCK_POLL_MS = 250;

/** How long a build waits for one transaction that is open elsewhere: a backup may take minutes. */
const BUILD_LOCK_TIMEOUT = '15min';

/** How many times a build gives way to another tool that waits for the lock. */
const MAX_DEADLOCKS = 10;

const DEADLOCK_DETECTED = '40P01';

const OLDEST_SERVER = 15;

/** The roles that the migrations create; they belong to the server, not to one database. */
const ROLES = ['vouchgraph_app', 'vouchgraph_system'] as const;

/** Prisma's own definition of its table. */
const CREATE_RECORD_TABLE = `
  CREATE TABLE IF NOT EXISTS _prisma_migrations (
    id                  VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum            VARCHAR(64) NOT NULL,
    finished_at         TIMESTAMPTZ,
    migration_name      VARCHAR(255) NOT NULL,
    logs                TEXT,
    rolled_back_at      TIMESTAMPTZ,
    started_at          TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0
  )`;

/** Applies missing migrations and returns their names. Safe to run in several processes at once. */
export async function migrate(options: MigrateOptions): Promise<{ applied: string[] }> {
  const migrations = await readMigrations(options.folder);
  return withClient(options.connectionString, async (client) => {
    await checkServer(client);
    const applied: string[] = [];
    for (let deadlocks = 0; !(await applyPending(client, migrations, applied, options.log)); deadlocks += 1) {
      if (deadlocks === MAX_DEADLOCKS) {
        throw new MigrationError(
          'migration.lock',
          'another process waits for the migration lock, so the index cannot be built: stop that process and start again',
        );
      }
    }
    return { applied };
  });
}

/** Names of the migrations that `migrate` would apply. Changes nothing. */
export async function pendingMigrations(options: Omit<MigrateOptions, 'log'>): Promise<string[]> {
  const migrations = await readMigrations(options.folder);
  return withClient(options.connectionString, async (client) => {
    return (await findPending(client, migrations)).map(({ name }) => name);
  });
}

export async function readMigrations(folder: URL = MIGRATIONS): Promise<Migration[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  const names = entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
  return Promise.all(names.sort().map((name) => readMigration(folder, name)));
}

async function readMigration(folder: URL, name: string): Promise<Migration> {
  const bytes = await readFile(new URL(`${name}/migration.sql`, folder));
  return { name, sql: bytes.toString('utf8'), checksum: sha256(bytes) };
}

function sha256(bytes: Buffer | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

async function withClient<T>(connectionString: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await openConnection({ connectionString, application_name: 'vouchgraph migrate' });
  try {
    return await work(client);
  } finally {
    // Ends the session, and with it an open transaction and the lock.
    await client.end().catch(() => {});
  }
}

/** Keeps the lock when everything is applied; false when the lock was released to a process that waits for it. */
async function applyPending(
  client: pg.Client,
  migrations: readonly Migration[],
  applied: string[],
  log: (line: string) => void,
): Promise<boolean> {
  await takeLock(client, log);
  // Read under the lock: the process that held it before may have applied everything.
  const pending = await findPending(client, migrations);
  if (pending.length > 0) await client.query(CREATE_RECORD_TABLE);
  const isNew = pending.length === migrations.length;
  if (isNew) log('migrating a new database');
  for (const [index, migration] of pending.entries()) {
    if (!isNew) log(`migrating the database (${index + 1} of ${pending.length}): ${migration.name}`);
    try {
      await apply(client, migration);
    } catch (error) {
      const { code } = ((error as MigrationError).cause ?? {}) as { code?: string };
      if (code !== DEADLOCK_DETECTED || !isOutsideTransaction(migration.sql)) throw error;
      await client.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]);
      return false;
    }
    applied.push(migration.name);
  }
  return true;
}

async function takeLock(client: pg.Client, log: (line: string) => void): Promise<void> {
  // Building an index is no statement that hangs.
  await client.query('SET statement_timeout = 0; SET lock_timeout = 0');
  for (let asked = 0; ; asked += 1) {
    const { rows } = await client.query('SELECT pg_try_advisory_lock($1) AS taken', [MIGRATION_LOCK]);
    if (rows[0].taken) return;
    if (asked === 0) log('another process is migrating this database: waiting for it');
    await delay(LOCK_POLL_MS);
  }
}

async function apply(client: pg.Client, migration: Migration): Promise<void> {
  if (isOutsideTransaction(migration.sql)) await applyStatements(client, migration);
  else await applyInTransaction(client, migration);
}

async function applyStatements(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query(`SET lock_timeout = '${BUILD_LOCK_TIMEOUT}'`);
    for (const statement of statementsOf(migration.sql)) {
      await dropInvalidIndex(client, concurrentIndexName(statement));
      await client.query(statement);
    }
    await client.query('SET lock_timeout = 0');
    await client.query(RECORD, [randomUUID(), migration.checksum, migration.name]);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new MigrationError(
      'migration.failed',
      `migration ${migration.name} failed and continues with the next start: ${reason}`,
      error,
    );
  }
}

/** Leftover of an interrupted build: an index that is maintained but never read, and that `if not exists` finds. */
async function dropInvalidIndex(client: pg.Client, name: string | null): Promise<void> {
  if (name === null) return;
  const { rows } = await client.query(
    'SELECT 1 FROM pg_index WHERE indexrelid = to_regclass($1) AND NOT indisvalid',
    [name],
  );
  if (rows.length > 0) await client.query(`DROP INDEX CONCURRENTLY ${name}`);
}

const RECORD = `
  INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
  VALUES ($1, $2, $3, now(), clock_timestamp(), 1)`;

async function applyInTransaction(client: pg.Client, migration: Migration): Promise<void> {
  try {
    await client.query('BEGIN');
    await client.query(migration.sql);
    await client.query(RECORD, [randomUUID(), migration.checksum, migration.name]);
    await client.query('COMMIT');
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new MigrationError(
      'migration.failed',
      `migration ${migration.name} failed and was rolled back: ${reason}`,
      error,
    );
  }
}

type Recorded = { migration_name: string; checksum: string; finished: boolean };

async function findPending(client: pg.Client, migrations: readonly Migration[]): Promise<Migration[]> {
  const recorded = await readRecords(client);
  checkRecords(recorded, migrations);
  const applied = new Set(recorded.map((row) => row.migration_name));
  return migrations.filter((migration) => !applied.has(migration.name));
}

async function readRecords(client: pg.Client): Promise<Recorded[]> {
  const { rows } = await client.query(`SELECT to_regclass('_prisma_migrations') IS NOT NULL AS exists`);
  if (!rows[0].exists) return [];
  const records = await client.query<Recorded>(
    `SELECT migration_name, checksum, finished_at IS NOT NULL AS finished
     FROM _prisma_migrations WHERE rolled_back_at IS NULL ORDER BY migration_name`,
  );
  return records.rows;
}

function checkRecords(recorded: readonly Recorded[], migrations: readonly Migration[]): void {
  const known = new Map(migrations.map((migration) => [migration.name, migration]));
  for (const row of recorded) {
    const name = row.migration_name;
    const migration = known.get(name);
    if (!migration) {
      throw new MigrationError(
        'migration.newer_database',
        `the database was migrated by a newer Vouchgraph (migration ${name}): start that version, or a newer one`,
      );
    }
    if (!row.finished) {
      throw new MigrationError(
        'migration.unfinished',
        `migration ${name} was started by another tool and did not finish: resolve it with "prisma migrate resolve"`,
      );
    }
    if (!checksumsOf(migration).includes(row.checksum)) {
      throw new MigrationError(
        'migration.changed',
        `migration ${name} was changed after it was applied: restore prisma/migrations/${name}/migration.sql`,
      );
    }
  }
}

/** A checkout may have turned line ends around: the same file then has another checksum, which Prisma accepts too. */
function checksumsOf(migration: Migration): string[] {
  const lf = migration.sql.replaceAll('\r\n', '\n');
  return [migration.checksum, sha256(lf), sha256(lf.replaceAll('\n', '\r\n'))];
}

/** Version of the server, and properties of the migrating role. */
export type ServerFacts = {
  /** As in server_version_num: 150004 is 15.4. */
  versionNumber: number;
  /** The role we are connected as, quoted for SQL. */
  owner: string;
  canCreateRoles: boolean;
  /** Roles of ours that do not exist on the server yet. */
  missingRoles: string[];
  /** Roles of ours that exist and that the owner can neither become nor grant to itself. */
  foreignRoles: string[];
};

async function checkServer(client: pg.Client): Promise<void> {
  const problem = serverProblem(await readServerFacts(client));
  if (problem) throw problem;
}

/** Why this server or this role will not do; null when it will. */
export function serverProblem(facts: ServerFacts): MigrationError | null {
  const major = Math.floor(facts.versionNumber / 10_000);
  if (major < OLDEST_SERVER) {
    return new MigrationError(
      'migration.old_server',
      `PostgreSQL ${OLDEST_SERVER} or newer is required, and this server has version ${major}`,
    );
  }
  const create = facts.canCreateRoles ? [] : facts.missingRoles;
  const statements = [
    ...create.map((role) => `CREATE ROLE ${role} NOLOGIN NOBYPASSRLS ROLE ${facts.owner};`),
    ...facts.foreignRoles.map((role) => `GRANT ${role} TO ${facts.owner};`),
  ];
  if (statements.length === 0) return null;
  return new MigrationError(
    'migration.roles',
    `the database role ${facts.owner} is not permitted to create the roles of Vouchgraph: ask an administrator to run ${statements.join(' ')}`,
  );
}

async function readServerFacts(client: pg.Client): Promise<ServerFacts> {
  const { rows } = await client.query<{
    version: number;
    owner: string;
    creates: boolean;
    superuser: boolean;
  }>(
    `SELECT current_setting('server_version_num')::int AS version, quote_ident(rolname) AS owner,
            rolcreaterole OR rolsuper AS creates, rolsuper AS superuser
     FROM pg_roles WHERE rolname = current_user`,
  );
  const [self] = rows;
  if (!self) throw new Error('the connected role is not in pg_roles');
  const existing = await client.query<{ role: string; usable: boolean }>(roleQuery(self.version), [ROLES]);
  const names = existing.rows.map((row) => row.role);
  const unusable = existing.rows.filter((row) => !row.usable).map((row) => row.role);
  // Up to version 15 a role with CREATEROLE may also grant roles; from 16 on only a role with the ADMIN option.
  const grantsAny = self.superuser || (self.creates && self.version < 160_000);
  return {
    versionNumber: self.version,
    owner: self.owner,
    canCreateRoles: self.creates,
    missingRoles: ROLES.filter((role) => !names.includes(role)),
    foreignRoles: grantsAny ? [] : unusable,
  };
}

/** Version 16 split membership: being a member no longer means that one may SET ROLE. */
function roleQuery(version: number): string {
  const become = version < 160_000 ? 'MEMBER' : 'SET';
  return `
    SELECT rolname AS role, pg_has_role(current_user, oid, '${become}')
                         OR pg_has_role(current_user, oid, 'MEMBER WITH ADMIN OPTION') AS usable
    FROM pg_roles WHERE rolname = ANY ($1)`;
}
