import type { KeysetPage } from '../../../platform/keyset.ts';
import type { Viewer } from '../../projects/access-service.ts';
import { assertMay } from '../../projects/assert-may.ts';
import type { Backtest } from './backtest.ts';
import { countMatches, findMatched, findMatches, type MatchedDecision } from './backtest-match-store.ts';
import { countBacktests, findBacktests, listBacktests } from './backtest-store.ts';

export type { MatchedDecision } from './backtest-match-store.ts';

/** A page of the backtests, the newest first. */
export function listAllBacktests(viewer: Viewer, page: KeysetPage): Promise<Backtest[]> {
  assertMay(viewer, 'backtest.read');
  return listBacktests(viewer.project.database, page);
}

/** Number of backtests, counted up to a limit. */
export function countAllBacktests(viewer: Viewer, limit: number): Promise<number> {
  assertMay(viewer, 'backtest.read');
  return countBacktests(viewer.project.database, limit);
}

/** Backtests by their ids, in this order; null for unknown ones. */
export async function readBacktests(
  viewer: Viewer,
  backtestIds: readonly string[],
): Promise<(Backtest | null)[]> {
  assertMay(viewer, 'backtest.read');
  const rows = await findBacktests(viewer.project.database, backtestIds);
  const byId = new Map(rows.map((row) => [row.backtestId, row]));
  return backtestIds.map((id) => byId.get(id) ?? null);
}

/** Matched decisions by their ids, in this order; null for a decision on an erased account. */
export async function readMatched(
  viewer: Viewer,
  decisionIds: readonly string[],
): Promise<(MatchedDecision | null)[]> {
  assertMay(viewer, 'backtest.read');
  const rows = await findMatched(viewer.project.database, decisionIds);
  const byId = new Map(rows.map((row) => [row.decision_id, row]));
  return decisionIds.map((id) => byId.get(id) ?? null);
}

/** The same page of the matches of several backtests, in the order of the backtests' ids. */
export async function listMatchesOfBacktests(
  viewer: Viewer,
  backtestIds: readonly string[],
  page: KeysetPage,
): Promise<MatchedDecision[][]> {
  assertMay(viewer, 'backtest.read');
  const rows = await findMatches(viewer.project.database, backtestIds, page);
  const byBacktest = Map.groupBy(rows, (row) => row.backtest_id);
  return backtestIds.map((id) => byBacktest.get(id) ?? []);
}

/** Number of stored matches of backtests, counted up to a limit, in the order of the backtests' ids. */
export async function countMatchesOfBacktests(
  viewer: Viewer,
  backtestIds: readonly string[],
  limit: number,
): Promise<number[]> {
  assertMay(viewer, 'backtest.read');
  const rows = await countMatches(viewer.project.database, backtestIds, limit);
  const byBacktest = new Map(rows.map((row) => [row.backtest_id, row.total]));
  return backtestIds.map((id) => byBacktest.get(id) ?? 0);
}
