import pg from 'pg';
import { MAX_WAIT_MS } from './connection-pool.ts';
import { notReset } from './pooler-error.ts';
import { type SessionRow, sessionStatement } from './session-settings.ts';
import type { Row, Statement } from './statement.ts';

/** Schema of people, their sessions and their roles. */
export const PEOPLE_SCHEMA = 'vouchgraph_people';

type Query = <T = Row>(statement: Statement, values: readonly unknown[]) => Promise<T[]>;

/** People of the console, in a schema of their own with a pool of its own, under the role vouchgraph_system. */
export type PeopleDatabase = {
  /** For the library of the sign-in. */
  readonly pool: pg.Pool;
  readonly query: Query;
  /** Rolled back when `work` throws. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  close(): Promise<void>;
};

/** Sign-ins are rare, and the look-up of a session is one statement. */
const POOL_SIZE = 4;
const STATEMENT_TIMEOUT_MS = 10_000;

/** Opens no connection before the first use. */
export function openPeopleDatabase(connectionString: string): PeopleDatabase {
  const statement = sessionStatement({
    role: 'vouchgraph_system',
    // Then the tables of the service, for entries of the audit log. A name that both have is one of people.
    search_path: { sql: `'${PEOPLE_SCHEMA}, ' || current_setting('search_path')` },
    statement_timeout: STATEMENT_TIMEOUT_MS,
    timezone: 'UTC',
  });
  async function openSession(client: pg.ClientBase): Promise<void> {
    const [result] = (await client.query(statement)) as unknown as pg.QueryResult<SessionRow>[];
    if (result?.rows[0]?.mark !== '') throw notReset();
  }
  const pool = new pg.Pool({
    connectionString,
    max: POOL_SIZE,
    connectionTimeoutMillis: MAX_WAIT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS + 1000,
    application_name: 'vouchgraph people',
    types: { getTypeParser },
    ...({ onConnect: openSession } as object),
  });
  // A connection that is lost is replaced at its next use; without listeners it would end the process.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
  return {
    pool,
    query: queryOf(pool),
    transaction: (work) => runTransaction(pool, work),
    close: () => pool.end(),
  };
}

const queryOf =
  (client: Pick<pg.ClientBase, 'query'> | pg.Pool): Query =>
  async <T>({ name, text }: Statement, values: readonly unknown[]) =>
    (await client.query({ name, text, values: [...values] })).rows as T[];

async function runTransaction<T>(pool: pg.Pool, work: (query: Query) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  try {
    await client.query('begin');
    const result = await work(queryOf(client));
    await client.query('commit');
    client.release();
    return result;
  } catch (error) {
    // Ends the session, and with it the transaction.
    client.release(true);
    throw error;
  }
}

/** Counters are numbers: none reaches 2^53. */
function getTypeParser(oid: number, format?: 'text' | 'binary') {
  return oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format as 'text');
}
