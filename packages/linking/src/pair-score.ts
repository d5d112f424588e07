import type { PersonLikeness } from './compare-persons.ts';
import { COMPARED_BIT, IDENTIFIER_KINDS } from './identifier-kinds.ts';
import {
  BRIDGE_CAP,
  COMPARING_KINDS,
  type CountedKind,
  closenessFactor,
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
  sharingFactor,
  weightKindOf,
  weightOf,
} from './link-weights.ts';
import {
  birthWeight,
  CONTRADICTED,
  likeNameWeight,
  MAX_CONTRADICTED_SCORE,
  nearEmailWeight,
} from './person-evidence.ts';

/*
 * Probability that two accounts belong to the same person, computed from their shared identifiers.
 *
 * Each shared identifier contributes weight × sharing factor × closeness in time × repetition. An address and its subnet are
 * one piece of evidence, and so are a device and its parts, and the forms of an email: only the strongest counts. The
 * contributions combine by noisy-or. A link exists from LINK_THRESHOLD on. Full matches link alone and have no sharing limit: a
 * ring must not be able to unlink itself by growing. A device or a network never links alone; its weight decreases with the
 * number of accounts that share it, down to 0. A name only supports other evidence, and so does an email that several people
 * read. The weights are expert priors.
 *
 * Accounts that share a comparing identifier (contact, name, date of birth, or key of a near email or date) are also compared
 * in clear text: near values then count (person-evidence.ts), a family's email or phone only supports, and contradicting
 * dates of birth reduce the evidence of names and emails by 30 %. They and contradicting suffixes of names keep the score below
 * a link, unless the accounts share an identifier that links alone.
 */

/** Any link between accounts with equal dates of birth and an agreeing name or email makes an identity. */
const IDENTITY_THRESHOLD_OF_EQUAL_BIRTHS = LINK_THRESHOLD;

/** Kinds that count only beside one of SUPPORTED_BY. */
const SUPPORTING_KINDS: readonly LinkingKind[] = ['name', 'document_name'];
const SUPPORTED_BY: readonly LinkingKind[] = [
  'device',
  'device_part',
  'network',
  'subnet',
  'email',
  'role_email',
  'email_block',
  'birth_date',
];

const COMPARING: ReadonlySet<LinkingKind> = new Set(COMPARING_KINDS);

/** Sets of kinds of which only the strongest piece of evidence counts. */
const ONE_OF: readonly (readonly LinkingKind[])[] = [
  ['device', 'device_part'],
  ['network', 'subnet'],
  // During a recomputation of match keys, an account can have a second identifier of the same field.
  ['email', 'role_email'],
  ['phone'],
  ['username'],
  ['name'],
  // Each check of a person adds a face: several matches are one piece of evidence.
  ['face'],
];

/**
 * Weight of a shared face without confirmation. A search among many faces has false matches, so a match alone makes the
 * weakest link, and never an identity.
 */
const LONE_FACE_WEIGHT = 0.5;

/**
 * Whether an identifier confirms a face: it links alone, or it is a device. A family's email or phone does not confirm, nor does
 * a phone with two extensions.
 */
export function confirmsFace(shared: CountedKind, likeness: PersonLikeness | null = null): boolean {
  const isStrong = weightOf(shared).weight === 1 || shared.kind === 'device';
  if (shared.kind === 'face' || !isStrong || isOfSeveralPeople(shared, likeness)) return false;
  return sharingFactor(weightKindOf(shared), shared.accounts) > 0;
}

export type PairLink = Period & {
  /** 0 to 1, four decimals. */
  readonly score: number;
  /** Bit set of the counted kinds. */
  readonly kinds: number;
  /** Whether the link makes the two accounts one identity. */
  readonly bridges: boolean;
};

/** Whether a link equals a stored one. */
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

/** Weight of a shared mailbox between two of its accounts whose names agree. */
const AGREEING_NAMES_WEIGHT = 0.9;

/** Contribution of one shared identifier, 0 to 1. Kinds without ages have no repetition factor either. */
function contributionOf(shared: SharedIdentifier, likeness: PersonLikeness | null): number {
  if (isOfSeveralPeople(shared, likeness)) return LINK_WEIGHTS.role_email.weight;
  if (shared.kind === 'email' && shared.isSharedMailbox && agree(likeness))
    return AGREEING_NAMES_WEIGHT * sharingFactor('role_email', shared.accounts);
  const kind = weightKindOf(shared);
  const closeness = closenessFactor(kind, gapBetween(shared.mine, shared.theirs));
  return (
    LINK_WEIGHTS[kind].weight * sharingFactor(kind, shared.accounts) * closeness * repetitionFactor(shared)
  );
}

function agree(likeness: PersonLikeness | null): boolean {
  return likeness?.names === 'full' || likeness?.names === 'half';
}

/** Contribution of one shared identifier among the others, 0 to 1: a face without confirmation counts less. */
function contributionAmong(
  one: SharedIdentifier,
  all: readonly SharedIdentifier[],
  likeness: PersonLikeness | null,
): number {
  const isLoneFace = one.kind === 'face' && !all.some((other) => confirmsFace(other, likeness));
  return isLoneFace ? LONE_FACE_WEIGHT : contributionOf(one, likeness);
}

