import { LIMITS } from '../../platform/limits.ts';
import { identifierKey } from '../identifiers/identifier-key.ts';
import { CONTACT_KINDS, classesOf, IDENTIFIER_KINDS, kindOfNumber } from '../identifiers/identifier-kinds.ts';
import type { IdentifierKey } from './account-identifiers.ts';
import { applyHistoryLimits } from './history-limits.ts';
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

/** An identifier that an account holds (own rows), or that another account holds too. */
export type HeldIdentifier = Period & {
  readonly kind: number;
  readonly hash: Buffer;
  /** How often it was seen. */
  readonly uses: number;
};
export type Match = HeldIdentifier & {
  readonly accountId: string;
  /** How many other accounts hold it, one more than its cap at most; of such a crowd not all are told. */
  readonly others: number;
};
export type StoredLink = PairLink & { readonly accountId: string };

export type LinkPlan = {
  /** All links that the account has after the change. */
  readonly links: StoredLink[];
  /** Those whose rows must be written. */
  readonly changed: StoredLink[];
  /** Accounts that were not linked before. */
  readonly added: StoredLink[];
  /** Accounts that are linked no more. */
  readonly removed: string[];
  /** Whether the account's identity may be another one. */
  readonly movesIdentity: boolean;
  /** Accounts whose link with the account came, went or has another score. */
  readonly rescored: string[];
};

/** Minimum time between stored uses of an identifier whose kind neither ages nor repeats. */
const MIN_TIME_BETWEEN_USES_MS = 60_000;

const FULL_BITS = FULL_MATCH_KINDS.reduce((bits, kind) => bits | (1 << IDENTIFIER_KINDS[kind]), 0);

export type HeldAfterChange = {
  readonly held: HeldIdentifier[];
  /** Stored ones that the account no longer holds. */
  readonly dropped: HeldIdentifier[];
  /** Whether more may be stored beyond the limits than was read. */
  readonly isOverLimit: boolean;
};

/**
 * The identifiers of an account after a request: the kept ones, and the current ones with `seen` added to them; of
 * each limited kind the newest.
 * `isCounted`: whether they were seen once more, rather than told again of the same session.
 */
export function holdIdentifiers(
  mine: readonly HeldIdentifier[],
  current: readonly IdentifierKey[],
  replacedKinds: readonly number[],
  seen: Date,
  isCounted = true,
): HeldAfterChange {
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
  return { held: kept, dropped, isOverLimit: overLimit.length > 0 };
}

/**
 * Whether `seen` moves the time of the last use. Kinds that neither age nor repeat are kept to the minute: a client that
 * authenticates and then updates an account does not write all of its identifiers twice.
 */
function isSeenLater({ kind, lastSeen }: HeldIdentifier, seen: Date): boolean {
  const later = seen.getTime() - lastSeen.getTime();
  return repeats(kindOfNumber(kind)) ? later > 0 : later >= MIN_TIME_BETWEEN_USES_MS;
}

/**
 * The identifiers of an account with those that the present rules make of its fields. A new one was seen when those of its
 * kind or field were, or at `otherwise`. `settles`: those that earlier rules made are dropped.
 */
export function rekeyIdentifiers(
  mine: readonly HeldIdentifier[],
  current: readonly IdentifierKey[],
  { settles, otherwise }: { settles: boolean; otherwise: Period },
): HeldAfterChange & { readonly holdsEarlier: boolean } {
  const { kept: stored, beyond } = applyHistoryLimits(mine);
  const currentKeys = new Set(current.map(({ kind, hash }) => identifierKey(kind, hash)));
  const storedKeys = new Set(stored.map(({ kind, hash }) => identifierKey(kind, hash)));
  const isEarlier = ({ kind, hash }: HeldIdentifier) =>
    CONTACT_NUMBERS.has(kind) && !currentKeys.has(identifierKey(kind, hash));
  const added = current
    .filter(({ kind, hash }) => !storedKeys.has(identifierKey(kind, hash)))
    .map(({ kind, hash }) => ({ kind, hash, ...seenAs(stored, kind, otherwise) }));
  const earlier = stored.filter(isEarlier);
  return {
    held: [...(settles ? stored.filter((one) => !isEarlier(one)) : stored), ...added],
    dropped: [...beyond, ...(settles ? earlier : [])],
    isOverLimit: beyond.length > 0,
    holdsEarlier: !settles && earlier.length > 0,
  };
}

