/** Maximum position that a request can set. */
export const LAST_POSITION = 1_000_000;

type Placed = { readonly ruleId: string; readonly position: number };

/** Behind all others. */
export function endPosition(others: readonly Placed[]): number {
  return others.reduce((last, { position }) => Math.max(last, position), 0) + 1;
}

export type Shift = { readonly ruleIds: readonly string[]; readonly by: 1 | -1 };

/**
 * The rules to shift when one rule moves to another position: the rule at the new position, and the adjacent ones up to the
 * first gap, on the side of the old position.
 */
export function rulesToShift(others: readonly Placed[], from: number, to: number): Shift {
  const byPosition = Map.groupBy(others, (other) => other.position);
  const by = to > from ? -1 : 1;
  const ruleIds: string[] = [];
  for (let at = to; at !== from; at += by) {
    const standing = byPosition.get(at);
    if (!standing) break;
    ruleIds.push(...standing.map(({ ruleId }) => ruleId));
  }
  return { ruleIds, by };
}
