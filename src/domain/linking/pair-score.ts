import { IDENTIFIER_KINDS, type IdentifierKind } from './identifier-kinds.ts';

/*
 * How sure it is that two accounts are the same person, from what they share.
 *
 * Each shared identifier contributes weight x crowding x closeness in time x repetition; an address and its neighbourhood are one
 * piece of evidence, and so are a device and its near-equal forms, and those of an email (the strongest counts); what remains combines by
 * noisy-or. A link exists from LINK_THRESHOLD. Full matches link alone and are never capped: a ring must not unlink
 * itself by growing. A device or a network alone never links, and one that many accounts share counts for less, then
 * for nothing. A name only supports other evidence, and so does an email that several people read. The weights are expert priors.
 */
export const LINK_WEIGHTS_VERSION = '4';
export const LINK_THRESHOLD = 0.5;

/**
 * From this score on, counted without identifiers that more than BRIDGE_CAP accounts share, a link makes its two
 * accounts one identity. Device and network of one household (.615) do not reach it; with the same name (.73) they do.
 */
export const IDENTITY_THRESHOLD = 0.7;
export const BRIDGE_CAP = 100;

type Weight = {
  readonly weight: number;
  /** More accounts than this share it: it links nobody. Infinity for full matches. */
  readonly cap: number;
  readonly crowds: boolean;
  /** What is left of it when the two accounts' uses lie up to a week, up to a month, or longer apart; null: all. */
  readonly ages: readonly [week: number, month: number, later: number] | null;
};

/** Addresses pass to others within days; a device is the same one for years, and is sometimes sold. */
const ADDRESS_AGES = [0.8, 0.5, 0.3] as const;
const DEVICE_AGES = [0.95, 0.9, 0.8] as const;

const full: Weight = { weight: 1, cap: Number.POSITIVE_INFINITY, crowds: false, ages: null };
const name: Weight = { weight: 0.3, cap: 50, crowds: true, ages: null };

export const LINK_WEIGHTS = {
  browser: full,
  email: full,
  /** Of a role: several people read it. It counts as a near-equal email does, and so does a shared mailbox. */
  role_email: { weight: 0.35, cap: 50, crowds: true, ages: null },
  phone: full,
  username: full,
  device: { weight: 0.45, cap: 50, crowds: true, ages: DEVICE_AGES },
  /** A device that is equal but for one of its parts. */
  device_part: { weight: 0.35, cap: 50, crowds: true, ages: DEVICE_AGES },
  network: { weight: 0.3, cap: 20, crowds: true, ages: ADDRESS_AGES },
  neighbourhood: { weight: 0.1, cap: 10, crowds: true, ages: ADDRESS_AGES },
  /** An email that is equal but for digits or one character. */
  email_block: { weight: 0.35, cap: 50, crowds: true, ages: null },
  name,
  face: full,
  document_number: full,
  document_name: name,
} as const satisfies Partial<Record<IdentifierKind, Weight>>;

export type LinkingKind = keyof typeof LINK_WEIGHTS;
export const LINKING_KINDS = Object.keys(LINK_WEIGHTS) as LinkingKind[];

/** Kinds that link alone, and are shared by as many as there are. */
export const FULL_MATCH_KINDS = LINKING_KINDS.filter((kind) => LINK_WEIGHTS[kind].weight === 1);

/** Kinds that only add to others, and only beside one of SUPPORTED_BY. */
const SUPPORTING_KINDS: readonly LinkingKind[] = ['name', 'document_name'];
const SUPPORTED_BY: readonly LinkingKind[] = [
  'device',
  'device_part',
  'network',
  'neighbourhood',
  'email',
  'role_email',
  'email_block',
];

/** Kinds that can begin a link; the others only add to one. */
export const LEADING_KINDS = LINKING_KINDS.filter(
  (kind) => !SUPPORTING_KINDS.includes(kind) && kind !== 'neighbourhood',
);

/** Kinds of which only the strongest piece of evidence counts. */
const ONE_OF: readonly (readonly LinkingKind[])[] = [
  ['device', 'device_part'],
  ['network', 'neighbourhood'],
  ['email_block'],
  // An account has one of each, and for a time a second one that earlier rules made of the same field.
  ['email', 'role_email'],
  ['phone'],
  ['username'],
  ['name'],
  // Each check of a person adds one: several hits are still one resemblance.
  ['face'],
];

/**
 * Weight of a shared face without a second piece of evidence. A search of many faces finds strangers, so that a hit alone
 * makes the weakest link, and never an identity.
 */
export const LONE_FACE_WEIGHT = 0.5;

/** Whether an identifier is a second piece of evidence beside a face: it links alone, or it is a device. */
export function confirmsFace(shared: CountedKind): boolean {
  const isStrong = weightOf(shared).weight === 1 || shared.kind === 'device';
  return isStrong && shared.kind !== 'face' && crowdFactor(weightKindOf(shared), shared.accounts) > 0;
}