const CONTACT_NUMBERS: ReadonlySet<number> = new Set(CONTACT_KINDS.map((kind) => IDENTIFIER_KINDS[kind]));

/** An address that is the mailbox of a role by the present rules was an email by earlier ones: it was seen as that. */
function seenAs(stored: readonly HeldIdentifier[], kind: number, otherwise: Period) {
  const ofKind = stored.filter((one) => one.kind === kind);
  const classes = classesOf(kind);
  const same = ofKind.length > 0 ? ofKind : stored.filter((one) => classes.includes(one.kind));
  if (same.length === 0) return { ...otherwise, uses: 1 };
  return {
    firstSeen: new Date(Math.min(...same.map(({ firstSeen }) => firstSeen.getTime()))),
    lastSeen: new Date(Math.max(...same.map(({ lastSeen }) => lastSeen.getTime()))),
    uses: Math.max(...same.map(({ uses }) => uses)),
  };
}

/** Holders of the account of a plan, and of others by their accounts' internal ids. */
export type PersonsOfPlan = {
  readonly own: KnownPerson | null;
  readonly others: ReadonlyMap<string, KnownPerson>;
};
const NO_PERSONS: PersonsOfPlan = { own: null, others: new Map() };

/**
 * The links that follow from what an account and others hold. `matches` names, for each identifier, the other
 * accounts of the group that hold it, up to one more than may link; `mailboxes` the first names that come with emails;
 * `persons` the holders of the account and of the others that it is compared with.
 */
export function planLinks(
  held: readonly HeldIdentifier[],
  matches: readonly Match[],
  before: readonly StoredLink[],
  groupMoved = false,
  mailboxes: readonly MailboxNames[] = [],
  persons: PersonsOfPlan = NO_PERSONS,
): LinkPlan {
  const sharedEmails = sharedMailboxes(held, mailboxes);
  const shared = sharedByAccount(held, matches, sharedEmails);
  const links: StoredLink[] = [];
  for (const [accountId, identifiers] of shared) {
    const compared = comparedPair(identifiers, persons.own, persons.others.get(accountId));
    const link = scorePair(identifiers, compared);
    if (link) links.push({ ...link, accountId });
  }
  const stored = new Map(before.map((link) => [link.accountId, link]));
  const now = new Set(links.map((link) => link.accountId));
  const unseen = groupMoved ? 0 : unseenKinds(held, matches, sharedEmails);
  const gone = before.filter((link) => !now.has(link.accountId));
  // One that rests on something of which all is seen as well would have been found again by that, or weakened by its loss.
  const kept = gone.filter((link) => (link.kinds & ~unseen & FULL_BITS) === 0 && (link.kinds & unseen) !== 0);
  const keptIds = new Set(kept.map(({ accountId }) => accountId));
  const removed = gone.filter(({ accountId }) => !keptIds.has(accountId));
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

/** Whether not all links of an account are kept: of a very large ring. */
export function isPartial(
  held: readonly HeldIdentifier[],
  matches: readonly Match[],
  mailboxes: readonly MailboxNames[],
): boolean {
  return unseenKinds(held, matches, sharedMailboxes(held, mailboxes)) !== 0;
}

/**
 * Kinds of which not all partners were read: of a very large ring the strongest only. A link by one of them is not
 * removed because its partner was not among those. A shared mailbox of that many links nobody.
 */
function unseenKinds(
  held: readonly HeldIdentifier[],
  matches: readonly Match[],
  sharedEmails: ReadonlySet<string>,
): number {
  const own = new Set(held.map(({ kind, hash }) => identifierKey(kind, hash)));
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
  held: readonly HeldIdentifier[],
  matches: readonly Match[],
  sharedEmails: ReadonlySet<string>,
): Map<string, SharedIdentifier[]> {
  const mine = new Map(held.map((one) => [identifierKey(one.kind, one.hash), one]));
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
