import type { ActionOutcome, MatchedRule } from './apply-actions.ts';
import type { DecidingList, Decision } from './decide.ts';
import { meetsRequirement, type RequiredVerification, type Rule, type RuleReference } from './rule.ts';

/** Effects of rules on a decision besides lists: the decision Suspicious, and a required verification. */
export type Demands = {
  /** The rules with the outcomes of these actions. */
  readonly matched: readonly MatchedRule[];
  /** The rule without which the decision would be Real. */
  readonly suspicious: RuleReference | null;
  readonly required: Requirement | null;
};

/** A requirement without `since` is new. */
export type Requirement = Omit<RequiredVerification, 'since'> & { readonly since?: number };

type Situation = {
  /** By the score and the lists after the rules. */
  readonly byScore: Decision;
  readonly list: DecidingList | null;
  /** The requirement before. */
  readonly open: RequiredVerification | null;
  /** Kind of the completed check of the session itself; null or undefined without one. */
  readonly checked: unknown;
};

/**
 * Settles the actions that decide and that require a verification, in the order of the rules. A list with an effect takes
 * precedence, and an account on an allow list is required no verification. A rule that acted before in the session decides
 * again, since that belongs to the decision, but requires no second verification.
 */
export function settleDemands(matched: readonly MatchedRule[], situation: Situation): Demands {
  const { byScore, list, open, checked } = situation;
  const isAllowed = list?.effect === 'allow';
  let suspicious: RuleReference | null = null;
  let required: Requirement | null = isAllowed ? null : open;

  function outcomeOf(action: ActionOutcome, rule: Rule): ActionOutcome['outcome'] {
    if ('decide' in action) {
      if (suspicious || list || byScore !== 'Real') return 'NOTHING_TO_DO';
      suspicious = referenceTo(rule);
      return 'DONE';
    }
    if ('requireVerification' in action) {
      const kind = action.requireVerification;
      const isRequired = required !== null && meetsRequirement(required.kind, kind);
      if (isAllowed || isRequired || meetsRequirement(checked, kind)) return 'NOTHING_TO_DO';
      required = { kind, rule: referenceTo(rule) };
      return 'DONE';
    }
    return action.outcome;
  }

  const settled = matched.map((match): MatchedRule => {
    const { rule, isRepeat, outcomes } = match;
    if (!isRepeat)
      return { ...match, outcomes: outcomes.map((each) => ({ ...each, outcome: outcomeOf(each, rule) })) };
    for (const action of rule.actions)
      if ('decide' in action) outcomeOf({ ...action, outcome: 'DONE' }, rule);
    return match;
  });
  return { matched: settled, suspicious, required };
}

function referenceTo({ ruleId, version, name }: Rule): RuleReference {
  return { ruleId, version, name };
}

/** Effects of rules that an account keeps until its next session: part of its stored aggregates. */
export type RuleOutcome = {
  /** The rule that decided the latest decision Suspicious. */
  readonly suspicious?: RuleReference;
  readonly required?: RequiredVerification;
};

/** The same after a decision; undefined without effects of rules. */
export function ruleOutcomeOf(
  { suspicious, required }: Omit<Demands, 'matched'>,
  now: Date,
): RuleOutcome | undefined {
  if (!suspicious && !required) return undefined;
  return {
    ...(suspicious ? { suspicious } : {}),
    ...(required ? { required: { ...required, since: required.since ?? now.getTime() } } : {}),
  };
}

/**
 * Open requirement of an account when a session is decided on. A check that completed since meets it, and it ends when
 * its rule is no longer enabled or no longer requires it.
 */
export function stillRequired(
  required: RequiredVerification | undefined,
  rules: readonly { readonly rule: Rule }[],
  check: { readonly kind: unknown; readonly completedAt: Date | null },
): RequiredVerification | null {
  if (!required) return null;
  const { kind, since } = required;
  if (check.completedAt && check.completedAt.getTime() >= since && meetsRequirement(check.kind, kind))
    return null;
  const rule = rules.find((each) => each.rule.ruleId === required.rule.ruleId)?.rule;
  const isWanted =
    rule?.state === 'enabled' && rule.actions.some((action) => 'requireVerification' in action);
  return isWanted ? required : null;
}
