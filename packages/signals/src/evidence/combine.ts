import { type Contribution, combineGroups } from '@vouchgraph/platform/noisy-or';
import type { Evidence } from './evidence.ts';
import { MIN_CONTRIBUTION } from './weights.ts';

/** Combines the contributions that count to one score (see `combineGroups`). */
export function combine(contributions: readonly Contribution[]): number {
  return combineGroups(contributions, MIN_CONTRIBUTION);
}

/** True when a contribution is large enough to count and to be named as a reason. */
export function counts(value: number): boolean {
  return value >= MIN_CONTRIBUTION;
}

/** Contributions of the evidence to one score, selected by the caller. */
export function contributionsOf(
  evidence: readonly Evidence[],
  pick: (evidence: Evidence) => number | undefined,
): Contribution[] {
  return evidence.map((each) => ({ group: each.group, value: pick(each) ?? 0 }));
}
