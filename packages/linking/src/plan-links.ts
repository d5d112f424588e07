import { LIMITS } from '@vouchgraph/platform/limits';
import { applyHistoryLimits } from './history-limits.ts';
import type { IdentifierKey } from './identifier-key.ts';
import { identifierKey } from './identifier-key.ts';
import { CONTACT_KINDS, classesOf, IDENTIFIER_KINDS, kindOfNumber } from './identifier-kinds.ts';
import { comparedPair, type KnownPerson } from './known-person.ts';
import {
  FULL_MATCH_KINDS,
  isLinkingKind,
  LEADING_KINDS,
  type Period,
  repeats,
  type SharedIdentifier,
} from './link-weights.ts';
import { isSameLink, type PairLink, scorePair } from './pair-score.ts';
import { type MailboxNames, sharedMailboxes } from './shared-mailboxes.ts';

/** A stored identifier of an account. */
export type AccountIdentifier = Period & {
  readonly kind: number;
  readonly hash: Buffer;
  /** Number of uses. */
  readonly uses: number;
};
/** An identifier that another account shares with the account of a change. */
export type Match = AccountIdentifier & {
  readonly accountId: string;
  /** Number of other accounts that share it, at most one more than its cap; over the cap, not all of them are read. */
  readonly others: number;
};
export type StoredLink = PairLink & { readonly accountId: string };

export type LinkPlan = {
  /** All links of the account after the change. */
  readonly links: StoredLink[];
  /** Links whose rows must be written. */
  readonly changed: StoredLink[];
  /** Links to accounts that were not linked before. */
  readonly added: StoredLink[];
  /** Accounts that are no longer linked. */
  readonly removed: string[];
  /** Whether the account's identity group can change. */
  readonly movesIdentity: boolean;
  /** Accounts whose link with the account was added, removed or rescored. */
  readonly rescored: string[];
};

/** Minimum time between stored uses of an identifier whose kind neither ages nor repeats. */
const MIN_TIME_BETWEEN_USES_MS = 60_000;

const FULL_BITS = FULL_MATCH_KINDS.reduce((bits, kind) => bits | (1 << IDENTIFIER_KINDS[kind]), 0);

export type IdentifiersAfterChange = {
  readonly identifiers: AccountIdentifier[];
  /** Stored identifiers that are dropped. */
  readonly dropped: AccountIdentifier[];
  /** Whether more identifiers beyond the limits can be stored than were read. */
  readonly isOverLimit: boolean;
};

/**
 * The identifiers of an account after a request: the stored ones, and the current ones with the time `seen`, within the history
 * limits. `isCounted`: whether the request counts as a further use; false for a repeated session.
 */
export function mergeIdentifiers(
  mine: readonly AccountIdentifier[],
  current: readonly IdentifierKey[],
  replacedKinds: readonly number[],
  seen: Date,
  isCounted = true,
): IdentifiersAfterChange {
  const { kept: stored, beyond: overLimit } = applyHistoryLimits(mine);
  const currentKeys = new Set(current.map(({ kind, hash }) => identifierKey(kind, hash)));
  const byKey = new Map(stored.map((one) => [identifierKey(one.kind, one.hash), one]));
  const storedKeys = new Set(byKey.keys());
  const replaced = stored.filter(
    ({ kind, hash }) => replacedKinds.includes(kind) && !currentKeys.has(identifierKey(kind, hash)),
  );
  for (const one of replaced) byKey.delete(identifierKey(one.kind, one.hash));
  for (const { kind, hash } of current) {
    const before = byKey.get(identifierKey(kind, hash));
    byKey.set(identifierKey(kind, hash), {
      kind,
      hash,
      firstSeen: before && before.firstSeen < seen ? before.firstSeen : seen,
      lastSeen: before && !isSeenLater(before, seen) ? before.lastSeen : seen,
      uses: (before?.uses ?? 0) + (before === undefined || isCounted ? 1 : 0),
    });
  }
  const { kept, beyond } = applyHistoryLimits([...byKey.values()]);
  const displaced = beyond.filter(({ kind, hash }) => storedKeys.has(identifierKey(kind, hash)));
  const dropped = [...overLimit, ...replaced, ...displaced];
  return { identifiers: kept, dropped, isOverLimit: overLimit.length > 0 };
}

