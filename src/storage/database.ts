import { createHash } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import pg from 'pg';
import { openConnectionPool, releaseAfter } from './connection-pool.ts';
import { createDatabaseHealth } from './database-health.ts';
import type { PrismaClient } from './generated/prisma/client.ts';
import type { createPrismaClients } from './prisma-clients.ts';
import { runBatch } from './statement-batch.ts';
import {
  type DatabaseProblem,
  isSerializationFailure,
  problemOf,
  translateError,
} from './translate-error.ts';

/*
 * One pool of connections under the role vouchgraph_app serves every project, for raw statements and for Prisma
 * alike. A connection remembers in `app.project` whom it speaks for, and is switched, outside any transaction, when
 * it changes hands: row-level security then shows it that project's rows and nothing else. A second, small pool
 * under vouchgraph_system sees all projects; only the relay, jobs and the command line use it.
 *
 * Session settings need direct or session-pooled connections: a transaction pooler between us and the server would
 * hand our setting to somebody else.
 */

/** A statement that is prepared once per connection, under its name. The name also stands in metrics and tests. */
export type Statement = { readonly name: string; readonly text: string };
export type Call = readonly [statement: Statement, values: readonly unknown[]];

/** Told of every statement that is sent: its name (or the text that Prisma made, shortened to its first word). */
export type StatementObserver = (name: string) => void;

export type Transaction = {
  /** Sends statements in one go, without waiting between them, and returns the rows of each. */
  run(...calls: Call[]): Promise<Row[][]>;
  /** Sends the last statements together with COMMIT, in one round trip. */
  commit(...calls: Call[]): Promise<Row[][]>;
};

// biome-ignore lint/suspicious/noExplicitAny: rows are as wide as their statement; stores give them their type
export type Row = any;

/** The database as one project sees it. */
export type ProjectDatabase = {
  readonly projectId: string;
  query<T = Row>(statement: Statement, values: readonly unknown[]): Promise<T[]>;
  /**
   * Runs `work` between BEGIN (sent with its first statements) and its commit; rolled back when `work` throws or
   * does not commit. Repeated whole, twice, after a deadlock or serialization failure.
   */
  transaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
  readonly prisma: PrismaClient;
};

export type Database = {
  forProject(projectId: string): ProjectDatabase;
  /** Sees every project: for the relay, jobs, start-up and the command line only. */
  readonly system: {
    query<T = Row>(statement: Statement, values: readonly unknown[]): Promise<T[]>;
    /** A connection of its own, kept until released (advisory locks, LISTEN). */
    connect(): Promise<pg.PoolClient>;
  };
  /**
   * Calls the listener after each commit of this process that wrote events, and after some rollbacks. Returns a function
   * that removes the listener.
   */
  onEventsWritten(listener: () => void): () => void;
  /** Opens a connection of each kind; rejects when the server or a pooler before it does not give them their role. */
  checkConnections(): Promise<void>;
  /** Null when requests can be served, else the reason, within two seconds. */
  findProblem(): Promise<DatabaseProblem | null>;
  close(): Promise<void>;
};

export type DatabaseOptions = {
  connectionString: string;
  /** Connections that serve requests. */
  poolSize: number;
  /** All connections may serve one project. */
  isForOneProject?: boolean;
  /** Creates the Prisma clients of projects; without it `ProjectDatabase.prisma` throws. */
  prismaClients?: typeof createPrismaClients;
  onStatement?: StatementObserver;
  /** Receives one line for the operator when the server's connections do not have our role. */
  onRefused?: (message: string) => void;
};

const SET_PROJECT: Statement = {
  name: 'set_project',
  text: `select set_config('app.project', $1, false)`,
};

type BoundClient = pg.PoolClient & { boundProject?: string };

/**
 * Shorter than a request waits for a connection, so that requests that wait for a lock give up their connections before
 * others that wait for one give up.
 */
const LOCK_TIMEOUT_MS = 3000;
/** One of them listens for events for as long as the process lives. */
const SYSTEM_POOL_SIZE = 5;
/** Users of the second pool: single statements find a connection although transactions hold as many as they may. */
const STATEMENTS = 'statements';
const TRANSACTIONS = 'transactions';

