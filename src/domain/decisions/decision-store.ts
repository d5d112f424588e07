import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { ProjectDatabase } from '../../storage/database.ts';
import type { DecisionRecord } from '../../storage/generated/prisma/client.ts';
import { idList, prismaPage } from '../../storage/prisma-page.ts';
import { countEach, countOfEach } from '../../storage/selection.ts';

/** A stored decision with the client's id of its account; its inputs are encrypted. */
export type StoredDecision = DecisionRecord & { readonly account: { readonly accountId: string } };

/** The relation that every read of a decision includes. */
const WITH_ACCOUNT = { account: { select: { accountId: true } } } as const;

/** Versions that a decision used: weights (signals, links, account, email), thresholds and rules. */
export type DecisionVersions = {
  readonly signals: string;
  readonly links: string;
  readonly account: string;
  readonly email: string;
  readonly thresholds: number;
  readonly rules: number;
};

/** A decision by its id; null for an unknown one. */
export function findDecision(
  { projectId, prisma }: ProjectDatabase,
  decisionId: string,
): Promise<StoredDecision | null> {
  const where = { projectId_decisionId: { projectId, decisionId } };
  return prisma.decisionRecord.findUnique({ where, include: WITH_ACCOUNT });
}

/** The same page of the decisions on several accounts, the newest first, in the order of their internal ids. */
export async function findDecisionsOfAccounts(
  { projectId, prisma }: ProjectDatabase,
  accountIds: readonly string[],
  page: KeysetPage,
): Promise<StoredDecision[][]> {
  const accounts = await prisma.account.findMany({
    where: { projectId, id: { in: idList(accountIds) } },
    select: { id: true, decisions: { ...prismaPage('decisionId', 'desc', page), include: WITH_ACCOUNT } },
  });
  const byAccount = new Map(accounts.map(({ id, decisions }) => [id, decisions]));
  return accountIds.map((id) => byAccount.get(id) ?? []);
}

/** Columns of the latest decision on a session. */
export type DecisionOfSession = Pick<DecisionRecord, 'decisionId' | 'accountId' | 'firstSession' | 'inputs'>;

/** The latest decision on a session, through the accounts that it is bound to: decisions are indexed by account. */
export async function findDecisionOfSession(
  { projectId, prisma }: ProjectDatabase,
  sessionId: string,
): Promise<DecisionOfSession | null> {
  const bindings = await prisma.accountSession.findMany({
    where: { projectId, sessionId },
    select: {
      account: {
        select: {
          decisions: {
            select: { decisionId: true },
            where: { sessionId },
            orderBy: { decisionId: 'desc' },
            take: 1,
          },
        },
      },
    },
  });
  const ids = bindings.flatMap(({ account }) => account.decisions.map(({ decisionId }) => decisionId));
  const decisionId = ids.toSorted().at(-1);
  if (!decisionId) return null;
  return prisma.decisionRecord.findUnique({
    where: { projectId_decisionId: { projectId, decisionId } },
    select: { decisionId: true, accountId: true, firstSession: true, inputs: true },
  });
}

const COUNT = countOfEach('decision.count', 'decisions o where o.project_id = $1 and o.account_id = p.id');

/** Number of decisions on each account, counted up to a limit. */
export function countDecisions(
  database: ProjectDatabase,
  accounts: readonly string[],
  limit: number,
): Promise<number[]> {
  return countEach(database, COUNT, accounts, limit);
}
