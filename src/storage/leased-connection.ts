import type pg from 'pg';

/** The connection of a transaction as Prisma uses it. */
export type LeasedConnection = {
  readonly connection: pg.PoolClient;
  /** The first error of the server that Prisma met on it. */
  readonly error: unknown;
  /** Whether the transaction has ended: the connection may belong to another one, and later queries fail. */
  readonly isReturned: boolean;
  /** Resolves when the transaction has ended. */
  readonly ended: Promise<void>;
  /** Called at the end of the transaction. */
  takeBack(): void;
};

/** Prisma's own transaction is the one that it works in: it neither begins nor ends one. */
const NOT_SENT = new Set(['BEGIN', 'COMMIT', 'ROLLBACK']);

/** Lends a connection to Prisma, which can neither release it nor end its transaction. */
export function leaseConnection(
  client: pg.PoolClient,
  onStatement: (text: string) => void,
): LeasedConnection {
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  let isReturned = false;
  let failure: unknown;
  const query = async (input: pg.QueryConfig) => {
    if (NOT_SENT.has(input.text)) return { fields: [], rows: [], rowCount: 0 };
    if (isReturned) throw new Error('the transaction of this query has ended');
    onStatement(input.text);
    try {
      return await client.query(input);
    } catch (error) {
      failure ??= error;
      throw error;
    }
  };
  // Errors between statements are noticed by the next statement.
  const connection = { query, release() {}, on() {}, removeListener() {} } as unknown as pg.PoolClient;
  return {
    connection,
    ended,
    get error() {
      return failure;
    },
    get isReturned() {
      return isReturned;
    },
    takeBack() {
      isReturned = true;
      resolve();
    },
  };
}
