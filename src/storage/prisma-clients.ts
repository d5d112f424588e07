import { PrismaPg } from '@prisma/adapter-pg';
import { LRUCache } from 'lru-cache';
import type pg from 'pg';
import { unavailable } from '../platform/errors.ts';
import { MAX_WAIT_MS } from './connection-pool.ts';
import { PrismaClient } from './generated/prisma/client.ts';
import { ProjectPool } from './project-pool.ts';

/*
 * Clients of Prisma. A client serves one user at a time (a project, or a transaction), since Prisma merges look-ups of one tick into one
 * statement, which runs on a connection of one user. Clients are reused: a new one costs as much processor time as several requests, and
 * 2 MB of heap. A query takes a client of its user, or one that no query uses.
 */

export type PrismaClientsOptions<User> = {
  /** Number of clients; queries of further users wait, unless `opensMore`. */
  maxClients: number;
  /**
   * Whether queries of further users open clients that are closed after use. For users whose queries may wait for each other: transactions
   * that wait for a lock and the one that holds it.
   */
  opensMore?: boolean;
  /** A connection of the user. */
  acquire: (user: User) => Promise<pg.PoolClient>;
  /** Receives the name under which a statement of Prisma is counted. */
  onStatement: (name: string) => void;
  /** An error of the driver as the rest of the gateway knows it. */
  toError: (error: unknown) => unknown;
  /** How long a query waits for a client: 5 seconds by default, as for a connection. */
  maxWaitMs?: number | undefined;
};

/** A client, and the user whose queries it runs. */
type Slot<User> = {
  readonly client: PrismaClient;
  user: User;
  queries: number;
  /** The last error of the pool. Prisma wraps it in its own error, with the same code. */
  failure: unknown;
};
type Waiting<User> = { readonly user: User; readonly start: (slot: Slot<User>) => void };

/** Runs queries with clients of users. */
export type PrismaClients<User> = {
  /** Runs a query with a client of the user. Queries that wait are served in their order. */
  run<T>(user: User, query: (client: PrismaClient) => Promise<T>): Promise<T>;
};

/** Clients that are opened when a query needs them. */
export function createPrismaClients<User>(options: PrismaClientsOptions<User>): PrismaClients<User> {
  return new ClientSlots(options);
}

class ClientSlots<User> implements PrismaClients<User> {
  readonly #options: PrismaClientsOptions<User>;
  /** The one used longest ago first. */
  readonly #slots: Slot<User>[] = [];
  readonly #waiting: Waiting<User>[] = [];

  constructor(options: PrismaClientsOptions<User>) {
    this.#options = options;
  }

  async run<T>(user: User, query: (client: PrismaClient) => Promise<T>): Promise<T> {
    const free = this.#waiting.length === 0 ? this.#slotFor(user) : null;
    const slot = free ?? (await this.#wait(user));
    try {
      return await query(slot.client);
    } catch (error) {
      // Another statement of the query may still begin: the client stays with its user, and is used no more.
      this.#drop(slot);
      throw codeOf(slot.failure) === codeOf(error) ? (slot.failure ?? error) : error;
    } finally {
      slot.queries -= 1;
      if (slot.queries === 0 && this.#slots.length > this.#options.maxClients) this.#drop(slot);
      this.#serveWaiting();
    }
  }

  /** Throws service.unavailable if no client is free in time. */
  #wait(user: User): Promise<Slot<User>> {
    return new Promise((resolve, reject) => {
      const waiting: Waiting<User> = {
        user,
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

  #drop(slot: Slot<User>): void {
    const place = this.#slots.indexOf(slot);
    if (place >= 0) this.#slots.splice(place, 1);
  }

  #serveWaiting(): void {
    for (let next = this.#waiting[0]; next; next = this.#waiting[0]) {
      const slot = this.#slotFor(next.user);
      if (!slot) return;
      this.#waiting.shift();
      next.start(slot);
    }
  }

  /** A slot for one more query of the user; null when all of them run queries of other users. */
  #slotFor(user: User): Slot<User> | null {
    const { maxClients, opensMore } = this.#options;
    const slot =
      this.#slots.find((each) => each.user === user) ??
      this.#slots.find(({ queries }) => queries === 0) ??
      (opensMore || this.#slots.length < maxClients ? this.#addSlot(user) : null);
    if (!slot) return null;
    this.#slots.splice(this.#slots.indexOf(slot), 1);
    this.#slots.push(slot);
    slot.user = user;
    slot.queries += 1;
    return slot;
  }

  #addSlot(user: User): Slot<User> {
    const toError = (error: unknown) => {
      slot.failure = this.#options.toError(error);
      return slot.failure;
    };
    const client = openClient({ ...this.#options, toError }, () => slot.user);
    const slot: Slot<User> = { user, queries: 0, client, failure: undefined };
    this.#slots.push(slot);
    return slot;
  }
}

function codeOf(error: unknown): unknown {
  return (error as { code?: unknown } | undefined)?.code;
}

/** A client whose connections belong to the user that it serves at that moment. */
function openClient<User>(
  { acquire, onStatement, toError }: PrismaClientsOptions<User>,
  userOf: () => User,
): PrismaClient {
  const pool = new ProjectPool({
    acquire: () => acquire(userOf()),
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
