import { firstIdAt } from '@vouchgraph/platform/ids';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { ProjectDatabase, ProjectTransaction, Statement } from '../../../storage/database.ts';
import type { Backtest as BacktestModel, Prisma } from '../../../storage/generated/prisma/client.ts';
import { lockRow } from '../../../storage/locks.ts';
import { namedStatement } from '../../../storage/named-statement.ts';
import { prismaPage } from '../../../storage/prisma-page.ts';
import { createLeaseQueue, type Lease, leaseEnd } from '../../../storage/queue/lease-queue.ts';
import { type AuditEntry, auditCall } from '../../audit/audit-store.ts';
import type { Backtest, BacktestCounts, BacktestState } from './backtest.ts';

/** A row, with the types of its JSON columns. */
export type StoredBacktest = BacktestModel & Backtest;

export function findBacktest(
  { projectId, prisma }: ProjectDatabase,
  backtestId: string,
): Promise<StoredBacktest | null> {
  const where = { projectId_backtestId: { projectId, backtestId } };
  return prisma.backtest.findUnique({ where }) as Promise<StoredBacktest | null>;
}

/** A page of the backtests, the newest first, in the order in which it is read. */
export function listBacktests(
  { projectId, prisma }: ProjectDatabase,
  page: KeysetPage,
): Promise<BacktestModel[]> {
  const { where, ...order } = prismaPage('backtestId', 'desc', page);
  return prisma.backtest.findMany({ ...order, where: { projectId, ...where } });
}

/** Number of backtests, counted up to a limit. */
export function countBacktests({ projectId, prisma }: ProjectDatabase, limit: number): Promise<number> {
  return prisma.backtest.count({ where: { projectId }, take: limit });
}

const LOCK = lockRow('backtest.lock_project', { table: 'projects' });

/** Condition of queued and running backtests. */
const IS_OPEN = { state: { in: ['waiting', 'running'] satisfies BacktestState[] } };

/** Number of queued and running backtests. No other transaction can add one until this transaction ends. */
export async function countOpen(transaction: ProjectTransaction, projectId: string): Promise<number> {
  await transaction.run([LOCK, [projectId]]);
  return transaction.prisma.backtest.count({ where: { projectId, ...IS_OPEN } });
}

export type NewBacktest = Pick<
  Backtest,
  'backtestId' | 'expression' | 'trigger' | 'since' | 'until' | 'actor' | 'createdAt'
>;

/** Stores a queued backtest with its audit entry, and commits. */
export async function insertBacktest(
  transaction: ProjectTransaction,
  projectId: string,
  { expression, ...backtest }: NewBacktest,
  audit: AuditEntry,
): Promise<StoredBacktest> {
  const data = { projectId, ...backtest, expression: expression as Prisma.InputJsonObject, state: 'waiting' };
  const stored = await transaction.prisma.backtest.create({ data });
  await transaction.commit(auditCall(projectId, audit));
  return stored as StoredBacktest;
}

/** Cancels a queued or running backtest, with its audit entry; null without one. */
export function cancelBacktest(
  database: ProjectDatabase,
  backtestId: string,
  at: Date,
  audit: AuditEntry,
): Promise<StoredBacktest | null> {
  const { projectId } = database;
  return database.transaction(async (transaction) => {
    const [cancelled] = await transaction.prisma.backtest.updateManyAndReturn({
      where: { projectId, backtestId, ...IS_OPEN },
      data: { state: 'cancelled', finishedAt: at, leaseId: null, claimableAt: null },
    });
    if (!cancelled) return null;
    await transaction.commit(auditCall(projectId, audit));
    return cancelled as StoredBacktest;
  });
}

/** A runner that has stored no progress for this long is considered dead. */
const LEASE_SECONDS = 30;

/** Data that a runner needs. */
export type ClaimedCondition = Pick<Backtest, 'expression' | 'trigger' | 'since' | 'until'>;

/** A backtest that only this process runs while it stores progress. */
export type ClaimedBacktest = Lease & ClaimedCondition;

/** Backtests, the oldest first. Each starts from the first decision, since the results of a dead runner are incomplete. */
export const BACKTEST_QUEUE = createLeaseQueue<ClaimedCondition>({
  subject: 'backtest',
  jobs: 'next',
  table: 'backtests',
  key: 'backtest_id',
  leaseSeconds: LEASE_SECONDS,
  order: 'x.backtest_id',
  claimed: `state = 'running', total = null, examined = 0, matched = 0, skipped = 0, accounts = 0, sample = '{}'`,
  released: `state = 'waiting'`,
  columns: 'x.expression, x.trigger, x.since, x.until',
});

/** Only while this runner holds the lease: after a takeover or a cancellation, it changes nothing. */
const SAVE = namedStatement(
  'backtest.save',
  `with owned as (
           update backtests set claimable_at = ${leaseEnd(LEASE_SECONDS)}, total = :total, examined = :examined,
             matched = :matched, skipped = :skipped, accounts = :accounts, sample = :sample
           where project_id = :projectId and backtest_id = :backtestId and lease_id = :leaseId
           returning project_id, backtest_id
         ), kept as (
           insert into backtest_matches (project_id, backtest_id, decision_id)
           select o.project_id, o.backtest_id, m.decision_id
           from owned o cross join unnest(:matches::uuid[]) as m (decision_id)
         )
         select 1 from owned`,
);

/**
 * Stores progress and the decisions that matched since the last call, and renews the lease; false when the backtest is
 * no longer this runner's.
 */
