import type { GraphQLResolveInfo } from 'graphql';
import { countFound, listFoundMatches } from '../../domain/rules/rule-history-service.ts';
import { builder } from '../kernel/builder.ts';
import {
  MAX_COUNTED,
  PAGE_ARGS,
  type PageArgs,
  pageCost,
  selectPage,
  toConnection,
} from '../kernel/connection.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { internalIdOf } from '../kernel/node-id.ts';
import { selectedNodes } from '../kernel/nodes-query.ts';
import { MATCH_KEY, RuleMatchConnection } from './rule-match.ts';

const RuleMatchFilterInput = builder.inputType('RuleMatchFilter', {
  description: 'Conditions on rule matches. A match must meet all of them.',
  fields: (t) => ({
    ruleId: t.id({ description: 'Global id of the rule, or its ruleId.' }),
    accountId: t.id({ description: 'Id of the account, assigned by the client.' }),
    shadow: t.boolean({ description: 'Whether the rule was in shadow (true), or acted (false).' }),
    since: t.field({ type: 'DateTime', description: 'Earliest time of the match, inclusive.' }),
    until: t.field({ type: 'DateTime', description: 'Latest time of the match, exclusive.' }),
  }),
});

type SearchArgs = PageArgs & { filter?: (typeof RuleMatchFilterInput)['$inferInput'] | null };

async function foundPage(args: SearchArgs, context: GraphQLContext, info: GraphQLResolveInfo) {
  const { viewer } = context;
  const given = args.filter ?? {};
  const ruleId = given.ruleId == null ? null : internalIdOf('Rule', given.ruleId);
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
    args: {
      ...PAGE_ARGS,
      filter: t.arg({ type: RuleMatchFilterInput, description: 'Conditions on rule matches.' }),
    },
    resolve: (_root, args, context, info) => foundPage(args, context, info),
  }),
}));
