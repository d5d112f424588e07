import { AsyncLocalStorage } from 'node:async_hooks';
import { PrismaPg } from '@prisma/adapter-pg';
import { unavailable } from '@vouchgraph/platform/errors';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { MAX_WAIT_MS } from './connection-pool.ts';
import { type Prisma, PrismaClient } from './generated/prisma/client.ts';
import type { LeasedConnection } from './leased-connection.ts';
import { ProjectPool } from './project-pool.ts';
import { countedName } from './statement.ts';

/*
 * Clients of Prisma. A client serves one project at a time, since Prisma merges look-ups of one tick into one statement, which runs on a
 * connection of one project. Clients are reused: a new one costs as much processor time as several requests, and 2 MB of heap. A query
 * takes a client of its project, or one that no query uses. One more client serves all transactions.
 */

export type PrismaClientsOptions = {
  /** Number of clients; queries of further projects wait. */
  maxClients: number;
  /** A connection of the project. */
  acquire: (projectId: string) => Promise<pg.PoolClient>;
  /** Receives the name under which a statement of Prisma is counted. */
  onStatement: (name: string) => void;
  /** An error of the driver as the rest of the gateway knows it. */
  toError: (error: unknown) => unknown;
  /** How long a query waits for a client: 5 seconds by default, as for a connection. */
  maxWaitMs?: number | undefined;
};

/** A client, and the project whose queries it runs. */
type Slot = {
  readonly client: PrismaClient;
  projectId: string;
  queries: number;
  /** The last error of the pool. Prisma wraps it in its own error, with the same code. */
  failure: unknown;
};
type Waiting = { readonly projectId: string; readonly start: (slot: Slot) => void };

/** Runs queries with clients of projects. */
export type PrismaClients = {
  /** Runs a query with a client of the project. Queries that wait are served in their order. */
  run<T>(projectId: string, query: (client: PrismaClient) => Promise<T>): Promise<T>;
};

/** Clients that are opened when a query needs them. */
export function createPrismaClients(options: PrismaClientsOptions): PrismaClients {
  return new ClientSlots(options);
}

class ClientSlots implements PrismaClients {
  readonly #options: PrismaClientsOptions;
  /** The one used longest ago first. */
  readonly #slots: Slot[] = [];
  readonly #waiting: Waiting[] = [];

  constructor(options: PrismaClientsOptions) {
    this.#options = options;
  }

  async run<T>(projectId: string, query: (client: PrismaClient) => Promise<T>): Promise<T> {
    const free = this.#waiting.length === 0 ? this.#slotFor(projectId) : null;
    const slot = free ?? (await this.#wait(projectId));
    try {
      return await query(slot.client);
    } catch (error) {
      // Another statement of the query may still begin: the client stays with its user, and is used no more.
      this.#drop(slot);
      throw codeOf(slot.failure) === codeOf(error) ? (slot.failure ?? error) : error;
    } finally {
      slot.queries -= 1;
      this.#serveWaiting();
    }
  }

  /** Throws service.unavailable if no client is free in time. */
  #wait(projectId: string): Promise<Slot> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting = {
        projectId,
        start(slot) {
          clearTimeout(timer);
          resolve(slot);
        },
      };
      const timer = setTimeout(() => {
        this.#waiting.splice(this.#waiting.indexOf(waiting), 1);
        reject(unavailable());
      }, this.#options.maxWaitMs ?? MAX_WAIT_MS);
      this.#waiting.push(waiting);
    });
  }

  #drop(slot: Slot): void {
    const place = this.#slots.indexOf(slot);
    if (place >= 0) this.#slots.splice(place, 1);
  }

  #serveWaiting(): void {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const slot = this.#slotFor(next.projectId);
      if (!slot) return;
      this.#waiting.shift();
      next.start(slot);
    }
  }

  /** A slot for one more query of the project; null when all of them run queries of other projects. */
  #slotFor(projectId: string): Slot | null {
    const slot =
      this.#slots.find((each) => each.projectId === projectId) ??
      this.#slots.find(({ queries }) => queries === 0) ??
      (this.#slots.length < this.#options.maxClients ? this.#addSlot(projectId) : null);
    if (!slot) return null;
    this.#slots.splice(this.#slots.indexOf(slot), 1);
    this.#slots.push(slot);
    slot.projectId = projectId;
    slot.queries += 1;
    return slot;
  }

  #addSlot(projectId: string): Slot {
    const toError = (error: unknown) => {
      slot.failure = this.#options.toError(error);
      return slot.failure;
    };
    const { acquire, onStatement } = this.#options;
    const client = openClient(
      new ProjectPool({
        acquire: () => acquire(slot.projectId),
        onStatement: (text) => onStatement(countedName(text)),
        toError,
      }),
    );
    const slot: Slot = { projectId, queries: 0, client, failure: undefined };
    this.#slots.push(slot);
    return slot;
  }
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | undefined)?.code;
}

/** Opens Prisma's models over connections of transactions. */
export type PrismaTransactions = {
  /** Models that use the connection until its transaction ends. */
  open(lent: LeasedConnection): Promise<Prisma.TransactionClient>;
};

/** Longest transaction for Prisma, whose limits would end it without its connection: the server limits each statement. */
const UNLIMITED_MS = 2 ** 31 - 1;

/**
 * One client for all transactions: each is one of Prisma too, which merges no look-ups of two. None waits for a client, as it may hold a
 * lock that others wait for.
 */
export function createPrismaTransactions(): PrismaTransactions {
  const opening = new AsyncLocalStorage<LeasedConnection>();
  const client = openClient(
    new ProjectPool({
      acquire: async () => opening.getStore()!.connection,
      onStatement: () => {},
      toError: (error) => error,
    }),
  );
  const limits = { maxWait: UNLIMITED_MS, timeout: UNLIMITED_MS };
  return {
    open: (lent) =>
      new Promise((resolve, reject) => {
        const work = (models: Prisma.TransactionClient) => {
          resolve(models);
          return lent.ended;
        };
        opening.run(lent, () => client.$transaction(work, limits)).catch(reject);
      }),
  };
}

function openClient(pool: ProjectPool): PrismaClient {
  return new PrismaClient({ adapter: new PrismaPg(pool, { statementNameGenerator: prismaStatementName }) });
}

/** Prisma's statements get a name by their text, so that the server plans each once per connection. */
const prismaNames = new LRUCache<string, string>({ max: 2000 });
let prismaNameCount = 0;
function prismaStatementName(query: { sql: string }): string {
  let name = prismaNames.get(query.sql);
  if (!name) {
    prismaNameCount += 1;
    name = `prisma_${prismaNameCount}`;
    prismaNames.set(query.sql, name);
  }
  return name;
}