/**
 * Whether `seen` updates the time of the last use. For kinds that neither age nor repeat the resolution is one minute, so that
 * a client that authenticates and then updates an account does not write all of its identifiers twice.
 */
function isSeenLater({ kind, lastSeen }: AccountIdentifier, seen: Date): boolean {
  const later = seen.getTime() - lastSeen.getTime();
  return repeats(kindOfNumber(kind)) ? later > 0 : later >= MIN_TIME_BETWEEN_USES_MS;
}

/**
 * The identifiers of an account with the match keys of the current version. A new key has the period of the stored keys of its
 * kind or field, or `defaultPeriod`. `dropsStale`: whether the keys of another version are dropped.
 */
export function recomputeIdentifiers(
  mine: readonly AccountIdentifier[],
  current: readonly IdentifierKey[],
  { dropsStale, defaultPeriod }: { dropsStale: boolean; defaultPeriod: Period },
): IdentifiersAfterChange & { readonly holdsStale: boolean } {
  const { kept: stored, beyond } = applyHistoryLimits(mine);
  const currentKeys = new Set(current.map(({ kind, hash }) => identifierKey(kind, hash)));
  const storedKeys = new Set(stored.map(({ kind, hash }) => identifierKey(kind, hash)));
  const isStale = ({ kind, hash }: AccountIdentifier) =>
    CONTACT_NUMBERS.has(kind) && !currentKeys.has(identifierKey(kind, hash));
  const added = current
    .filter(({ kind, hash }) => !storedKeys.has(identifierKey(kind, hash)))
    .map(({ kind, hash }) => ({ kind, hash, ...usesOf(stored, kind, defaultPeriod) }));
  const stale = stored.filter(isStale);
  return {
    identifiers: [...(dropsStale ? stored.filter((one) => !isStale(one)) : stored), ...added],
    dropped: [...beyond, ...(dropsStale ? stale : [])],
    isOverLimit: beyond.length > 0,
    holdsStale: !dropsStale && stale.length > 0,
  };
}

const CONTACT_NUMBERS: ReadonlySet<number> = new Set(CONTACT_KINDS.map((kind) => IDENTIFIER_KINDS[kind]));

/**
 * Period and uses of a new match key, from the stored keys of its kind, otherwise of its field: a role mailbox of the current
 * version can be an email of another one.
 */
function usesOf(stored: readonly AccountIdentifier[], kind: number, defaultPeriod: Period) {
  const ofKind = stored.filter((one) => one.kind === kind);
  const classes = classesOf(kind);
  const same = ofKind.length > 0 ? ofKind : stored.filter((one) => classes.includes(one.kind));
  if (same.length === 0) return { ...defaultPeriod, uses: 1 };
  return {
    firstSeen: new Date(Math.min(...same.map(({ firstSeen }) => firstSeen.getTime()))),
    lastSeen: new Date(Math.max(...same.map(({ lastSeen }) => lastSeen.getTime()))),
    uses: Math.max(...same.map(({ uses }) => uses)),
  };
}

/** Persons of the account of a plan, and of other accounts by their internal ids. */
export type PersonsOfPlan = {
  readonly own: KnownPerson | null;
  readonly others: ReadonlyMap<string, KnownPerson>;
};
const NO_PERSONS: PersonsOfPlan = { own: null, others: new Map() };

/**
 * Computes the links of an account from its identifiers. `matches`: for each identifier the other accounts of the group that
 * share it, at most one more than its cap. `mailboxes`: first names of accounts with the same email. `persons`: persons of the
 * account and of the accounts that it is compared with.
 */
