import { type Backtest, progressOf, SAMPLE_SIZE } from '../domain/decisions/backtests/backtest.ts';
import type { SampledDecision } from '../domain/decisions/backtests/backtest-service.ts';
import type { Decision } from '../domain/decisions/decide.ts';
import { printExpression } from '../domain/rules/language/print-expression.ts';
import { builder } from './builder.ts';
import { pageSize } from './connection.ts';
import { DecisionType } from './risk.ts';
import { RuleTrigger } from './rule.ts';

const BacktestState = builder.enumType('BacktestState', {
  description: 'Where a backtest stands.',
  values: {
    WAITING: { value: 'waiting', description: 'It has not begun.' },
    RUNNING: { value: 'running', description: 'It looks at decisions.' },
    DONE: { value: 'done', description: 'It has looked at all of them.' },
    CANCELLED: {
      value: 'cancelled',
      description: 'It was ended early; its counts are of what it had looked at.',
    },
    FAILED: { value: 'failed', description: 'It could not go on; the log of the gateway says why.' },
  } as const,
});

const BacktestDecision = builder.objectRef<SampledDecision>('BacktestDecision').implement({
  description: 'A decision of which the condition held.',
  fields: (t) => ({
    id: t.id({ description: 'Id of the decision.', resolve: (d) => d.decision_id }),
    accountId: t.string({ description: "The client's own id of the account.", resolve: (d) => d.account_id }),
    sessionId: t.field({ type: 'UUID', description: 'Its session.', resolve: (d) => d.session_id }),
    at: t.field({ type: 'DateTime', description: 'When it was made.', resolve: (d) => d.at }),
    decision: t.field({
      type: DecisionType,
      description: 'The decision, as it was answered.',
      resolve: (d) => d.decision as Decision,
    }),
  }),
});

const BacktestOverlap = builder.objectRef<{ list: string; accounts: number }>('BacktestOverlap').implement({
  description: 'Matched accounts that are on a list.',
  fields: (t) => ({
    list: t.exposeString('list', { description: 'Name of the list.' }),
    accounts: t.exposeInt('accounts', { description: 'How many of the matched accounts are on it.' }),
  }),
});

const BacktestType = builder.objectRef<Backtest>('Backtest').implement({
  description: 'A condition tried on stored decisions, with what was known at each of them.',
  fields: (t) => ({
    id: t.id({ description: 'Id of the backtest, a UUID.', resolve: (b) => b.backtestId }),
    state: t.field({ type: BacktestState, description: 'Where it stands.', resolve: (b) => b.state }),
    progress: t.float({ description: 'How much of it is done, 0 to 1.', resolve: progressOf }),
    expression: t.string({
      description: 'Condition as text.',
      resolve: (b) => printExpression(b.expression),
    }),
    trigger: t.field({
      type: RuleTrigger,
      description:
        'Decisions that it examines: all with ANY_SESSION, of first sessions with FIRST_SESSION, and those made with the ' +
        'result of a check with ID_CHECK_COMPLETED and FACE_CHECK_COMPLETED.',
      resolve: (b) => b.trigger,
    }),
    since: t.field({ type: 'DateTime', description: 'Decisions from here on.', resolve: (b) => b.since }),
    until: t.field({ type: 'DateTime', description: 'Decisions before this.', resolve: (b) => b.until }),
    total: t.exposeInt('total', {
      nullable: true,
      description:
        'Number of decisions to examine; null until they are counted. For triggers of checks it decreases while decisions ' +
        'turn out to be made without the result of the check.',
    }),
    examined: t.exposeInt('examined', { description: 'Number of decisions examined.' }),
    matched: t.exposeInt('matched', {
      description:
        'Number of matches, counted as a live rule records them: each account with a session once, however often it was ' +
        'decided on.',
    }),
    skipped: t.exposeInt('skipped', {
      description: 'Decisions of which it cannot be told, because a value is missing.',
    }),
    matchedAccounts: t.int({ description: 'Different accounts that matched.', resolve: (b) => b.accounts }),
    sample: t.field({
      type: [BacktestDecision],
      description: `Up to ${SAMPLE_SIZE} matching decisions, spread over all of them, the oldest first; without those of accounts that were erased since.`,
      resolve: ({ sample }, _args, { loaders }) => sampled(loaders.sampledDecision.loadMany(sample)),
    }),
    overlap: t.field({
      type: [BacktestOverlap],
      description: 'How many matched accounts are on which list, by name, as of the end of the backtest.',
      resolve: ({ overlap }) => Object.entries(overlap).map(([list, accounts]) => ({ list, accounts })),
    }),
    actor: t.exposeString('actor', { description: "Who asked for it: the key's visible prefix." }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was asked for.',
      resolve: (b) => b.createdAt,
    }),
    finishedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it ended; null before.',
      resolve: (b) => b.finishedAt,
    }),
  }),
});

