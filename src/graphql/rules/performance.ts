import { MATCH_DAYS } from '../../domain/decisions/backtests/backtest.ts';
import type { RulePerformance } from '../../domain/outcomes/rule-performance.ts';
import { builder } from '../kernel/builder.ts';
import { BacktestNode } from './backtest.ts';
import { RuleNode } from './rule.ts';

const RulePerformanceType = builder.objectRef<RulePerformance>('RulePerformance').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  description:
    'Performance of a condition on labeled accounts: accounts with a reported outcome and a decision in ' +
    'the period. Each account counts once, by its current label.',
  fields: (t) => ({
    labelledAccounts: t.exposeInt('labelledAccounts', {
      description: 'Number of labeled accounts, 1 or more.',
    }),
    matchedFraud: t.exposeInt('matchedFraud', {
      description: 'Number of matched accounts with the label FRAUD.',
    }),
    matchedLegitimate: t.exposeInt('matchedLegitimate', {
      description: 'Number of matched accounts with the label LEGITIMATE.',
    }),
    missedFraud: t.exposeInt('missedFraud', {
      description: 'Number of accounts with the label FRAUD that were not matched.',
    }),
    precision: t.exposeFloat('precision', {
      nullable: true,
      description:
        'Precision, 0 to 1: matchedFraud / (matchedFraud + matchedLegitimate). Null if no labeled ' +
        'account was matched.',
    }),
    recall: t.exposeFloat('recall', {
      nullable: true,
      description:
        'Recall, 0 to 1: matchedFraud / (matchedFraud + missedFraud). Null if no account has the label ' +
        'FRAUD.',
    }),
  }),
});

builder.prismaObjectFields(BacktestNode, (t) => ({
  performance: t.field({
    type: RulePerformanceType,
    nullable: true,
    description:
      'Performance on labeled accounts with a decision of the trigger from since to until, by current ' +
      `labels. Null before the state is DONE. Null without such an account. Null ${MATCH_DAYS} days ` +
      'after the creation, when matches are deleted.',
    complexity: 20,
    resolve: (backtest, _args, { loaders }) => loaders.backtestPerformance.load(backtest),
  }),
}));

const HOUR_MS = 3_600_000;
const DEFAULT_DAYS = 30;

/** From a full hour on, so that all rules of a query are read in one statement. */
function defaultSince(now: Date): Date {
  return new Date(Math.floor(now.getTime() / HOUR_MS - DEFAULT_DAYS * 24) * HOUR_MS);
}

builder.prismaObjectFields(RuleNode, (t) => ({
  performance: t.field({
    type: RulePerformanceType,
    nullable: true,
    description:
      'Performance of the matches since a time on labeled accounts with a decision since then, by ' +
      'current labels. Null without such an account.',
    complexity: 20,
    args: {
      since: t.arg({
        type: 'DateTime',
        description: `Time from which matches and decisions count. ${DEFAULT_DAYS} days ago by default.`,
      }),
      shadow: t.arg.boolean({
        description:
          'Whether matches in shadow count (true), or matches in which the rule acted (false). Null: both.',
      }),
    },
    resolve: ({ ruleId }, { since, shadow }, { loaders, services }) =>
      loaders.rulePerformance(since ?? defaultSince(services.clock.now()), shadow ?? null).load(ruleId),
  }),
}));
