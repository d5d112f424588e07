import { kindOfNumber } from './identifier-kinds.ts';
import { crossesBand, isLinkingKind, LINK_WEIGHTS } from './pair-score.ts';
import { type HeldIdentifier, identifierKey, type Match } from './plan-links.ts';

/** An identifier of which other accounts' links have to be looked at again, since more or fewer share it now. */
export type CrowdChange = {
  readonly kind: number;
  readonly hash: Buffer;
  /** The other accounts that share it; of a large crowd not all. */
  readonly others: readonly string[];
  /** Whether `others` are all of them. */
  readonly isWhole: boolean;
};

/** How a change moves the crowds of the account's identifiers. */
export type CrowdChanges = {
  readonly crossed: CrowdChange[];
  /** One more (+1) or one fewer (−1) for each identifier that comes or goes, by its key. */
  readonly deltas: ReadonlyMap<string, number>;
};

/** Compares what an account held (`mine`) with what it holds after a change. */
export function crowdChanges(
  mine: readonly HeldIdentifier[],
  held: readonly HeldIdentifier[],
  matches: readonly Match[],
): CrowdChanges {
  const others = Map.groupBy(matches, ({ kind, hash }) => identifierKey(kind, hash));
  const before = new Map(mine.map((one) => [identifierKey(one.kind, one.hash), one]));
  const after = new Map(held.map((one) => [identifierKey(one.kind, one.hash), one]));
  const crossed: CrowdChange[] = [];
  const deltas = new Map<string, number>();
  for (const [key, one] of [...before, ...after]) {
    const delta = Number(after.has(key)) - Number(before.has(key));
    if (delta === 0 || deltas.has(key)) continue;
    deltas.set(key, delta);
    const holders = others.get(key) ?? [];
    const count = holders[0]?.others ?? 0;
    if (!isCrossed(one.kind, count, delta)) continue;
    crossed.push({
      kind: one.kind,
      hash: one.hash,
      others: holders.map(({ accountId }) => accountId),
      isWhole: holders.length === count,
    });
  }
  return { crossed, deltas };
}

/**
 * Two others at least: otherwise there is no pair. Who leaves a crowd beyond its cap shares its lock, and two who
 * leave at once would each see too many: that crowd is always counted again.
 */
function isCrossed(number: number, others: number, delta: number): boolean {
  const kind = kindOfNumber(number);
  if (!isLinkingKind(kind) || others < 2) return false;
  if (delta > 0) return crossesBand(kind, others, others + 1);
  return crossesBand(kind, others + 1, others) || others > LINK_WEIGHTS[kind].cap;
}
