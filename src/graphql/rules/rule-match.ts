import { type ActionOutcome, MAX_COUNTED_MATCHES, shownOutcomes } from '@vouchgraph/decisions';
import type { GraphQLResolveInfo } from 'graphql';
import { AccountRef } from '../kernel/account-ref.ts';
import { builder } from '../kernel/builder.ts';
import {
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
import { argumentsOf } from '../kernel/selected-fields.ts';
import { SessionRef } from '../sessions/session.ts';
import { RuleNode } from './rule.ts';
import { RuleActionOutcome } from './rule-parts.ts';

/** The columns of a match that every query reads. */
export const MATCH_KEY = { projectId: true, matchId: true } as const;

const RuleMatchNode = builder.prismaNode('RuleMatch', {
  tokenScopes: 'never',
  subjects: 'wide',
  description: 'Match of a rule with an account and a session. Deleted with the account.',
  select: MATCH_KEY,
  id: { resolve: ({ matchId }) => matchId, description: 'Global id.' },
  nullable: true,
  findUnique: (matchId, { viewer }) => ({
    projectId_matchId: {
      projectId: viewer.project.projectId,
      matchId: readableUuid(viewer, 'rule.read', matchId),
    },
  }),
  fields: (t) => ({
    matchId: t.field({
      type: 'UUID',
      description: 'Id of the match.',
      resolve: ({ matchId }) => matchId,
    }),
    at: t.expose('at', { type: 'DateTime', description: 'Time of the match.' }),
    shadow: t.exposeBoolean('shadow', { description: 'Whether the rule was in shadow and did not act.' }),
    version: t.exposeInt('version', { description: 'Version number of the rule that matched.' }),
    rule: t.relation('rule', { description: 'Current state of the rule.' }),
    ruleVersion: t.relation('ruleVersion', { description: 'Version of the rule that matched.' }),
    accountId: t.id({
      description: 'Id of the account, assigned by the client.',
      select: { account: { select: { accountId: true } } },
      resolve: ({ account }) => account.accountId,
    }),
    account: t.field({
      type: AccountRef,
      nullable: true,
      description: 'Current state of the account. Null if it was erased.',
      select: { accountId: true },
      resolve: (match, _args, { loaders }) => loaders.account.load(match.accountId),
    }),
    sessionId: t.field({
      type: 'UUID',
      description: 'Id of the session in which the condition was true.',
      select: { sessionId: true },
      resolve: (match) => match.sessionId,
    }),
    session: t.field({
      type: SessionRef,
      nullable: true,
      description: 'Session in which the condition was true. Null if it was deleted.',
      select: { sessionId: true },
      resolve: (match, _args, { loaders }) => loaders.session.load(match.sessionId),
    }),
    outcomes: t.field({
      type: [RuleActionOutcome],
      description: 'Outcomes of the actions, in their order.',
      select: { outcomes: true, shadow: true },
      resolve: ({ outcomes, shadow }) => shownOutcomes(outcomes as ActionOutcome[], shadow),
    }),
  }),
});

export const RuleMatchConnection = builder.connectionObject(
  { type: RuleMatchNode, name: 'RuleMatchConnection', description: 'Page of matches of a rule.' },
  { name: 'RuleMatchEdge', description: 'Match in a page.' },
);

type MatchArgs = PageArgs & { shadow?: boolean | null };

/** The page of matches that the arguments select. */
function selectMatches(ruleId: string, args: MatchArgs, context: GraphQLContext) {
  const shadow = args.shadow ?? null;
  return { shadow, page: selectPage(args, ['rule matches', ruleId, shadow], context) };
}

async function matchPage(
  { ruleId }: { ruleId: string },
  args: MatchArgs,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
) {
  const { loaders } = context;
  const { shadow, page } = selectMatches(ruleId, args, context);
  const asked = { shadow, page: rangeOf(page), query: selectedNodes(context, info, MATCH_KEY) };
  const rows = await loaders.ruleMatches(asked).load(ruleId);
  return toConnection(rows, page, {
    context,
    position: ({ matchId }) => [matchId],
    edge: (node) => ({ node }),
    total: () => loaders.ruleMatchTotal(shadow).load(ruleId),
  });
}

type MatchCounts = { live: number; shadow: number; since: Date };

const RuleMatchCounts = builder.objectRef<MatchCounts>('RuleMatchCounts').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  description: `Number of matches of a rule, among the latest ${MAX_COUNTED_MATCHES.toLocaleString('en')} matches.`,
  fields: (t) => ({
    live: t.exposeInt('live', { description: 'Number of matches in which the rule acted.' }),
    shadow: t.exposeInt('shadow', { description: 'Number of matches in shadow.' }),
    since: t.field({
      type: 'DateTime',
      description: 'Time from which matches are counted.',
      resolve: ({ since }) => since,
    }),
  }),
});

