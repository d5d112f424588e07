import type { InputRef } from '@pothos/core';
import type { ACTION_OUTCOMES, ActionOutcome, RuleAction } from '@vouchgraph/decisions';
import { ruleStateShape, sentActionShape, triggerShape } from '../../domain/rules/rule-input.ts';
import { builder } from '../kernel/builder.ts';
import { setFieldType } from '../kernel/input-from.ts';
import { VerificationKindType } from '../kernel/verification-enums.ts';

export const RuleTrigger = builder.enumType('RuleTrigger', {
  description: 'Time of evaluation of a rule.',
  values: {
    ID_CHECK_COMPLETED: { description: 'Completion of an ID check of the account.' },
    FACE_CHECK_COMPLETED: { description: 'Completion of a face check of the account.' },
    FIRST_SESSION: { description: 'Authentication of the first session of an account.' },
    ANY_SESSION: { description: 'Authentication of any session of an account.' },
  } as const,
});
setFieldType(triggerShape, RuleTrigger);

export const RuleState = builder.enumType('RuleState', {
  description: 'State of a rule.',
  values: {
    DRAFT: { value: 'draft', description: 'Draft of a rule. It is not evaluated.' },
    SHADOW: {
      value: 'shadow',
      description: 'Rule in shadow: matches are recorded, and actions are not performed.',
    },
    ENABLED: {
      value: 'enabled',
      description: 'Enabled rule: matches are recorded, and actions are performed.',
    },
    DISABLED: { value: 'disabled', description: 'Rule that an operator disabled. It is not evaluated.' },
    ARCHIVED: {
      value: 'archived',
      description: 'Archived rule: not evaluated and read-only. Stored for the decisions that used it.',
    },
  } as const,
});
setFieldType(ruleStateShape, RuleState);

const ACTION_FIELDS = {
  addToList: 'Name of a list to add the account to.',
  removeFromList: 'Name of a list to remove the account from.',
  raiseFlag: 'Flag of the decision, 1 to 64 of a-z, 0-9 and _.',
  emitEvent: 'Name in an event of type rule.custom, 1 to 64 of a-z, 0-9 and _.',
  decide:
    'Decision that replaces REAL by the score. A list with an effect overrides it. Applies until the ' +
    'next session of the account.',
  requireVerification:
    'Kind of the check that the account requires, until one completes. Not required of an account on an ' +
    'allow list.',
} as const;
type TextActionKind = Exclude<keyof typeof ACTION_FIELDS, 'decide' | 'requireVerification'>;

const RuleDecision = builder.enumType('RuleDecision', {
  description: 'Decision by a rule.',
  values: {
    SUSPICIOUS: { value: 'Suspicious', description: 'Decision SUSPICIOUS in place of REAL by the score.' },
  } as const,
});

const textOf = (action: RuleAction, kind: TextActionKind) =>
  (action as Partial<Record<TextActionKind, string>>)[kind] ?? null;

export const RuleActionType = builder.objectRef<RuleAction>('RuleAction').implement({
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description: 'Action of a rule on a match. Exactly one field is not null.',
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
    decide: t.field({
      type: RuleDecision,
      nullable: true,
      description: ACTION_FIELDS.decide,
      resolve: (action) => ('decide' in action ? action.decide : null),
    }),
    requireVerification: t.field({
      type: VerificationKindType,
      nullable: true,
      description: ACTION_FIELDS.requireVerification,
      resolve: (action) => ('requireVerification' in action ? action.requireVerification : null),
    }),
  }),
});

const RuleActionInput = builder.inputType('RuleActionInput', {
  description: 'Action of a rule on a match. Exactly one field is required.',
  isOneOf: true,
  fields: (t) => ({
    addToList: t.string({ description: ACTION_FIELDS.addToList }),
    removeFromList: t.string({ description: ACTION_FIELDS.removeFromList }),
    raiseFlag: t.string({ description: ACTION_FIELDS.raiseFlag }),
    emitEvent: t.string({ description: ACTION_FIELDS.emitEvent }),
    decide: t.field({ type: RuleDecision, description: ACTION_FIELDS.decide }),
    requireVerification: t.field({
      type: VerificationKindType,
      description: ACTION_FIELDS.requireVerification,
    }),
  }),
});
// Exactly one field is set: GraphQL checks it.
setFieldType(sentActionShape, RuleActionInput as unknown as InputRef<RuleAction>);

const RuleActionResult = builder.enumType('RuleActionResult', {
  description: 'Outcome of an action of a rule.',
  values: {
    DONE: { description: 'Performed action.' },
    WOULD_DO: { description: 'Action of a rule in shadow, which an enabled rule performs.' },
    NOTHING_TO_DO: {
      description:
        'Action without an effect. For lists: the account was already on the list, or already not on it. ' +
        'For decide: the score or a list determines another decision. For requireVerification: the check ' +
        'is already required, was completed by the session, or is not required of an account on an allow ' +
        'list.',
    },
    KEPT: {
      description:
        'Action that was not performed, because rules do not remove the account from its standard list.',
    },
    KEPT_OFF: {
      description:
        'Addition that was not performed, because the account was removed from the list with keepOff.',
    },
    NO_SUCH_LIST: { description: 'Action on a list that was deleted.' },
  } satisfies Record<(typeof ACTION_OUTCOMES)[number], { description: string }>,
});

export const RuleActionOutcome = builder.objectRef<ActionOutcome>('RuleActionOutcome').implement({
  tokenScopes: 'never',
  subjects: 'wide',
  description:
    'Action of a rule that matched, with its outcome. For a rule in shadow: the outcome of an enabled ' +
    'rule, with WOULD_DO in place of DONE.',
  fields: (t) => ({
    action: t.field({ type: RuleActionType, description: 'Action.', resolve: (outcome) => outcome }),
    outcome: t.field({
      type: RuleActionResult,
      description: 'Outcome.',
      resolve: ({ outcome }) => outcome,
    }),
  }),
});
