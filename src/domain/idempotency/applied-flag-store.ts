import type { Call, ProjectDatabase, Transaction } from '../../storage/database.ts';
import { onPrismaWrite } from '../../storage/prisma-models.ts';
import { isWrite } from '../../storage/statement.ts';

/**
 * Wraps a database so that the first change also executes `mark`, in the same transaction and round trip: after a crash, the
 * state of the key shows whether the change was committed.
 */
export function withAppliedFlag(database: ProjectDatabase, mark: Call): ProjectDatabase {
  let isMarked = false;
  /** A read-only transaction is no change: after a crash following it, the request has not been applied. */
  const marking = <T extends Transaction>(transaction: T, onWrite?: (note: () => void) => Partial<T>): T => {
    let hasWritten = false;
    const note = (calls: readonly Call[]) => {
      hasWritten ||= calls.some(([statement]) => isWrite(statement));
    };
    return {
      ...transaction,
      run(...calls: Call[]) {
        note(calls);
        return transaction.run(...calls);
      },
      async commit(...calls: Call[]) {
        note(calls);
        if (!hasWritten) return transaction.commit(...calls);
        const rows = await transaction.commit(...calls, mark);
        isMarked = true;
        return rows.slice(0, calls.length);
      },
      ...onWrite?.(() => {
        hasWritten = true;
      }),
    };
  };
  return {
    projectId: database.projectId,
    maxTurnMs: database.maxTurnMs,
    shared: database.shared,
    join: (transaction) => (isMarked ? transaction : marking(transaction)),
    prisma: onPrismaWrite(database.prisma, () => {
      throw new Error('a request that may be repeated writes through the Prisma models of a transaction');
    }),
    async query(statement, values) {
      if (isMarked || !isWrite(statement)) return database.query(statement, values);
      const [rows] = await database.transaction((transaction) =>
        marking(transaction).commit([statement, values]),
      );
      return rows!;
    },
    transaction: (work) =>
      database.transaction((transaction) =>
        work(
          isMarked
            ? transaction
            : marking(transaction, (note) => ({ prisma: onPrismaWrite(transaction.prisma, note) })),
        ),
      ),
  };
}
