import type { ACTION_OUTCOMES, ActionOutcome } from '../domain/rules/apply-actions.ts';
import { BUILT_IN_RULES } from '../domain/rules/built-in-rules.ts';
import type { Expression } from '../domain/rules/language/expression.ts';
import { printExpression } from '../domain/rules/language/print-expression.ts';
import { MAX_COUNTED_MATCHES, MAX_LISTED_RULES, type RuleAction } from '../domain/rules/rule.ts';
import type { RuleMatchRow, RuleVersion } from '../domain/rules/rule-history-service.ts';
import type { RuleRecord } from '../domain/rules/rule-service.ts';
import { decodeCursor } from '../platform/cursor.ts';
import { builder } from './builder.ts';
import { pageSize, toPage } from './connection.ts';
import type { GraphQLContext } from './context.ts';

export const RuleTrigger = builder.enumType('RuleTrigger', {
  description: 'When a rule is looked at.',
  values: {
    ID_CHECK_COMPLETED: { description: 'When an ID check of the account was completed.' },
    FACE_CHECK_COMPLETED: { description: 'When a face check of the account was completed.' },
    FIRST_SESSION: { description: 'When the first session of an account is authenticated.' },
    ANY_SESSION: { description: 'Whenever a session of an account is authenticated.' },
  } as const,
});

export const RuleState = builder.enumType('RuleState', {
  description: 'What becomes of a rule when its trigger comes.',
  values: {
    DRAFT: { value: 'draft', description: 'It is not looked at.' },
    SHADOW: { value: 'shadow', description: 'It is looked at and recorded, and never acts.' },
    ENABLED: { value: 'enabled', description: 'It acts.' },
    DISABLED: { value: 'disabled', description: 'It is put aside.' },
    ARCHIVED: {
      value: 'archived',
      description:
        'It is gone from the lists, kept for the decisions that followed it, and never comes back.',
    },
  } as const,
});

const ACTION_FIELDS = {
  addToList: 'Name of a list that the account is put on.',
  removeFromList: 'Name of a list that the account is taken off.',
  raiseFlag: 'A flag that the decision shows: 1 to 64 of a-z, 0-9 and _.',
  emitEvent: 'Name of an event rule.custom that is told: 1 to 64 of a-z, 0-9 and _.',
} as const;
type ActionKind = keyof typeof ACTION_FIELDS;

const textOf = (action: RuleAction, kind: ActionKind) =>
  (action as Partial<Record<ActionKind, string>>)[kind] ?? null;

const RuleActionType = builder.objectRef<RuleAction>('RuleAction').implement({
  description: 'What a rule does when it matches; exactly one of the fields is set.',
  fields: (t) => ({
    addToList: t.string({
      nullable: true,
      description: ACTION_FIELDS.addToList,
      resolve: (action) => textOf(action, 'addToList'),
    }),
    removeFromList: t.string({
      nullable: true,
      description: ACTION_FIELDS.removeFromList,
      resolve: (action) => textOf(action, 'removeFromList'),
    }),
    raiseFlag: t.string({
      nullable: true,
      description: ACTION_FIELDS.raiseFlag,
      resolve: (action) => textOf(action, 'raiseFlag'),
    }),
    emitEvent: t.string({
      nullable: true,
      description: ACTION_FIELDS.emitEvent,
      resolve: (action) => textOf(action, 'emitEvent'),
    }),
  }),
});

export const RuleActionInput = builder.inputType('RuleActionInput', {
  description: 'What the rule does when it matches: exactly one of them.',
  isOneOf: true,
  fields: (t) => ({
    addToList: t.string({ description: ACTION_FIELDS.addToList }),
    removeFromList: t.string({ description: ACTION_FIELDS.removeFromList }),
    raiseFlag: t.string({ description: ACTION_FIELDS.raiseFlag }),
    emitEvent: t.string({ description: ACTION_FIELDS.emitEvent }),
  }),
});

const RuleActionResult = builder.enumType('RuleActionResult', {
  description: 'What an action of a rule did.',
  values: {
    DONE: { description: 'What it says.' },
    NOTHING_TO_DO: { description: 'Nothing: the account was on the list already, or not on it.' },
    KEPT: {
      description: 'Nothing: a standard list holds the account, and lets rules not take it from there.',
    },
    KEPT_OFF: {
      description: 'Nothing: an operator removed the account from the list and keeps it off (keepOff).',
    },
    NO_SUCH_LIST: { description: 'Nothing: the list was deleted meanwhile.' },
  } satisfies Record<(typeof ACTION_OUTCOMES)[number], { description: string }>,
});

export const RuleActionOutcome = builder.objectRef<ActionOutcome>('RuleActionOutcome').implement({
  description: 'An action of a rule that matched, and what it did. In shadow: what it would have done.',
  fields: (t) => ({
    action: t.field({ type: RuleActionType, description: 'The action.', resolve: (outcome) => outcome }),
    outcome: t.field({
      type: RuleActionResult,
      description: 'What it did.',
      resolve: ({ outcome }) => outcome,
    }),
  }),
});

