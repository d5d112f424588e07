import type { PersonLikeness } from './compare-persons.ts';
import { COMPARED_BIT, IDENTIFIER_KINDS, type IdentifierKind } from './identifier-kinds.ts';
import { birthWeight, CONTRADICTED, likeNameWeight, nearEmailWeight } from './person-evidence.ts';

/*
 * How sure it is that two accounts are the same person, from what they share.
 *
 * Each shared identifier contributes weight x crowding x closeness in time x repetition; an address and its neighbourhood are one
 * piece of evidence, and so are a device and its near-equal forms, and those of an email (the strongest counts); what remains combines by
 * noisy-or. A link exists from LINK_THRESHOLD. Full matches link alone and are never capped: a ring must not unlink
 * itself by growing. A device or a network alone never links, and one that many accounts share counts for less, then
 * for nothing. A name only supports other evidence, and so does an email that several people read. The weights are expert priors.
 *
 * Accounts that share a contact, a name, a date of birth or a key of a near email or date are compared in clear text as
 * well: what is near then counts (person-evidence.ts), a family's email or phone only supports, and dates of birth that
 * contradict take 30 % of the evidence by names and emails.
 */
export const LINK_WEIGHTS_VERSION = '4';
export const LINK_THRESHOLD = 0.5;

/**
 * From this score on, counted without identifiers that more than BRIDGE_CAP accounts share, a link makes its two
 * accounts one identity. Device and network of one household (.615) do not reach it; with the same name (.73) they do.
 */
export const IDENTITY_THRESHOLD = 0.7;
/** Accounts with equal dates of birth and a name or email that agrees are one identity by any link. */
const IDENTITY_THRESHOLD_OF_EQUAL_BIRTHS = LINK_THRESHOLD;
export const BRIDGE_CAP = 100;

type Weight = {
  readonly weight: number;
  /** More accounts than this share it: it links nobody. Infinity for full matches. */
  readonly cap: number;
  readonly crowds: boolean;
  /** Upper bounds of the bands of sharing accounts, with their factors; one band up to the cap where absent. */
  readonly bands?: readonly (readonly [upTo: number, factor: number])[];
  /** What is left of it when the two accounts' uses lie up to a week, up to a month, or longer apart; null: all. */
  readonly ages: readonly [week: number, month: number, later: number] | null;
};

/** Addresses pass to others within days; a device is the same one for years, and is sometimes sold. */
const ADDRESS_AGES = [0.8, 0.5, 0.3] as const;
const DEVICE_AGES = [0.95, 0.9, 0.8] as const;

/** Bands of what many people have: absolute counts, so that accounts elsewhere change nothing. */
const CROWD_BANDS = [
  [3, 1],
  [7, 0.8],
  [15, 0.6],
  [31, 0.4],
  [50, 0.25],
] as const;

const full: Weight = { weight: 1, cap: Number.POSITIVE_INFINITY, crowds: false, ages: null };
const name: Weight = { weight: 0.3, cap: 50, crowds: true, bands: CROWD_BANDS, ages: null };
/** It finds accounts to compare: what the comparison shows counts. */
const block: Weight = { weight: 0, cap: 50, crowds: true, ages: null };

export const LINK_WEIGHTS = {
  browser: full,
  email: full,
  /** Of a role: several people read it. It counts as a near-equal email does, and so does a shared mailbox. */
  role_email: { weight: 0.35, cap: 50, crowds: true, bands: CROWD_BANDS, ages: null },
  phone: full,
  username: full,
  device: { weight: 0.45, cap: 50, crowds: true, bands: CROWD_BANDS, ages: DEVICE_AGES },
  /** A device that is equal but for one of its parts. */
  device_part: { weight: 0.35, cap: 50, crowds: true, bands: CROWD_BANDS, ages: DEVICE_AGES },
  network: { weight: 0.3, cap: 20, crowds: true, bands: CROWD_BANDS, ages: ADDRESS_AGES },
  neighbourhood: { weight: 0.1, cap: 10, crowds: true, bands: CROWD_BANDS, ages: ADDRESS_AGES },
  email_block: block,
  name,
  face: full,
  document_number: full,
  document_name: name,
  birth_date: { ...block, cap: 100 },
  birth_block: block,
  /** A government or other id number. */
  id_number: full,
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
  'birth_date',
];

