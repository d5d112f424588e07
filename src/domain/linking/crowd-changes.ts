import { identifierKey } from '../identifiers/identifier-key.ts';
import { IDENTIFIER_KINDS, kindOfNumber } from '../identifiers/identifier-kinds.ts';
import { crossesBand, isLinkingKind, LINK_WEIGHTS } from './link-weights.ts';
import type { HeldIdentifier, Match } from './plan-links.ts';
import type { CrowdUpdates } from './rescore-pairs.ts';
import { type MailboxNames, sharedMailboxes } from './shared-mailboxes.ts';

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
export type CrowdChanges = CrowdUpdates & { readonly crossed: CrowdChange[] };

/**
 * Compares what an account held (`mine`) with what it holds after a change. An email that it keeps changes for the
 * others, too, when the account's first name does (`mailboxes`: the names that come with it elsewhere).
 */
export function crowdChanges(
  mine: readonly HeldIdentifier[],
  held: readonly HeldIdentifier[],
  matches: readonly Match[],
  names: readonly MailboxNames[] = [],
): CrowdChanges {
  const others = Map.groupBy(matches, ({ kind, hash }) => identifierKey(kind, hash));
  const before = new Map(mine.map((one) => [identifierKey(one.kind, one.hash), one]));
  const after = new Map(held.map((one) => [identifierKey(one.kind, one.hash), one]));
  const [sharedBefore, sharedAfter] = [sharedMailboxes(mine, names), sharedMailboxes(held, names)];
  const crossed: CrowdChange[] = [];
  const deltas = new Map<string, number>();
  const mailboxes = new Map<string, boolean>();
  for (const [key, one] of new Map([...before, ...after])) {
    const delta = Number(after.has(key)) - Number(before.has(key));
    if (delta !== 0) deltas.set(key, delta);
    if (one.kind === IDENTIFIER_KINDS.email) mailboxes.set(key, sharedAfter.has(key));
    const isTurned = sharedBefore.has(key) !== sharedAfter.has(key);
    if (delta === 0 && !isTurned) continue;
    const holders = others.get(key) ?? [];
    const count = holders[0]?.others ?? 0;
    // With fewer than two others there is no pair.
    if (count < 2 || !(isTurned || isCrossed(one.kind, count, delta, sharedAfter.has(key)))) continue;
    crossed.push({
      kind: one.kind,
      hash: one.hash,
      others: holders.map(({ accountId }) => accountId),
      isWhole: holders.length === count,
    });
  }
  return { crossed, deltas, mailboxes };
}

/**
 * Who leaves a crowd beyond its cap shares its lock, and two who
 * leave at once would each see too many: that crowd is always counted again.
 */
function isCrossed(number: number, others: number, delta: number, isSharedMailbox: boolean): boolean {
  const kind = kindOfNumber(number);
  if (!isLinkingKind(kind)) return false;
  const shared = { kind, isSharedMailbox };
  if (delta > 0) return crossesBand(shared, others, others + 1);
  return crossesBand(shared, others + 1, others) || others > LINK_WEIGHTS[kind].cap;
}
