import type pg from 'pg';
import { COLUMN_TYPES } from './column-types.ts';
import { type LeasedConnection, leaseConnection } from './leased-connection.ts';
import type { PrismaTransactions } from './prisma-clients.ts';
import { modelsOf, type PrismaModels } from './prisma-models.ts';
import { acquireFor, type ProjectConnections } from './project-connections.ts';
import {
  type Call,
  countedName,
  type Row,
  type Statement,
  type StatementObserver,
  send,
  serverName,
} from './statement.ts';
import { runBatch } from './statement-batch.ts';
import { isSerializationFailure, problemOf } from './translate-error.ts';

export type Transaction = {
  /** Sends statements in one go, without waiting between them, and returns the rows of each. */
  run(...calls: Call[]): Promise<Row[][]>;
  /** Sends the last statements together with COMMIT, in one round trip. */
  commit(...calls: Call[]): Promise<Row[][]>;
};

/** A transaction of a project. */
export type ProjectTransaction = Transaction & {
  /**
   * Prisma's models inside the transaction. A query takes a round trip or more, so that only writes of operators use them. An
   * error of the server is the driver's, with `code` and `constraint`, as of `run`.
   */
  readonly prisma: PrismaModels;
};

const BEGIN: Statement = { name: 'begin', text: 'begin' };
const COMMIT: Statement = { name: 'commit', text: 'commit' };
const ROLLBACK: Statement = { name: 'rollback', text: 'rollback' };

/** Those of queues have names of their own, which separate the work of the gateway from that of requests. */
const QUEUE_BEGIN: Statement = { name: 'jobs:begin', text: 'begin' };
const QUEUE_COMMIT: Statement = { name: 'jobs:commit', text: 'commit' };

const MAX_TRIES = 3;

/** Runs `work` in a transaction of a project; repeats it after a deadlock or serialization failure. */
export function runTransaction<T>(
  connections: ProjectConnections,
  projectId: string,
  work: (transaction: ProjectTransaction) => Promise<T>,
): Promise<T> {
  const ends: Ends = { opening: [[BEGIN, []]], closing: [COMMIT, []] };
  return repeat(
    connections,
    () => acquireFor(connections, projectId),
    ends,
    async (transaction, client) => {
      const lent = leaseConnection(client, (text) => connections.observe(countedName(text)));
      try {
        return await work({ ...transaction, prisma: prismaOf(connections.prisma, lent, transaction) });
      } finally {
        lent.takeBack();
      }
    },
  );
}

/** Prisma's models over the connection of a transaction. */
function prismaOf(
  transactions: PrismaTransactions,
  lent: LeasedConnection,
  transaction: Transaction,
): PrismaModels {
  let opened: Promise<PrismaModels> | undefined;
  const assertRunning = () => {
    if (lent.isReturned) throw new Error('the transaction of this query has ended');
  };
  return modelsOf(async (query) => {
    assertRunning();
    try {
      opened ??= transactions.open(lent);
      const models = await opened;
      // Its work may have failed meanwhile: the connection then belongs to another transaction.
      assertRunning();
      // Sends `begin` if nothing did.
      const [, result] = await Promise.all([transaction.run(), query(models)]);
      return result;
    } catch (error) {
      throw lent.error ?? error;
    }
  });
}

/**
 * Settings of transactions of queues, which are sent with `begin`. Commits do not wait for the disk: work lost in a crash
 * of the server is repeated. A queue grows and shrinks faster than the planner's statistics, with which it would read and
 * sort all of it to find a few rows: every statement on a queue has an index in the right order.
 */
const QUEUE_SETTINGS: Statement = {
  name: 'jobs:settings',
  text: `select set_config('synchronous_commit', 'off', true), set_config('enable_seqscan', 'off', true),
           set_config('enable_bitmapscan', 'off', true), set_config('enable_sort', 'off', true)`,
};

/**
 * The same as the role that sees every project, for work that is repeated when the server loses it. Its statements are not observed:
 * they are of no request.
 */
export function runQueueTransaction<T>(
  toError: ProjectConnections['toError'],
  acquire: () => Promise<pg.PoolClient>,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const opening: Call[] = [
    [QUEUE_BEGIN, []],
    [QUEUE_SETTINGS, []],
  ];
  return repeat({ observe: () => {}, toError }, acquire, { opening, closing: [QUEUE_COMMIT, []] }, work);
}

/** The statements before and behind those of a transaction. */
type Ends = { readonly opening: readonly Call[]; readonly closing: Call };

async function repeat<T>(
  connections: Pick<ProjectConnections, 'observe' | 'toError'>,
  acquire: () => Promise<pg.PoolClient>,
  ends: Ends,
  work: (transaction: Transaction, client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt(connections.observe, await acquire(), ends, work);
    } catch (error) {
      if (tries < MAX_TRIES && isSerializationFailure(error)) continue;
      throw connections.toError(error);
    }
  }
}

async function attempt<T>(
  observe: StatementObserver,
  client: pg.PoolClient,
  ends: Ends,
  work: (transaction: Transaction, client: pg.PoolClient) => Promise<T>,
): Promise<T> {
  let state = 'new' as 'new' | 'open' | 'done';
  const batch = async (calls: readonly Call[], last: boolean): Promise<Row[][]> => {
    const opening = state === 'new' ? ends.opening : [];
    if (opening.length + calls.length === 0 && !last) return [];
    state = 'open';
    const all = [...opening, ...calls, ...(last ? [ends.closing] : [])];
    for (const [{ name }] of all) observe(name);
    const results = await runBatch(
      client,
      all.map(([statement, values]) => ({ name: serverName(statement), text: statement.text, values })),
      COLUMN_TYPES,
    );
    if (last) state = 'done';
    return results.slice(opening.length, opening.length + calls.length).map(({ rows }) => rows);
  };
  try {
    const run = (...calls: Call[]) => batch(calls, false);
    const value = await work({ run, commit: (...calls) => batch(calls, true) }, client);
    if (state === 'open') await send(observe, client, ROLLBACK, []);
    client.release();
    return value;
  } catch (error) {
    await rollBack(observe, client, state, error);
    throw error;
  }
}

async function rollBack(
  observe: StatementObserver,
  client: pg.PoolClient,
  state: string,
  error: unknown,
): Promise<void> {
  if (state === 'new') return client.release();
  try {
    await send(observe, client, ROLLBACK, []);
    // A read-only server has been replaced by another one, which new connections reach.
    client.release(problemOf(error) === 'read_only');
  } catch {
    client.release(true);
  }
}
