/** Labelled accounts with a decision in the time, by label and by whether the condition matched them; each account once. */
export type LabelledMatches = {
  readonly matchedFraud: number;
  readonly matchedLegitimate: number;
  readonly missedFraud: number;
  readonly missedLegitimate: number;
};

export type RulePerformance = Omit<LabelledMatches, 'missedLegitimate'> & {
  readonly labelledAccounts: number;
  /** Null when no labelled account was matched. */
  readonly precision: number | null;
  /** Null when no labelled account is fraud. */
  readonly recall: number | null;
};

/** Precision and recall of a condition on labelled accounts; null without a labelled account. */
export function performanceOf(matches: LabelledMatches): RulePerformance | null {
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
