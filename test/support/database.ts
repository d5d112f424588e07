import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { inject } from 'vitest';

/** A separate database for a test file. */
export type TestDatabase = {
  /** Connects as the owner: not a superuser, may create roles. */
  ownerUrl: string;
  /** Removes it, and closes every open connection. */
  drop: () => Promise<void>;
};

/** A migrated, empty database; call it once per test file, in `beforeAll`, and drop it in `afterAll`. */
export async function createTestDatabase(): Promise<TestDatabase> {
  return createDatabase(`TEMPLATE ${inject('databaseServer').template}`);
}

/** A database without tables, for tests of migrations. */
export async function createEmptyDatabase(): Promise<TestDatabase> {
  return createDatabase('TEMPLATE template0');
}

/** Runs one statement with the right to create roles and databases. */
export async function queryAsAdmin(sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: inject('databaseServer').adminUrl });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

/** Runs the work while the server refuses connections to the database, as after its loss. */
export async function withoutDatabase<T>({ ownerUrl }: TestDatabase, work: () => Promise<T>): Promise<T> {
  const name = new URL(ownerUrl).pathname.slice(1);
  await queryAsAdmin(`alter database ${name} allow_connections false`);
  try {
    await queryAsAdmin(`select pg_terminate_backend(pid) from pg_stat_activity where datname = '${name}'`);
    return await work();
  } finally {
    await queryAsAdmin(`alter database ${name} allow_connections true`);
  }
}

async function createDatabase(how: string): Promise<TestDatabase> {
  const { ownerUrl, prefix } = inject('databaseServer');
  const url = new URL(ownerUrl);
  const name = `${prefix}_${randomBytes(6).toString('hex')}`;
  const owner = decodeURIComponent(url.username).replaceAll('"', '""');
  await queryAsAdmin(`CREATE DATABASE ${name} ${how} OWNER "${owner}"`);
  url.pathname = `/${name}`;
  return {
    ownerUrl: url.toString(),
    drop: async () => {
      await queryAsAdmin(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`);
    },
  };
}