const RuleVersionType = builder.objectRef<RuleVersion>('RuleVersion').implement({
  description: 'A rule as it was from a moment until its next version.',
  fields: (t) => ({
    version: t.exposeInt('version', { description: 'Counted from 1.' }),
    setVersion: t.exposeInt('setVersion', {
      description:
        "Version of the project's rules that came of it; decisions name the rules that they followed by it.",
    }),
    at: t.field({ type: 'DateTime', description: 'When the change was made.', resolve: ({ at }) => at }),
    actor: t.exposeString('actor', {
      description: "Who made it: the key's visible prefix, or command line.",
    }),
    name: t.exposeString('name', { description: 'Name.' }),
    description: t.exposeString('description', { description: 'What it is for.' }),
    trigger: t.field({ type: RuleTrigger, description: 'When it was looked at.', resolve: (v) => v.trigger }),
    state: t.field({ type: RuleState, description: 'State.', resolve: (v) => v.state }),
    paused: t.exposeBoolean('paused', { description: 'Whether it rested.' }),
    position: t.exposeInt('position', { description: 'Place in the order, from 1.' }),
    expression: t.string({
      description: 'Condition as text.',
      resolve: (v) => printExpression(v.expression),
    }),
    actions: t.field({ type: [RuleActionType], description: 'What it did.', resolve: (v) => v.actions }),
  }),
});

const RuleMatch = builder.objectRef<RuleMatchRow>('RuleMatch').implement({
  description: 'An account and session that a rule matched.',
  fields: (t) => ({
    at: t.field({ type: 'DateTime', description: 'When.', resolve: ({ at }) => at }),
    shadow: t.exposeBoolean('shadow', { description: 'Whether the rule was in shadow and did not act.' }),
    version: t.exposeInt('version', { description: 'Version of the rule that matched.' }),
    accountId: t.string({
      description: "The client's own id of the account.",
      resolve: (match) => match.account_id,
    }),
    sessionId: t.field({
      type: 'UUID',
      description: 'Session in which the condition held.',
      resolve: (match) => match.session_id,
    }),
    outcomes: t.field({
      type: [RuleActionOutcome],
      description: 'What its actions did, in their order.',
      resolve: (match) => match.outcomes,
    }),
  }),
});

const RuleMatchConnection = builder.connectionObject(
  { type: RuleMatch, name: 'RuleMatchConnection', description: 'A page of matches.' },
  { name: 'RuleMatchEdge', description: 'A match in a page.' },
);

type MatchCounts = { live: number; shadow: number; since: Date };

const RuleMatchCounts = builder.objectRef<MatchCounts>('RuleMatchCounts').implement({
  description: `How often a rule matched. Of each rule the latest ${MAX_COUNTED_MATCHES.toLocaleString('en')} matches are counted.`,
  fields: (t) => ({
    live: t.exposeInt('live', { description: 'Matches in which it acted.' }),
    shadow: t.exposeInt('shadow', { description: 'Matches in shadow.' }),
    since: t.field({ type: 'DateTime', description: 'Counted from here on.', resolve: ({ since }) => since }),
  }),
});

const COUNTED_DAYS = 30;
const HOUR_MS = 3_600_000;

/** From a full hour on, so that all rules of a query are counted in one statement. */
function lastDays(now: Date): Date {
  return new Date(Math.floor(now.getTime() / HOUR_MS - COUNTED_DAYS * 24) * HOUR_MS);
}

