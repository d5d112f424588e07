import { COMPARED_BIT, IDENTIFIER_KINDS } from '../identifiers/identifier-kinds.ts';
import type { PersonLikeness } from './compare-persons.ts';
import {
  BRIDGE_CAP,
  COMPARING_KINDS,
  type CountedKind,
  closenessFactor,
  crowdFactor,
  gapBetween,
  IDENTITY_THRESHOLD,
  LINK_THRESHOLD,
  LINK_WEIGHTS,
  type LinkingKind,
  MAX_FAMILY_PHONE,
  type Period,
  REPEATED_FACTOR,
  repetitionFactor,
  type SharedIdentifier,
  weightKindOf,
  weightOf,
} from './link-weights.ts';
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

/** Accounts with equal dates of birth and a name or email that agrees are one identity by any link. */
const IDENTITY_THRESHOLD_OF_EQUAL_BIRTHS = LINK_THRESHOLD;

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

const COMPARING: ReadonlySet<LinkingKind> = new Set(COMPARING_KINDS);

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
const LONE_FACE_WEIGHT = 0.5;

/**
 * Whether an identifier is a second piece of evidence beside a face: it links alone, or it is a device. What a family
 * shares is none.
 */
export function confirmsFace(shared: CountedKind, likeness: PersonLikeness | null = null): boolean {
  const isStrong = weightOf(shared).weight === 1 || shared.kind === 'device';
  if (shared.kind === 'face' || !isStrong || isOfFamily(shared, likeness)) return false;
  return crowdFactor(weightKindOf(shared), shared.accounts) > 0;
}

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

/** Weight of a mailbox that several people read, between two accounts of it whose names agree. */
const AGREEING_HOLDERS = 0.9;

/** What one shared identifier contributes by itself, 0 to 1. Kinds that do not age do not repeat either. */
function contributionOf(shared: SharedIdentifier, likeness: PersonLikeness | null): number {
  if (isOfFamily(shared, likeness)) return LINK_WEIGHTS.role_email.weight;
  if (shared.kind === 'email' && shared.isSharedMailbox && agree(likeness))
    return AGREEING_HOLDERS * crowdFactor('role_email', shared.accounts);
  const kind = weightKindOf(shared);
  const closeness = closenessFactor(kind, gapBetween(shared.mine, shared.theirs));
  return (
    LINK_WEIGHTS[kind].weight * crowdFactor(kind, shared.accounts) * closeness * repetitionFactor(shared)
  );
}

function agree(likeness: PersonLikeness | null): boolean {
  return likeness?.names === 'full' || likeness?.names === 'half';
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
  if (!likeness) return false;
  if (kind === 'phone') return accounts <= MAX_FAMILY_PHONE && likeness.haveOtherFirstNames;
  const isMailbox = kind === 'email' && !isSharedMailbox && accounts <= BRIDGE_CAP;
  return isMailbox && likeness.wroteAlike && likeness.haveOtherFirstNames;
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
  if (!mayLink(shared, compared)) return null;
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

/** A score of LINK_THRESHOLD may be rounded up from this. */
const MIN_UNROUNDED = LINK_THRESHOLD - 0.0001;

/**
 * Whether the score can reach LINK_THRESHOLD: nothing that is shared counts for more than its kind, and a comparison adds
 * something only for near emails or dates of birth. Most candidates share no more than a key of a near email.
 */
function mayLink(shared: readonly SharedIdentifier[], compared: ComparedPair | null): boolean {
  if (compared && addsEvidence(compared.likeness)) return true;
  let miss = 1;
  for (const { kind } of shared) miss *= 1 - Math.min(1, LINK_WEIGHTS[kind].weight * REPEATED_FACTOR);
  return 1 - miss >= MIN_UNROUNDED;
}

function addsEvidence({ emails, births }: PersonLikeness): boolean {
  return (emails !== 'other' && emails !== 'unknown') || births === 'equal' || births === 'near';
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
  if (kept.length < 2) return kept;
  const dropped = new Set<Counted<Shared>>();
  for (const kinds of ONE_OF) {
    const group = kept.filter(({ kind }) => kinds.includes(kind));
    if (group.length < 2) continue;
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
  const names = likeNameWeight(likeness, sharing, sharedOf('birth_date')?.accounts ?? 0);
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