/**
 * Whether an email or a phone is shared by two people of a family: their first names differ. Different spellings or tags of
 * an email indicate one person.
 */
export function isOfFamily(
  { kind, accounts, isSharedMailbox }: Pick<SharedIdentifier, 'kind' | 'accounts' | 'isSharedMailbox'>,
  likeness: PersonLikeness | null,
): boolean {
  if (!likeness) return false;
  if (kind === 'phone') return accounts <= MAX_FAMILY_PHONE && likeness.haveOtherFirstNames;
  const isMailbox = kind === 'email' && !isSharedMailbox && accounts <= BRIDGE_CAP;
  return isMailbox && likeness.hasSameSpelling && likeness.haveOtherFirstNames;
}

/** Whether a phone has different extensions: a switchboard of several people. */
export function isOfExtensions(
  { kind, accounts }: Pick<SharedIdentifier, 'kind' | 'accounts'>,
  likeness: PersonLikeness | null,
): boolean {
  return kind === 'phone' && accounts <= BRIDGE_CAP && likeness?.haveOtherExtensions === true;
}

function isOfSeveralPeople(shared: CountedKind, likeness: PersonLikeness | null): boolean {
  return isOfFamily(shared, likeness) || isOfExtensions(shared, likeness);
}

/** Whether the fields of two accounts are compared in clear text. */
export function isCompared(shared: readonly Pick<SharedIdentifier, 'kind' | 'accounts'>[]): boolean {
  return shared.some(
    ({ kind, accounts }) => COMPARING.has(kind) && accounts <= Math.min(LINK_WEIGHTS[kind].cap, BRIDGE_CAP),
  );
}

/** Comparison of the persons of two accounts, with the period in which the fields of each were seen. */
export type ComparedPair = {
  readonly likeness: PersonLikeness;
  readonly mine: Period;
  readonly theirs: Period;
};

/** Counted evidence. `shared`: its shared identifier; null for near values. */
export type Counted<Shared extends SharedIdentifier> = {
  readonly kind: LinkingKind;
  /** 0 to 1. */
  readonly weight: number;
  readonly shared: Shared | null;
};

/**
 * Score of two accounts, with the counted evidence of their shared identifiers and of the comparison.
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
  // Sorted: the order of a floating-point product affects its last digits, which rounding can expose.
  const misses = counted.map(({ weight }) => 1 - weight).sort((a, b) => a - b);
  const miss = misses.reduce((product, one) => product * one, 1);
  const score = Math.round((1 - miss) * 10_000) / 10_000;
  const isLimited = (isContradicted || likeness?.haveOtherGenerations === true) && !counted.some(isExact);
  return { score: isLimited ? Math.min(score, MAX_CONTRADICTED_SCORE) : score, counted };
}

/** Whether evidence is an identifier that links alone: not the email or phone of several people. */
function isExact({ kind, weight }: Counted<SharedIdentifier>): boolean {
  return LINK_WEIGHTS[kind].weight === 1 && weight >= LINK_THRESHOLD;
}

/** Kinds of names and emails, whose weight contradicting dates of birth reduce. */
export const REDUCED_KINDS: readonly LinkingKind[] = ['name', 'email', 'role_email', 'email_block'];

/** The link between two accounts; null below LINK_THRESHOLD. */
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

/** Smallest score that rounding can raise to LINK_THRESHOLD. */
const MIN_UNROUNDED = LINK_THRESHOLD - 0.0001;

/**
 * Whether the score can reach LINK_THRESHOLD: a shared identifier counts at most the weight of its kind, and a comparison adds
 * evidence only for near emails or dates of birth. Most candidates share only a key of a near email.
 */
function mayLink(shared: readonly SharedIdentifier[], compared: ComparedPair | null): boolean {
  if (compared && addsEvidence(compared.likeness)) return true;
  let miss = 1;
  for (const { kind } of shared) miss *= 1 - Math.min(1, LINK_WEIGHTS[kind].weight * REPEATED_FACTOR);
  return 1 - miss >= MIN_UNROUNDED;
}

function addsEvidence({ emails, births }: PersonLikeness): boolean {
  const areNear = emails === 'equal' || emails === 'mistyped' || emails === 'slip' || emails === 'near';
  return areNear || births === 'equal' || births === 'near';
}

/** Evidence that can make an identity: no identifier over BRIDGE_CAP, and a face only with confirmation. */
function bridgingOf(shared: readonly SharedIdentifier[], compared: ComparedPair | null): SharedIdentifier[] {
  const withinCap = shared.filter(({ accounts }) => accounts <= BRIDGE_CAP);
  const isConfirmed = withinCap.some((one) => confirmsFace(one, compared?.likeness ?? null));
  return isConfirmed ? withinCap : withinCap.filter(({ kind }) => kind !== 'face');
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
 * The counted evidence. A near email adds nothing to an equal one, a name counts only beside one of SUPPORTED_BY, and only the
 * strongest of each set of ONE_OF counts.
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

/** Adds the evidence of the comparison: near emails, dates of birth, and names beside them. */
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

/** Ties are ordered by the weight of the kind, then by time, so that the result is symmetric and independent of the order. */
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