export async function saveProgress(
  database: ProjectDatabase,
  claimed: ClaimedBacktest,
  total: number,
  counts: BacktestCounts,
  matches: readonly string[],
): Promise<boolean> {
  const { examined, matched, skipped, accounts, sample } = counts;
  const rows = await database.query(
    ...SAVE.call({
      projectId: database.projectId,
      backtestId: claimed.id,
      leaseId: claimed.leaseId,
      total,
      examined,
      matched,
      skipped,
      accounts,
      sample,
      matches,
    }),
  );
  return rows.length > 0;
}

/** Finishes a backtest whose counts are saved; does nothing when another runner owns it. */
export async function finishBacktest(
  { prisma }: ProjectDatabase,
  claimed: ClaimedBacktest,
  state: 'done' | 'failed',
  at: Date,
  overlap: Readonly<Record<string, number>>,
): Promise<void> {
  const { projectId, id: backtestId, leaseId } = claimed;
  const data = { state, finishedAt: at, leaseId: null, claimableAt: null, overlap };
  await prisma.backtest.updateMany({ where: { projectId, backtestId, leaseId }, data });
}

/**
 * Stored decisions of a period, by their ids, which are ordered by time: of first sessions, of sessions with a
 * verification, or of all. A decision on the session of a verification can predate its result: the caller examines each.
 */
export type DecisionRange = {
  readonly since: Date;
  readonly until: Date;
  readonly firstSessions: boolean;
  /** Of sessions with a check of this kind only. */
  readonly check?: 'id' | 'face' | undefined;
};

const ofChecks = (kind: string) => `exists (
  select 1 from verification_sessions v
  where v.project_id = $1 and v.session_id = d.session_id and v.kind = ${kind}::text)`;

const COUNTED_AT_ONCE = 100_000;

const COUNT_PART: Statement = {
  name: 'backtest.count_decisions',
  text: `with part as materialized (
           select decision_id, session_id, first_session from decisions
           where project_id = $1 and decision_id > $2 and decision_id < $3 order by decision_id limit ${COUNTED_AT_ONCE}
         )
         select count(*)::int as seen, (count(*) filter (where (first_session or not $4::boolean)
             and ($5::text is null or ${ofChecks('$5')})))::int as wanted,
           (select decision_id from part order by decision_id desc limit 1) as last
         from part d`,
};

/** Number of decisions, counted in parts of a bounded duration. */
export async function countDecisions(
  database: ProjectDatabase,
  range: DecisionRange,
  onPart: () => Promise<unknown>,
): Promise<number> {
  const until = firstIdAt(range.until);
  let total = 0;
  for (let after = firstIdAt(range.since); ; ) {
    const [part] = await database.query(COUNT_PART, [
      database.projectId,
      after,
      until,
      range.firstSessions,
      range.check ?? null,
    ]);
    total += part.wanted;
    if (part.seen < COUNTED_AT_ONCE) return total;
    await onPart();
    after = part.last;
  }
}

/** A stored decision, with the columns that a backtest reads. */
export type TriedDecision = {
  decision_id: string;
  account_id: string;
  session_id: string;
  first_session: boolean;
  inputs: Buffer;
};

export const DECISIONS_AT_ONCE = 2000;

const READ_PAGE: Statement = {
  name: 'backtest.read_decisions',
  text: `select decision_id, account_id, session_id, first_session, inputs from decisions
         where project_id = $1 and decision_id > $2 and decision_id < $3 order by decision_id limit ${DECISIONS_AT_ONCE}`,
};

const READ_CHECKS: Statement = {
  name: 'backtest.read_decisions_of_checks',
  text: `select d.decision_id, d.account_id, d.session_id, d.first_session, d.inputs from decisions d
         where d.project_id = $1 and d.decision_id > $2 and d.decision_id < $3 and ${ofChecks('$4')}
         order by d.decision_id limit ${DECISIONS_AT_ONCE}`,
};

/** A page of all decisions of the period after one of them; null for the first page. */
export function readDecisions(
  database: ProjectDatabase,
  range: DecisionRange,
  after: string | null,
): Promise<TriedDecision[]> {
  const values = [database.projectId, after ?? firstIdAt(range.since), firstIdAt(range.until)];
  const { check } = range;
  return check
    ? database.query<TriedDecision>(READ_CHECKS, [...values, check])
    : database.query<TriedDecision>(READ_PAGE, values);
}

const ACCOUNTS_AT_ONCE = 10_000;

const OVERLAP: Statement = {
  name: 'backtest.overlap',
  text: `select l.name, count(*)::int as accounts
         from list_members m join lists l on l.project_id = $1 and l.list_id = m.list_id
         where m.project_id = $1 and m.account_id = any ($2::uuid[]) and (m.expires_at is null or m.expires_at > $3)
         group by l.name`,
};

/** Number of these accounts on each list. */
export async function countOnLists(
  database: ProjectDatabase,
  accountIds: readonly string[],
  now: Date,
  onPart: () => Promise<unknown>,
): Promise<Record<string, number>> {
  const counts = new Map<string, number>();
  for (let from = 0; from < accountIds.length; from += ACCOUNTS_AT_ONCE) {
    const part = accountIds.slice(from, from + ACCOUNTS_AT_ONCE);
    for (const { name, accounts } of await database.query(OVERLAP, [database.projectId, part, now])) {
      counts.set(name, (counts.get(name) ?? 0) + accounts);
    }
    await onPart();
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1)));
}
