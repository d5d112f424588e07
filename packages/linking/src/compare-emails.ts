import { editDistanceWithin } from '@vouchgraph/platform/edit-distance';
import { isLargeProvider } from './large-providers.ts';
import { correctedMailbox } from './provider-spellings.ts';

/*
 * Agreement of two emails. Emails are near when they have the same domain, or near spellings of one large provider, and when
 * few of their letters differ.
 */

/** Parts of a canonical email, parsed once because it is compared with hundreds of others. */
export type Mailbox = {
  readonly address: string;
  /** The whole text when it has no `@`. */
  readonly local: string;
  /** Domain, with the near spelling of a large provider corrected; '' without an `@`. */
  readonly domain: string;
  /** The address with its domain as written, for counting edits. */
  readonly written: string;
  /** Digits of the local part. */
  readonly digits: string;
  /** The local part without its digits. */
  readonly letters: string;
  /** Letters and digits of the address. */
  readonly plain: string;
  readonly isLargeProvider: boolean;
};

export function mailboxOf(address: string): Mailbox {
  const corrected = correctedMailbox(address);
  const { local, domain, writtenDomain } = corrected ?? { local: address, domain: '', writtenDomain: '' };
  const digits = local.replace(/\D/g, '');
  return {
    ...{ address, local, domain, digits },
    written: corrected ? `${local}@${writtenDomain}` : address,
    letters: digits === '' ? local : local.replace(/\d/g, ''),
    plain: withoutPunctuation(address),
    isLargeProvider: isLargeProvider(domain),
  };
}

/**
 * `mistyped`: the same local part of at least 6 characters (4 with a digit) at two spellings of one large provider, or the same
 * letters and digits where one text has no `@`.
 * `slip`: few edits in a local part of at least 5 characters at a small provider, with equal digits; also a shorter local part
 * without its `@`.
 * `near`: few edits in such a local part with other digits, or equal local parts without their digits. At large providers at most
 * one edit, and `slip` does not occur.
 * `alike`: neither near nor unrelated: at most four edits, which change at most a third of the letters, and no large provider.
 * They are no evidence, and none against one person.
 */
export type EmailLikeness = 'equal' | 'mistyped' | 'slip' | 'near' | 'alike' | 'other' | 'unknown';

export type EmailAgreement = {
  readonly emails: EmailLikeness;
  /** Share of the letters of a near email that agree, 0 to 1; 1 for equal emails and other digits alone. */
  readonly emailShare: number;
};

/** Two emails that are not near. */
function unlike(one: Mailbox, other: Mailbox): EmailAgreement {
  if (one.isLargeProvider || other.isLargeProvider) return { emails: 'other', emailShare: 1 };
  const limit = Math.min(MAX_EDITS, Math.floor(lengthOf(one, other) * MAX_ALIKE_SHARE));
  const isAlike = editDistanceWithin(one.written, other.written, limit) <= limit;
  return { emails: isAlike ? 'alike' : 'other', emailShare: 1 };
}

/** Compares two mailboxes. */
export function compareEmails(one: Mailbox | null, other: Mailbox | null): EmailAgreement {
  if (one === null || other === null) return { emails: 'unknown', emailShare: 1 };
  if (one.address === other.address) return { emails: 'equal', emailShare: 1 };
  if (one.domain === '' || other.domain === '') return compareWithoutAt(one, other);
  if (one.domain !== other.domain) return unlike(one, other);
  if (one.local === other.local) return compareSpellings(one, other);
  if (one.letters.length >= MIN_LETTERS && one.letters === other.letters)
    return { emails: 'near', emailShare: 1 };
  if (Math.min(one.local.length, other.local.length) < MIN_EDITED) return unlike(one, other);
  const edits = editsBetween(one, other, one.isLargeProvider ? 1 : MAX_EDITS);
  if (edits === null) return unlike(one, other);
  const isSlip = !one.isLargeProvider && one.digits === other.digits;
  return { emails: isSlip ? 'slip' : 'near', emailShare: shareOf(one, other, edits) };
}

const MIN_LETTERS = 4;
/** Shorter local parts are near those of too many other people: `anna` and `anne`. */
const MIN_EDITED = 5;
const MAX_EDITS = 4;
const MAX_ALIKE_SHARE = 1 / 3;
/** Largest share of the local part that edits change. A long domain must not make `x9` and `y2` near. */
const MAX_EDITED_SHARE = 0.25;

/** Several people choose the same shorter local part. */
const MIN_DISTINCTIVE = 6;
const MIN_DISTINCTIVE_WITH_DIGIT = 4;

/** Edits allowed in an address of `letters`: 1 in 10 letters, 4 in 30 and more, and evenly in between. */
function allowedEdits(letters: number): number {
  if (letters < 10) return 0;
  return Math.min(MAX_EDITS, Math.floor(1 + ((letters - 10) * (MAX_EDITS - 1)) / 20));
}

/**
 * Number of edits between two addresses; null when they are too many for their length. `mostLocal`: maximum number of edits of the
 * local part.
 */
function editsBetween(one: Mailbox, other: Mailbox, mostLocal: number): number | null {
  const limit = allowedEdits(lengthOf(one, other));
  const share = Math.floor(Math.max(one.local.length, other.local.length) * MAX_EDITED_SHARE);
  const localLimit = Math.min(limit, mostLocal, share);
  if (editDistanceWithin(one.local, other.local, localLimit) > localLimit) return null;
  const edits = editDistanceWithin(one.written, other.written, limit);
  return edits > limit ? null : edits;
}

/** The same local part at two spellings of one provider. */
function compareSpellings(one: Mailbox, other: Mailbox): EmailAgreement {
  const edits = editDistanceWithin(one.written, other.written, MAX_EDITS);
  return { emails: isDistinctive(one) ? 'mistyped' : 'near', emailShare: shareOf(one, other, edits) };
}

/** Two texts of which one has no `@`: their letters and digits are equal. */
function compareWithoutAt(one: Mailbox, other: Mailbox): EmailAgreement {
  if (one.plain !== other.plain) return unlike(one, other);
  const whole = one.domain === '' ? other : one;
  const edits = editDistanceWithin(one.written, other.written, MAX_EDITS);
  return { emails: isDistinctive(whole) ? 'mistyped' : 'slip', emailShare: shareOf(one, other, edits) };
}

function isDistinctive({ local, digits }: Mailbox): boolean {
  return local.length >= (digits === '' ? MIN_DISTINCTIVE : MIN_DISTINCTIVE_WITH_DIGIT);
}

function shareOf(one: Mailbox, other: Mailbox, edits: number): number {
  return 1 - edits / lengthOf(one, other);
}

function lengthOf(one: Mailbox, other: Mailbox): number {
  return Math.max(one.written.length, other.written.length);
}

/** Letters and digits of an address: equal when only its `@` or its dots differ. */
export function withoutPunctuation(email: string): string {
  return email.replace(/[^\p{L}\p{N}]/gu, '');
}
