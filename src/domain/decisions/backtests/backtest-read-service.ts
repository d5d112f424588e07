import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { Backtest as BacktestModel } from '../../../storage/generated/prisma/client.ts';
import type { Viewer } from '../../projects/access-service.ts';
import { assertMay } from '../../projects/assert-may.ts';
import {
  countMatches,
  findMatched,
  findMatches,
  type MatchedDecision,
  type MatchedQuery,
} from './backtest-match-store.ts';
import { countBacktests, findBacktest, listBacktests } from './backtest-store.ts';

export type { MatchedDecision, MatchedQuery } from './backtest-match-store.ts';
export type { StoredBacktest } from './backtest-store.ts';

/** A page of the backtests, the newest first. */
export function listAllBacktests(viewer: Viewer, page: KeysetPage): Promise<BacktestModel[]> {
  assertMay(viewer, 'backtest.read');
  return listBacktests(viewer.project.database, page);
}

/** Number of backtests, counted up to a limit. */
export function countAllBacktests(viewer: Viewer, limit: number): Promise<number> {
  assertMay(viewer, 'backtest.read');
  return countBacktests(viewer.project.database, limit);
}

/** A backtest by its id; null for an unknown one. */
export function readBacktest(viewer: Viewer, backtestId: string): Promise<BacktestModel | null> {
  assertMay(viewer, 'backtest.read');
  return findBacktest(viewer.project.database, backtestId);
}

/** Matched decisions by their ids, in this order; null for a decision on an erased account. */
export async function readMatched(
  viewer: Viewer,
  decisionIds: readonly string[],
  query: MatchedQuery,
): Promise<(MatchedDecision | null)[]> {
  assertMay(viewer, 'backtest.read');
  const rows = await findMatched(viewer.project.database, decisionIds, query);
  const byId = new Map(rows.map((row) => [row.decisionId, row]));
  return decisionIds.map((id) => byId.get(id) ?? null);
}

/** The same page of the matches of several backtests, in the order of the backtests' ids. */
export function listMatchesOfBacktests(
  viewer: Viewer,
  backtestIds: readonly string[],
  page: KeysetPage,
  query: MatchedQuery,
): Promise<MatchedDecision[][]> {
  assertMay(viewer, 'backtest.read');
  return findMatches(viewer.project.database, backtestIds, page, query);
}

/** Number of stored matches of backtests, counted up to a limit, in the order of the backtests' ids. */
export async function countMatchesOfBacktests(
  viewer: Viewer,
  backtestIds: readonly string[],
  limit: number,
): Promise<number[]> {
  assertMay(viewer, 'backtest.read');
  return countMatches(viewer.project.database, backtestIds, limit);
}
