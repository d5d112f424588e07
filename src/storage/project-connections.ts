import type pg from 'pg';
import { type ConnectionPool, releaseAfter } from './connection-pool.ts';
import type { PrismaTransactions } from './prisma-clients.ts';
import { type Statement, type StatementObserver, send } from './statement.ts';

/** Connections that are bound to a project while it uses them. */
export type ProjectConnections = {
  readonly pool: ConnectionPool;
  readonly observe: StatementObserver;
  /** An error of the driver as the rest of the gateway knows it. */
  readonly toError: (error: unknown) => unknown;
  /** Transactions of Prisma. */
  readonly prisma: PrismaTransactions;
};

const SET_PROJECT: Statement = {
  name: 'set_project',
  text: `select set_config('app.project', $1, false)`,
};

type BoundClient = pg.PoolClient & { boundProject?: string };

/** A connection bound to the project. Its next statement may be sent immediately. */
export async function acquireFor(
  { pool, observe }: Pick<ProjectConnections, 'pool' | 'observe'>,
  projectId: string,
): Promise<pg.PoolClient> {
  const client: BoundClient = await pool.acquire(projectId);
  if (client.boundProject !== projectId) {
    client.boundProject = undefined;
    // Not awaited on its own: with pipelining the next statement leaves in the same packet. Should this one fail,
    // the connection is not returned to the pool as bound.
    send(observe, client, SET_PROJECT, [projectId]).then(
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

/** Rows of one statement; the connection is released afterwards. */
export async function rowsOf<T>(
  { observe, toError }: Pick<ProjectConnections, 'observe' | 'toError'>,
  client: pg.PoolClient,
  statement: Statement,
  values: readonly unknown[],
): Promise<T[]> {
  try {
    const result = await send(observe, client, statement, values);
    client.release();
    return result.rows as T[];
  } catch (error) {
    releaseAfter(client, error);
    throw toError(error);
  }
}
