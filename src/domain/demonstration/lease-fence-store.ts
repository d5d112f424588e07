import type { Call, ProjectDatabase, Transaction } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { onPrismaWrite } from '../../storage/prisma-models.ts';
import { isWrite } from '../../storage/statement.ts';
import type { ClaimedDemonstration } from './demonstration-store.ts';

/*
 * Changes of a process that works on a set, refused once it has lost its lease. A process that stood still for longer than its lease
 * continues a step with a change that nobody would remove: another process has meanwhile removed the set.
 */

/** A change was refused: the lease is lost, or the set is to be removed instead of filled. */
export class LeaseLost extends Error {}

/** The lock keeps the lease until the transaction ends: another process claims the set after that. */
const HOLD_LEASE = namedStatement(
  'demonstration.hold_lease',
  `select 1 from demonstration_data
         where project_id = :projectId and set_id = :setId and lease_id = :leaseId and state = :state for share`,
);

/** A database whose transactions commit only while the process has its lease. Throws `LeaseLost` otherwise. */
export function withLeaseFence(
  database: ProjectDatabase,
  { id: setId, leaseId, state }: ClaimedDemonstration,
): ProjectDatabase {
  const { projectId } = database;
  const hold = HOLD_LEASE.call({ projectId, setId, leaseId, state });
  const fenced = <T extends Transaction>(transaction: T): T => ({
    ...transaction,
    async commit(...calls: Call[]) {
      const [held = []] = await transaction.run(hold);
      if (held.length === 0) throw new LeaseLost('the lease of the demonstration data is lost');
      return transaction.commit(...calls);
    },
  });
  return {
    projectId,
    maxTurnMs: database.maxTurnMs,
    shared: database.shared,
    join: (transaction) => fenced(database.join(transaction)),
    prisma: onPrismaWrite(database.prisma, () => {
      throw new Error('a step writes through the Prisma models of a transaction');
    }),
    async query(statement, values) {
      if (!isWrite(statement)) return database.query(statement, values);
      const [rows] = await database.transaction((transaction) =>
        fenced(transaction).commit([statement, values]),
      );
      return rows!;
    },
    transaction: (work) => database.transaction((transaction) => work(fenced(transaction))),
  };
}