export function openDatabase(options: DatabaseOptions): Database {
  const observe = options.onStatement ?? (() => {});
  const { connectionString, poolSize, isForOneProject = false, onRefused = () => {} } = options;
  const eventListeners = new Set<() => void>();
  const onEventsWritten = () => {
    for (const listener of eventListeners) listener();
  };
  const pool = openConnectionPool({
    connectionString,
    role: 'vouchgraph_app',
    size: poolSize,
    reserve: isForOneProject ? 0 : reserveOf(poolSize),
    lockTimeoutMs: isForOneProject ? undefined : LOCK_TIMEOUT_MS,
    types: TYPES,
    onRefused,
    onEventsWritten,
  });
  const systemPool = openConnectionPool({
    connectionString,
    role: 'vouchgraph_system',
    size: SYSTEM_POOL_SIZE,
    reserve: reserveOf(SYSTEM_POOL_SIZE),
    types: TYPES,
    onRefused,
    onEventsWritten,
  });
  const health = createDatabaseHealth(() => systemPool.acquire(STATEMENTS));
  const failed = (error: unknown): unknown => {
    health.note(error);
    return translateError(error);
  };

  async function acquire(projectId: string): Promise<BoundClient> {
    const client: BoundClient = await pool.acquire(projectId);
    if (client.boundProject !== projectId) {
      client.boundProject = undefined;
      // Not awaited on its own: with pipelining the next statement leaves in the same packet. Should this one fail,
      // the connection is not returned to the pool as bound.
      send(client, SET_PROJECT, [projectId]).then(
        () => {
          client.boundProject = projectId;
        },
        () => {
          client.boundProject = undefined;
        },
      );
    }
    return client;
  }

  function send(
    client: pg.ClientBase,
    statement: Statement,
    values: readonly unknown[],
  ): Promise<pg.QueryResult> {
    observe(statement.name);
    return client.query({ name: serverName(statement), text: statement.text, values: values as unknown[] });
  }

  async function query<T>(projectId: string, statement: Statement, values: readonly unknown[]): Promise<T[]> {
    const client = await acquire(projectId);
    return rowsOf<T>(client, statement, values);
  }

  async function rowsOf<T>(
    client: pg.PoolClient,
    statement: Statement,
    values: readonly unknown[],
  ): Promise<T[]> {
    try {
      const result = await send(client, statement, values);
      client.release();
      return result.rows as T[];
    } catch (error) {
      releaseAfter(client, error);
      throw failed(error);
    }
  }

  async function attempt<T>(projectId: string, work: (transaction: Transaction) => Promise<T>): Promise<T> {
    const client = await acquire(projectId);
    let state = 'new' as 'new' | 'open' | 'done';
    const batch = async (calls: readonly Call[], last: boolean): Promise<Row[][]> => {
      const opening: Call[] = state === 'new' ? [[BEGIN, []]] : [];
      state = 'open';
      const all = [...opening, ...calls, ...(last ? [[COMMIT, []] as Call] : [])];
      for (const [{ name }] of all) observe(name);
      const results = await runBatch(
        client,
        all.map(([statement, values]) => ({ name: serverName(statement), text: statement.text, values })),
        TYPES,
      );
      if (last) state = 'done';
      return results.slice(opening.length, opening.length + calls.length).map(({ rows }) => rows);
    };
    try {
      const value = await work({
        run: (...calls) => batch(calls, false),
        commit: (...calls) => batch(calls, true),
      });
      if (state === 'open') await send(client, ROLLBACK, []);
      client.release();
      return value;
    } catch (error) {
      await rollBack(client, state, error);
      throw error;
    }
  }

  async function rollBack(client: BoundClient, state: string, error: unknown): Promise<void> {
    if (state === 'new') return client.release();
    try {
      await send(client, ROLLBACK, []);
      // A server that takes no writes any more was replaced by another one, which new connections reach.
      client.release(problemOf(error) === 'read_only');
    } catch {
      client.release(true);
    }
  }

  async function transaction<T>(projectId: string, work: (tx: Transaction) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await attempt(projectId, work);
      } catch (error) {
        if (tries < 3 && isSerializationFailure(error)) continue;
        throw failed(error);
      }
    }
  }

  const prismaFor = options.prismaClients?.({ acquire, onStatement: observe, toError: failed });
  const bound = new LRUCache<string, ProjectDatabase>({ max: 1000 });
  return {
    forProject(projectId) {
      let database = bound.get(projectId);
      if (!database) {
        database = {
          projectId,
          query: (statement, values) => query(projectId, statement, values),
          transaction: (work) => transaction(projectId, work),
          get prisma() {
            if (!prismaFor) throw new Error('this database was opened without Prisma clients');
            return prismaFor(projectId);
          },
        };
        bound.set(projectId, database);
      }
      return database;
    },
    system: {
      async query<T>(statement: Statement, values: readonly unknown[]) {
        return rowsOf<T>(await systemPool.acquire(STATEMENTS), statement, values);
      },
      connect: () => systemPool.acquire(TRANSACTIONS),
    },
    onEventsWritten(listener) {
      eventListeners.add(listener);
      return () => eventListeners.delete(listener);
    },
    async checkConnections() {
      for (const each of [pool, systemPool]) (await each.acquire(STATEMENTS)).release();
    },
    findProblem: () => health.findProblem(),
    async close() {
      await Promise.all([pool.end(), systemPool.end()]);
    },
  };
}

/** The server cuts names at 63 bytes, and two that begin alike would then be one: a long one ends in its text's hash. */
const shortNames = new LRUCache<string, string>({ max: 2000 });
function serverName({ name, text }: Statement): string {
  if (name.length <= 63) return name;
  let short = shortNames.get(name);
  if (!short) {
    short = `${name.slice(0, 40)}:${createHash('sha256').update(text).digest('hex').slice(0, 20)}`;
    shortNames.set(name, short);
  }
  return short;
}

const BEGIN: Statement = { name: 'begin', text: 'begin' };
const COMMIT: Statement = { name: 'commit', text: 'commit' };
const ROLLBACK: Statement = { name: 'rollback', text: 'rollback' };

const TIMESTAMPTZ = 1184;

/** Connections speak UTC, so that timestamps come in one form, which is read several times faster than all of them. */
function parseTimestamp(text: string): Date {
  if (text[4] !== '-' || !text.endsWith('+00')) return pg.types.getTypeParser(TIMESTAMPTZ)(text);
  return new Date(`${text.slice(0, 10)}T${text.slice(11, -3)}Z`);
}

const TYPES: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    oid === TIMESTAMPTZ && format !== 'binary'
      ? parseTimestamp
      : pg.types.getTypeParser(oid, format as 'text'),
};

/** About a quarter, of a pool of two at least one. */
function reserveOf(size: number): number {
  return size === 1 ? 0 : Math.max(1, Math.floor(size / 4));
}
