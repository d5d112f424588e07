import type { Evidence } from './evidence.ts';
import { MIN_CONTRIBUTION } from './weights.ts';

/** Contribution of one piece of evidence to one score, 0..1. */
export type Contribution = { group: string; value: number };

/**
 * Combines contributions to one score: contributions below the minimum are dropped, the largest of each group represents
 * the group, and the groups combine by noisy-or, `1 − Π(1 − largest)`. Without contributions the score is exactly 0.
 * Another contribution never lowers it. From 0 to 1, four decimals.
 */
export function combine(contributions: readonly Contribution[]): number {
  const largest = new Map<string, number>();
  for (const { group, value } of contributions) {
    if (counts(value)) largest.set(group, Math.max(largest.get(group) ?? 0, Math.min(value, 1)));
  }
  return round(noisyOr([...largest.values()]));
}

/** True when a contribution is large enough to count and to be named as a reason. */
export function counts(value: number): boolean {
  return value >= MIN_CONTRIBUTION;
}

/** The chance that at least one of independent causes holds: `1 − Π(1 − p)`. */
export function noisyOr(probabilities: readonly number[]): number {
  return 1 - probabilities.reduce((none, probability) => none * (1 - probability), 1);
}

/** Four decimals, as scores are stored and shown. */
export function round(score: number): number {
  return Math.round(score * 10_000) / 10_000;
}

/** Contributions of the evidence to one score, selected by the caller. */
export function contributionsOf(
  evidence: readonly Evidence[],
  pick: (evidence: Evidence) => number | undefined,
): Contribution[] {
  return evidence.map((each) => ({ group: each.group, value: pick(each) ?? 0 }));
}
