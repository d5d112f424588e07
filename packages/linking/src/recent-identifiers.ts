import type { AccountIdentifier } from './plan-links.ts';

/** Number of identifiers of a kind used in the `days` before `until`. */
export function countRecent(
  identifiers: readonly AccountIdentifier[],
  kind: number,
  until: Date,
  days: number,
): number {
  const since = until.getTime() - days * 86_400_000;
  return identifiers.filter((one) => one.kind === kind && one.lastSeen.getTime() >= since).length;
}