async function sampled(loading: Promise<(SampledDecision | null | Error)[]>): Promise<SampledDecision[]> {
  const found: SampledDecision[] = [];
  for (const each of await loading) {
    if (each instanceof Error) throw each;
    if (each) found.push(each);
  }
  return found;
}

type Payload = { requestId: string; backtest: Backtest };

const payload = (name: string, description: string) =>
  builder.objectRef<Payload>(name).implement({
    description,
    fields: (t) => ({
      requestId: t.field({ type: 'UUID', description: 'Id of this request.', resolve: (p) => p.requestId }),
      backtest: t.field({ type: BacktestType, description: 'The backtest.', resolve: (p) => p.backtest }),
    }),
  });

const BacktestRulePayload = payload('BacktestRulePayload', 'The backtest that was taken on.');
const CancelBacktestPayload = payload('CancelBacktestPayload', 'The backtest as it is now.');

builder.queryFields((t) => ({
  backtest: t.field({
    type: BacktestType,
    nullable: true,
    description: 'A backtest by its id; null when there is none.',
    authScopes: { may: 'backtest.read' },
    args: { id: t.arg.id({ required: true, description: 'Id of the backtest.' }) },
    resolve: (_root, { id }, context) => context.services.backtests.find(context.viewer, String(id)),
  }),
  backtests: t.field({
    type: [BacktestType],
    description: 'The latest backtests, the newest first.',
    authScopes: { may: 'backtest.read' },
    complexity: ({ first }) => ({ field: 5, multiplier: first ?? 20 }),
    args: { first: t.arg.int({ description: 'How many, 100 at most; 20 by default.' }) },
    resolve: (_root, { first }, context) =>
      context.services.backtests.list(context.viewer, pageSize(first, context)),
  }),
}));

builder.mutationFields((t) => ({
  backtestRule: t.field({
    type: BacktestRulePayload,
    description:
      'Tries a condition on the stored decisions of a time, in the background. Three at most wait or run at once. ' +
      'Errors: rule.expression_invalid, list.not_found, backtest.too_many, input.invalid.',
    authScopes: { may: 'backtest.run' },
    args: {
      expression: t.arg.string({ required: true, description: 'Condition as text.' }),
      since: t.arg({ type: 'DateTime', required: true, description: 'Decisions from here on.' }),
      until: t.arg({
        type: 'DateTime',
        description: 'Decisions before this; now by default, and at the latest.',
      }),
      trigger: t.arg({
        type: RuleTrigger,
        description:
          'ANY_SESSION by default. FIRST_SESSION looks at first sessions only; the others at checks of their kind that are ' +
          'bound to an account.',
      }),
    },
    resolve: async (_root, args, { viewer, services, requestId }) => ({
      requestId,
      backtest: await services.backtests.add(viewer, requestId, args),
    }),
  }),
  cancelBacktest: t.field({
    type: CancelBacktestPayload,
    description:
      'Ends a backtest that waits or runs; one that has ended stays as it is. Errors: backtest.not_found.',
    authScopes: { may: 'backtest.cancel' },
    args: { id: t.arg.id({ required: true, description: 'Id of the backtest.' }) },
    resolve: async (_root, { id }, { viewer, services, requestId }) => ({
      requestId,
      backtest: await services.backtests.cancel(viewer, requestId, String(id)),
    }),
  }),
}));
