import { builtInRuleInputShape, newRuleShape, ruleChangesShape } from '../../domain/rules/rule-input.ts';
import type { RuleRecord } from '../../domain/rules/rule-service.ts';
import { builder } from '../kernel/builder.ts';
import { inputFrom } from '../kernel/input-from.ts';
import { uuidOf } from '../kernel/node-loader.ts';
import { payloadType } from '../kernel/payload.ts';
import { RuleNode } from './rule.ts';

const CreateRuleInput = inputFrom(newRuleShape);
const UpdateRuleInput = inputFrom(ruleChangesShape);
const AddBuiltInRuleInput = inputFrom(builtInRuleInputShape);

type Payload = { rule: RuleRecord };

const payload = (name: string, description: string) =>
  payloadType<Payload>(name, description, { subjects: 'none' }, (t) => ({
    rule: t.field({
      type: RuleNode,
      description: 'Rule after the change.',
      resolve: ({ rule }) => rule as unknown as typeof RuleNode.$inferType,
    }),
  }));

const CreateRulePayload = payload('CreateRulePayload', 'Created rule.');
const UpdateRulePayload = payload('UpdateRulePayload', 'Changed rule.');
const AddBuiltInRulePayload = payload('AddBuiltInRulePayload', 'Created rule.');

builder.mutationFields((t) => ({
  createRule: t.field({
    isIdempotent: false,
    type: CreateRulePayload,
    nullable: true,
    description:
      'Creates a rule at the end of the order. A project can have at most 500 rules that are not ' +
      'archived. Errors: `rule.expression_invalid`, `rule.never_matches` (no facts of the trigger make ' +
      'the condition true), `rule.name_taken`, `rule.too_many`, `list.not_found`, `input.invalid`.',
    authScopes: { may: 'rule.create' },
    args: { input: t.arg({ type: CreateRuleInput, required: true, description: 'Rule to create.' }) },
    resolve: async (_root, { input }, { viewer, services, requestId }) => ({
      requestId,
      rule: await services.rules.create(viewer, requestId, input),
    }),
  }),
  updateRule: t.field({
    isIdempotent: false,
    type: UpdateRulePayload,
    nullable: true,
    description:
      'Changes a rule. Later decisions use the changed rule. A call without changes writes nothing. ' +
      'Errors: `rule.not_found`, `rule.version_conflict`, `rule.archived`, `rule.expression_invalid`, ' +
      '`rule.never_matches`, `rule.name_taken`, `list.not_found`, `input.invalid`.',
    authScopes: { may: 'rule.update' },
    args: { input: t.arg({ type: UpdateRuleInput, required: true, description: 'Rule and changes.' }) },
    resolve: async (_root, { input: { id, ...changes } }, { viewer, services, requestId }) => ({
      requestId,
      rule: await services.rules.update(viewer, requestId, uuidOf('Rule', id) ?? '', changes),
    }),
  }),
  addBuiltInRule: t.field({
    isIdempotent: false,
    type: AddBuiltInRulePayload,
    nullable: true,
    description:
      'Creates a rule of the project from a built-in rule. Errors: `rule.built_in_not_found`, ' +
      '`rule.name_taken`, `rule.too_many`, `input.invalid`.',
    authScopes: { may: 'rule.create' },
    args: {
      input: t.arg({ type: AddBuiltInRuleInput, required: true, description: 'Built-in rule to add.' }),
    },
    resolve: async (_root, { input }, { viewer, services, requestId }) => ({
      requestId,
      rule: await services.rules.addBuiltIn(viewer, requestId, input),
    }),
  }),
}));
