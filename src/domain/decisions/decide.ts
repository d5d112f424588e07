/** What is said of an account, from harmless to worst. */
export const DECISIONS = ['Real', 'Suspicious', 'Fake'] as const;
export type Decision = (typeof DECISIONS)[number];

/** From these scores on an account is Suspicious, and Fake. */
export type Thresholds = { readonly suspiciousFrom: number; readonly fakeFrom: number };

/** The rule behind something, as it was. */
export type RuleReference = { readonly ruleId: string; readonly version: number; readonly name: string };

/** A list that the account is on. */
export type DecidingList = {
  readonly name: string;
  /** none, block or allow */
  readonly effect: string;
  /** Who put it there: api, rule, import or console. */
  readonly source?: string;
  readonly actor?: string;
};

export type DecisionInput = {
  /** 0 to 1. */
  readonly score: number;
  readonly thresholds: Thresholds;
  /** Before the rules acted, and after; the same without rules. */
  readonly listsBefore: readonly DecidingList[];
  readonly listsAfter: readonly DecidingList[];
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
export function decide(input: DecisionInput): DecisionTrace {
  const { score, thresholds, listsBefore, listsAfter, ruleOfList } = input;
  const byScore = decideByScore(score, thresholds);
  const before = decidingList(listsBefore);
  const list = decidingList(listsAfter);
  const isMoved = before?.name !== list?.name;
  const rule = isMoved
    ? (ruleOfList?.get(list?.name ?? '') ?? ruleOfList?.get(before?.name ?? '') ?? null)
    : null;
  return {
    ...thresholds,
    score,
    byScore,
    list,
    rule,
    winner: rule ? 'RULE' : list ? 'LIST' : 'SCORE',
    decision: list ? (list.effect === 'block' ? 'Fake' : 'Real') : byScore,
  };
}

/** Block beats allow where both apply; of several by name. */
function decidingList(lists: readonly DecidingList[]): DecidingList | null {
  const byName = lists.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const withEffect = (effect: string) => byName.find((list) => list.effect === effect);
  return withEffect('block') ?? withEffect('allow') ?? null;
}
