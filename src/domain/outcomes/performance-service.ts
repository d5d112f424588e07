import type { Clock } from '@vouchgraph/platform/clock';
import { MATCH_DAYS } from '../decisions/backtests/backtest.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { countLabeledMatchesOfBacktests, countLabeledMatchesOfRules } from './performance-store.ts';
import { performanceOf, type RulePerformance } from './rule-performance.ts';

const DAY_MS = 86_400_000;

/** Performance of rules since a time, in the order of their ids; null without a labeled account. */
export async function readRulePerformance(
  viewer: Viewer,
  ruleIds: readonly string[],
  options: { since: Date; shadow: boolean | null },
): Promise<(RulePerformance | null)[]> {
  assertMay(viewer, 'rule.read');
  const rows = await countLabeledMatchesOfRules(viewer.project.database, ruleIds, options);
  const byRule = new Map(rows.map((row) => [row.rule_id, performanceOf(row)]));
  return ruleIds.map((id) => byRule.get(id) ?? null);
}

/** The columns of a backtest on which its performance depends. */
export type LabeledBacktest = {
  readonly backtestId: string;
  readonly state: string;
  readonly since: Date;
  readonly until: Date;
  readonly createdAt: Date;
};

/** Performance of backtests; null before completion, after the deletion of their matches, and without a labeled account. */
export async function readBacktestPerformance(
  viewer: Viewer,
  backtests: readonly LabeledBacktest[],
  clock: Clock,
): Promise<(RulePerformance | null)[]> {
  assertMay(viewer, 'backtest.read');
  const matchesSince = clock.now().getTime() - MATCH_DAYS * DAY_MS;
  const done = backtests.filter(
    ({ state, createdAt }) => state === 'done' && createdAt.getTime() > matchesSince,
  );
  if (done.length === 0) return backtests.map(() => null);
  const rows = await countLabeledMatchesOfBacktests(viewer.project.database, done);
  const byBacktest = new Map(rows.map((row) => [row.backtest_id, performanceOf(row)]));
  return backtests.map(({ backtestId }) => byBacktest.get(backtestId) ?? null);
}
