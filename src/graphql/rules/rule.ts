import {
  BUILT_IN_RULES,
  type RuleAction,
  type RuleState as State,
  type Trigger,
} from '@vouchgraph/decisions';
import { type Expression, printExpression } from '@vouchgraph/rules';
import { refusalOf } from '../../domain/projects/assert-may.ts';
import { countRulesInStates, listRulesInOrder, rulePosition } from '../../domain/rules/rule-read-service.ts';
import { RuleReferenceType } from '../decisions/decision.ts';
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
import { readableUuid } from '../kernel/node-loader.ts';
import { RuleActionType, RuleState, RuleTrigger } from './rule-parts.ts';

export const RuleNode = builder.prismaNode('Rule', {
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description: 'Condition on sessions and accounts, with actions on a match.',
  id: { resolve: (rule) => rule.ruleId, description: 'Global id.' },
  nullable: true,
  findUnique: (ruleId, { viewer }) => ({
    projectId_ruleId: {
      projectId: viewer.project.projectId,
      ruleId: readableUuid(viewer, 'rule.read', ruleId),
    },
  }),
  fields: (t) => ({
    ruleId: t.field({
      type: 'UUID',
      description: 'Id of the rule, as in webhooks and the audit log.',
      resolve: (rule) => rule.ruleId,
    }),
    name: t.exposeString('name', { description: 'Name, unique among rules that are not archived.' }),
    description: t.string({
      nullable: true,
      description: 'Purpose. Null if none.',
      resolve: (rule) => rule.description || null,
    }),
    trigger: t.field({
      type: RuleTrigger,
      description: 'Time of evaluation.',
      resolve: (rule) => rule.trigger as Trigger,
    }),
    ruleState: t.field({ type: RuleState, description: 'State.', resolve: (rule) => rule.state as State }),
    paused: t.exposeBoolean('paused', {
      description: 'Whether the rule is paused. A paused rule is not evaluated in any state.',
    }),
    position: t.exposeInt('position', {
      description: 'Position in the order of evaluation, from 1. Gaps have no meaning.',
    }),
    version: t.exposeInt('version', {
      description: 'Version number, incremented by every change.',
    }),
    expression: t.string({
      description: 'Condition as text.',
      resolve: (rule) => printExpression(rule.expression as Expression),
    }),
    expressionJson: t.field({
      type: 'JSONObject',
      description:
        'Stored form of the condition: {field, op, value} for a comparison, {and: [...]}, {or: [...]} ' +
        'or {not: ...}.',
      resolve: (rule) => rule.expression as Expression & Record<string, unknown>,
    }),
    actions: t.field({
      type: [RuleActionType],
      description: 'Actions on a match, in their order. A rule without actions only records matches.',
      resolve: (rule) => rule.actions as RuleAction[],
    }),
    builtIn: t.exposeString('builtIn', {
      nullable: true,
      description: 'Key of the built-in rule that the rule was created from. Null for other rules.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Creation time.',
      resolve: (rule) => rule.createdAt,
    }),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'Time of the latest change.',
      resolve: (rule) => rule.updatedAt,
    }),
  }),
});

builder.objectField(RuleReferenceType, 'rule', (t) =>
  t.field({
    type: RuleNode,
    nullable: true,
    description: 'Current state of the rule. Null if the viewer may not read rules.',
    resolve: ({ ruleId }, _args, { viewer, loaders }) =>
      refusalOf(viewer, 'rule.read') ? null : loaders.rule.load(ruleId),
  }),
);

const BuiltInRule = builder.objectRef<(typeof BUILT_IN_RULES)[number]>('BuiltInRule').implement({
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description: 'Rule of the service, from which addBuiltInRule creates a rule of the project.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Stable key.' }),
    name: t.exposeString('name', {
      description: 'Name of the created rule. The input can contain another name.',
    }),
    description: t.exposeString('description', { description: 'Purpose.' }),
    trigger: t.field({
      type: RuleTrigger,
      description: 'Time of evaluation.',
      resolve: (rule) => rule.trigger,
    }),
    expression: t.exposeString('expression', { description: 'Condition as text.' }),
    actions: t.field({
      type: [RuleActionType],
      description: 'Actions, in their order.',
      resolve: (rule) => rule.actions,
    }),
  }),
});

const RuleConnection = builder.connectionObject(
  { type: RuleNode, name: 'RuleConnection', description: 'Page of rules.' },
  { name: 'RuleEdge', description: 'Rule in a page.' },
);

const NOT_ARCHIVED: readonly State[] = ['draft', 'shadow', 'enabled', 'disabled'];

async function rulePage(
  { states, ...args }: PageArgs & { states?: readonly State[] | null },
  context: GraphQLContext,
) {
  const { viewer } = context;
  const wanted = [...new Set(states ?? NOT_ARCHIVED)].toSorted();
  const page = selectPage(args, ['rules', wanted], context);
  const rules = await listRulesInOrder(viewer, wanted, page);
  return toConnection(rules, page, {
    context,
    position: rulePosition,
    edge: (node) => ({ node }),
    total: () => countRulesInStates(viewer, wanted, MAX_COUNTED + 1),
  });
}

builder.queryFields((t) => ({
  rules: t.field({
    type: RuleConnection,
    nullable: true,
    description: 'Rules in the order of evaluation, followed by archived rules, the latest first.',
    authScopes: { may: 'rule.read' },
    complexity: pageCost(5),
    args: {
      ...PAGE_ARGS,
      states: t.arg({ type: [RuleState], description: 'States of the rules. All but ARCHIVED by default.' }),
    },
    resolve: (_root, args, context) => rulePage(args, context),
  }),
  builtInRules: t.field({
    type: [BuiltInRule],
    nullable: true,
    description: 'Built-in rules of the service.',
    authScopes: { may: 'rule.read_built_in' },
    resolve: () => BUILT_IN_RULES,
  }),
}));