/** So many different first names among the accounts that wrote one email alike make it a shared mailbox. */
export const MIN_NAMES_OF_SHARED_MAILBOX = 4;

export function isLinkingKind(kind: IdentifierKind): kind is LinkingKind {
  return kind in LINK_WEIGHTS;
}

/** Upper bounds of the crowd bands and their factors: how many accounts share an identifier, both included. */
const CROWD_BANDS = [
  [3, 1],
  [7, 0.8],
  [15, 0.6],
  [31, 0.4],
  [50, 0.25],
] as const;

/** The weight of an identifier: that of its kind, and of a shared mailbox that of a role's. */
export function weightOf(shared: Pick<SharedIdentifier, 'kind' | 'isSharedMailbox'>): Weight {
  return LINK_WEIGHTS[weightKindOf(shared)];
}

function weightKindOf({ kind, isSharedMailbox }: Pick<SharedIdentifier, 'kind' | 'isSharedMailbox'>) {
  return isSharedMailbox ? 'role_email' : kind;
}

/** How much a crowded identifier still counts: absolute bands, so that accounts elsewhere change nothing. */
export function crowdFactor(kind: LinkingKind, accounts: number): number {
  const { cap, crowds } = LINK_WEIGHTS[kind];
  if (!crowds) return 1;
  if (accounts > cap) return 0;
  return CROWD_BANDS.find(([upTo]) => accounts <= upTo)?.[1] ?? 0;
}

/** Whether an identifier says something else of the accounts that share it once there are `after` of them. */
export function crossesBand(
  shared: Pick<SharedIdentifier, 'kind' | 'isSharedMailbox'>,
  before: number,
  after: number,
): boolean {
  const kind = weightKindOf(shared);
  if (LINK_WEIGHTS[kind].crowds) return crowdFactor(kind, before) !== crowdFactor(kind, after);
  return before > BRIDGE_CAP !== after > BRIDGE_CAP;
}

const DAY_MS = 86_400_000;

/** How much evidence counts by the time between the two accounts' uses of it. */
export function closenessFactor(kind: LinkingKind, gapMs: number): number {
  const { ages } = LINK_WEIGHTS[kind];
  if (ages === null || gapMs <= DAY_MS) return 1;
  const [week, month, later] = ages;
  if (gapMs <= 7 * DAY_MS) return week;
  return gapMs <= 30 * DAY_MS ? month : later;
}

/** The period in which one account was seen with an identifier. */
export type Period = { readonly firstSeen: Date; readonly lastSeen: Date };

/** Milliseconds between two periods; 0 when they overlap. */
export function gapBetween(a: Period, b: Period): number {
  const start = Math.max(a.firstSeen.getTime(), b.firstSeen.getTime());
  const end = Math.min(a.lastSeen.getTime(), b.lastSeen.getTime());
  return Math.max(0, start - end);
}

/** How one account was seen with an identifier; `uses`: in how many sessions, 1 when it is not told. */
export type Use = Period & { readonly uses?: number };

/** Both came with it again and again: no chance meeting. Still a device alone stays below a link. */
const REPEATED_USES = 3;
const REPEATED_FACTOR = 1.1;

/** Whether it matters in how many sessions an identifier was seen: those that sessions bring and that link nobody alone. */
export function repeats(kind: IdentifierKind): boolean {
  return isLinkingKind(kind) && LINK_WEIGHTS[kind].ages !== null;
}

function repetitionFactor({ kind, mine, theirs }: SharedIdentifier): number {
  const isRepeated = Math.min(mine.uses ?? 1, theirs.uses ?? 1) >= REPEATED_USES;
  return isRepeated && repeats(kind) ? REPEATED_FACTOR : 1;
}

/** One identifier that two accounts share. */
export type SharedIdentifier = {
  readonly kind: LinkingKind;
  /** How many accounts share it, both included. */
  readonly accounts: number;
  /** Of an email: whether the first names of its holders contradict each other. */
  readonly isSharedMailbox?: boolean;
  readonly mine: Use;
  readonly theirs: Use;
};

/** What the weight of a shared identifier depends on besides its times. */
export type CountedKind = Pick<SharedIdentifier, 'kind' | 'accounts' | 'isSharedMailbox'>;

export type PairLink = Period & {
  /** 0 to 1, four decimals. */
  readonly score: number;
  /** Bit set of the kinds that count. */
  readonly kinds: number;
  /** Whether it makes the two accounts one identity. */
  readonly bridges: boolean;
};

/** Whether a link says what a stored one does. */
export function isSameLink(a: PairLink, b: PairLink | undefined): boolean {
  return (
    b !== undefined &&
    a.score === b.score &&
    a.kinds === b.kinds &&
    a.bridges === b.bridges &&
    a.firstSeen.getTime() === b.firstSeen.getTime() &&
    a.lastSeen.getTime() === b.lastSeen.getTime()
  );
}

