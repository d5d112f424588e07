/** A score with the true class of the session. */
export type Scored = { score: number; isTrue: boolean };

/**
 * Probability that a positive session scores higher than a negative one, ties counting half (Mann and Whitney).
 * NaN without both kinds.
 */
export function areaUnderCurve(scored: readonly Scored[]): number {
  const sorted = scored.toSorted((a, b) => a.score - b.score);
  const positives = sorted.filter(({ isTrue }) => isTrue).length;
  let rankSum = 0;
  for (let start = 0, end = 0; start < sorted.length; start = end) {
    while (end < sorted.length && sorted[end]!.score === sorted[start]!.score) end++;
    // Equal scores share the middle of their ranks, counted from 1.
    const rank = (start + 1 + end) / 2;
    rankSum += rank * sorted.slice(start, end).filter(({ isTrue }) => isTrue).length;
  }
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * (sorted.length - positives));
}

/** Precision at the threshold, and recall of the positive sessions. */
export function precisionAndRecall(scored: readonly Scored[], threshold: number) {
  const raised = scored.filter(({ score }) => score >= threshold);
  const hits = raised.filter(({ isTrue }) => isTrue).length;
  const positives = scored.filter(({ isTrue }) => isTrue).length;
  return { positives, precision: hits / raised.length, recall: hits / positives };
}
