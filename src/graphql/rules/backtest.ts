import type { Trigger } from '@vouchgraph/decisions';
import { type Expression, printExpression } from '@vouchgraph/rules';
import type { GraphQLResolveInfo } from 'graphql';
import {
  MATCH_DAYS,
  progressOf,
  SAMPLE_SIZE,
  type BacktestState as State,
} from '../../domain/decisions/backtests/backtest.ts';
import {
  countAllBacktests,
  listAllBacktests,
  type MatchedDecision,
  readBacktest,
} from '../../domain/decisions/backtests/backtest-read-service.ts';
import { builder } from '../kernel/builder.ts';
import {
  MAX_COUNTED,
  PAGE_ARGS,
  type PageArgs,
  pageCost,
  rangeOf,
  selectPage,
  toConnection,
} from '../kernel/connection.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { readableUuid, uuidOf } from '../kernel/node-loader.ts';
import { selectedNodes } from '../kernel/nodes-query.ts';
import { BacktestMatchConnection, BacktestMatchObject, MATCHED_KEY } from './backtest-match.ts';
import { RuleTrigger } from './rule-parts.ts';

const BacktestState = builder.enumType('BacktestState', {
  description: 'State of a backtest.',
  values: {
    WAITING: { value: 'waiting', description: 'Backtest that is not started.' },
    RUNNING: { value: 'running', description: 'Running backtest: decisions are being examined.' },
    DONE: { value: 'done', description: 'Completed backtest: all decisions are examined.' },
    CANCELLED: {
      value: 'cancelled',
      description: 'Canceled backtest. Its numbers count the decisions that were examined before.',
    },
    FAILED: { value: 'failed', description: 'Failed backtest. The log of the gateway contains the reason.' },
  } as const,
});

const BacktestOverlap = builder.objectRef<{ list: string; accounts: number }>('BacktestOverlap').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  mask: 'none',
  description: 'Number of matched accounts on a list.',
  fields: (t) => ({
    list: t.exposeString('list', { description: 'Name of the list.' }),
    accounts: t.exposeInt('accounts', { description: 'Number of matched accounts on the list.' }),
  }),
});

export const BacktestNode = builder.prismaNode('Backtest', {
  tokenScopes: 'never',
  subjects: 'wide',
  mask: 'none',
  description: 'Test of a condition on stored decisions, with the values at the time of each decision.',
  id: { resolve: ({ backtestId }) => backtestId, description: 'Global id.' },
  nullable: true,
  findUnique: (backtestId, { viewer }) => ({
    projectId_backtestId: {
      projectId: viewer.project.projectId,
      backtestId: readableUuid(viewer, 'backtest.read', backtestId),
    },
  }),
  fields: (t) => ({
    backtestId: t.expose('backtestId', {
      type: 'UUID',
      description: 'Id of the backtest, as in the audit log.',
    }),
    backtestState: t.field({
      type: BacktestState,
      description: 'State.',
      resolve: ({ state }) => state as State,
    }),
    progress: t.float({ description: 'Progress, 0 to 1.', resolve: progressOf }),
    expression: t.string({
      description: 'Condition as text.',
      resolve: (b) => printExpression(b.expression as Expression),
    }),
    trigger: t.field({
      type: RuleTrigger,
      description:
        'Trigger, which selects the decisions. ANY_SESSION selects all decisions, FIRST_SESSION those ' +
        'on first sessions, ID_CHECK_COMPLETED and FACE_CHECK_COMPLETED those with the result of a ' +
        'check.',
      resolve: (b) => b.trigger as Trigger,
    }),
    since: t.expose('since', { type: 'DateTime', description: 'Earliest time of the decisions.' }),
    until: t.expose('until', { type: 'DateTime', description: 'Latest time of the decisions, exclusive.' }),
    total: t.exposeInt('total', {
      nullable: true,
      description:
        'Number of decisions to examine. Null if they are not counted yet. For triggers of checks it ' +
        'decreases with each decision that was made without the result of the check.',
    }),
    examined: t.exposeInt('examined', { description: 'Number of examined decisions.' }),
    matched: t.exposeInt('matched', {
      description: 'Number of matches. An account with a session counts once, as for an enabled rule.',
    }),
    skipped: t.exposeInt('skipped', {
      description: 'Number of decisions with an unknown result of the condition, because a value is missing.',
    }),
    matchedAccounts: t.exposeInt('accounts', { description: 'Number of distinct matched accounts.' }),
    actor: t.exposeString('actor', { description: 'Visible prefix of the key that started the backtest.' }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
    finishedAt: t.expose('finishedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Time at which the backtest was done, canceled or failed. Null while it is waiting or running.',
    }),
  }),
});

builder.prismaObjectFields(BacktestNode, (t) => ({
  sample: t.field({
    type: [BacktestMatchObject],
    description:
      `Sample of at most ${SAMPLE_SIZE} matches, spread over all matches, the oldest first, without ` +
      'those of erased accounts.',
    resolve: ({ sample }, _args, context, info) => sampled(sample, context, info),
  }),
  matches: t.field({
    type: BacktestMatchConnection,
    description:
      `Matches, the oldest decision first, without those of erased accounts. Empty ${MATCH_DAYS} days ` +
      'after the creation of the backtest, when matches are deleted.',
    complexity: pageCost(2),
    args: PAGE_ARGS,
    resolve: (backtest, args, context, info) => matchPage(backtest, args, context, info),
  }),
  overlap: t.field({
    type: [BacktestOverlap],
    description: 'Number of matched accounts on each list at the end of the backtest, by name.',
    resolve: ({ overlap }) =>
      Object.entries(overlap as Record<string, number>).map(([list, accounts]) => ({ list, accounts })),
  }),
}));

async function sampled(
  sample: readonly string[],
  context: GraphQLContext,
  info: GraphQLResolveInfo,
): Promise<MatchedDecision[]> {
  const query = selectedNodes(context, info, MATCHED_KEY, []);
  const loader = context.loaders.matchedDecisions(query);
  const found = await Promise.all(sample.map((id) => loader.load(id)));
  return found.filter((decision) => decision !== null);
}

async function matchPage(
  { backtestId }: { backtestId: string },
  args: PageArgs,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
) {
  const { loaders } = context;
  const page = selectPage(args, ['backtest matches', backtestId], context);
  const asked = { page: rangeOf(page), query: selectedNodes(context, info, MATCHED_KEY) };
  const rows = await loaders.backtestMatches(asked).load(backtestId);
  return toConnection(rows, page, {
    context,
    position: ({ decisionId }) => [decisionId],
    edge: (node) => ({ node }),
    total: () => loaders.backtestMatchTotal.load(backtestId),
  });
}

const BacktestConnection = builder.connectionObject(
  { type: BacktestNode, name: 'BacktestConnection', description: 'Page of backtests.' },
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
    type: BacktestNode,
    nullable: true,
    description: 'Backtest by its id. Null if it does not exist.',
    authScopes: { may: 'backtest.read' },
    args: { id: t.arg.id({ required: true, description: 'Global id of the backtest, or its backtestId.' }) },
    resolve: (_root, { id }, { viewer }) => {
      const backtestId = uuidOf('Backtest', id);
      return backtestId === null ? null : readBacktest(viewer, backtestId);
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
