/** Contribution of one cause to a score, 0..1. Contributions of one group have one cause. */
export type Contribution = { group: string; value: number };

/**
 * Combines contributions to one score: contributions below the minimum are dropped, the largest of each group represents
 * the group, and the groups combine by noisy-or, `1 − Π(1 − largest)`. Without contributions the score is exactly 0.
 * Another contribution never lowers it. From 0 to 1, four decimals.
 */
export function combineGroups(contributions: readonly Contribution[], minimum = 0): number {
  const largest = new Map<string, number>();
  for (const { group, value } of contributions) {
    if (value >= minimum) largest.set(group, Math.max(largest.get(group) ?? 0, Math.min(value, 1)));
  }
  return roundScore(noisyOr([...largest.values()]));
}

/** The chance that at least one of independent causes holds: `1 − Π(1 − p)`. */
export function noisyOr(probabilities: readonly number[]): number {
  return 1 - probabilities.reduce((none, probability) => none * (1 - probability), 1);
}

/** Four decimals, as scores are stored and shown. */
export function roundScore(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}
