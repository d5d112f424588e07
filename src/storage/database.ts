import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { COLUMN_TYPES } from './column-types.ts';
import { type ConnectionPool, MAX_WAIT_MS, openConnectionPool } from './connection-pool.ts';
import { createDatabaseHealth } from './database-health.ts';
import { modelsOf, type PrismaModels, prismaClients, prismaTransactions } from './prisma-models.ts';
import { acquireFor, type ProjectConnections, rowsOf } from './project-connections.ts';
import type { Row, Statement, StatementObserver } from './statement.ts';
import {
  type ProjectTransaction,
  runQueueTransaction,
  runTransaction,
  type Transaction,
} from './transaction.ts';
import { type DatabaseProblem, translateError } from './translate-error.ts';
import type { TripObserver } from './trip-observer.ts';

export type { Call, Row, Statement, StatementObserver } from './statement.ts';
export type { ProjectTransaction, Transaction } from './transaction.ts';

/*
 * One pool of connections under the role vouchgraph_app serves every project, for raw statements and for Prisma. A
 * connection stores the project that it serves in `app.project`, and is switched, outside any transaction, when another
 * project acquires it: row-level security then shows only rows of that project. A second, small pool under
 * vouchgraph_system sees all projects; only the relay, jobs and the command line use it.
 *
 * Session settings need direct or session-pooled connections: a transaction pooler between the gateway and the server would
 * apply the setting to another client, and is rejected (open-connection.ts).
 */

/** The database as one project sees it. */
export type ProjectDatabase = {
  readonly projectId: string;
  /** How long a request waits for its turn behind others of the project, as for a connection; null: as long as it takes. */
  readonly maxTurnMs: number | null;
  query<T = Row>(statement: Statement, values: readonly unknown[]): Promise<T[]>;
  /**
   * Runs `work` between BEGIN (sent with its first statements) and its commit; rolled back when `work` throws or
   * does not commit. Repeated whole, twice, after a deadlock or serialization failure.
   */
  transaction<T>(work: (transaction: ProjectTransaction) => Promise<T>): Promise<T>;
  /** The database without what this request adds to its transactions, for a transaction of several requests. */
  readonly shared: ProjectDatabase;
  /** A transaction of `shared` whose commit also contains what this request adds. */
  join(transaction: Transaction): Transaction;
  readonly prisma: PrismaModels;
};

export type Database = {
  forProject(projectId: string): ProjectDatabase;
  /** Sees every project: for the relay, jobs, start-up and the command line only. */
  readonly system: {
    query<T = Row>(statement: Statement, values: readonly unknown[]): Promise<T[]>;
    /** A transaction of a queue, which may be lost in a crash of the server: its commit does not wait for the disk. */
    queueTransaction<T>(work: (transaction: Transaction) => Promise<T>): Promise<T>;
    /** A dedicated connection, kept until released (advisory locks, LISTEN). */
    connect(): Promise<pg.PoolClient>;
  };
  /**
   * Calls the listener after each commit of this process that wrote events, and after some rollbacks. Returns a function
   * that removes the listener.
   */
  onEventsWritten(listener: () => void): () => void;
  /** Opens a connection of each kind; rejects when they cannot have their role, or a pooler before the server does not keep sessions. */
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
  /** How long a query of Prisma waits for a client; 5 seconds by default. */
  maxPrismaWaitMs?: number;
  onStatement?: StatementObserver;
  onTrip?: TripObserver;
  /** Receives one line for the operator when a connection pooler does not keep sessions. */
  onRefused?: (message: string) => void;
};

/**
 * Shorter than a request waits for a connection, so that requests that wait for a lock give up their connections before
 * others that wait for one give up.
 */
const LOCK_TIMEOUT_MS = 3000;

/**
 * A prepared statement keeps the plan that its connection made for it, also a plan made while the tables were nearly empty,
 * until the tables are analyzed. Statements of a project read by keys: without sequential scans such a plan uses an index too.
 */
const REQUEST_SETTINGS = { enable_seqscan: 'off' };
/** One of them listens for events for as long as the process lives. */
const SYSTEM_POOL_SIZE = 5;
/** Clients of Prisma that queries outside of transactions share. Transactions have one more. */
const MAX_CLIENTS = 12;
/** Users of the second pool: single statements find a connection although transactions hold as many as they may. */
const STATEMENTS = 'statements';
const TRANSACTIONS = 'transactions';

export function openDatabase(options: DatabaseOptions): Database {
  const observe = options.onStatement ?? (() => {});
  const eventListeners = new Set<() => void>();
  const { pool, systemPool } = openPools(options, () => {
    for (const listener of eventListeners) listener();
  });
  const health = createDatabaseHealth(() => systemPool.acquire(STATEMENTS));
  const toError = (error: unknown): unknown => {
    health.note(error);
    return translateError(error);
  };
  const connections: ProjectConnections = { pool, observe, toError, prisma: prismaTransactions() };
  return {
    forProject: projectDatabases(connections, options),
    system: {
      async query<T>(statement: Statement, values: readonly unknown[]) {
        return rowsOf<T>(connections, await systemPool.acquire(STATEMENTS), statement, values);
      },
      queueTransaction: (work) => runQueueTransaction(toError, () => systemPool.acquire(TRANSACTIONS), work),
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

function openPools(
  { connectionString, poolSize, isForOneProject = false, onRefused = () => {}, onTrip }: DatabaseOptions,
  onEventsWritten: () => void,
): { pool: ConnectionPool; systemPool: ConnectionPool } {
  const shared = { connectionString, types: COLUMN_TYPES, onRefused, onEventsWritten, onTrip };
  return {
    pool: openConnectionPool({
      ...shared,
      role: 'vouchgraph_app',
      size: poolSize,
      reserve: isForOneProject ? 0 : reserveOf(poolSize),
      lockTimeoutMs: isForOneProject ? undefined : LOCK_TIMEOUT_MS,
      settings: REQUEST_SETTINGS,
    }),
    systemPool: openConnectionPool({
      ...shared,
      role: 'vouchgraph_system',
      size: SYSTEM_POOL_SIZE,
      reserve: reserveOf(SYSTEM_POOL_SIZE),
    }),
  };
}

/** A database handle for each project, kept while it is among the last used. */
function projectDatabases(
  connections: ProjectConnections,
  { maxPrismaWaitMs, isForOneProject = false }: DatabaseOptions,
): (projectId: string) => ProjectDatabase {
  const { observe, toError } = connections;
  const acquire = (projectId: string) => acquireFor(connections, projectId);
  const clients = prismaClients({
    maxClients: MAX_CLIENTS,
    acquire,
    onStatement: observe,
    toError,
    maxWaitMs: maxPrismaWaitMs,
  });
  const bound = new LRUCache<string, ProjectDatabase>({ max: 1000 });
  return (projectId) => {
    let database = bound.get(projectId);
    if (!database) {
      const opened: ProjectDatabase = {
        projectId,
        maxTurnMs: isForOneProject ? null : MAX_WAIT_MS,
        query: async (statement, values) => rowsOf(connections, await acquire(projectId), statement, values),
        transaction: (work) => runTransaction(connections, projectId, work),
        get shared() {
          return opened;
        },
        join: (transaction) => transaction,
        prisma: modelsOf((query) => clients.run(projectId, query)),
      };
      database = opened;
      bound.set(projectId, database);
    }
    return database;
  };
}

/** About a quarter; at least one when the pool has two connections or more. */
function reserveOf(size: number): number {
  return size === 1 ? 0 : Math.max(1, Math.floor(size / 4));
}
