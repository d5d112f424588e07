import {
  type Backtest,
  MATCH_DAYS,
  progressOf,
  SAMPLE_SIZE,
} from '../domain/decisions/backtests/backtest.ts';
import {
  countAllBacktests,
  listAllBacktests,
  type MatchedDecision,
} from '../domain/decisions/backtests/backtest-read-service.ts';
import { printExpression } from '../domain/rules/language/print-expression.ts';
import { BacktestMatchConnection, BacktestMatchRef } from './backtest-match.ts';
import { builder } from './builder.ts';
import {
  MAX_COUNTED,
  PAGE_ARGS,
  type PageArgs,
  pageCost,
  rangeOf,
  selectPage,
  toConnection,
} from './connection.ts';
import type { GraphQLContext } from './context.ts';
import { nodeLoader, uuidOf } from './node-loader.ts';
import { RuleTrigger } from './rule-parts.ts';

const BacktestState = builder.enumType('BacktestState', {
  description: 'State of a backtest.',
  values: {
    WAITING: { value: 'waiting', description: 'Not started.' },
    RUNNING: { value: 'running', description: 'Running: decisions are being examined.' },
    DONE: { value: 'done', description: 'Done: all decisions are examined.' },
    CANCELLED: {
      value: 'cancelled',
      description: 'Cancelled. Its numbers count the decisions that were examined before.',
    },
    FAILED: { value: 'failed', description: 'Failed. The log of the gateway contains the reason.' },
  } as const,
});

const BacktestOverlap = builder.objectRef<{ list: string; accounts: number }>('BacktestOverlap').implement({
  description: 'Number of matched accounts on a list.',
  fields: (t) => ({
    list: t.exposeString('list', { description: 'Name of the list.' }),
    accounts: t.exposeInt('accounts', { description: 'Number of matched accounts on the list.' }),
  }),
});

export const BacktestRef = builder.objectRef<Backtest>('Backtest');

builder.node(BacktestRef, {
  description: 'Test of a condition on stored decisions, with the values at the time of each decision.',
  id: { resolve: ({ backtestId }) => backtestId, description: 'Global id.' },
  loadMany: nodeLoader('backtest.read', ({ backtest }) => backtest),
  fields: (t) => ({
    backtestId: t.field({
      type: 'UUID',
      description: 'Id of the backtest, as in the audit log.',
      resolve: ({ backtestId }) => backtestId,
    }),
    backtestState: t.field({ type: BacktestState, description: 'State.', resolve: (b) => b.state }),
    progress: t.float({ description: 'Progress, 0 to 1.', resolve: progressOf }),
    expression: t.string({
      description: 'Condition as text.',
      resolve: (b) => printExpression(b.expression),
    }),
    trigger: t.field({
      type: RuleTrigger,
      description:
        'Trigger, which selects the decisions. ANY_SESSION selects all decisions, FIRST_SESSION those ' +
        'on first sessions, ID_CHECK_COMPLETED and FACE_CHECK_COMPLETED those with the result of a ' +
        'check.',
      resolve: (b) => b.trigger,
    }),
    since: t.field({
      type: 'DateTime',
      description: 'Earliest time of the decisions.',
      resolve: (b) => b.since,
    }),
    until: t.field({
      type: 'DateTime',
      description: 'Latest time of the decisions, exclusive.',
      resolve: (b) => b.until,
    }),
    total: t.exposeInt('total', {
      nullable: true,
      description:
        'Number of decisions to examine. Null if they are not counted yet. For triggers of checks it ' +
        'decreases with each decision that was made without the result of the check.',
    }),
    examined: t.exposeInt('examined', { description: 'Number of examined decisions.' }),
    matched: t.exposeInt('matched', {
      description:
        'Number of matches, counted as for an enabled rule: an account with a session counts once.',
    }),
    skipped: t.exposeInt('skipped', {
      description: 'Number of decisions with an unknown result of the condition, because a value is missing.',
    }),
    matchedAccounts: t.int({
      description: 'Number of distinct matched accounts.',
      resolve: (b) => b.accounts,
    }),
    sample: t.field({
      type: [BacktestMatchRef],
      description:
        `Sample of at most ${SAMPLE_SIZE} matches, spread over all matches, the oldest first, without ` +
        'those of erased accounts.',
      resolve: ({ sample }, _args, { loaders }) => sampled(loaders.matchedDecision.loadMany(sample)),
    }),
    matches: t.field({
      type: BacktestMatchConnection,
      description:
        `Matches, the oldest decision first, without those of erased accounts. Empty ${MATCH_DAYS} days ` +
        'after the creation of the backtest, when matches are deleted.',
      complexity: pageCost(2),
      args: PAGE_ARGS,
      resolve: (backtest, args, context) => matchPage(backtest, args, context),
    }),
    overlap: t.field({
      type: [BacktestOverlap],
      description: 'Number of matched accounts on each list at the end of the backtest, by name.',
      resolve: ({ overlap }) => Object.entries(overlap).map(([list, accounts]) => ({ list, accounts })),
    }),
    actor: t.exposeString('actor', { description: 'Visible prefix of the key that started the backtest.' }),
    createdAt: t.field({ type: 'DateTime', description: 'Creation time.', resolve: (b) => b.createdAt }),
    finishedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Completion time. Null if not completed.',
      resolve: (b) => b.finishedAt,
    }),
  }),
});

async function sampled(loading: Promise<(MatchedDecision | null | Error)[]>): Promise<MatchedDecision[]> {
  const found: MatchedDecision[] = [];
  for (const each of await loading) {
    if (each instanceof Error) throw each;
    if (each) found.push(each);
  }
  return found;
}

async function matchPage({ backtestId }: Backtest, args: PageArgs, context: GraphQLContext) {
  const { loaders } = context;
  const page = selectPage(args, ['backtest matches', backtestId], context);
  const rows = await loaders.backtestMatches(rangeOf(page)).load(backtestId);
  return toConnection(rows, page, {
    context,
    position: (row) => [row.decision_id],
    edge: (node) => ({ node }),
    total: () => loaders.backtestMatchTotal.load(backtestId),
  });
}

const BacktestConnection = builder.connectionObject(
  { type: BacktestRef, name: 'BacktestConnection', description: 'Page of backtests.' },
  { name: 'BacktestEdge', description: 'Backtest in a page.' },
);

async function backtestPage(args: PageArgs, context: GraphQLContext) {
  const { viewer } = context;
  const page = selectPage(args, ['backtests'], context);
  const rows = await listAllBacktests(viewer, page);
  return toConnection(rows, page, {
    context,
    position: ({ backtestId }) => [backtestId],
    edge: (node) => ({ node }),
    total: () => countAllBacktests(viewer, MAX_COUNTED + 1),
  });
}

builder.queryFields((t) => ({
  backtest: t.field({
    type: BacktestRef,
    nullable: true,
    description: 'Backtest by its global id. Null if it does not exist.',
    authScopes: { may: 'backtest.read' },
    args: { id: t.arg.id({ required: true, description: 'Global id of the backtest.' }) },
    resolve: (_root, { id }, { loaders }) => {
      const backtestId = uuidOf('Backtest', id);
      return backtestId === null ? null : loaders.backtest.load(backtestId);
    },
  }),
  backtests: t.field({
    type: BacktestConnection,
    nullable: true,
    description: 'Backtests, the newest first.',
    authScopes: { may: 'backtest.read' },
    complexity: pageCost(5),
    args: PAGE_ARGS,
    resolve: (_root, args, context) => backtestPage(args, context),
  }),
}));