/** Kinds that can begin a link; the others only add to one. */
export const LEADING_KINDS: readonly LinkingKind[] = LINKING_KINDS.filter(
  (kind) => kind !== 'document_name' && kind !== 'neighbourhood',
);

/** Accounts that share one of these are compared in clear text, up to the cap of its kind and BRIDGE_CAP. */
export const COMPARING_KINDS = [
  'email',
  'role_email',
  'phone',
  'name',
  'email_block',
  'birth_date',
  'birth_block',
] as const satisfies readonly LinkingKind[];
const COMPARING: ReadonlySet<LinkingKind> = new Set(COMPARING_KINDS);

/** Kinds by whose times an account has been known by its fields. */
export const PERSON_TIME_KINDS: readonly IdentifierKind[] = [
  'email',
  'role_email',
  'phone',
  'username',
  'name',
  'birth_date',
  'id_number',
];

/** Kinds of which only the strongest piece of evidence counts. */
const ONE_OF: readonly (readonly LinkingKind[])[] = [
  ['device', 'device_part'],
  ['network', 'neighbourhood'],
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

/**
 * Whether an identifier is a second piece of evidence beside a face: it links alone, or it is a device. What a family
 * shares is none.
 */
export function confirmsFace(shared: CountedKind, likeness: PersonLikeness | null = null): boolean {
  const isStrong = weightOf(shared).weight === 1 || shared.kind === 'device';
  if (shared.kind === 'face' || !isStrong || isOfFamily(shared, likeness)) return false;
  return crowdFactor(weightKindOf(shared), shared.accounts) > 0;
}

/**
 * A phone of more accounts is no family's: holders with two first names are then linked by it, since a ring must not
 * unlink itself by names that it makes up.
 */
export const MAX_FAMILY_PHONE = 7;

/** So many different first names among the accounts that wrote one email alike make it a shared mailbox. */
export const MIN_NAMES_OF_SHARED_MAILBOX = 4;

export function isLinkingKind(kind: IdentifierKind): kind is LinkingKind {
  return kind in LINK_WEIGHTS;
}

/** The weight of an identifier: that of its kind, and of a shared mailbox that of a role's. */
export function weightOf(shared: Pick<SharedIdentifier, 'kind' | 'isSharedMailbox'>): Weight {
  return LINK_WEIGHTS[weightKindOf(shared)];
}

function weightKindOf({ kind, isSharedMailbox }: Pick<SharedIdentifier, 'kind' | 'isSharedMailbox'>) {
  return isSharedMailbox ? 'role_email' : kind;
}

/** How much a crowded identifier still counts: absolute bands, so that accounts elsewhere change nothing. */
export function crowdFactor(kind: LinkingKind, accounts: number): number {
  const { cap, crowds, bands = [[cap, 1]] }: Weight = LINK_WEIGHTS[kind];
  if (!crowds) return 1;
  if (accounts > cap) return 0;
  return bands.find(([upTo]) => accounts <= upTo)?.[1] ?? 0;
}

/** Whether an identifier says something else of the accounts that share it once there are `after` of them. */
export function crossesBand(
  shared: Pick<SharedIdentifier, 'kind' | 'isSharedMailbox'>,
  before: number,
  after: number,
): boolean {
  const kind = weightKindOf(shared);
  if (LINK_WEIGHTS[kind].crowds) return crowdFactor(kind, before) !== crowdFactor(kind, after);
  if (kind === 'phone' && before > MAX_FAMILY_PHONE !== after > MAX_FAMILY_PHONE) return true;
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
function contributionOf(shared: SharedIdentifier, likeness: PersonLikeness | null): number {
  if (isOfFamily(shared, likeness)) return LINK_WEIGHTS.role_email.weight;
  const kind = weightKindOf(shared);
  const closeness = closenessFactor(kind, gapBetween(shared.mine, shared.theirs));
  return (
    LINK_WEIGHTS[kind].weight * crowdFactor(kind, shared.accounts) * closeness * repetitionFactor(shared)
  );
}

/** What one shared identifier contributes beside the others, 0 to 1: a face without second evidence counts for less. */
function contributionAmong(
  one: SharedIdentifier,
  all: readonly SharedIdentifier[],
  likeness: PersonLikeness | null,
): number {
  const isLoneFace = one.kind === 'face' && !all.some((other) => confirmsFace(other, likeness));
  return isLoneFace ? LONE_FACE_WEIGHT : contributionOf(one, likeness);
}

/**
 * Whether two people of a family share an email or a phone: their first names are two names. An email that they wrote
 * differently, or with tags, is one person's.
 */
export function isOfFamily(
  { kind, accounts, isSharedMailbox }: Pick<SharedIdentifier, 'kind' | 'accounts' | 'isSharedMailbox'>,
  likeness: PersonLikeness | null,
): boolean {
  if (!likeness?.haveOtherFirstNames) return false;
  if (kind === 'phone') return accounts <= MAX_FAMILY_PHONE;
  return kind === 'email' && !isSharedMailbox && likeness.wroteAlike && accounts <= BRIDGE_CAP;
}

/** Whether the fields of two accounts are compared in clear text. */
export function isCompared(shared: readonly Pick<SharedIdentifier, 'kind' | 'accounts'>[]): boolean {
  return shared.some(
    ({ kind, accounts }) => COMPARING.has(kind) && accounts <= Math.min(LINK_WEIGHTS[kind].cap, BRIDGE_CAP),
  );
}

/** How the holders of two accounts compare, and since when and until when each was known by its fields. */
export type ComparedPair = {
  readonly likeness: PersonLikeness;
  readonly mine: Period;
  readonly theirs: Period;
};

/** Evidence that counts: of a shared identifier, or (null) of what is near only. */
export type Counted<Shared extends SharedIdentifier> = {
  readonly kind: LinkingKind;
  /** 0 to 1. */
  readonly weight: number;
  readonly shared: Shared | null;
};

/**
 * What counts of the shared identifiers and of the comparison, and how sure they make it that both accounts are one
 * person.
 */
export function weighPair<Shared extends SharedIdentifier>(
  shared: readonly Shared[],
  compared: Pick<ComparedPair, 'likeness'> | null,
): { score: number; counted: Counted<Shared>[] } {
  const likeness = compared && isCompared(shared) ? compared.likeness : null;
  const isContradicted = likeness?.births === 'contradict';
  const counted = countedOf(shared, likeness).map((one) =>
    isContradicted && REDUCED_KINDS.includes(one.kind) ? { ...one, weight: one.weight * CONTRADICTED } : one,
  );
  // In one order: a product of fractions depends on it, in digits that rounding may show.
  const misses = counted.map(({ weight }) => 1 - weight).sort((a, b) => a - b);
  const miss = misses.reduce((product, one) => product * one, 1);
  return { score: Math.round((1 - miss) * 10_000) / 10_000, counted };
}

/** Evidence by names and emails, of which dates of birth that contradict take a part. */
export const REDUCED_KINDS: readonly LinkingKind[] = ['name', 'email', 'role_email', 'email_block'];

/** The link between two accounts, or null when what they share is not enough. */
export function scorePair(
  shared: readonly SharedIdentifier[],
  compared: ComparedPair | null = null,
): PairLink | null {
  const { score, counted } = weighPair(shared, compared);
  if (score < LINK_THRESHOLD) return null;
  const isByPerson = counted.some(({ kind }) => kind === 'birth_date' || kind === 'email_block');
  let kinds = isByPerson ? COMPARED_BIT : 0;
  let firstSeen = Number.POSITIVE_INFINITY;
  let lastSeen = Number.NEGATIVE_INFINITY;
  for (const { kind, shared: one } of counted) {
    kinds |= 1 << IDENTIFIER_KINDS[kind];
    const { mine, theirs } = one ?? compared!;
    firstSeen = Math.min(firstSeen, Math.max(mine.firstSeen.getTime(), theirs.firstSeen.getTime()));
    lastSeen = Math.max(lastSeen, mine.lastSeen.getTime(), theirs.lastSeen.getTime());
  }
  return {
    score,
    kinds,
    firstSeen: new Date(firstSeen),
    lastSeen: new Date(lastSeen),
    bridges: isBridge(shared, compared),
  };
}

/** What may make two accounts one identity: nothing that a crowd shares, and a face beside second evidence only. */
function bridgingOf(shared: readonly SharedIdentifier[], compared: ComparedPair | null): SharedIdentifier[] {
  const uncrowded = shared.filter(({ accounts }) => accounts <= BRIDGE_CAP);
  const isConfirmed = uncrowded.some((one) => confirmsFace(one, compared?.likeness ?? null));
  return isConfirmed ? uncrowded : uncrowded.filter(({ kind }) => kind !== 'face');
}

function isBridge(shared: readonly SharedIdentifier[], compared: ComparedPair | null): boolean {
  const { score, counted } = weighPair(bridgingOf(shared, compared), compared);
  const isSamePerson =
    compared?.likeness.births === 'equal' &&
    counted.some(({ kind }) => kind === 'birth_date') &&
    counted.some(({ kind }) => kind === 'name' || kind === 'email_block');
  return score >= (isSamePerson ? IDENTITY_THRESHOLD_OF_EQUAL_BIRTHS : IDENTITY_THRESHOLD);
}

/**
 * The evidence that adds something. A near-equal email adds nothing to an equal one, a name nothing without what it
 * supports, and of what is one piece of evidence the strongest counts.
 */
function countedOf<Shared extends SharedIdentifier>(
  shared: readonly Shared[],
  likeness: PersonLikeness | null,
): Counted<Shared>[] {
  const weighed = shared.map((one) => ({
    kind: one.kind,
    weight: contributionAmong(one, shared, likeness),
    shared: one,
  }));
  const present: Counted<Shared>[] = weighed.filter(({ weight }) => weight > 0);
  if (likeness) addPersonEvidence(present, shared, likeness);
  const isBacked = present.some(({ kind }) => SUPPORTED_BY.includes(kind));
  const kept = present.filter(({ kind }) => isBacked || !SUPPORTING_KINDS.includes(kind));
  const dropped = new Set<Counted<Shared>>();
  for (const kinds of ONE_OF) {
    const group = kept.filter(({ kind }) => kinds.includes(kind));
    for (const one of group.toSorted(strongestFirst).slice(1)) dropped.add(one);
  }
  return kept.filter((one) => !dropped.has(one));
}

/** Adds what the comparison shows: near emails, dates of birth, and names beside them. */
function addPersonEvidence<Shared extends SharedIdentifier>(
  present: Counted<Shared>[],
  shared: readonly Shared[],
  likeness: PersonLikeness,
): void {
  const sharedOf = (kind: LinkingKind) => shared.find((one) => one.kind === kind) ?? null;
  const hasEmail = present.some(({ kind }) => kind === 'email' || kind === 'role_email');
  const hasDevice = present.some(({ kind }) => kind === 'device' || kind === 'device_part');
  const emails = hasEmail ? 0 : nearEmailWeight(likeness, hasDevice);
  const births = birthWeight(likeness);
  if (emails > 0) present.push({ kind: 'email_block', weight: emails, shared: null });
  if (births > 0) present.push({ kind: 'birth_date', weight: births, shared: sharedOf('birth_date') });
  if (emails === 0 && births === 0) return;
  const equal = sharedOf('name');
  const sharing = likeness.isSameName ? (equal?.accounts ?? Number.POSITIVE_INFINITY) : null;
  const names = likeNameWeight(likeness, sharing);
  if (names > 0) present.push({ kind: 'name', weight: names, shared: equal });
}

/** Of equally strong ones the nearer kind, then the later: the same one from both sides, in whatever order they come. */
function strongestFirst(a: Counted<SharedIdentifier>, b: Counted<SharedIdentifier>): number {
  const later = (of: (period: Period) => Date) => latest(b.shared, of) - latest(a.shared, of);
  return (
    b.weight - a.weight ||
    LINK_WEIGHTS[b.kind].weight - LINK_WEIGHTS[a.kind].weight ||
    later(({ lastSeen }) => lastSeen) ||
    later(({ firstSeen }) => firstSeen)
  );
}

function latest(shared: SharedIdentifier | null, of: (period: Period) => Date): number {
  return shared ? Math.max(of(shared.mine).getTime(), of(shared.theirs).getTime()) : 0;
}