export function planLinks(
  identifiers: readonly AccountIdentifier[],
  matches: readonly Match[],
  before: readonly StoredLink[],
  groupMoved = false,
  mailboxes: readonly MailboxNames[] = [],
  persons: PersonsOfPlan = NO_PERSONS,
): LinkPlan {
  const sharedEmails = sharedMailboxes(identifiers, mailboxes);
  const links: StoredLink[] = [];
  for (const [accountId, shared] of sharedByAccount(identifiers, matches, sharedEmails)) {
    const compared = comparedPair(shared, persons.own, persons.others.get(accountId));
    const link = scorePair(shared, compared);
    if (link) links.push({ ...link, accountId });
  }
  const stored = new Map(before.map((link) => [link.accountId, link]));
  const now = new Set(links.map((link) => link.accountId));
  const partial = groupMoved ? 0 : partialKinds(identifiers, matches, sharedEmails);
  const notFound = before.filter((link) => !now.has(link.accountId));
  // A link that also depends on a full match that was read completely would have been found again by it.
  const kept = notFound.filter(
    (link) => (link.kinds & ~partial & FULL_BITS) === 0 && (link.kinds & partial) !== 0,
  );
  const keptIds = new Set(kept.map(({ accountId }) => accountId));
  const removed = notFound.filter(({ accountId }) => !keptIds.has(accountId));
  return {
    links: [...links, ...kept],
    movesIdentity:
      removed.some(({ bridges }) => bridges) ||
      links.some(({ accountId, bridges }) => bridges !== (stored.get(accountId)?.bridges ?? false)),
    changed: links.filter((link) => !isSameLink(link, stored.get(link.accountId))),
    added: links.filter((link) => !stored.has(link.accountId)),
    removed: removed.map((link) => link.accountId),
    rescored: [
      ...links.filter(({ accountId, score }) => score !== stored.get(accountId)?.score),
      ...removed,
    ].map(({ accountId }) => accountId),
  };
}

/** Whether only a part of the account's links is stored, because it belongs to a very large ring. */
export function isPartial(
  identifiers: readonly AccountIdentifier[],
  matches: readonly Match[],
  mailboxes: readonly MailboxNames[],
): boolean {
  return partialKinds(identifiers, matches, sharedMailboxes(identifiers, mailboxes)) !== 0;
}

/**
 * Kinds whose matches were not read completely: a very large ring has more accounts than are read. A link by one of them is not
 * removed when its account was not read. A shared mailbox of that many accounts is over its sharing limit and not included.
 */
function partialKinds(
  identifiers: readonly AccountIdentifier[],
  matches: readonly Match[],
  sharedEmails: ReadonlySet<string>,
): number {
  const own = new Set(identifiers.map(({ kind, hash }) => identifierKey(kind, hash)));
  let kinds = 0;
  for (const { kind, hash, others } of matches) {
    if (others < LIMITS.linksPerAccount) continue;
    const key = identifierKey(kind, hash);
    if (own.has(key) && !sharedEmails.has(key)) kinds |= 1 << kind;
  }
  return kinds;
}

const LEADING: ReadonlySet<number> = new Set(LEADING_KINDS.map((kind) => IDENTIFIER_KINDS[kind]));

function sharedByAccount(
  identifiers: readonly AccountIdentifier[],
  matches: readonly Match[],
  sharedEmails: ReadonlySet<string>,
): Map<string, SharedIdentifier[]> {
  const mine = new Map(identifiers.map((one) => [identifierKey(one.kind, one.hash), one]));
  const candidates = new Set<string>();
  for (const { kind, accountId } of matches) if (LEADING.has(kind)) candidates.add(accountId);
  const byAccount = new Map<string, SharedIdentifier[]>();
  for (const match of matches) {
    const key = identifierKey(match.kind, match.hash);
    const own = mine.get(key);
    const kind = kindOfNumber(match.kind);
    if (!own || !candidates.has(match.accountId) || !isLinkingKind(kind)) continue;
    const isSharedMailbox = sharedEmails.has(key);
    const one = { kind, accounts: match.others + 1, isSharedMailbox, mine: own, theirs: match };
    const list = byAccount.get(match.accountId);
    if (list) list.push(one);
    else byAccount.set(match.accountId, [one]);
  }
  return byAccount;
}
