import { invalidInput } from '@vouchgraph/platform/errors';
import { betweenText } from '@vouchgraph/platform/wording';
import { countFound, listFoundDecisions } from '../../domain/decisions/decision-service.ts';
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
import { DecisionType } from '../kernel/risk.ts';
import { DecisionConnection } from './decision.ts';

const DecisionFilterInput = builder.inputType('DecisionFilter', {
  description: 'Conditions on decisions. A decision must meet all of them.',
  fields: (t) => ({
    decision: t.field({ type: DecisionType, description: 'Outcome of the decision.' }),
    accountId: t.id({ description: 'Id of the account, assigned by the client.' }),
    minScore: t.float({ description: 'Minimum account score at the decision, 0 to 1.' }),
    since: t.field({ type: 'DateTime', description: 'Earliest time of the decision, inclusive.' }),
    until: t.field({ type: 'DateTime', description: 'Latest time of the decision, exclusive.' }),
  }),
});

type DecisionPageArgs = PageArgs & { filter?: (typeof DecisionFilterInput)['$inferInput'] | null };

async function decisionPage(args: DecisionPageArgs, context: GraphQLContext) {
  const { viewer } = context;
  const filter = args.filter ?? {};
  const { minScore } = filter;
  if (minScore != null && !(minScore >= 0 && minScore <= 1))
    throw invalidInput(`minScore: ${betweenText(0, 1)}`, ['filter', 'minScore']);
  const page = selectPage(args, ['all decisions', filter], context);
  return toConnection(await listFoundDecisions(viewer, filter, page), page, {
    context,
    position: ({ decisionId }) => [decisionId],
    edge: (node) => ({ node }),
    total: () => countFound(viewer, filter, MAX_COUNTED + 1),
  });
}

builder.queryFields((t) => ({
  decisions: t.field({
    type: DecisionConnection,
    nullable: true,
    description: 'Decisions of the project, the newest first. Errors: `auth.forbidden`, `input.invalid`.',
    authScopes: { may: 'decision.read' },
    complexity: pageCost(5),
    args: {
      ...PAGE_ARGS,
      filter: t.arg({ type: DecisionFilterInput, description: 'Conditions on decisions.' }),
    },
    resolve: (_root, args, context) => decisionPage(args, context),
  }),
}));
