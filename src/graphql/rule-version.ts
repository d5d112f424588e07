import { printExpression } from '../domain/rules/language/print-expression.ts';
import type { RuleVersion } from '../domain/rules/rule-history-service.ts';
import type { RuleRecord } from '../domain/rules/rule-service.ts';
import { isUuid } from '../platform/ids.ts';
import { builder } from './builder.ts';
import { PAGE_ARGS, type PageArgs, pageCost, rangeOf, selectPage, toConnection } from './connection.ts';
import type { GraphQLContext } from './context.ts';
import { nodeLoader } from './node-loader.ts';
import { RuleActionType, RuleRef, RuleState, RuleTrigger } from './rule-parts.ts';

const MAX_VERSION = 2 ** 31 - 1;

/** Whether a key is that of a version: the rule's id and a number, in one spelling. */
function isVersionKey(key: string): boolean {
  const [ruleId = '', version = '', ...more] = key.split(':');
  const number = Number(version);
  return more.length === 0 && isUuid(ruleId) && number <= MAX_VERSION && String(number) === version;
}

export const RuleVersionRef = builder.objectRef<RuleVersion>('RuleVersion');

builder.node(RuleVersionRef, {
  description: 'Rule as it was from a change until the next one.',
  id: { resolve: ({ ruleId, version }) => `${ruleId}:${version}`, description: 'Global id.' },
  loadMany: nodeLoader('rule.read', ({ ruleVersion }) => ruleVersion, isVersionKey),
  fields: (t) => ({
    ruleId: t.field({
      type: 'UUID',
      description: 'Id of the rule, as webhooks contain it.',
      resolve: ({ ruleId }) => ruleId,
    }),
    rule: t.field({
      type: RuleRef,
      description: 'Rule as it is now.',
      resolve: async ({ ruleId }, _args, { loaders }) => (await loaders.rule.load(ruleId))!,
    }),
    version: t.exposeInt('version', { description: 'Number of the version, from 1.' }),
    setVersion: t.exposeInt('setVersion', {
      description: "Version of the project's set of rules that the change made; decisions store it.",
    }),
    at: t.field({ type: 'DateTime', description: 'Time of the change.', resolve: ({ at }) => at }),
    actor: t.exposeString('actor', {
      description: 'Author of the change: visible prefix of a key, or command line.',
    }),
    name: t.exposeString('name', { description: 'Name.' }),
    description: t.string({
      nullable: true,
      description: 'Purpose; null when none was given.',
      resolve: (v) => v.description || null,
    }),
    trigger: t.field({
      type: RuleTrigger,
      description: 'Moment at which it was evaluated.',
      resolve: (v) => v.trigger,
    }),
    ruleState: t.field({ type: RuleState, description: 'State.', resolve: (v) => v.state }),
    paused: t.exposeBoolean('paused', { description: 'Whether it was paused.' }),
    position: t.exposeInt('position', { description: 'Position in the order of evaluation, from 1.' }),
    expression: t.string({
      description: 'Condition as text.',
      resolve: (v) => printExpression(v.expression),
    }),
    actions: t.field({
      type: [RuleActionType],
      description: 'Actions, in their order.',
      resolve: (v) => v.actions,
    }),
  }),
});

const RuleVersionConnection = builder.connectionObject(
  { type: RuleVersionRef, name: 'RuleVersionConnection', description: 'Page of versions of a rule.' },
  { name: 'RuleVersionEdge', description: 'Version in a page.' },
);

async function versionPage({ ruleId }: RuleRecord, args: PageArgs, context: GraphQLContext) {
  const { loaders } = context;
  const page = selectPage(args, ['rule versions', ruleId], context);
  const versions = await loaders.ruleVersions(rangeOf(page)).load(ruleId);
  return toConnection(versions, page, {
    context,
    position: ({ version }) => [version],
    edge: (node) => ({ node }),
    total: () => loaders.ruleVersionTotal.load(ruleId),
  });
}

builder.objectField(RuleRef, 'versions', (t) =>
  t.field({
    type: RuleVersionConnection,
    description: 'Versions, the newest first; the first one is the rule as it is now.',
    complexity: pageCost(2),
    args: PAGE_ARGS,
    resolve: (rule, args, context) => versionPage(rule, args, context),
  }),
);
