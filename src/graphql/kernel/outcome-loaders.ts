import type { Clock } from '@vouchgraph/platform/clock';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import { LIMITS } from '@vouchgraph/platform/limits';
import DataLoader from 'dataloader';
import type { Label } from '../../domain/outcomes/outcome.ts';
import {
  countOutcomesOfAccounts,
  listOutcomesOfAccounts,
  readLabels,
} from '../../domain/outcomes/outcome-read-service.ts';
import {
  type LabeledBacktest,
  readBacktestPerformance,
  readRulePerformance,
} from '../../domain/outcomes/performance-service.ts';
import type { RulePerformance } from '../../domain/outcomes/rule-performance.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import { kept, pageLoaders } from './kept-loader.ts';

/** Reads of one level together, without a cache: mutations of one document change the results of later fields. */
const UNCACHED = { cache: false } as const;

/** Reported outcomes of accounts, and the resulting statistics of rules. */
export function outcomeLoaders(viewer: Viewer, clock: Clock) {
  const performances = new Map<string, DataLoader<string, RulePerformance | null>>();
  return {
    /** Labels of accounts by their internal ids; null without an outcome. */
    label: new DataLoader<string, Label | null>(async (ids) => readLabels(viewer, ids), UNCACHED),

    /** The same page of the outcomes of several accounts. */
    outcomes: pageLoaders((ids, page: KeysetPage) => listOutcomesOfAccounts(viewer, ids, page), UNCACHED),

    /** Number of outcomes of accounts. */
    outcomeCount: new DataLoader<string, number>(
      async (ids) => countOutcomesOfAccounts(viewer, ids, LIMITS.countedObjects + 1),
      UNCACHED,
    ),

    /** Performance of rules since a time. */
    rulePerformance(since: Date, shadow: boolean | null): DataLoader<string, RulePerformance | null> {
      return kept(performances, `${since.toISOString()} ${shadow}`, (ids) =>
        readRulePerformance(viewer, ids, { since, shadow }),
      );
    },

    /** Performance of backtests. */
    backtestPerformance: new DataLoader<LabeledBacktest, RulePerformance | null, string>(
      async (backtests) => readBacktestPerformance(viewer, backtests, clock),
      { cacheKeyFn: ({ backtestId }) => backtestId },
    ),
  };
}
