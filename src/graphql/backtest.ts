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
    RUNNING: { value: 'running', description: 'Examining decisions.' },
    DONE: { value: 'done', description: 'All decisions are examined.' },
    CANCELLED: {
      value: 'cancelled',
      description: 'Cancelled; its numbers are of the decisions examined until then.',
    },
    FAILED: { value: 'failed', description: 'Failed; the log of the gateway contains the reason.' },
  } as const,
});

const BacktestOverlap = builder.objectRef<{ list: string; accounts: number }>('BacktestOverlap').implement({
  description: 'Matched accounts that are on a list.',
  fields: (t) => ({
    list: t.exposeString('list', { description: 'Name of the list.' }),
    accounts: t.exposeInt('accounts', { description: 'Number of matched accounts on it.' }),
  }),
});

export const BacktestRef = builder.objectRef<Backtest>('Backtest');

builder.node(BacktestRef, {
  description: 'Condition tried on stored decisions, with the values known at each of them.',
  id: { resolve: ({ backtestId }) => backtestId, description: 'Global id.' },
  loadMany: nodeLoader('backtest.read', ({ backtest }) => backtest),
  fields: (t) => ({
    backtestId: t.field({
      type: 'UUID',
      description: 'Id of the backtest, as the audit log contains it.',
      resolve: ({ backtestId }) => backtestId,
    }),
    backtestState: t.field({ type: BacktestState, description: 'State.', resolve: (b) => b.state }),
    progress: t.float({ description: 'Part that is done, 0 to 1.', resolve: progressOf }),
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
    since: t.field({
      type: 'DateTime',
      description: 'Earliest time of the decisions.',
      resolve: (b) => b.since,
    }),
    until: t.field({
      type: 'DateTime',
      description: 'Time before which the decisions were made.',
      resolve: (b) => b.until,
    }),
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
      description: 'Number of decisions for which the condition is unknown, because a value is missing.',
    }),
    matchedAccounts: t.int({
      description: 'Number of different accounts that matched.',
      resolve: (b) => b.accounts,
    }),
    sample: t.field({
      type: [BacktestMatchRef],
      description: `Up to ${SAMPLE_SIZE} matches, spread over all of them, the oldest first; without those of erased accounts.`,
      resolve: ({ sample }, _args, { loaders }) => sampled(loaders.matchedDecision.loadMany(sample)),
    }),
    matches: t.field({
      type: BacktestMatchConnection,
      description:
        `Matches, the oldest decision first, without those of erased accounts. They are stored for ${MATCH_DAYS} days after ` +
        'the creation of the backtest; afterwards the connection is empty.',
      complexity: pageCost(2),
      args: PAGE_ARGS,
      resolve: (backtest, args, context) => matchPage(backtest, args, context),
    }),
    overlap: t.field({
      type: [BacktestOverlap],
      description: 'Number of matched accounts on each list at the end of the backtest, by name.',
      resolve: ({ overlap }) => Object.entries(overlap).map(([list, accounts]) => ({ list, accounts })),
    }),
    actor: t.exposeString('actor', { description: 'Visible prefix of the key that started it.' }),
    createdAt: t.field({ type: 'DateTime', description: 'Creation time.', resolve: (b) => b.createdAt }),
    finishedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time at which it ended; null before.',
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
    description: 'Backtest by its global id; null when it does not exist.',
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
