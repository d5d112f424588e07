import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedPostgres } from '@vouchgraph/embedded-postgres';
import pg from 'pg';
import type { TestProject } from 'vitest/node';
import { migrate } from '../../src/storage/migrate.ts';

/** Data for test/support/database.ts to create a database. Plain data: it crosses a process boundary. */
export type DatabaseServer = {
  /** May create databases and hand them to the owner. */
  adminUrl: string;
  /** The role that owns the databases of the tests; not a superuser. */
  ownerUrl: string;
  /** A migrated database without connections. */
  template: string;
  /** Prefix of the name of each database of this run, which identifies the leftovers of a crashed test. */
  prefix: string;
};

declare module 'vitest' {
  interface ProvidedContext {
    databaseServer: DatabaseServer;
  }
}

type Server = { adminUrl: string; ownerUrl: string; stop: () => Promise<void> };

/** One server for the whole run: TEST_DATABASE_URL (PostgreSQL 15 to 18), or our own in a temporary folder. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env.TEST_DATABASE_URL;
  const server = given ? givenServer(given) : await embeddedServer();
  try {
    const prefix = `vouchgraph_test_${randomBytes(4).toString('hex')}`;
    const template = `${prefix}_template`;
    const { adminUrl, ownerUrl } = server;
    await runAsAdmin(adminUrl, `CREATE DATABASE ${template} OWNER ${quoted(userOf(ownerUrl))}`);
    await migrate({ connectionString: withDatabase(ownerUrl, template), log: () => {} });
    project.provide('databaseServer', { adminUrl, ownerUrl, template, prefix });
    return async () => {
      if (given) await dropAll(adminUrl, prefix);
      await server.stop();
    };
  } catch (error) {
    await server.stop();
    throw error;
  }
}

/** Its role may create databases and roles. */
function givenServer(url: string): Server {
  return { adminUrl: url, ownerUrl: url, stop: async () => {} };
}

async function embeddedServer(): Promise<Server> {
  const dataDir = await mkdtemp(join(tmpdir(), 'vouchgraph-test-'));
  const lines: string[] = [];
  // Nothing here outlives the run, so nothing needs to reach the disk.
  const settings = {
    fsync: 'off',
    synchronous_commit: 'off',
    full_page_writes: 'off',
    max_connections: '300',
  };
  try {
    const server = await startEmbeddedPostgres({ dataDir, log: (line) => lines.push(line), settings });
    return {
      adminUrl: server.superuserUrl,
      ownerUrl: server.ownerUrl,
      stop: async () => {
        await server.stop();
        await rm(dataDir, { recursive: true, force: true });
      },
    };
  } catch (error) {
    for (const line of lines) process.stderr.write(`${line}\n`);
    throw error;
  }
}

async function runAsAdmin(url: string, sql: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return await client.query(sql);
  } finally {
    await client.end();
  }
}

async function dropAll(adminUrl: string, prefix: string): Promise<void> {
  const { rows } = await runAsAdmin(
    adminUrl,
    `SELECT datname FROM pg_database WHERE datname LIKE '${prefix}%'`,
  );
  for (const { datname } of rows)
    await runAsAdmin(adminUrl, `DROP DATABASE IF EXISTS ${datname} WITH (FORCE)`);
}

function withDatabase(url: string, database: string): string {
  const result = new URL(url);
  result.pathname = `/${database}`;
  return result.toString();
}

function userOf(url: string): string {
  return decodeURIComponent(new URL(url).username);
}

function quoted(identifier: string): string {
  return `"${identifier.replaceAll('"', '""')}"`;
}