const COUNTED_DAYS = 30;
const HOUR_MS = 3_600_000;

/** From a full hour on, so that all rules of a query are counted in one statement. */
function lastDays(now: Date): Date {
  return new Date(Math.floor(now.getTime() / HOUR_MS - COUNTED_DAYS * 24) * HOUR_MS);
}

builder.prismaObjectFields(RuleNode, (t) => ({
  matches: t.field({
    type: RuleMatchConnection,
    description: 'Matches of the rule, the newest first.',
    complexity: pageCost(2),
    args: {
      ...PAGE_ARGS,
      shadow: t.arg.boolean({
        description:
          'Whether to select only matches in shadow (true), or only matches in which the rule acted ' +
          '(false). Null: both.',
      }),
    },
    resolve: (rule, args, context, info) => matchPage(rule, args, context, info),
  }),
  matchCounts: t.field({
    type: RuleMatchCounts,
    description: 'Number of matches, live and in shadow.',
    args: {
      since: t.arg({
        type: 'DateTime',
        description: `Time from which matches are counted. ${COUNTED_DAYS} days ago by default.`,
      }),
    },
    resolve: async (rule, args, { loaders, services }) => {
      const since = args.since ?? lastDays(services.clock.now());
      return { ...(await loaders.ruleMatchCounts(since).load(rule.ruleId)), since };
    },
  }),
}));

/** The page of matches that a query of the rule selects; null for none or several, and for one that their field rejects. */
function matchesIn(info: GraphQLResolveInfo, ruleId: string, context: GraphQLContext) {
  const args = argumentsOf<MatchArgs>(info, 'matches');
  try {
    return args && selectMatches(ruleId, args, context);
  } catch {
    return null;
  }
}

/** Rule by its id. Matches that the query selects once are read by the same statement, and put into the loader of their field. */
async function readRule(ruleId: string, context: GraphQLContext, info: GraphQLResolveInfo) {
  const { loaders } = context;
  const selected = matchesIn(info, ruleId, context);
  if (!selected) return loaders.rule.load(ruleId);
  const query = selectedNodes(context, info, MATCH_KEY, ['matches', 'edges', 'node']);
  const asked = { shadow: selected.shadow, page: rangeOf(selected.page), query };
  const rule = await loaders.rulesWithMatches(asked).load(ruleId);
  if (rule) loaders.ruleMatches(asked).prime(ruleId, rule.matches);
  return rule;
}

builder.queryField('rule', (t) =>
  t.field({
    type: RuleNode,
    nullable: true,
    description: 'Rule by its id, including archived rules. Null if it does not exist.',
    authScopes: { may: 'rule.read' },
    args: { id: t.arg.id({ required: true, description: 'Global id of the rule, or its ruleId.' }) },
    resolve: (_root, { id }, context, info) => {
      const ruleId = uuidOf('Rule', id);
      return ruleId === null ? null : readRule(ruleId, context, info);
    },
  }),
);
