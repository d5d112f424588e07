import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { ProjectDatabase, ProjectTransaction } from '../../storage/database.ts';
import type { AccountOutcome, Prisma } from '../../storage/generated/prisma/client.ts';
import { idList, prismaPage } from '../../storage/prisma-page.ts';
import { countEach, countOfEach } from '../../storage/selection.ts';

/** A stored outcome with the client's id of its account; the note is encrypted. */
export type StoredOutcome = AccountOutcome & { readonly account: { readonly accountId: string } };

/** The relation that every read of an outcome includes. */
const WITH_ACCOUNT = { account: { select: { accountId: true } } } as const;

/** An outcome by its id; null for an unknown one. */
export function findOutcome(
  { projectId, prisma }: ProjectDatabase,
  outcomeId: string,
): Promise<StoredOutcome | null> {
  const where = { projectId_outcomeId: { projectId, outcomeId } };
  return prisma.accountOutcome.findUnique({ where, include: WITH_ACCOUNT });
}

/** An account as a report of an outcome finds it, with the outcome that was reported last. */
export type ReportedAccount = { readonly id: string; readonly outcomes: readonly AccountOutcome[] };

/** The outcome of an account that was reported last. */
const LAST = { orderBy: { outcomeId: 'desc' }, take: 1 } as const;

/** Runs under the account's lock, so that a concurrent equal report finds the row, and an erasure misses none. */
export function findReportedAccount(
  { prisma }: ProjectTransaction,
  projectId: string,
  accountId: string,
): Promise<ReportedAccount | null> {
  return prisma.account.findUnique({
    where: { projectId_accountId: { projectId, accountId } },
    select: { id: true, outcomes: LAST },
  });
}

/** Deletes the same outcome of the same time, which a report repeats. */
export async function deleteRepeated(
  { prisma }: ProjectTransaction,
  repeated: Pick<AccountOutcome, 'projectId' | 'accountId' | 'outcome' | 'at'>,
): Promise<void> {
  const { projectId, accountId, outcome, at } = repeated;
  await prisma.accountOutcome.deleteMany({ where: { projectId, accountId, outcome, at } });
}

/** Stores an outcome. */
export function insertOutcome(
  { prisma }: ProjectTransaction,
  outcome: Prisma.AccountOutcomeUncheckedCreateInput,
): Promise<AccountOutcome> {
  return prisma.accountOutcome.create({ data: outcome });
}

/** Deletes an outcome; false for an unknown one. */
export async function deleteOutcome(
  { prisma }: ProjectTransaction,
  projectId: string,
  outcomeId: string,
): Promise<boolean> {
  const { count } = await prisma.accountOutcome.deleteMany({ where: { projectId, outcomeId } });
  return count > 0;
}

/** The same page of the outcomes of several accounts, the one reported last first, in the order of their internal ids. */
export async function findOutcomesOfAccounts(
  { projectId, prisma }: ProjectDatabase,
  accountIds: readonly string[],
  page: KeysetPage,
): Promise<StoredOutcome[][]> {
  const accounts = await prisma.account.findMany({
    where: { projectId, id: { in: idList(accountIds) } },
    select: { id: true, outcomes: { ...prismaPage('outcomeId', 'desc', page), include: WITH_ACCOUNT } },
  });
  const byAccount = new Map(accounts.map(({ id, outcomes }) => [id, outcomes]));
  return accountIds.map((id) => byAccount.get(id) ?? []);
}

/** The outcome of accounts that was reported last, in the order of their internal ids; null for an account without one. */
export async function findLastOutcomes(
  { projectId, prisma }: ProjectDatabase,
  accountIds: readonly string[],
): Promise<(string | null)[]> {
  const accounts = await prisma.account.findMany({
    where: { projectId, id: { in: idList(accountIds) } },
    select: {
      id: true,
      outcomes: { select: { outcome: true }, ...LAST },
    },
  });
  const byAccount = new Map(accounts.map(({ id, outcomes }) => [id, outcomes[0]?.outcome]));
  return accountIds.map((id) => byAccount.get(id) ?? null);
}

const COUNT = countOfEach(
  'outcome.count',
  'account_outcomes o where o.project_id = $1 and o.account_id = p.id',
);

/** Number of outcomes of accounts, counted up to a limit. */
export function countOutcomes(
  database: ProjectDatabase,
  accounts: readonly string[],
  limit: number,
): Promise<number[]> {
  return countEach(database, COUNT, accounts, limit);
}