/** What one shared identifier contributes by itself, 0 to 1. Kinds that do not age do not repeat either. */
export function contributionOf(shared: SharedIdentifier): number {
  const kind = weightKindOf(shared);
  const closeness = closenessFactor(kind, gapBetween(shared.mine, shared.theirs));
  return (
    LINK_WEIGHTS[kind].weight * crowdFactor(kind, shared.accounts) * closeness * repetitionFactor(shared)
  );
}

/** What one shared identifier contributes beside the others, 0 to 1: a face without second evidence counts for less. */
export function contributionAmong(one: SharedIdentifier, all: readonly SharedIdentifier[]): number {
  const isLoneFace = one.kind === 'face' && !all.some(confirmsFace);
  return isLoneFace ? LONE_FACE_WEIGHT : contributionOf(one);
}

/** What counts of the shared identifiers, and how sure they make it that both accounts are one person. */
export function weighPair<Shared extends SharedIdentifier>(
  shared: readonly Shared[],
): { score: number; counted: Shared[] } {
  const counted = countedOf(shared);
  // In one order: a product of fractions depends on it, in digits that rounding may show.
  const misses = counted.map((one) => 1 - contributionAmong(one, shared)).sort((a, b) => a - b);
  const miss = misses.reduce((product, one) => product * one, 1);
  return { score: Math.round((1 - miss) * 10_000) / 10_000, counted };
}

/** The link between two accounts, or null when what they share is not enough. */
export function scorePair(shared: readonly SharedIdentifier[]): PairLink | null {
  const { score, counted } = weighPair(shared);
  if (score < LINK_THRESHOLD) return null;
  const bridging = weighPair(bridgingOf(shared));
  let kinds = 0;
  let firstSeen = Number.POSITIVE_INFINITY;
  let lastSeen = Number.NEGATIVE_INFINITY;
  for (const { kind, mine, theirs } of counted) {
    kinds |= 1 << IDENTIFIER_KINDS[kind];
    // When the forms of an email were last seen is not kept, and they never link alone.
    if (kind === 'email_block') continue;
    firstSeen = Math.min(firstSeen, Math.max(mine.firstSeen.getTime(), theirs.firstSeen.getTime()));
    lastSeen = Math.max(lastSeen, mine.lastSeen.getTime(), theirs.lastSeen.getTime());
  }
  return {
    score,
    kinds,
    firstSeen: new Date(firstSeen),
    lastSeen: new Date(lastSeen),
    bridges: bridging.score >= IDENTITY_THRESHOLD,
  };
}

/** What may make two accounts one identity: nothing that a crowd shares, and a face beside second evidence only. */
function bridgingOf(shared: readonly SharedIdentifier[]): SharedIdentifier[] {
  const uncrowded = shared.filter(({ accounts }) => accounts <= BRIDGE_CAP);
  return uncrowded.some(confirmsFace) ? uncrowded : uncrowded.filter(({ kind }) => kind !== 'face');
}

/**
 * The identifiers that add something. A near-equal email adds nothing to an equal one, a name nothing without what it
 * supports, and of what is one piece of evidence the strongest counts.
 */
function countedOf<Shared extends SharedIdentifier>(shared: readonly Shared[]): Shared[] {
  const present = shared.filter((one) => contributionOf(one) > 0);
  const hasEmail = present.some(({ kind }) => kind === 'email' || kind === 'role_email');
  const isBacked = present.some(({ kind }) => SUPPORTED_BY.includes(kind));
  const kept = present.filter(
    ({ kind }) => !(kind === 'email_block' && hasEmail) && (isBacked || !SUPPORTING_KINDS.includes(kind)),
  );
  const dropped = new Set<Shared>();
  for (const kinds of ONE_OF) {
    const group = kept.filter(({ kind }) => kinds.includes(kind));
    for (const one of group.toSorted(strongestFirst).slice(1)) dropped.add(one);
  }
  return kept.filter((one) => !dropped.has(one));
}

/** Of equally strong ones the nearer kind, then the later: the same one from both sides, in whatever order they come. */
function strongestFirst(a: SharedIdentifier, b: SharedIdentifier): number {
  const later = (of: (period: Period) => Date) =>
    Math.max(of(b.mine).getTime(), of(b.theirs).getTime()) -
    Math.max(of(a.mine).getTime(), of(a.theirs).getTime());
  return (
    contributionOf(b) - contributionOf(a) ||
    LINK_WEIGHTS[b.kind].weight - LINK_WEIGHTS[a.kind].weight ||
    later(({ lastSeen }) => lastSeen) ||
    later(({ firstSeen }) => firstSeen)
  );
}
