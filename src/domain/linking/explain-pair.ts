import type { PersonalFields } from '../accounts/account.ts';
import type { PairEvidence } from './evidence-store.ts';
import { DIFFERING_PARTS } from './identifiers/device-parts.ts';
import { maskEmail, maskName, maskPhone, maskUsername } from './mask-value.ts';
import { contributionAmong, type LinkingKind, weighPair, weightOf } from './pair-score.ts';

/** The mailbox of a role is shown as an email; `supportsBecause` names the difference. */
export type EvidenceKind = Exclude<LinkingKind, 'role_email'>;

/** One thing that two accounts share, for people who have to act on it. */
export type LinkEvidence = {
  readonly kind: EvidenceKind;
  /** Enough to recognise it, too little to use it. */
  readonly maskedValue: string;
  /** Accounts of the group that share it, both included; stops at 1,501. */
  readonly sharedBy: number;
  /** What it adds, 0..1; 0 when it does not count. */
  readonly weight: number;
  /** Whether more accounts share it than its cap allows: it links nobody. */
  readonly capped: boolean;
  /** Why an equal email only supports other evidence; null when it links, and for other kinds. */
  readonly supportsBecause: SupportReason | null;
  readonly firstSeen: Date;
  readonly lastSeen: Date;
};

export type SupportReason = 'ROLE_MAILBOX' | 'DIFFERENT_FIRST_NAMES';

type Masked = Pick<PersonalFields, 'email' | 'phone' | 'firstName' | 'lastName' | 'username'>;

/** What two accounts share, the weightiest first. `personal`: of the first of them. */
export function explainPair(shared: readonly PairEvidence[], personal: Masked): LinkEvidence[] {
  const { counted } = weighPair(shared);
  return onePerKind(shared, counted)
    .map((one) => ({
      kind: one.kind === 'role_email' ? 'email' : one.kind,
      maskedValue: maskedValue(one, personal),
      sharedBy: one.accounts,
      weight: counted.includes(one) ? round(contributionAmong(one, shared)) : 0,
      capped: one.accounts > weightOf(one).cap,
      supportsBecause: supportReasonOf(one),
      firstSeen: later(one.mine.firstSeen, one.theirs.firstSeen),
      lastSeen: later(one.mine.lastSeen, one.theirs.lastSeen),
    }))
    .sort((a, b) => b.weight - a.weight);
}

/**
 * The forms of a near-equal email or device are one thing to a reader: the one that counts, or the first; beside an
 * equal one they are none.
 */
function onePerKind(shared: readonly PairEvidence[], counted: readonly PairEvidence[]): PairEvidence[] {
  const hidden = new Set<PairEvidence>();
  for (const [near, equal] of [
    ['email_block', 'email'],
    ['email_block', 'role_email'],
    // While match keys are rewritten, a mailbox may be both.
    ['role_email', 'email'],
    ['device_part', 'device'],
  ]) {
    const forms = shared.filter(({ kind }) => kind === near);
    const hasEqual = shared.some(({ kind }) => kind === equal);
    const shown = hasEqual ? undefined : (forms.find((one) => counted.includes(one)) ?? forms[0]);
    for (const form of forms) if (form !== shown) hidden.add(form);
  }
  return shared.filter((one) => !hidden.has(one));
}

function maskedValue({ kind, hash }: PairEvidence, personal: Masked): string {
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
    case 'device_part':
      return `all but ${DIFFERING_PARTS[hash[0]!] ?? 'one part'}`;
    default:
      // Only a keyed hash is kept of it: its beginning is the same wherever the value is.
      return hash.toString('hex').slice(0, 8);
  }
}

function supportReasonOf({ kind, isSharedMailbox }: PairEvidence): SupportReason | null {
  if (kind === 'role_email') return 'ROLE_MAILBOX';
  return isSharedMailbox ? 'DIFFERENT_FIRST_NAMES' : null;
}

function later(a: Date, b: Date): Date {
  return a > b ? a : b;
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