export const RuleType = builder.objectRef<RuleRecord>('Rule').implement({
  description: 'A condition over sessions and accounts, with what is done when it holds.',
  fields: (t) => ({
    id: t.id({ description: 'Id of the rule, a UUID.', resolve: (rule) => rule.ruleId }),
    name: t.exposeString('name', { description: 'Name, unique among rules that are not archived.' }),
    description: t.exposeString('description', { description: 'What it is for.' }),
    trigger: t.field({ type: RuleTrigger, description: 'When it is looked at.', resolve: (r) => r.trigger }),
    state: t.field({ type: RuleState, description: 'State.', resolve: (r) => r.state }),
    paused: t.exposeBoolean('paused', { description: 'Whether it rests for now, whatever its state.' }),
    position: t.exposeInt('position', {
      description: 'Place in the order in which rules are looked at, from 1; gaps mean nothing.',
    }),
    version: t.exposeInt('version', { description: 'Raised by one with every change, from 1.' }),
    expression: t.string({
      description: 'Condition as text.',
      resolve: (r) => printExpression(r.expression),
    }),
    expressionJson: t.field({
      type: 'JSONObject',
      description:
        'Condition as it is stored: {field, op, value} for a comparison, {and: [...]}, {or: [...]} or {not: ...}.',
      resolve: (r) => r.expression as Expression & Record<string, unknown>,
    }),
    actions: t.field({
      type: [RuleActionType],
      description: 'What is done when it matches, in this order; without any it only records.',
      resolve: (r) => r.actions,
    }),
    builtIn: t.exposeString('builtIn', {
      nullable: true,
      description: 'Key of the built-in rule that it was made from; null for one of your own.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was created.',
      resolve: (r) => r.createdAt,
    }),
    updatedAt: t.field({
      type: 'DateTime',
      description: 'When it was last changed.',
      resolve: (r) => r.updatedAt,
    }),
    versions: t.field({
      type: [RuleVersionType],
      description: 'What it has been, the newest first; the first one is what it is now.',
      complexity: ({ first }) => ({ field: 2, multiplier: first ?? 20 }),
      args: {
        first: t.arg.int({ description: 'How many, 100 at most; 20 by default.' }),
        before: t.arg.int({ description: 'Only versions below this one, to go on behind it.' }),
      },
      resolve: (rule, { first, before }, context) =>
        context.loaders.ruleVersions(before ?? null, pageSize(first, context)).load(rule.ruleId),
    }),
    matches: t.field({
      type: RuleMatchConnection,
      description: 'Accounts and sessions that it matched, the newest first.',
      complexity: ({ first }) => ({ field: 2, multiplier: first ?? 20 }),
      args: {
        first: t.arg.int({ description: 'How many, 100 at most; 20 by default.' }),
        after: t.arg.string({ description: 'Cursor to go on behind.' }),
        shadow: t.arg.boolean({ description: 'True: matches in shadow; false: those in which it acted.' }),
      },
      resolve: (rule, args, context) => matchPage(rule.ruleId, args, context),
    }),
    matchCounts: t.field({
      type: RuleMatchCounts,
      description: 'How often it matched.',
      args: {
        since: t.arg({
          type: 'DateTime',
          description: `Counted from here on; by default the last ${COUNTED_DAYS} days.`,
        }),
      },
      resolve: async (rule, args, { loaders, services }) => {
        const since = args.since ?? lastDays(services.clock.now());
        return { ...(await loaders.ruleMatchCounts(since).load(rule.ruleId)), since };
      },
    }),
  }),
});

type MatchArgs = { first?: number | null; after?: string | null; shadow?: boolean | null };

async function matchPage(ruleId: string, args: MatchArgs, context: GraphQLContext) {
  const { cipher } = context.viewer.project;
  const size = pageSize(args.first, context);
  const shadow = args.shadow ?? null;
  const scope = JSON.stringify(['rule matches', ruleId, shadow]);
  const after = args.after == null ? null : String(decodeCursor(cipher, scope, args.after)[0]);
  const rows = await context.loaders.ruleMatches({ shadow, after, limit: size + 1 }).load(ruleId);
  return toPage(rows, size, {
    context,
    scope,
    hasPrevious: after !== null,
    position: (row) => [row.match_id],
    edge: (node) => ({ node }),
  });
}

const BuiltInRule = builder.objectRef<(typeof BUILT_IN_RULES)[number]>('BuiltInRule').implement({
  description: 'A rule that comes with the service, to be added to a project and edited there.',
  fields: (t) => ({
    key: t.exposeString('key', { description: 'Its stable key.' }),
    name: t.exposeString('name', {
      description: 'Name that the rule is given unless another one is asked for.',
    }),
    description: t.exposeString('description', { description: 'What it is for.' }),
    trigger: t.field({ type: RuleTrigger, description: 'When it is looked at.', resolve: (r) => r.trigger }),
    expression: t.exposeString('expression', { description: 'Condition as text.' }),
    actions: t.field({ type: [RuleActionType], description: 'What it does.', resolve: (r) => r.actions }),
  }),
});

builder.queryFields((t) => ({
  rules: t.field({
    type: [RuleType],
    description:
      'Rules in the order in which they are looked at; archived ones, where asked for, at the end. ' +
      `${MAX_LISTED_RULES.toLocaleString('en')} at most.`,
    authScopes: { may: 'rule.read' },
    complexity: { field: 5, multiplier: 50 },
    args: {
      states: t.arg({ type: [RuleState], description: 'In these states; all but ARCHIVED when absent.' }),
    },
    resolve: (_root, { states }, context) => context.services.rules.list(context.viewer, states ?? null),
  }),
  rule: t.field({
    type: RuleType,
    nullable: true,
    description: 'A rule by its id, archived or not; null when there is none.',
    authScopes: { may: 'rule.read' },
    args: { id: t.arg.id({ required: true, description: 'Id of the rule.' }) },
    resolve: (_root, { id }, context) => context.services.rules.find(context.viewer, String(id)),
  }),
  builtInRules: t.field({
    type: [BuiltInRule],
    description: 'Rules that come with the service; addBuiltInRule makes one of them a rule of the project.',
    authScopes: { may: 'rule.read_built_in' },
    resolve: () => BUILT_IN_RULES,
  }),
}));
