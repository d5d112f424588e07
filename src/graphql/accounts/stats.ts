import { RISK_SCORE_KEYS, type RiskScoreKey, scoreName } from '@vouchgraph/signals';
import type { CheckCounts, OutcomeCounts, StatsCounts } from '../../domain/stats/counters.ts';
import { MAX_STATS_DAYS } from '../../domain/stats/stats-range.ts';
import { type ProjectStats, readStats, type StatsBucket } from '../../domain/stats/stats-read-service.ts';
import { builder } from '../kernel/builder.ts';
import { RuleNode } from '../rules/rule.ts';

const StatsInterval = builder.enumType('StatsInterval', {
  description: 'Length of the buckets of statistics.',
  values: {
    HOUR: { value: 'hour', description: 'Hours.' },
    DAY: { value: 'day', description: 'Days in UTC.' },
  } as const,
});

const DecisionCounts = builder.objectRef<OutcomeCounts>('DecisionCounts').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  description: 'Numbers of decisions by outcome.',
  fields: (t) => ({
    real: t.exposeInt('real', { description: 'Number of decisions with the outcome REAL.' }),
    suspicious: t.exposeInt('suspicious', {
      description: 'Number of decisions with the outcome SUSPICIOUS.',
    }),
    fake: t.exposeInt('fake', { description: 'Number of decisions with the outcome FAKE.' }),
  }),
});

const SignalCounts = builder.objectRef<Readonly<Record<RiskScoreKey, number>>>('SignalCounts').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  description: 'Numbers of decisions on sessions with each risk signal, as in RiskSignals.',
  fields: (t) =>
    Object.fromEntries(
      RISK_SCORE_KEYS.map((key) => [
        key,
        t.int({
          description: `Number of decisions on sessions with ${scoreName(key).toUpperCase()}.`,
          resolve: (signals) => signals[key],
        }),
      ]),
    ),
});

const RuleCounts = builder.objectRef<StatsCounts['rules'][number]>('RuleCounts').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  description: 'Numbers of matches of a rule. A rule matches an account with a session at most once.',
  fields: (t) => ({
    ruleId: t.expose('ruleId', { type: 'UUID', description: 'Id of the rule.' }),
    rule: t.field({
      type: RuleNode,
      nullable: true,
      description: 'Current state of the rule.',
      resolve: ({ ruleId }, _args, { loaders }) => loaders.rule.load(ruleId),
    }),
    live: t.exposeInt('live', { description: 'Number of matches in which the rule acted.' }),
    shadow: t.exposeInt('shadow', { description: 'Number of matches in shadow.' }),
  }),
});

const CheckCountsType = builder.objectRef<CheckCounts>('CheckCounts').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  description: 'Numbers of checks of a kind.',
  fields: (t) => ({
    completed: t.exposeInt('completed', { description: 'Number of checks with a result.' }),
    failed: t.exposeInt('failed', {
      description: 'Number of failed checks, without expired ones.',
    }),
    decisions: t.expose('decisions', {
      type: DecisionCounts,
      description:
        'Numbers of completed checks by the decision of their completion, before lists and rules. A later ' +
        'assessment does not change them.',
    }),
  }),
});

const ReportCounts = builder.objectRef<StatsCounts['outcomes']>('OutcomeCounts').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  description:
    'Numbers of reported outcomes by the time of the report, including those of erased accounts, without ' +
    'retracted outcomes.',
  fields: (t) => ({
    fraud: t.exposeInt('fraud', { description: 'Number of FRAUD outcomes.' }),
    legitimate: t.exposeInt('legitimate', { description: 'Number of LEGITIMATE outcomes.' }),
    chargeback: t.exposeInt('chargeback', { description: 'Number of CHARGEBACK outcomes.' }),
  }),
});

const StatsCountsType = builder.objectRef<StatsCounts>('StatsCounts').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  description: 'Counts of a period.',
  fields: (t) => ({
    sessionsCompleted: t.exposeInt('sessionsCompleted', {
      description: 'Number of completed sessions, without open sessions.',
    }),
    sessionsBound: t.exposeInt('sessionsBound', {
      description: 'Number of sessions bound to an account. A session of two accounts counts twice.',
    }),
    decisions: t.expose('decisions', {
      type: DecisionCounts,
      description:
        'Numbers of decisions on accounts, by outcome. Each authenticateSession and each completed check of ' +
        'an account counts once.',
    }),
    signals: t.expose('signals', {
      type: SignalCounts,
      description: 'Numbers of decisions by the risk signals of their session.',
    }),
    rules: t.field({
      type: [RuleCounts],
      description: 'Rules with matches, by their ids.',
      resolve: ({ rules }) => [...rules],
    }),
    idChecks: t.expose('idChecks', {
      type: CheckCountsType,
      description: 'Numbers of checks of a document and a face.',
    }),
    faceChecks: t.expose('faceChecks', {
      type: CheckCountsType,
      description: 'Numbers of checks of a face.',
    }),
    outcomes: t.expose('outcomes', {
      type: ReportCounts,
      description: 'Numbers of reported outcomes of accounts.',
    }),
  }),
});

const StatsBucketType = builder.objectRef<StatsBucket>('StatsBucket').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  description: 'Counts of an hour or a day.',
  fields: (t) => ({
    start: t.expose('start', { type: 'DateTime', description: 'Start of the bucket.' }),
    end: t.expose('end', { type: 'DateTime', description: 'End of the bucket, exclusive.' }),
    counts: t.expose('counts', { type: StatsCountsType, description: 'Counts of the bucket.' }),
  }),
});

const ProjectStatsType = builder.objectRef<ProjectStats>('ProjectStats').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  description:
    'Statistics of the project. Erasing an account never changes them, because counts are not personal ' +
    'data. A rebuild by the command line keeps the counts of erased accounts.',
  fields: (t) => ({
    by: t.expose('by', { type: StatsInterval, description: 'Length of the buckets.' }),
    since: t.expose('since', { type: 'DateTime', description: 'Start of the first bucket.' }),
    until: t.expose('until', { type: 'DateTime', description: 'End of the last bucket, exclusive.' }),
    buckets: t.field({
      type: [StatsBucketType],
      description: 'Buckets in the order of time, including empty ones.',
      complexity: { field: 0, multiplier: 1 },
      resolve: ({ buckets }) => [...buckets],
    }),
    total: t.expose('total', { type: StatsCountsType, description: 'Counts of all buckets together.' }),
  }),
});

builder.queryField('stats', (t) =>
  t.field({
    type: ProjectStatsType,
    nullable: true,
    description:
      `Statistics of the project in whole hours or days, at most ${MAX_STATS_DAYS.hour} days by HOUR ` +
      `and ${MAX_STATS_DAYS.day} days by DAY. Events are counted in the background, within a few ` +
      'seconds. Errors: `input.invalid` (also a longer period, or since not before until).',
    authScopes: { may: 'stats.read' },
    complexity: 20,
    args: {
      by: t.arg({ type: StatsInterval, required: true, description: 'Length of the buckets.' }),
      since: t.arg({
        type: 'DateTime',
        required: true,
        description: 'Start of the first bucket. Rounded down to a whole hour or day.',
      }),
      until: t.arg({
        type: 'DateTime',
        description:
          'End of the last bucket. Rounded up to a whole hour or day. A time in the future is replaced ' +
          'by the current time. The current time by default.',
      }),
    },
    resolve: (_root, { by, since, until }, { viewer, services }) =>
      readStats(viewer, { by, since, until: until ?? null, now: services.clock.now() }),
  }),
);
