import type { RuleAction } from '../domain/rules/rule.ts';
import {
  builtInRuleInputShape,
  newRuleShape,
  type RuleChanges,
  ruleChangesShape,
} from '../domain/rules/rule-input.ts';
import type { RuleRecord } from '../domain/rules/rule-service.ts';
import { builder } from './builder.ts';
import { RuleActionInput, RuleState, RuleTrigger, RuleType } from './rule.ts';

const EXPRESSION = 'Condition as text, such as: account.account_score >= 0.7 AND session.risk_signals.vpn.';
const DESCRIPTION = 'What it is for, 1,024 characters at most.';
const NAME = '1 to 128 printable characters, unique among rules that are not archived.';
const ACTIONS = 'What is done when it matches, in this order; 20 at most. Lists have to exist.';

const CreateRuleInput = builder.inputType('CreateRuleInput', {
  description: 'A new rule.',
  fields: (t) => ({
    name: t.string({ required: true, description: NAME }),
    description: t.string({ description: DESCRIPTION }),
    trigger: t.field({ type: RuleTrigger, required: true, description: 'When it is looked at.' }),
    expression: t.string({ required: true, description: EXPRESSION }),
    actions: t.field({ type: [RuleActionInput], description: `${ACTIONS} Without any it only records.` }),
    state: t.field({ type: RuleState, description: 'DRAFT by default; not ARCHIVED.' }),
  }),
  validate: newRuleShape,
});

const UpdateRuleInput = builder.inputType('UpdateRuleInput', {
  description: 'Changes of a rule. Null and absent fields leave what there is.',
  fields: (t) => ({
    id: t.id({ required: true, description: 'Id of the rule.' }),
    expectedVersion: t.int({
      description: 'Version that the changes are made for: with another one now, nothing is changed.',
    }),
    name: t.string({ description: NAME }),
    description: t.string({ description: DESCRIPTION }),
    trigger: t.field({ type: RuleTrigger, description: 'When it is looked at.' }),
    expression: t.string({ description: EXPRESSION }),
    actions: t.field({ type: [RuleActionInput], description: `Replaces all of them. ${ACTIONS}` }),
    state: t.field({ type: RuleState, description: 'State; an archived rule can no longer be changed.' }),
    paused: t.boolean({ description: 'Whether it rests for now, whatever its state.' }),
    position: t.int({
      description:
        'Place in the order, from 1 to 1,000,000. The rule that stands there, and those directly behind it, move on by one.',
    }),
  }),
  validate: ruleChangesShape,
});

const AddBuiltInRuleInput = builder.inputType('AddBuiltInRuleInput', {
  description: 'Which built-in rule is made a rule of the project.',
  fields: (t) => ({
    key: t.string({ required: true, description: 'Key of the built-in rule.' }),
    name: t.string({ description: `Its own name by default. ${NAME}` }),
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
      rule: t.field({ type: RuleType, description: 'The rule as it is now.', resolve: (p) => p.rule }),
    }),
  });

const CreateRulePayload = payload('CreateRulePayload', 'The rule that was created.');
const UpdateRulePayload = payload('UpdateRulePayload', 'The rule after the changes.');
const AddBuiltInRulePayload = payload('AddBuiltInRulePayload', 'The rule that was made.');

/** One field of an action is set: the schema sees to it. */
type ActionInput = (typeof RuleActionInput)['$inferInput'];
const toActions = (actions: readonly ActionInput[] | null | undefined) =>
  actions as readonly RuleAction[] | null | undefined;

builder.mutationFields((t) => ({
  createRule: t.field({
    type: CreateRulePayload,
    description:
      'Creates a rule behind all others; 500 that are not archived at most. Errors: rule.expression_invalid, ' +
      'rule.never_matches (no facts of the trigger make the condition true), rule.name_taken, rule.too_many, list.not_found, input.invalid.',
    authScopes: { may: 'rule.create' },
    args: { input: t.arg({ type: CreateRuleInput, required: true, description: 'The rule.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId }) => {
      const created = { ...input, actions: toActions(input.actions) };
      return { requestId, rule: await services.rules.create(viewer, requestId, created) };
    },
  }),
  updateRule: t.field({
    type: UpdateRulePayload,
    description:
      'Changes a rule; decisions that begin afterwards follow it. Without a change nothing is written. Errors: ' +
      'rule.not_found, rule.version_conflict, rule.archived, rule.expression_invalid, rule.never_matches, ' +
      'rule.name_taken, list.not_found, input.invalid.',
    authScopes: { may: 'rule.update' },
    args: { input: t.arg({ type: UpdateRuleInput, required: true, description: 'Rule and changes.' }) },
    resolve: async (_root, { input: { id, ...input } }, { viewer, services, requestId }) => {
      const changes: RuleChanges = { ...input, actions: toActions(input.actions) };
      return { requestId, rule: await services.rules.update(viewer, requestId, String(id), changes) };
    },
  }),
  addBuiltInRule: t.field({
    type: AddBuiltInRulePayload,
    description:
      'Makes a built-in rule a rule of the project, where it can be edited. Errors: rule.built_in_not_found, ' +
      'rule.name_taken, rule.too_many, input.invalid.',
    authScopes: { may: 'rule.create' },
    args: { input: t.arg({ type: AddBuiltInRuleInput, required: true, description: 'Which one.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId }) => ({
      requestId,
      rule: await services.rules.addBuiltIn(viewer, requestId, input),
    }),
  }),
}));
