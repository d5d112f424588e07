import type { Expression } from '@vouchgraph/rules';
import type { VerificationKind } from './verification-kind.ts';

/** When a rule is evaluated. */
export const TRIGGERS = [
  'ID_CHECK_COMPLETED',
  'FACE_CHECK_COMPLETED',
  'FIRST_SESSION',
  'ANY_SESSION',
] as const;
export type Trigger = (typeof TRIGGERS)[number];

/**
 * `draft`: not evaluated; `shadow`: evaluated and recorded, never acts; `enabled`: acts; `disabled`: not evaluated;
 * `archived`: hidden, kept for the decisions that it influenced.
 */
export const RULE_STATES = ['draft', 'shadow', 'enabled', 'disabled', 'archived'] as const;
export type RuleState = (typeof RULE_STATES)[number];

/** Actions of a rule on a match. */
export type RuleAction =
  | { readonly addToList: string }
  | { readonly removeFromList: string }
  | { readonly raiseFlag: string }
  | { readonly emitEvent: string }
  | { readonly decide: 'Suspicious' }
  | { readonly requireVerification: VerificationKind };

export type Rule = {
  readonly ruleId: string;
  /** Raised by one with every change. */
  readonly version: number;
  /** Unique in the project among rules that are not archived. */
  readonly name: string;
  readonly description: string;
  readonly trigger: Trigger;
  readonly state: RuleState;
  /** Whether evaluation is paused, in any state. */
  readonly paused: boolean;
  /** Order of evaluation; rules with the same position are ordered by id. */
  readonly position: number;
  readonly expression: Expression;
  readonly actions: readonly RuleAction[];
};

/** Latest matches of a rule that are counted. */
export const MAX_COUNTED_MATCHES = 100_000;

/** A version of a rule, as it was when it acted. */
export type RuleReference = { readonly ruleId: string; readonly version: number; readonly name: string };

/** A check that a rule requires of an account. */
export type RequiredVerification = {
  readonly kind: VerificationKind;
  readonly rule: RuleReference;
  /** Time of the decision that required it, in milliseconds: a check that completed before does not meet it. */
  readonly since: number;
};

/** Whether a check of a kind meets a requirement: an ID check includes a face check. */
export function meetsRequirement(kind: unknown, required: VerificationKind): boolean {
  return kind === 'id' || kind === required;
}
