import pg from 'pg';
import { pollUntil } from './poll.ts';

/**
 * Permanent connection whose advisory lock means that this gateway owns the cluster. The lock of the folder is not
 * sufficient: a holder in another container that is suspended for longer than the heartbeat timeout counts as dead there,
 * but its connection still holds this lock, so that no other gateway stops its server.
 */
export type Ownership = {
  client: pg.Client;
  release(): Promise<void>;
};

// "vouchgrp" in ASCII. Advisory locks are per database, and no other program uses the database "postgres".
const LOCK_KEY = '8533174372379554416';

export function superuserUrl(port: number, password: string): string {
  return localUrl('postgres', password, port, 'postgres');
}

export function ownerUrl(port: number, password: string): string {
  return localUrl('vouchgraph', password, port, 'vouchgraph');
}

/** sslmode is given because the driver would otherwise obey a PGSSLMODE meant for another server. */
function localUrl(user: string, password: string, port: number, database: string): string {
  return `postgresql://${user}:${password}@127.0.0.1:${port}/${database}?sslmode=disable`;
}

/** Null when another gateway owns the cluster; throws when the server does not answer. */
export async function claimCluster(url: string): Promise<Ownership | null> {
  const client = new pg.Client({
    connectionString: url,
    application_name: 'vouchgraph owner',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
  });
  // A lost connection ends the client; without a listener it would also end the process.
  client.on('error', () => {});
  const release = () => client.end().catch(() => undefined);
  try {
    await client.connect();
    const { rows } = await client.query('select pg_try_advisory_lock($1) as is_owner', [LOCK_KEY]);
    if (rows[0].is_owner === true) return { client, release };
  } catch (error) {
    await release();
    throw error;
  }
  await release();
  return null;
}

/**
 * Renews the claim whenever its connection is lost: PostgreSQL drops every connection when one of its processes was
 * killed, and continues; and a server that ended is started again.
 */
export function keepClaim(url: string, first: Ownership): { release(): Promise<void> } {
  let current = first;
  let isReleased = false;
  const watch = () => current.client.once('end', () => void renew());
  const renew = async () => {
    while (!isReleased) {
      const next = await pollUntil(async () => isReleased || (await claimCluster(url).catch(() => null)), {
        timeoutMs: 60_000,
        everyMs: 250,
      });
      if (next === null || next === true) continue;
      current = next;
      if (isReleased) return current.release();
      watch();
      return;
    }
  };
  watch();
  return {
    release() {
      isReleased = true;
      return current.release();
    },
  };
}

/** The role that owns the product's database: it may make roles and extensions, and is bound by row security. */
export async function ensureOwner(client: pg.Client, password: string): Promise<void> {
  const { rows } = await client.query(
    `select exists (select from pg_roles where rolname = 'vouchgraph') as has_role,
            exists (select from pg_database where datname = 'vouchgraph') as has_database`,
  );
  if (!rows[0].has_role) await client.query('create role vouchgraph nosuperuser createrole nobypassrls');
  // At every start, so that a lost or replaced password file heals itself.
  await client.query(`alter role vouchgraph login password '${password}'`);
  if (!rows[0].has_database) await client.query('create database vouchgraph owner vouchgraph');
}
