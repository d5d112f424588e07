import type { RuleAction, RuleState as State, Trigger } from '@vouchgraph/decisions';
import { type Expression, printExpression } from '@vouchgraph/rules';
import type { GraphQLResolveInfo } from 'graphql';
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
import { readablePart } from '../kernel/node-loader.ts';
import { selectedNodes } from '../kernel/nodes-query.ts';
import { RuleNode } from './rule.ts';
import { RuleActionType, RuleState, RuleTrigger } from './rule-parts.ts';

/** The columns of a version that every query reads. */
const VERSION_KEY = { projectId: true, ruleId: true, version: true } as const;

const RuleVersionNode = builder.prismaNode('RuleVersion', {
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description: 'Version of a rule, from one change until the next.',
  select: VERSION_KEY,
  id: { resolve: ({ ruleId, version }) => `${ruleId}:${version}`, description: 'Global id.' },
  nullable: true,
  findUnique: (id, { viewer }) => {
    const { uuid: ruleId, number: version } = readablePart(viewer, 'rule.read', id);
    return { projectId_ruleId_version: { projectId: viewer.project.projectId, ruleId, version } };
  },
  fields: (t) => ({
    ruleId: t.field({
      type: 'UUID',
      description: 'Id of the rule, as in webhooks.',
      resolve: ({ ruleId }) => ruleId,
    }),
    rule: t.relation('rule', { description: 'Current state of the rule.' }),
    version: t.exposeInt('version', { description: 'Version number, from 1.' }),
    setVersion: t.exposeInt('rulesVersion', {
      description: 'Version of the rules of the project after the change, as in DecisionVersions.rules.',
    }),
    at: t.field({
      type: 'DateTime',
      description: 'Time of the change.',
      select: { createdAt: true },
      resolve: ({ createdAt }) => createdAt,
    }),
    actor: t.exposeString('actor', {
      description: 'Author of the change: visible prefix of a key, or command line.',
    }),
    name: t.exposeString('name', { description: 'Name.' }),
    description: t.string({
      nullable: true,
      description: 'Purpose. Null if none.',
      select: { description: true },
      resolve: (v) => v.description || null,
    }),
    trigger: t.field({
      type: RuleTrigger,
      description: 'Time of evaluation.',
      select: { trigger: true },
      resolve: (v) => v.trigger as Trigger,
    }),
    ruleState: t.field({
      type: RuleState,
      description: 'State.',
      select: { state: true },
      resolve: (v) => v.state as State,
    }),
    paused: t.exposeBoolean('paused', { description: 'Whether the rule was paused.' }),
    position: t.exposeInt('position', { description: 'Position in the order of evaluation, from 1.' }),
    expression: t.string({
      description: 'Condition as text.',
      select: { expression: true },
      resolve: (v) => printExpression(v.expression as Expression),
    }),
    actions: t.field({
      type: [RuleActionType],
      description: 'Actions, in their order.',
      select: { actions: true },
      resolve: (v) => v.actions as RuleAction[],
    }),
  }),
});

const RuleVersionConnection = builder.connectionObject(
  {
    type: RuleVersionNode,
    name: 'RuleVersionConnection',
    subjects: 'none',
    description: 'Page of versions of a rule.',
  },
  { name: 'RuleVersionEdge', subjects: 'none', description: 'Version in a page.' },
);

async function versionPage(
  { ruleId }: { ruleId: string },
  args: PageArgs,
  context: GraphQLContext,
  info: GraphQLResolveInfo,
) {
  const { loaders } = context;
  const page = selectPage(args, ['rule versions', ruleId], context);
  const asked = { page: rangeOf(page), query: selectedNodes(context, info, VERSION_KEY) };
  const versions = await loaders.ruleVersions(asked).load(ruleId);
  return toConnection(versions, page, {
    context,
    position: ({ version }) => [version],
    edge: (node) => ({ node }),
    total: () => loaders.ruleVersionTotal.load(ruleId),
  });
}

builder.prismaObjectFields(RuleNode, (t) => ({
  versions: t.field({
    type: RuleVersionConnection,
    description: 'Versions of the rule, the newest first. The first one is the current rule.',
    complexity: pageCost(2),
    args: PAGE_ARGS,
    resolve: (rule, args, context, info) => versionPage(rule, args, context, info),
  }),
}));
