import type pg from 'pg';
import { COLUMN_TYPES } from './column-types.ts';
import { acquireFor, type ProjectConnections } from './project-connections.ts';
import {
  type Call,
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

const BEGIN: Statement = { name: 'begin', text: 'begin' };
const COMMIT: Statement = { name: 'commit', text: 'commit' };
const ROLLBACK: Statement = { name: 'rollback', text: 'rollback' };

const MAX_TRIES = 3;

/** Runs `work` in a transaction; repeats it after a deadlock or serialization failure. */
export async function runTransaction<T>(
  connections: ProjectConnections,
  projectId: string,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await attempt(connections, projectId, work);
    } catch (error) {
      if (tries < MAX_TRIES && isSerializationFailure(error)) continue;
      throw connections.toError(error);
    }
  }
}

async function attempt<T>(
  connections: ProjectConnections,
  projectId: string,
  work: (transaction: Transaction) => Promise<T>,
): Promise<T> {
  const { observe } = connections;
  const client = await acquireFor(connections, projectId);
  let state = 'new' as 'new' | 'open' | 'done';
  const batch = async (calls: readonly Call[], last: boolean): Promise<Row[][]> => {
    const opening: Call[] = state === 'new' ? [[BEGIN, []]] : [];
    state = 'open';
    const all = [...opening, ...calls, ...(last ? [[COMMIT, []] as Call] : [])];
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
    const value = await work({
      run: (...calls) => batch(calls, false),
      commit: (...calls) => batch(calls, true),
    });
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
