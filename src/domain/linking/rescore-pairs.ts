import { identifierKey } from '../identifiers/identifier-key.ts';
import { kindOfNumber } from '../identifiers/identifier-kinds.ts';
import { comparedPair, type KnownPerson } from './known-person.ts';
import { isLinkingKind, type SharedIdentifier, type Use } from './link-weights.ts';
import { isSameLink, type PairLink, scorePair } from './pair-score.ts';

/** An identifier as one account holds it, with how many accounts of its group share it as it is stored. */
export type CountedIdentifier = Use & {
  readonly accountId: string;
  readonly kind: number;
  readonly hash: Buffer;
  readonly accounts: number;
  readonly isSharedMailbox: boolean;
};

export type Pair = readonly [a: string, b: string];

/** A link between two accounts, the smaller id first. */
export type PairOfAccounts = PairLink & { readonly a: string; readonly b: string };

export type Rescored = {
  readonly changed: PairOfAccounts[];
  readonly added: PairOfAccounts[];
  readonly removed: PairOfAccounts[];
  /** Accounts whose identity may be another one. */
  readonly movesIdentity: string[];
  /** Accounts with a link that came, went or has another score. */
  readonly rescored: string[];
};

/** All pairs of some accounts, the smaller id first. */
export function pairsAmong(accountIds: readonly string[]): Pair[] {
  const ids = [...new Set(accountIds)].sort();
  return ids.flatMap((a, index) => ids.slice(index + 1).map((b): Pair => [a, b]));
}

/** What a change that is not written yet makes of identifiers that are shared. */
export type CrowdUpdates = {
  /** One more (+1) or one fewer (−1), by the identifier's key. */
  readonly deltas: ReadonlyMap<string, number>;
  /** Whether an email is a shared mailbox afterwards, by its key. */
  readonly mailboxes: ReadonlyMap<string, boolean>;
};
const NO_UPDATES: CrowdUpdates = { deltas: new Map(), mailboxes: new Map() };

/**
 * The links that the pairs have to have, against those that they have. `persons`: holders by internal ids; `updates`: what
 * is about to change.
 */
export function rescorePairs(
  pairs: readonly Pair[],
  identifiers: readonly CountedIdentifier[],
  stored: readonly PairOfAccounts[],
  persons: ReadonlyMap<string, KnownPerson>,
  updates: CrowdUpdates = NO_UPDATES,
): Rescored {
  const held = new Map<string, Map<string, CountedIdentifier>>();
  for (const one of identifiers) {
    const own = held.get(one.accountId) ?? new Map<string, CountedIdentifier>();
    own.set(identifierKey(one.kind, one.hash), one);
    held.set(one.accountId, own);
  }
  const before = new Map(stored.map((link) => [pairKey(link.a, link.b), link]));
  const changed: PairOfAccounts[] = [];
  const added: PairOfAccounts[] = [];
  const removed: PairOfAccounts[] = [];
  const moved = new Set<string>();
  const rescored = new Set<string>();
  for (const [a, b] of pairs) {
    const shared = sharedBy(held.get(a), held.get(b), updates);
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

type Held = ReadonlyMap<string, CountedIdentifier> | undefined;

function sharedBy(mine: Held, theirs: Held, { deltas, mailboxes }: CrowdUpdates): SharedIdentifier[] {
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
