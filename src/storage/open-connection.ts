import pg from 'pg';
import { explainParameter, inMode, notReset, tooSmall } from './pooler-error.ts';
import { READ_SESSION, type SessionRow, sessionStatement } from './session-settings.ts';

/** Time limit for each answer of a connection pooler. */
const MAX_POOLER_WAIT_MS = 5000;

/**
 * Opens a connection outside of the pools, which the caller ends. Rejects with a PoolerError if a connection pooler before
 * the server does not keep sessions.
 */
export async function openConnection(config: pg.ClientConfig): Promise<pg.Client> {
  const { client, row } = await connect(config);
  try {
    // A pooler has its own process ids for clients.
    if ((client as { processID?: number }).processID !== row.pid) await checkPooler(config, client, row);
    return client;
  } catch (error) {
    await end(client);
    throw error;
  }
}

async function connect(config: pg.ClientConfig): Promise<{ client: pg.Client; row: SessionRow }> {
  const client = new pg.Client(config);
  // A lost connection rejects the running statement; without a listener it would also end the process.
  client.on('error', () => {});
  try {
    await client.connect();
    const [result] = (await client.query(sessionStatement())) as unknown as pg.QueryResult<SessionRow>[];
    return { client, row: result!.rows[0]! };
  } catch (error) {
    await end(client);
    throw explainParameter(error);
  }
}

/**
 * While an idle session exists, a second one must have another process of the server, without the settings of the first. In
 * transaction mode the pooler lends the idle process to the second session, which keeps it in a transaction.
 */
async function checkPooler(config: pg.ClientConfig, first: pg.Client, row: SessionRow): Promise<void> {
  if (row.mark !== '') throw notReset();
  const limits = { connectionTimeoutMillis: MAX_POOLER_WAIT_MS, query_timeout: MAX_POOLER_WAIT_MS };
  const second = new pg.Client({ ...config, ...limits });
  second.on('error', () => {});
  try {
    const lent = await secondSession(second);
    if (lent.pid === row.pid) throw inMode('transaction');
    if (lent.mark !== '') throw notReset();
    const { rows } = await first.query<SessionRow>(READ_SESSION);
    if (rows[0]?.pid !== row.pid) throw inMode('transaction');
  } finally {
    await end(second);
  }
}

async function secondSession(client: pg.Client): Promise<SessionRow> {
  try {
    await client.connect();
    await client.query('begin');
    const { rows } = await client.query<SessionRow>(READ_SESSION);
    return rows[0]!;
  } catch (error) {
    const { message } = error as Error;
    if (/transaction blocks not allowed/.test(message)) throw inMode('statement', error);
    if (/timeout/i.test(message)) throw tooSmall(error);
    throw error;
  }
}

async function end(client: pg.Client): Promise<void> {
  await client.end().catch(() => {});
}
