import { identifierKey } from './identifier-key.ts';
import { kindOfNumber } from './identifier-kinds.ts';
import { comparedPair, type KnownPerson } from './known-person.ts';
import { isLinkingKind, type SharedIdentifier, type Use } from './link-weights.ts';
import { isSameLink, type PairLink, scorePair } from './pair-score.ts';

/** An identifier of one account, with the stored number of accounts of its group that share it. */
export type CountedIdentifier = Use & {
  readonly accountId: string;
  readonly kind: number;
  readonly hash: Buffer;
  readonly accounts: number;
  readonly isSharedMailbox: boolean;
};

export type Pair = readonly [a: string, b: string];

/** A link between two accounts, `a` < `b`. */
export type PairOfAccounts = PairLink & { readonly a: string; readonly b: string };

export type Rescored = {
  readonly changed: PairOfAccounts[];
  readonly added: PairOfAccounts[];
  readonly removed: PairOfAccounts[];
  /** Accounts whose identity group can change. */
  readonly movesIdentity: string[];
  /** Accounts with a link that was added, removed or rescored. */
  readonly rescored: string[];
};

/** All pairs of the accounts, the smaller id first. */
export function pairsAmong(accountIds: readonly string[]): Pair[] {
  const ids = [...new Set(accountIds)].sort();
  return ids.flatMap((a, index) => ids.slice(index + 1).map((b): Pair => [a, b]));
}

/** Effect of a change that is not written yet on shared identifiers. */
export type SharingUpdates = {
  /** Change of the number of accounts (+1 or −1), by the identifier's key. */
  readonly deltas: ReadonlyMap<string, number>;
  /** Whether an email is a shared mailbox after the change, by its key. */
  readonly mailboxes: ReadonlyMap<string, boolean>;
};
const NO_UPDATES: SharingUpdates = { deltas: new Map(), mailboxes: new Map() };

/**
 * Compares the stored links of pairs with recomputed ones. `persons`: persons by internal ids of accounts. `updates`: the
 * change that is not written yet.
 */
export function rescorePairs(
  pairs: readonly Pair[],
  identifiers: readonly CountedIdentifier[],
  stored: readonly PairOfAccounts[],
  persons: ReadonlyMap<string, KnownPerson>,
  updates: SharingUpdates = NO_UPDATES,
): Rescored {
  const byAccount = new Map<string, Map<string, CountedIdentifier>>();
  for (const one of identifiers) {
    const own = byAccount.get(one.accountId) ?? new Map<string, CountedIdentifier>();
    own.set(identifierKey(one.kind, one.hash), one);
    byAccount.set(one.accountId, own);
  }
  const before = new Map(stored.map((link) => [pairKey(link.a, link.b), link]));
  const changed: PairOfAccounts[] = [];
  const added: PairOfAccounts[] = [];
  const removed: PairOfAccounts[] = [];
  const moved = new Set<string>();
  const rescored = new Set<string>();
  for (const [a, b] of pairs) {
    const shared = sharedBy(byAccount.get(a), byAccount.get(b), updates);
    const link = scorePair(shared, comparedPair(shared, persons.get(a), persons.get(b)));
    const old = before.get(pairKey(a, b));
    if ((link?.bridges ?? false) !== (old?.bridges ?? false)) moved.add(a);
    if (link?.score !== old?.score) rescored.add(a).add(b);
    if (!link && old) removed.push(old);
    if (!link || isSameLink(link, old)) continue;
    changed.push({ ...link, a, b });
    if (!old) added.push({ ...link, a, b });
  }
  return { changed, added, removed, movesIdentity: [...moved], rescored: [...rescored] };
}

type IdentifiersByKey = ReadonlyMap<string, CountedIdentifier> | undefined;

function sharedBy(
  mine: IdentifiersByKey,
  theirs: IdentifiersByKey,
  { deltas, mailboxes }: SharingUpdates,
): SharedIdentifier[] {
  const shared: SharedIdentifier[] = [];
  for (const [key, own] of mine ?? []) {
    const other = theirs?.get(key);
    const kind = kindOfNumber(own.kind);
    if (!other || !isLinkingKind(kind)) continue;
    shared.push({
      kind,
      accounts: own.accounts + (deltas.get(key) ?? 0),
      isSharedMailbox: mailboxes.get(key) ?? own.isSharedMailbox,
      mine: own,
      theirs: other,
    });
  }
  return shared;
}

function pairKey(a: string, b: string): string {
  return `${a}\n${b}`;
}
