import pg from 'pg';
import { AppError, unavailable } from '../platform/errors.ts';
import { createFairShare } from '../platform/fair-share.ts';
import { watchEventWrites } from './event-writes.ts';
import { isLostBy } from './translate-error.ts';
import { type TripObserver, watchTrips } from './trip-observer.ts';

/*
 * A pool of connections under one role, divided among its users. Every connection has a listener for its errors: one
 * that is lost in the middle of a transaction must not end the process.
 */

/** The connection is not the requested one and may see rows of every project: nothing is sent over it. */
export class WrongRoleError extends Error {
  constructor(role: string) {
    super(
      `a database connection does not have the role ${role}: a connection pooler drops the start-up parameter "options"; ` +
        'let it pass that parameter, or point DATABASE_URL at PostgreSQL itself',
    );
    this.name = 'WrongRoleError';
  }
}

export type ConnectionPoolOptions = {
  connectionString: string;
  role: 'vouchgraph_app' | 'vouchgraph_system';
  size: number;
  /** Connections that only users without any may take. */
  reserve: number;
  /** How long requests wait for the locks of an account; without it, as long as a statement may take. */
  lockTimeoutMs?: number;
  /** Settings of the server for every connection. */
  settings?: Readonly<Record<string, string>>;
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
  const { role, size, reserve, onRefused } = options;
  const share = createFairShare({ size, reserve, maxWaitMs: MAX_WAIT_MS });
  let isRefusing = false;

  /** Once for each connection. Without its start-up parameters it would be the owner's. */
  async function checkRole(client: pg.ClientBase): Promise<void> {
    const { rows } = await client.query('select current_user as role');
    const isRefused = rows[0]?.role !== role;
    if (!isRefused) isRefusing = false;
    if (!isRefused) return;
    const error = new WrongRoleError(role);
    if (!isRefusing) onRefused(error.message);
    isRefusing = true;
    throw error;
  }

  const pool = new pg.Pool({ ...poolConfig(options), ...({ onConnect: checkRole } as object) });
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

function poolConfig(options: ConnectionPoolOptions): pg.PoolConfig {
  const { connectionString, role, size, types, lockTimeoutMs } = options;
  const url = new URL(connectionString);
  const settings: Record<string, string | number> = {
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
    ...options.settings,
  };
  const given = url.searchParams.get('options') ?? '';
  const ours = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  url.searchParams.set('options', [given, ...ours].join(' ').trim());
  return {
    connectionString: url.toString(),
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
