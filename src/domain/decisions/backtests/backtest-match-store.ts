import { firstIdAt, NIL_UUID } from '../../../platform/ids.ts';
import { type KeysetPage, keysetOf } from '../../../platform/keyset.ts';
import type { ProjectDatabase, Statement } from '../../../storage/database.ts';
import { createPurge, type PurgeRun } from '../../../storage/purge.ts';
import { MATCH_DAYS } from './backtest.ts';

/*
 * Decisions that backtests matched, stored only by their ids: their content is read from the decisions themselves, so
 * that a match of an erased account no longer exists.
 */

/** A decision that a backtest matched. */
export type MatchedDecision = {
  decision_id: string;
  /** Internal id of the account. */
  account: string;
  /** The client's own id of the account. */
  account_id: string;
  session_id: string;
  at: Date;
  decision: string;
};

const COLUMNS = 'd.decision_id, a.id as account, a.account_id, d.session_id, d.at, d.decision';
const WITH_ACCOUNT = 'join accounts a on a.project_id = $1 and a.id = d.account_id';
const MATCHED = `backtest_matches m join decisions d on d.project_id = $1 and d.decision_id = m.decision_id`;
const OF_BACKTEST = 'm.project_id = $1 and m.backtest_id = wanted.backtest_id';

const FIND: Statement = {
  name: 'backtest.find_matched',
  text: `select ${COLUMNS} from decisions d ${WITH_ACCOUNT}
         where d.project_id = $1 and d.decision_id = any ($2::uuid[])`,
};

/** Decisions by their ids, in any order, as far as they still exist. */
export function findMatched(
  database: ProjectDatabase,
  decisionIds: readonly string[],
): Promise<MatchedDecision[]> {
  return database.query<MatchedDecision>(FIND, [database.projectId, decisionIds]);
}

/** The same page of the matches of several backtests, the oldest decision first. */
export function findMatches(
  database: ProjectDatabase,
  backtestIds: readonly string[],
  page: KeysetPage,
): Promise<(MatchedDecision & { backtest_id: string })[]> {
  const values: unknown[] = [database.projectId, backtestIds];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const keyset = keysetOf([{ sql: 'm.decision_id', type: 'uuid' }], 'ASC', page, parameter);
  const where = [OF_BACKTEST, ...keyset.conditions].join(' and ');
  return database.query(
    {
      name: `backtest.matches:${keyset.shape}`,
      text: `select m.* from unnest($2::uuid[]) as wanted (backtest_id)
             cross join lateral (
               select m.backtest_id, ${COLUMNS} from ${MATCHED} ${WITH_ACCOUNT} where ${where} ${keyset.order}
             ) m ${keyset.by}`,
    },
    values,
  );
}

const COUNT: Statement = {
  name: 'backtest.count_matches',
  text: `select wanted.backtest_id, (
           select count(*)::int from (select from ${MATCHED} where ${OF_BACKTEST} limit $3) found
         ) as total
         from unnest($2::uuid[]) as wanted (backtest_id)`,
};

/** Number of stored matches of backtests, counted up to a limit. */
export function countMatches(
  database: ProjectDatabase,
  backtestIds: readonly string[],
  limit: number,
): Promise<{ backtest_id: string; total: number }[]> {
  return database.query(COUNT, [database.projectId, backtestIds, limit]);
}

const CLEARED_AT_ONCE = 10_000;

const CLEAR: Statement = {
  name: 'backtest.clear_matches',
  text: `with gone as (
           delete from backtest_matches m where m.project_id = $1 and m.backtest_id = $2 and m.decision_id = any(array(
             select o.decision_id from backtest_matches o where o.project_id = $1 and o.backtest_id = $2
             limit ${CLEARED_AT_ONCE}
           ))
           returning 1
         )
         select count(*)::int as cleared from gone`,
};

/** Removes matches of a backtest that restarts, in parts. */
export async function clearMatches(
  database: ProjectDatabase,
  backtestId: string,
  onPart: () => Promise<unknown>,
): Promise<void> {
  for (;;) {
    const [part] = await database.query<{ cleared: number }>(CLEAR, [database.projectId, backtestId]);
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
