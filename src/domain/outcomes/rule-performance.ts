/** Labeled accounts with a decision in the time, by label and by whether the condition matched them; each account once. */
export type LabeledMatches = {
  readonly matchedFraud: number;
  readonly matchedLegitimate: number;
  readonly missedFraud: number;
  readonly missedLegitimate: number;
};

export type RulePerformance = Omit<LabeledMatches, 'missedLegitimate'> & {
  readonly labelledAccounts: number;
  /** Null when no labeled account was matched. */
  readonly precision: number | null;
  /** Null when no labeled account is fraud. */
  readonly recall: number | null;
};

/** Precision and recall of a condition on labeled accounts; null without a labeled account. */
export function performanceOf(matches: LabeledMatches): RulePerformance | null {
  const { matchedFraud, matchedLegitimate, missedFraud, missedLegitimate } = matches;
  const labelledAccounts = matchedFraud + matchedLegitimate + missedFraud + missedLegitimate;
  if (labelledAccounts === 0) return null;
  return {
    labelledAccounts,
    ...{ matchedFraud, matchedLegitimate, missedFraud },
    precision: share(matchedFraud, matchedFraud + matchedLegitimate),
    recall: share(matchedFraud, matchedFraud + missedFraud),
  };
}

const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);
