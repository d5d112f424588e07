import {
  birthDateOf,
  type ComparedPair,
  DIFFERING_PARTS,
  isOfExtensions,
  isOfFamily,
  type LinkingKind,
  maskBirthDate,
  maskEmail,
  maskName,
  maskPhone,
  maskUsername,
  REDUCED_KINDS,
  weighPair,
  weightOf,
} from '@vouchgraph/linking';
import type { PersonalFields } from '@vouchgraph/persons';
import type { PairComparison, PairEvidence } from './evidence-store.ts';

/** A role mailbox is shown as an email; `supportsBecause` states the difference. */
export type EvidenceKind = Exclude<LinkingKind, 'role_email' | 'birth_block'>;

/** One piece of evidence that two accounts share, as an operator sees it. */
export type LinkEvidence = {
  readonly kind: EvidenceKind;
  /** Masked value. */
  readonly maskedValue: string;
  /** Number of accounts of the group that share it, both included; at most 1,501. */
  readonly sharedBy: number;
  /** Weight, 0 to 1; 0 when it does not count. */
  readonly weight: number;
  /** Whether it is over its sharing limit, so that it links no accounts. */
  readonly capped: boolean;
  /** Reason why an equal email or phone only supports other evidence; null when it links, and for other kinds. */
  readonly supportsBecause: SupportReason | null;
  /** Reason for a reduction of the weight by 30 %; null without a reduction. */
  readonly reducedBecause: ReductionReason | null;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
};

export type SupportReason = 'ROLE_MAILBOX' | 'DIFFERENT_FIRST_NAMES' | 'DIFFERENT_EXTENSIONS';

export type ReductionReason = 'DIFFERENT_DATES_OF_BIRTH';

type Masked = Pick<PersonalFields, 'email' | 'phone' | 'firstName' | 'lastName' | 'username'> &
  Partial<Pick<PersonalFields, 'dateOfBirth' | 'documentDateOfBirth'>>;

/** Equal and near evidence of two accounts, the largest weight first. `personal` belongs to the first account. */
export function explainPair({ shared, compared }: PairComparison, personal: Masked): LinkEvidence[] {
  const { counted } = weighPair(shared, compared);
  const weights = new Map(counted.map((one) => [one.shared, one.weight]));
  const nearOnes = counted.filter((one) => one.shared === null);
  const ofShared = onePerKind(
    shared,
    weights,
    nearOnes.map(({ kind }) => kind),
  ).map((one) => ({
    ...described(one.kind, compared),
    maskedValue: maskedValue(one.kind, one.hash, personal),
    sharedBy: one.accounts,
    weight: round(weights.get(one) ?? 0),
    capped: one.accounts > weightOf(one).cap,
    supportsBecause: supportReasonOf(one, compared),
    firstSeen: later(one.mine.firstSeen, one.theirs.firstSeen),
    lastSeen: later(one.mine.lastSeen, one.theirs.lastSeen),
  }));
  const ofNear = nearOnes.map(({ kind, weight }) => ({
    ...described(kind, compared),
    maskedValue: maskedValue(kind, NO_HASH, personal),
    sharedBy: 2,
    weight: round(weight),
    capped: false,
    supportsBecause: null,
    firstSeen: later(compared!.mine.firstSeen, compared!.theirs.firstSeen),
    lastSeen: later(compared!.mine.lastSeen, compared!.theirs.lastSeen),
  }));
  return [...ofShared, ...ofNear].sort((a, b) => b.weight - a.weight);
}

const NO_HASH = Buffer.alloc(0);

function described(kind: LinkingKind, compared: ComparedPair | null) {
  const isReduced = compared?.likeness.births === 'contradict' && REDUCED_KINDS.includes(kind);
  return {
    kind: (kind === 'role_email' ? 'email' : kind) as EvidenceKind,
    reducedBecause: isReduced ? ('DIFFERENT_DATES_OF_BIRTH' as const) : null,
  };
}

/**
 * Removes evidence that is not shown: blocking keys, and parts of a near-equal device when an equal device is shared too.
 */
function onePerKind(
  shared: readonly PairEvidence[],
  weights: ReadonlyMap<PairEvidence | null, number>,
  near: readonly LinkingKind[],
): PairEvidence[] {
  const hidden = new Set(shared.filter(({ kind }) => kind === 'email_block' || kind === 'birth_block'));
  for (const one of shared) if (near.includes(one.kind)) hidden.add(one);
  for (const [near, equal] of [
    // During a recomputation of match keys, a mailbox can have both kinds.
    ['role_email', 'email'],
    ['device_part', 'device'],
  ]) {
    const forms = shared.filter(({ kind }) => kind === near);
    const hasEqual = shared.some(({ kind }) => kind === equal);
    const shown = hasEqual ? undefined : (forms.find((one) => weights.has(one)) ?? forms[0]);
    for (const form of forms) if (form !== shown) hidden.add(form);
  }
  return shared.filter((one) => !hidden.has(one));
}

function maskedValue(kind: LinkingKind, hash: Buffer, personal: Masked): string {
  switch (kind) {
    case 'email':
    case 'role_email':
    case 'email_block':
      return maskEmail(personal.email);
    case 'phone':
      return maskPhone(personal.phone);
    case 'username':
      return maskUsername(personal.username);
    case 'name':
      return maskName(personal.firstName, personal.lastName);
    case 'birth_date':
      return maskBirthDate(birthDateOf(personal));
    case 'device_part':
      return `all but ${DIFFERING_PARTS[hash[0]!] ?? 'one part'}`;
    default:
      // Only the keyed hash is stored. Its first bytes identify the value within the project.
      return hash.toString('hex').slice(0, 8);
  }
}

function supportReasonOf(one: PairEvidence, compared: ComparedPair | null): SupportReason | null {
  if (one.kind === 'role_email') return 'ROLE_MAILBOX';
  if (isOfExtensions(one, compared?.likeness ?? null)) return 'DIFFERENT_EXTENSIONS';
  const isOfSeveral = one.isSharedMailbox || isOfFamily(one, compared?.likeness ?? null);
  return isOfSeveral ? 'DIFFERENT_FIRST_NAMES' : null;
}

function later(a: Date, b: Date): Date {
  return a > b ? a : b;
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
