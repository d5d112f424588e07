import type { RuleAction } from '../domain/rules/rule.ts';
import {
  builtInRuleInputShape,
  newRuleShape,
  type RuleChanges,
  ruleChangesShape,
} from '../domain/rules/rule-input.ts';
import type { RuleRecord } from '../domain/rules/rule-service.ts';
import { builder } from './builder.ts';
import { uuidOf } from './node-loader.ts';
import { RuleNode, ruleNodeOf } from './rule.ts';
import { RuleActionInput, RuleState, RuleTrigger } from './rule-parts.ts';

const EXPRESSION = 'Condition as text, such as: account.account_score >= 0.7 AND session.risk_signals.vpn.';
const DESCRIPTION = 'Purpose, at most 1,024 characters; empty for none.';
const NAME = '1 to 128 printable characters, unique among rules that are not archived.';
const ACTIONS = 'Actions when it matches, in this order; at most 20. Lists must exist.';

const CreateRuleInput = builder.inputType('CreateRuleInput', {
  description: 'Rule to create.',
  fields: (t) => ({
    name: t.string({ required: true, description: NAME }),
    description: t.string({ description: DESCRIPTION }),
    trigger: t.field({ type: RuleTrigger, required: true, description: 'Moment at which it is evaluated.' }),
    expression: t.string({ required: true, description: EXPRESSION }),
    actions: t.field({ type: [RuleActionInput], description: `${ACTIONS} Without one it only records.` }),
    state: t.field({ type: RuleState, description: 'DRAFT by default; not ARCHIVED.' }),
  }),
  validate: newRuleShape,
});

const UpdateRuleInput = builder.inputType('UpdateRuleInput', {
  description: 'Changes of a rule. Null and absent fields keep their value.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Global id of the rule.' }),
    expectedVersion: t.int({
      description:
        'Version that the changes are based on. With another one, nothing changes and the error is rule.version_conflict.',
    }),
    name: t.string({ description: NAME }),
    description: t.string({ description: DESCRIPTION }),
    trigger: t.field({ type: RuleTrigger, description: 'Moment at which it is evaluated.' }),
    expression: t.string({ description: EXPRESSION }),
    actions: t.field({ type: [RuleActionInput], description: `Replaces all of them. ${ACTIONS}` }),
    state: t.field({ type: RuleState, description: 'State; an archived rule can no longer be changed.' }),
    paused: t.boolean({ description: 'Whether it is paused: not evaluated, whatever its state.' }),
    position: t.int({
      description:
        'Position in the order, 1 to 1,000,000. The rule at this position, and those directly behind it, move by one.',
    }),
  }),
  validate: ruleChangesShape,
});

const AddBuiltInRuleInput = builder.inputType('AddBuiltInRuleInput', {
  description: 'Built-in rule to add to the project.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Key of the built-in rule.' }),
    name: t.string({ description: `Name; that of the built-in rule by default. ${NAME}` }),
    state: t.field({ type: RuleState, description: 'DISABLED by default; not ARCHIVED.' }),
  }),
  validate: builtInRuleInputShape,
});

type Payload = { requestId: string; rule: RuleRecord };

const payload = (name: string, description: string) =>
  builder.objectRef<Payload>(name).implement({
    description,
    fields: (t) => ({
      requestId: t.field({ type: 'UUID', description: 'Id of this request.', resolve: (p) => p.requestId }),
      rule: t.field({
        type: RuleNode,
        description: 'Rule after the change.',
        resolve: ({ rule }, _args, { viewer }) => ruleNodeOf(viewer, rule),
      }),
    }),
  });

const CreateRulePayload = payload('CreateRulePayload', 'Created rule.');
const UpdateRulePayload = payload('UpdateRulePayload', 'Changed rule.');
const AddBuiltInRulePayload = payload('AddBuiltInRulePayload', 'Created rule.');

/** One field of an action is set: the schema sees to it. */
type ActionInput = (typeof RuleActionInput)['$inferInput'];
const toActions = (actions: readonly ActionInput[] | null | undefined) =>
  actions as readonly RuleAction[] | null | undefined;

builder.mutationFields((t) => ({
  createRule: t.field({
    type: CreateRulePayload,
    nullable: true,
    description:
      'Creates a rule at the end of the order. A project can have at most 500 that are not archived. Errors: rule.expression_invalid, ' +
      'rule.never_matches (no facts of the trigger make the condition true), rule.name_taken, rule.too_many, list.not_found, input.invalid.',
    authScopes: { may: 'rule.create' },
    args: { input: t.arg({ type: CreateRuleInput, required: true, description: 'Rule.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId }) => {
      const created = { ...input, actions: toActions(input.actions) };
      return { requestId, rule: await services.rules.create(viewer, requestId, created) };
    },
  }),
  updateRule: t.field({
    type: UpdateRulePayload,
    nullable: true,
    description:
      'Changes a rule. Decisions that begin afterwards follow it. Without a change nothing is written. Errors: ' +
      'rule.not_found, rule.version_conflict, rule.archived, rule.expression_invalid, rule.never_matches, ' +
      'rule.name_taken, list.not_found, input.invalid.',
    authScopes: { may: 'rule.update' },
    args: { input: t.arg({ type: UpdateRuleInput, required: true, description: 'Rule and changes.' }) },
    resolve: async (_root, { input: { id, ...input } }, { viewer, services, requestId }) => {
      const changes: RuleChanges = { ...input, actions: toActions(input.actions) };
      return {
        requestId,
        rule: await services.rules.update(viewer, requestId, uuidOf('Rule', id) ?? '', changes),
      };
    },
  }),
  addBuiltInRule: t.field({
    type: AddBuiltInRulePayload,
    nullable: true,
    description:
      'Creates a rule of the project from a built-in one. Errors: rule.built_in_not_found, ' +
      'rule.name_taken, rule.too_many, input.invalid.',
    authScopes: { may: 'rule.create' },
    args: { input: t.arg({ type: AddBuiltInRuleInput, required: true, description: 'Built-in rule.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId }) => ({
      requestId,
      rule: await services.rules.addBuiltIn(viewer, requestId, input),
    }),
  }),
}));
