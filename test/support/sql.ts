import pg from 'pg';
import { expect, inject } from 'vitest';
import type { TestDatabase } from './database.ts';

type Role = 'vouchgraph_app' | 'vouchgraph_system';

/** A separate connection under one of the roles, or as the owner of the tables; the caller ends it. */
export async function connectAs(database: TestDatabase, role: Role | 'owner'): Promise<pg.Client> {
  const url = new URL(database.ownerUrl);
  if (role !== 'owner') url.searchParams.set('options', `-c role=${role}`);
  const client = new pg.Client({ connectionString: url.toString() });
  await client.connect();
  return client;
}

/** A separate connection of an administrator who bypasses triggers and row-level security; the caller ends it. */
export async function connectAsTamperer({ ownerUrl }: TestDatabase): Promise<pg.Client> {
  const url = new URL(inject('databaseServer').adminUrl);
  url.pathname = new URL(ownerUrl).pathname;
  url.searchParams.set('options', '-c session_replication_role=replica');
  const client = new pg.Client({ connectionString: url.toString() });
  await client.connect();
  return client;
}

/** Every table that holds rows, partitions included. */
export async function tablesOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query(
    `select relname from pg_class where relnamespace = 'public'::regnamespace and relkind in ('r', 'p')
       and relname <> '_prisma_migrations' order by 1`,
  );
  return rows.map((row) => row.relname);
}

/** Returns once this number of connections to the client's database wait for a lock. */
export async function expectLockWaits(client: pg.Client, count: number): Promise<void> {
  const text = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  await expect.poll(async () => (await client.query(text)).rowCount, { interval: 20 }).toBe(count);
}

/** Returns once a connection waits for a lock of this client, also in a transaction of the client. */
export async function expectBlocked(client: pg.Client): Promise<void> {
  const text = 'select 1 from pg_locks where not granted and pg_backend_pid() = any(pg_blocking_pids(pid))';
  await expect.poll(async () => (await client.query(text)).rowCount, { interval: 20 }).toBeGreaterThan(0);
}
