import type { RuleReference } from '../rules/rule.ts';

/** What is said of an account, from harmless to worst. */
export const DECISIONS = ['Real', 'Suspicious', 'Fake'] as const;
export type Decision = (typeof DECISIONS)[number];

/** From these scores on an account is Suspicious, and Fake. */
export type Thresholds = { readonly suspiciousFrom: number; readonly fakeFrom: number };

/** A list that the account is on. */
export type DecidingList = {
  readonly name: string;
  /** none, block or allow */
  readonly effect: string;
  /** Who put it there: api, rule, import or console. */
  readonly source?: string;
  readonly actor?: string;
  /** Why, as it was given. */
  readonly reason?: string;
};

/** What decides at one moment. */
export type Standing = {
  /** 0 to 1. */
  readonly score: number;
  readonly lists: readonly DecidingList[];
};

export type DecisionInput = {
  readonly thresholds: Thresholds;
  /** Before the rules acted, and after; absent when none did. */
  readonly before?: Standing;
  readonly after: Standing;
  /** By the name of a list: the rule that put the account on it, or took it off. */
  readonly ruleOfList?: ReadonlyMap<string, RuleReference>;
};

export type DecisionTrace = Thresholds & {
  readonly decision: Decision;
  readonly score: number;
  /** What the score alone says. */
  readonly byScore: Decision;
  /** The list that decides, null when none has an effect. */
  readonly list: DecidingList | null;
  /** The rule that made the list decide, or that took the account off one that would have. */
  readonly rule: RuleReference | null;
  /** What made the decision. */
  readonly winner: 'SCORE' | 'LIST' | 'RULE';
};

/** What the score says by the thresholds. */
export function decideByScore(score: number, { suspiciousFrom, fakeFrom }: Thresholds): Decision {
  if (score >= fakeFrom) return 'Fake';
  return score >= suspiciousFrom ? 'Suspicious' : 'Real';
}

/** The decision and why: by score and thresholds, then lists (block before allow), as the rules left them. */
export function decide({ thresholds, before, after, ruleOfList }: DecisionInput): DecisionTrace {
  const then = before && outcomeOf(before, thresholds);
  const now = outcomeOf(after, thresholds, then?.list);
  const rule = then ? decidingRule(then, now, ruleOfList) : null;
  return {
    ...thresholds,
    score: after.score,
    byScore: now.byScore,
    list: now.list,
    rule,
    winner: rule ? 'RULE' : now.list ? 'LIST' : 'SCORE',
    decision: now.decision,
  };
}

type Outcome = { decision: Decision; byScore: Decision; list: DecidingList | null };

/** `held`: the list that decided before, which goes on to as long as it can. */
function outcomeOf({ score, lists }: Standing, thresholds: Thresholds, held?: DecidingList | null): Outcome {
  const byScore = decideByScore(score, thresholds);
  const list = decidingList(lists, held);
  return { decision: list ? (list.effect === 'block' ? 'Fake' : 'Real') : byScore, byScore, list };
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

/** Block beats allow where both apply; of several the one that is held, else by name. */
function decidingList(lists: readonly DecidingList[], held?: DecidingList | null): DecidingList | null {
  const byName = lists.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const withEffect = (effect: string) => {
    const all = byName.filter((list) => list.effect === effect);
    return all.find(({ name }) => name === held?.name) ?? all[0];
  };
  return withEffect('block') ?? withEffect('allow') ?? null;
}
