/** A score with what is true of the session. */
export type Scored = { score: number; isTrue: boolean };

/**
 * The chance that a true one scores higher than another, ties counting half (Mann and Whitney). NaN without both kinds.
 */
export function areaUnderCurve(scored: readonly Scored[]): number {
  const sorted = scored.toSorted((a, b) => a.score - b.score);
  const positives = sorted.filter(({ isTrue }) => isTrue).length;
  const negatives = sorted.length - positives;
  let rankSum = 0;
  for (let start = 0; start < sorted.length; ) {
    let end = start;
    while (end < sorted.length && sorted[end]!.score === sorted[start]!.score) end++;
    // Tied ones share the middle of their ranks, counted from 1.
    const rank = (start + 1 + end) / 2;
    rankSum += rank * sorted.slice(start, end).filter(({ isTrue }) => isTrue).length;
    start = end;
  }
  return (rankSum - (positives * (positives + 1)) / 2) / (positives * negatives);
}

/** Of those at or above the threshold how many are true, and of the true ones how many are there. */
export function precisionAndRecall(scored: readonly Scored[], threshold: number) {
  const raised = scored.filter(({ score }) => score >= threshold);
  const hits = raised.filter(({ isTrue }) => isTrue).length;
  const positives = scored.filter(({ isTrue }) => isTrue).length;
  return {
    positives,
    precision: raised.length === 0 ? Number.NaN : hits / raised.length,
    recall: positives === 0 ? Number.NaN : hits / positives,
  };
}
