import { z } from 'zod';
import type { RuleReference } from './rule.ts';
import type { VerificationKind } from './verification-kind.ts';

/** Decisions on an account, from harmless to worst. */
const DECISIONS = ['Real', 'Suspicious', 'Fake'] as const;
export type Decision = (typeof DECISIONS)[number];
export const decisionShape = z.enum(DECISIONS);

/** Minimum scores of the decisions Suspicious and Fake. */
export type Thresholds = { readonly suspiciousFrom: number; readonly fakeFrom: number };

/** A list that the account is on. */
export type DecidingList = {
  readonly name: string;
  /** none, block or allow */
  readonly effect: string;
  /** Origin of the membership: api, rule, import or console. */
  readonly source: string;
  readonly actor: string;
  /** Reason of the membership, '' without one; absent if the decision is not stored, so that no reason is decrypted. */
  readonly reason?: string;
  /** End of the membership; absent or null for none. */
  readonly expiresAt?: string | Date | null;
};

/** Inputs of a decision at one time. */
export type Standing = {
  /** 0 to 1. */
  readonly score: number;
  readonly lists: readonly DecidingList[];
  /** The rule that changed Real to Suspicious; absent or null without one. */
  readonly suspicious?: RuleReference | null;
};

export type DecisionInput = {
  readonly thresholds: Thresholds;
  /** Before and after the actions of rules; absent without any. */
  readonly before?: Standing;
  readonly after: Standing;
  /** By the name of a list: the rule that added the account to it or removed it. */
  readonly ruleOfList?: ReadonlyMap<string, RuleReference>;
  /** The check that is required of the account, unless a list allows it; absent or null without one. */
  readonly required?: RequiredCheck | null;
};

/** A check that a rule requires. */
export type RequiredCheck = { readonly kind: VerificationKind; readonly rule: RuleReference };

export type DecisionTrace = Thresholds & {
  readonly decision: Decision;
  readonly score: number;
  /** Decision by the score alone. */
  readonly byScore: Decision;
  /** The deciding list, null when none has an effect. */
  readonly list: DecidingList | null;
  /** The rule because of which the list decides, or that removed the account from one that would have decided. */
  readonly rule: RuleReference | null;
  /** Cause of the decision. */
  readonly winner: 'SCORE' | 'LIST' | 'RULE';
  /** The check that is required of the account; absent without one. */
  readonly requiredVerification?: RequiredCheck;
};

/** Decision by the score and the thresholds. */
export function decideByScore(score: number, { suspiciousFrom, fakeFrom }: Thresholds): Decision {
  if (score >= fakeFrom) return 'Fake';
  return score >= suspiciousFrom ? 'Suspicious' : 'Real';
}

/**
 * The decision and its reason: by score and thresholds, then rules, then lists (block before allow), after the actions of
 * rules.
 */
export function decide({ thresholds, before, after, ruleOfList, required }: DecisionInput): DecisionTrace {
  const then = before && outcomeOf(before, thresholds);
  const now = outcomeOf(after, thresholds, then?.list);
  const rule = now.suspicious ?? (then ? decidingRule(then, now, ruleOfList) : null);
  const isRequired = required && now.list?.effect !== 'allow';
  return {
    ...thresholds,
    score: after.score,
    byScore: now.byScore,
    list: now.list,
    rule,
    winner: rule ? 'RULE' : now.list ? 'LIST' : 'SCORE',
    decision: now.decision,
    ...(isRequired ? { requiredVerification: { kind: required.kind, rule: required.rule } } : {}),
  };
}

type Outcome = {
  decision: Decision;
  byScore: Decision;
  list: DecidingList | null;
  /** The rule that decided Suspicious. */
  suspicious: RuleReference | null;
};

/** `held`: the list of the previous decision; it keeps deciding while it applies. */
function outcomeOf(standing: Standing, thresholds: Thresholds, held?: DecidingList | null): Outcome {
  const byScore = decideByScore(standing.score, thresholds);
  const list = decidingList(standing.lists, held);
  if (list) return { decision: list.effect === 'block' ? 'Fake' : 'Real', byScore, list, suspicious: null };
  const suspicious = byScore === 'Real' ? (standing.suspicious ?? null) : null;
  return { decision: suspicious ? 'Suspicious' : byScore, byScore, list, suspicious };
}

/** The rule without which another list, or another score, would have decided. */
function decidingRule(
  then: Outcome,
  now: Outcome,
  ruleOfList: ReadonlyMap<string, RuleReference> | undefined,
): RuleReference | null {
  const of = (list: DecidingList | null) => (list && ruleOfList?.get(list.name)) ?? null;
  if (then.list?.name !== now.list?.name) return of(now.list) ?? of(then.list);
  // A main account's other accounts do not count in its score.
  return then.decision === now.decision ? null : (ruleOfList?.get('main_account') ?? null);
}

/** Block takes precedence over allow; among several the held one, else by name. */
function decidingList(lists: readonly DecidingList[], held?: DecidingList | null): DecidingList | null {
  const byName = lists.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const withEffect = (effect: string) => {
    const all = byName.filter((list) => list.effect === effect);
    return all.find(({ name }) => name === held?.name) ?? all[0];
  };
  return withEffect('block') ?? withEffect('allow') ?? null;
}
