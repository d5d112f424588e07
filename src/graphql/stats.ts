import { RISK_SCORE_KEYS, type RiskScoreKey, scoreName } from '../domain/signals/evidence/risk-scores.ts';
import type { CheckCounts, OutcomeCounts, StatsCounts } from '../domain/stats/counters.ts';
import { MAX_STATS_DAYS } from '../domain/stats/stats-range.ts';
import { type ProjectStats, readStats, type StatsBucket } from '../domain/stats/stats-read-service.ts';
import { builder } from './builder.ts';
import { RuleNode } from './rule.ts';

const StatsInterval = builder.enumType('StatsInterval', {
  description: 'Length of the buckets of statistics.',
  values: {
    HOUR: { value: 'hour', description: 'Hours.' },
    DAY: { value: 'day', description: 'Days in UTC.' },
  } as const,
});

const DecisionCounts = builder.objectRef<OutcomeCounts>('DecisionCounts').implement({
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
  description: 'Numbers of decisions on sessions with each risk signal, as RiskSignals has it.',
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
  description: 'Numbers of matches of a rule. A rule matches an account with a session once.',
  fields: (t) => ({
    ruleId: t.field({ type: 'UUID', description: 'Id of the rule.', resolve: ({ ruleId }) => ruleId }),
    rule: t.field({
      type: RuleNode,
      nullable: true,
      description: 'Rule as it is now.',
      resolve: ({ ruleId }, _args, { loaders }) => loaders.rule.load(ruleId),
    }),
    live: t.exposeInt('live', { description: 'Number of matches in which the rule acted.' }),
    shadow: t.exposeInt('shadow', { description: 'Number of matches in shadow.' }),
  }),
});

const CheckCountsType = builder.objectRef<CheckCounts>('CheckCounts').implement({
  description: 'Numbers of checks of a kind.',
  fields: (t) => ({
    completed: t.exposeInt('completed', { description: 'Number of checks that completed with a result.' }),
    failed: t.exposeInt('failed', {
      description: 'Number of checks that failed. Checks that expired are not counted.',
    }),
    decisions: t.field({
      type: DecisionCounts,
      description:
        'Completed checks by their decision before lists and rules, at the time at which they were counted.',
      resolve: ({ decisions }) => decisions,
    }),
  }),
});

const ReportCounts = builder.objectRef<StatsCounts['outcomes']>('OutcomeCounts').implement({
  description: 'Numbers of reported outcomes by the time of the report, without retracted ones.',
  fields: (t) => ({
    fraud: t.exposeInt('fraud', { description: 'Number of outcomes FRAUD.' }),
    legitimate: t.exposeInt('legitimate', { description: 'Number of outcomes LEGITIMATE.' }),
    chargeback: t.exposeInt('chargeback', { description: 'Number of outcomes CHARGEBACK.' }),
  }),
});

const StatsCountsType = builder.objectRef<StatsCounts>('StatsCounts').implement({
  description: 'Numbers of what happened in a time.',
  fields: (t) => ({
    sessionsCompleted: t.exposeInt('sessionsCompleted', {
      description: 'Number of sessions that were completed. Sessions that are only opened are not counted.',
    }),
    sessionsBound: t.exposeInt('sessionsBound', {
      description:
        'Number of sessions that were bound to an account; a session of two accounts counts twice.',
    }),
    decisions: t.field({
      type: DecisionCounts,
      description: 'Decisions on accounts, one for each authenticateSession, by outcome.',
      resolve: ({ decisions }) => decisions,
    }),
    signals: t.field({
      type: SignalCounts,
      description: 'Decisions by the risk signals of their session.',
      resolve: ({ signals }) => signals,
    }),
    rules: t.field({
      type: [RuleCounts],
      description: 'Rules that matched, by their ids; without those that did not match.',
      resolve: ({ rules }) => [...rules],
    }),
    idChecks: t.field({
      type: CheckCountsType,
      description: 'Checks of a document and a face.',
      resolve: ({ idChecks }) => idChecks,
    }),
    faceChecks: t.field({
      type: CheckCountsType,
      description: 'Checks of a face.',
      resolve: ({ faceChecks }) => faceChecks,
    }),
    outcomes: t.field({
      type: ReportCounts,
      description: 'Reported outcomes of accounts.',
      resolve: ({ outcomes }) => outcomes,
    }),
  }),
});

const StatsBucketType = builder.objectRef<StatsBucket>('StatsBucket').implement({
  description: 'Numbers of an hour or a day.',
  fields: (t) => ({
    start: t.field({ type: 'DateTime', description: 'Beginning.', resolve: ({ start }) => start }),
    end: t.field({ type: 'DateTime', description: 'End, exclusive.', resolve: ({ end }) => end }),
    counts: t.field({ type: StatsCountsType, description: 'Numbers.', resolve: ({ counts }) => counts }),
  }),
});

const ProjectStatsType = builder.objectRef<ProjectStats>('ProjectStats').implement({
  description:
    'Statistics of the project. Numbers of accounts that are erased later stay; a rebuild by the command line counts ' +
    'what is stored.',
  fields: (t) => ({
    by: t.field({ type: StatsInterval, description: 'Length of the buckets.', resolve: ({ by }) => by }),
    since: t.field({
      type: 'DateTime',
      description: 'Beginning of the first bucket.',
      resolve: ({ since }) => since,
    }),
    until: t.field({
      type: 'DateTime',
      description: 'End of the last bucket, exclusive.',
      resolve: ({ until }) => until,
    }),
    buckets: t.field({
      type: [StatsBucketType],
      description: 'Buckets in the order of time, also those in which nothing was counted.',
      complexity: { field: 0, multiplier: 1 },
      resolve: ({ buckets }) => [...buckets],
    }),
    total: t.field({
      type: StatsCountsType,
      description: 'Numbers of all buckets together.',
      resolve: ({ total }) => total,
    }),
  }),
});

builder.queryField('stats', (t) =>
  t.field({
    type: ProjectStatsType,
    nullable: true,
    description:
      'Statistics of the project in whole hours or days. Events are counted in the background: numbers ' +
      `are a few seconds old at most. At most ${MAX_STATS_DAYS.hour} days by HOUR and ` +
      `${MAX_STATS_DAYS.day} days by DAY. Errors: \`input.invalid\` (also a longer time, or since not ` +
      'before until).',
    authScopes: { may: 'stats.read' },
    complexity: 20,
    args: {
      by: t.arg({ type: StatsInterval, required: true, description: 'Length of the buckets.' }),
      since: t.arg({
        type: 'DateTime',
        required: true,
        description: 'Time in the first bucket: rounded down to its beginning.',
      }),
      until: t.arg({
        type: 'DateTime',
        description: 'Time at which the last bucket ends, rounded up; now by default and at the latest.',
      }),
    },
    resolve: (_root, { by, since, until }, { viewer, services }) =>
      readStats(viewer, { by, since, until: until ?? null, now: services.clock.now() }),
  }),
);
