import { PrismaPg } from '@prisma/adapter-pg';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { unavailable } from '../platform/errors.ts';
import { MAX_WAIT_MS } from './connection-pool.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { ProjectPool } from './project-pool.ts';

/*
 * Prisma for projects. A client serves one project at a time, since Prisma merges look-ups of one tick into one statement, which runs
 * on a connection of one project. Clients are reused: a new one costs as much processor time as several requests, and 2 MB of heap. A query
 * takes a client of its project, or one that no query uses.
 */

/** Clients of a process; queries of further projects wait. */
const MAX_CLIENTS = 16;

export type PrismaClientsOptions = {
  /** A connection that is bound to the project. */
  acquire: (projectId: string) => Promise<pg.PoolClient>;
  /** Receives the name under which a statement of Prisma is counted. */
  onStatement: (name: string) => void;
  /** An error of the driver as the rest of the gateway knows it. */
  toError: (error: unknown) => unknown;
  /** How long a query waits for a client: 5 seconds by default, as for a connection. */
  maxWaitMs?: number | undefined;
};

/** A client, and the project whose queries it runs. */
type Slot = { readonly client: PrismaClient; projectId: string; queries: number };
type Waiting = { readonly projectId: string; readonly start: (slot: Slot) => void };

/** Runs queries with clients of projects. */
export type PrismaClients = {
  /** Runs a query with a client of the project. Queries that wait are served in their order. */
  run<T>(projectId: string, query: (client: PrismaClient) => Promise<T>): Promise<T>;
};

/** Clients that are opened when a query needs them. */
export function createPrismaClients(options: PrismaClientsOptions): PrismaClients {
  return new ClientSlots((projectOf) => openClient(options, projectOf), options.maxWaitMs ?? MAX_WAIT_MS);
}

class ClientSlots implements PrismaClients {
  readonly #open: (projectOf: () => string) => PrismaClient;
  readonly #maxWaitMs: number;
  /** The one used longest ago first. */
  readonly #slots: Slot[] = [];
  readonly #waiting: Waiting[] = [];

  constructor(open: (projectOf: () => string) => PrismaClient, maxWaitMs: number) {
    this.#open = open;
    this.#maxWaitMs = maxWaitMs;
  }

  async run<T>(projectId: string, query: (client: PrismaClient) => Promise<T>): Promise<T> {
    const free = this.#waiting.length === 0 ? this.#slotFor(projectId) : null;
    const slot = free ?? (await this.#wait(projectId));
    try {
      return await query(slot.client);
    } catch (error) {
      // Another statement of the query may still begin: the client stays with its project, and is used no more.
      this.#drop(slot);
      throw error;
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
      }, this.#maxWaitMs);
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
      (this.#slots.length < MAX_CLIENTS ? this.#addSlot(projectId) : null);
    if (!slot) return null;
    this.#slots.splice(this.#slots.indexOf(slot), 1);
    this.#slots.push(slot);
    slot.projectId = projectId;
    slot.queries += 1;
    return slot;
  }

  #addSlot(projectId: string): Slot {
    const slot: Slot = { projectId, queries: 0, client: this.#open(() => slot.projectId) };
    this.#slots.push(slot);
    return slot;
  }
}

/** A client whose connections belong to the project that it serves at that moment. */
function openClient(
  { acquire, onStatement, toError }: PrismaClientsOptions,
  projectOf: () => string,
): PrismaClient {
  const pool = new ProjectPool({
    acquire: () => acquire(projectOf()),
    onStatement: (text) => onStatement(`prisma:${text.slice(0, text.indexOf(' '))}`),
    toError,
  });
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
