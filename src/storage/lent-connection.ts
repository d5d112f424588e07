import type pg from 'pg';

/** The connection of a transaction as Prisma uses it, and the first error of the server that Prisma met on it. */
export type LentConnection = { readonly connection: pg.PoolClient; error: unknown };

/** Prisma's own transactions become savepoints, so that it never ends the transaction that it works in. */
const SAVEPOINT_STATEMENTS: Record<string, string> = {
  BEGIN: 'savepoint prisma',
  COMMIT: 'release savepoint prisma',
  ROLLBACK: 'rollback to savepoint prisma',
};

/** Lends a connection to Prisma, which can neither release it nor end its transaction. */
export function lendConnection(client: pg.PoolClient): LentConnection {
  const lent: { connection: pg.PoolClient; error: unknown } = {
    error: undefined,
    connection: {
      async query(input: pg.QueryConfig) {
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
