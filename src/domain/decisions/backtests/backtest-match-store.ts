import { firstIdAt, NIL_UUID } from '@vouchgraph/platform/ids';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { ProjectDatabase, Statement } from '../../../storage/database.ts';
import type { DecisionRecord, Prisma } from '../../../storage/generated/prisma/client.ts';
import { idList, prismaPage } from '../../../storage/prisma-page.ts';
import { createPurge, type PurgeRun } from '../../../storage/purge.ts';
import type { Lease } from '../../../storage/queue/lease-queue.ts';
import { countEach, countOfEach } from '../../../storage/selection.ts';
import { MATCH_DAYS } from './backtest.ts';

/*
 * Decisions that backtests matched, stored only by their ids: their content is read from the decisions themselves, so
 * that a match of an erased account no longer exists.
 */

/** Columns of a matched decision that are always read. */
export type MatchedDecision = Pick<DecisionRecord, 'projectId' | 'decisionId'>;

/** Columns that a query selects of each matched decision; at least the key. */
export type MatchedQuery = {
  select: Prisma.DecisionRecordSelect & Readonly<Record<keyof MatchedDecision, true>>;
};

/** Existing decisions by their ids, in any order. */
export function findMatched(
  { projectId, prisma }: ProjectDatabase,
  decisionIds: readonly string[],
  query: MatchedQuery,
): Promise<MatchedDecision[]> {
  const where = { projectId, decisionId: { in: idList(decisionIds) } };
  return prisma.decisionRecord.findMany({ ...query, where });
}

/** The same page of the matches of several backtests, the oldest decision first, in the order of the backtests' ids. */
export async function findMatches(
  { projectId, prisma }: ProjectDatabase,
  backtestIds: readonly string[],
  page: KeysetPage,
  query: MatchedQuery,
): Promise<MatchedDecision[][]> {
  const { where, ...order } = prismaPage('decisionId', 'asc', page);
  const backtests = await prisma.backtest.findMany({
    where: { projectId, backtestId: { in: idList(backtestIds) } },
    // Without those of erased accounts, whose decisions no longer exist.
    select: {
      backtestId: true,
      matches: { ...order, where: { ...where, decision: { projectId } }, select: { decision: query } },
    },
  });
  const byBacktest = new Map(
    backtests.map(({ backtestId, matches }) => [backtestId, matches.map(({ decision }) => decision)]),
  );
  return backtestIds.map((id) => byBacktest.get(id) ?? []);
}

const COUNT = countOfEach(
  'backtest.count_matches',
  `backtest_matches m join decisions d on d.project_id = $1 and d.decision_id = m.decision_id
   where m.project_id = $1 and m.backtest_id = p.id`,
);

/** Number of stored matches of backtests, counted up to a limit. */
export function countMatches(
  database: ProjectDatabase,
  backtestIds: readonly string[],
  limit: number,
): Promise<number[]> {
  return countEach(database, COUNT, backtestIds, limit);
}

const CLEARED_AT_ONCE = 10_000;

const CLEAR: Statement = {
  name: 'backtest.clear_matches',
  text: `with gone as (
           delete from backtest_matches m where m.project_id = $1 and m.backtest_id = $2 and m.decision_id = any(array(
             select o.decision_id from backtest_matches o where o.project_id = $1 and o.backtest_id = $2
               and exists (select 1 from backtests b where b.project_id = $1 and b.backtest_id = $2 and b.lease_id = $3)
             limit ${CLEARED_AT_ONCE}
           ))
           returning 1
         )
         select count(*)::int as cleared from gone`,
};

/** Removes matches of a backtest that restarts, in parts, while it has its lease: later matches are those of another runner. */
export async function clearMatches(
  database: ProjectDatabase,
  { id, leaseId }: Lease,
  onPart: () => Promise<unknown>,
): Promise<void> {
  for (;;) {
    const [part] = await database.query<{ cleared: number }>(CLEAR, [database.projectId, id, leaseId]);
    if (part!.cleared < CLEARED_AT_ONCE) return;
    await onPart();
  }
}

const purgeOld = createPurge({
  name: 'backtest_matches',
  table: 'backtest_matches',
  key: ['backtest_id', 'decision_id'],
  column: 'backtest_id',
  first: NIL_UUID,
  index: 'project',
});

/** Removes matches of backtests that were created MATCH_DAYS ago. */
export function purgeBacktestMatches(run: PurgeRun): Promise<number> {
  return purgeOld(run, firstIdAt(new Date(run.now.getTime() - MATCH_DAYS * 86_400_000)));
}
