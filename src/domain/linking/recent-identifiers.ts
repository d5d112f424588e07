import type { HeldIdentifier } from './plan-links.ts';

/** How many identifiers of a kind were in use within the days before a moment. */
export function countRecent(
  held: readonly HeldIdentifier[],
  kind: number,
  until: Date,
  days: number,
): number {
  const since = until.getTime() - days * 86_400_000;
  return held.filter((one) => one.kind === kind && one.lastSeen.getTime() >= since).length;
}
