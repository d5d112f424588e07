/** The largest position that can be asked for. */
export const LAST_POSITION = 1_000_000;

type Placed = { readonly ruleId: string; readonly position: number };

/** Behind all others. */
export function endPosition(others: readonly Placed[]): number {
  return others.reduce((last, { position }) => Math.max(last, position), 0) + 1;
}

/**
 * The rules that have to move on by one for another to stand at this position: the one that stands there, and those
 * directly behind it up to the first gap.
 */
export function rulesToShift(others: readonly Placed[], position: number): string[] {
  const byPosition = Map.groupBy(others, (other) => other.position);
  const shifted: string[] = [];
  for (let at = position; ; at += 1) {
    const standing = byPosition.get(at);
    if (!standing) return shifted;
    shifted.push(...standing.map(({ ruleId }) => ruleId));
  }
}
