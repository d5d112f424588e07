import type { GraphQLResolveInfo } from 'graphql';
import { countFound, listFoundMatches } from '../domain/rules/rule-history-service.ts';
import { builder } from './builder.ts';
import { MAX_COUNTED, PAGE_ARGS, type PageArgs, pageCost, selectPage, toConnection } from './connection.ts';
import type { GraphQLContext } from './context.ts';
import { referencedId } from './node-id.ts';
import { selectedNodes } from './nodes-query.ts';
import { MATCH_KEY, RuleMatchConnection } from './rule-match.ts';

const RuleMatchFilterInput = builder.inputType('RuleMatchFilter', {
  description: 'Conditions of matches of rules; a match meets all of them.',
  fields: (t) => ({
    ruleId: t.id({ description: 'Global id of the rule, or its ruleId.' }),
    accountId: t.string({ description: "The client's own id of the account." }),
    shadow: t.boolean({ description: 'True: matches in shadow; false: matches in which the rule acted.' }),
    since: t.field({ type: 'DateTime', description: 'Matched at or after this time.' }),
    until: t.field({ type: 'DateTime', description: 'Matched before this time.' }),
  }),
});

type SearchArgs = PageArgs & { filter?: (typeof RuleMatchFilterInput)['$inferInput'] | null };

async function foundPage(args: SearchArgs, context: GraphQLContext, info: GraphQLResolveInfo) {
  const { viewer } = context;
  const given = args.filter ?? {};
  const ruleId = given.ruleId == null ? null : referencedId('Rule', given.ruleId);
  const filter = { ...given, ruleId };
  // A rule that cannot exist has no matches.
  const isNone = given.ruleId != null && ruleId === null;
  const page = selectPage(args, ['all rule matches', filter], context);
  const query = selectedNodes(context, info, MATCH_KEY);
  return toConnection(isNone ? [] : await listFoundMatches(viewer, filter, page, query), page, {
    context,
    position: ({ matchId }) => [matchId],
    edge: (node) => ({ node }),
    total: async () => (isNone ? 0 : countFound(viewer, filter, MAX_COUNTED + 1)),
  });
}

builder.queryFields((t) => ({
  ruleMatches: t.field({
    type: RuleMatchConnection,
    nullable: true,
    description: 'Matches of all rules, the newest first. Errors: `auth.forbidden`, `input.invalid`.',
    authScopes: { may: 'rule.read' },
    complexity: pageCost(5),
    args: { ...PAGE_ARGS, filter: t.arg({ type: RuleMatchFilterInput, description: 'Conditions.' }) },
    resolve: (_root, args, context, info) => foundPage(args, context, info),
  }),
}));
