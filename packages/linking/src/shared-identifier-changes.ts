import { identifierKey } from './identifier-key.ts';
import { IDENTIFIER_KINDS, kindOfNumber } from './identifier-kinds.ts';
import { crossesBand, isLinkingKind, LINK_WEIGHTS } from './link-weights.ts';
import type { AccountIdentifier, Match } from './plan-links.ts';
import type { SharingUpdates } from './rescore-pairs.ts';
import { type MailboxNames, sharedMailboxes } from './shared-mailboxes.ts';

/** An identifier whose number of accounts changed its weight: the links between its other accounts must be recalculated. */
export type SharedIdentifierChange = {
  readonly kind: number;
  readonly hash: Buffer;
  /** Other accounts that share it; incomplete for an identifier over its sharing limit. */
  readonly others: readonly string[];
  /** Whether `others` is complete. */
  readonly isWhole: boolean;
};

/** Effect of a change on the identifiers that the account shares with others. */
export type SharedIdentifierChanges = SharingUpdates & { readonly crossed: SharedIdentifierChange[] };

/**
 * Compares the identifiers of an account before and after a change. A change of the account's first name also affects other
 * accounts with the same email (`names`: first names of those accounts).
 */
export function sharedIdentifierChanges(
  identifiersBefore: readonly AccountIdentifier[],
  identifiersAfter: readonly AccountIdentifier[],
  matches: readonly Match[],
  names: readonly MailboxNames[] = [],
): SharedIdentifierChanges {
  const others = Map.groupBy(matches, ({ kind, hash }) => identifierKey(kind, hash));
  const before = new Map(identifiersBefore.map((one) => [identifierKey(one.kind, one.hash), one]));
  const after = new Map(identifiersAfter.map((one) => [identifierKey(one.kind, one.hash), one]));
  const sharedBefore = sharedMailboxes(identifiersBefore, names);
  const sharedAfter = sharedMailboxes(identifiersAfter, names);
  const crossed: SharedIdentifierChange[] = [];
  const deltas = new Map<string, number>();
  const mailboxes = new Map<string, boolean>();
  for (const [key, one] of new Map([...before, ...after])) {
    const delta = Number(after.has(key)) - Number(before.has(key));
    if (delta !== 0) deltas.set(key, delta);
    if (one.kind === IDENTIFIER_KINDS.email) mailboxes.set(key, sharedAfter.has(key));
    const mailboxChanged = sharedBefore.has(key) !== sharedAfter.has(key);
    if (delta === 0 && !mailboxChanged) continue;
    const holders = others.get(key) ?? [];
    const count = holders[0]?.others ?? 0;
    // Fewer than two other accounts form no pair.
    if (count < 2 || !(mailboxChanged || isCrossed(one.kind, count, delta, sharedAfter.has(key)))) continue;
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
 * Whether the weight of an identifier changes. An account that leaves an identifier over its sharing limit holds a shared
 * lock, and two accounts that leave concurrently would each see too many: such an identifier is always counted again.
 */
function isCrossed(number: number, others: number, delta: number, isSharedMailbox: boolean): boolean {
  const kind = kindOfNumber(number);
  if (!isLinkingKind(kind)) return false;
  const shared = { kind, isSharedMailbox };
  if (delta > 0) return crossesBand(shared, others, others + 1);
  return crossesBand(shared, others + 1, others) || others > LINK_WEIGHTS[kind].cap;
}
