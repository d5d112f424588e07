import { AppError, unavailable } from '@vouchgraph/platform/errors';
import { createFairShare } from '@vouchgraph/platform/fair-share';
import pg from 'pg';
import { watchEventWrites } from './event-writes.ts';
import { notReset } from './pooler-error.ts';
import { type SessionRow, type Settings, sessionStatement } from './session-settings.ts';
import { isLostBy } from './translate-error.ts';
import { type TripObserver, watchTrips } from './trip-observer.ts';

/*
 * A pool of connections under one role, divided among its users. Every connection has a listener for its errors: one
 * that is lost in the middle of a transaction must not end the process.
 */

export type ConnectionPoolOptions = {
  connectionString: string;
  role: 'vouchgraph_app' | 'vouchgraph_system';
  size: number;
  /** Connections that only users without any may take. */
  reserve: number;
  /** How long requests wait for the locks of an account; without it, as long as a statement may take. */
  lockTimeoutMs?: number;
  /** Settings of the server for every connection. */
  settings?: Settings;
  types: pg.CustomTypesConfig;
  /** Receives one line for the operator when connections are refused, once until one is good again. */
  onRefused: (message: string) => void;
  /** Called after each use of a connection that may have committed events. */
  onEventsWritten: () => void;
  onTrip?: TripObserver;
};

export type ConnectionPool = {
  /** A connection for one of the pool's users. Released by its own `release`, which destroys it when given true. */
  acquire(user: string): Promise<pg.PoolClient>;
  end(): Promise<void>;
};

/** Time limit for a connection. After it the client receives a retryable error. */
export const MAX_WAIT_MS = 5000;
/** The server ends a statement after 10 seconds. One that has no answer after this time has no server either. */
const STATEMENT_TIMEOUT_MS = 10_000;
const QUERY_TIMEOUT_MS = STATEMENT_TIMEOUT_MS + 1000;
const KEEP_ALIVE_SECONDS = 10;

type HeldClient = pg.PoolClient & { user?: string };

export function openConnectionPool(options: ConnectionPoolOptions): ConnectionPool {
  const { size, reserve, onRefused } = options;
  const share = createFairShare({ size, reserve, maxWaitMs: MAX_WAIT_MS });
  let isRefusing = false;

  const statement = sessionStatement(settingsOf(options));
  /** Once for each connection, before its first use. A connection of another session may see rows of every project. */
  async function openSession(client: pg.ClientBase): Promise<void> {
    const [result] = (await client.query(statement)) as unknown as pg.QueryResult<SessionRow>[];
    const isRefused = result?.rows[0]?.mark !== '';
    const wasRefusing = isRefusing;
    isRefusing = isRefused;
    if (!isRefused) return;
    const error = notReset();
    if (!wasRefusing) onRefused(error.message);
    throw error;
  }

  const pool = new pg.Pool({ ...poolConfig(options), ...({ onConnect: openSession } as object) });
  // A connection that is lost is replaced at its next use; without listeners it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  watchEventWrites(pool, options.onEventsWritten);
  if (options.onTrip) watchTrips(pool, options.onTrip);
  pool.on('release', (_error, client: HeldClient) => {
    const { user } = client;
    client.user = undefined;
    if (user !== undefined) share.release(user);
  });

  return {
    async acquire(user) {
      const turn = share.acquire(user);
      if (turn) await turn;
      try {
        const client: HeldClient = await pool.connect();
        client.user = user;
        return client;
      } catch (error) {
        share.release(user);
        // Whatever the server's reason is: nothing was sent, and trying again helps.
        throw unavailable(error);
      }
    },
    end: () => pool.end(),
  };
}

/** Returns a connection to its pool after an error; destroys it when the error ended it or left its state unknown. */
export function releaseAfter(client: pg.PoolClient, error: unknown): void {
  const cause = error instanceof AppError ? error.cause : error;
  client.release(cause !== undefined && isLostBy(cause));
}

function settingsOf({ role, lockTimeoutMs, settings }: ConnectionPoolOptions): Settings {
  return {
    role,
    statement_timeout: STATEMENT_TIMEOUT_MS,
    timezone: 'UTC',
    // Values inside packed rows are text (packed-rows.ts): their form must not depend on settings of the server.
    datestyle: 'ISO',
    bytea_output: 'hex',
    extra_float_digits: 1,
    // The server closes connections of a gateway that lost its power or its network, and releases their locks.
    tcp_keepalives_idle: KEEP_ALIVE_SECONDS,
    tcp_keepalives_interval: 5,
    tcp_keepalives_count: 4,
    ...(lockTimeoutMs === undefined ? {} : { 'app.lock_timeout': lockTimeoutMs }),
    ...settings,
  };
}

function poolConfig({ connectionString, size, types }: ConnectionPoolOptions): pg.PoolConfig {
  return {
    connectionString,
    max: size,
    // Connections stay: reconnecting would show in the slowest requests.
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: MAX_WAIT_MS,
    query_timeout: QUERY_TIMEOUT_MS,
    keepAlive: true,
    keepAliveInitialDelayMillis: KEEP_ALIVE_SECONDS * 1000,
    application_name: 'vouchgraph',
    types,
    ...({ pipeline: true } as object),
  };
}
