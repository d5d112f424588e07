import type pg from 'pg';

/** The connection of a transaction as Prisma uses it. */
export type LeasedConnection = {
  readonly connection: pg.PoolClient;
  /** The first error of the server that Prisma met on it. */
  error: unknown;
  /** Set when the transaction has ended: the connection may belong to another one, and later queries fail. */
  isReturned: boolean;
};

/** Prisma's own transactions become savepoints, so that it never ends the transaction that it works in. */
const SAVEPOINT_STATEMENTS: Record<string, string> = {
  BEGIN: 'savepoint prisma',
  COMMIT: 'release savepoint prisma',
  ROLLBACK: 'rollback to savepoint prisma',
};

/** Lends a connection to Prisma, which can neither release it nor end its transaction. */
export function leaseConnection(client: pg.PoolClient): LeasedConnection {
  const lent: LeasedConnection = {
    error: undefined,
    isReturned: false,
    connection: {
      async query(input: pg.QueryConfig) {
        if (lent.isReturned) throw new Error('the transaction of this query has ended');
        const savepoint = SAVEPOINT_STATEMENTS[input.text];
        try {
          return await (savepoint ? client.query(savepoint) : client.query(input));
        } catch (error) {
          lent.error ??= error;
          throw error;
        }
      },
      release() {},
      // Errors between statements are noticed by the next statement.
      on() {},
      removeListener() {},
    } as unknown as pg.PoolClient,
  };
  return lent;
}
