import { editDistanceWithin } from '../../platform/edit-distance.ts';
import { parseEmail, spellingOf } from '../email/email-address.ts';
import { isLikeName } from '../email/name-likeness.ts';
import { foldedWord } from '../email/name-words.ts';
import { isSameGivenName } from '../email/nicknames.ts';
import { isRoleMailbox } from '../email/role-mailbox.ts';
import { nameKey, nameWords } from '../identifiers/person-name.ts';
import { isPlaceholderEmail, isPlaceholderName } from '../identifiers/placeholders.ts';
import type { PersonalFields } from '../model/personal-fields.ts';
import { birthDateOf } from './account-identifiers.ts';
import { isMistypedEmail } from './email-blocks.ts';
import { isLargeProvider } from './large-providers.ts';

/*
 * Compares names, emails and dates of birth of two accounts in clear text: keyed hashes only show whether values are
 * equal. Pure. Stores decrypt the fields of candidates, that is, of accounts that share one of a few keys.
 */

type ComparedFields = Pick<PersonalFields, 'email' | 'firstName' | 'lastName'> &
  Partial<Pick<PersonalFields, 'dateOfBirth' | 'documentDateOfBirth'>>;

/** The fields of an account as they are compared, without placeholders. */
export type Person = {
  /** Words in ASCII and lower case; empty for an unknown name. */
  readonly firstName: readonly string[];
  readonly lastName: readonly string[];
  /** The key by which equal names are found; '' unless both parts are known. */
  readonly nameKey: string;
  /** In its canonical form; '' for none and for the mailbox of a role. */
  readonly email: string;
  /** The parts of `email` that are compared; null for none. */
  readonly mailbox: Mailbox | null;
  /** The email as it was written, in lower case; '' with a tag. */
  readonly writtenEmail: string;
  /** YYYY-MM-DD; '' unknown. */
  readonly birthDate: string;
};

/** Parts of an email in its canonical form, which is compared with those of hundreds of accounts. */
type Mailbox = {
  readonly address: string;
  /** All of a text without an `@`, and so is the domain. */
  readonly local: string;
  readonly domain: string;
  /** Those of the local part. */
  readonly digits: string;
  /** The local part without its digits. */
  readonly letters: string;
  readonly hasAt: boolean;
  readonly isLargeProvider: boolean;
};

/** Words of a name that are compared: a client could send thousands. */
const MAX_WORDS = 4;

/** Reads the fields that are compared. */
export function personOf(fields: ComparedFields): Person {
  const { firstName, lastName } = fields;
  const email = parseEmail(fields.email);
  const isMailbox =
    isMistypedEmail(email.canonical) || (!isPlaceholderEmail(email.canonical) && !isRoleMailbox(email));
  const isPlaceholder = isPlaceholderName(firstName) && isPlaceholderName(lastName);
  return {
    firstName: wordsOf(firstName),
    lastName: wordsOf(lastName),
    nameKey: isPlaceholder ? '' : nameKey(firstName, lastName),
    email: isMailbox ? email.canonical : '',
    mailbox: isMailbox && email.canonical !== '' ? mailboxOf(email.canonical) : null,
    writtenEmail: isMailbox && !spellingOf(email).isTagged ? email.address.toLowerCase() : '',
    birthDate: birthDateOf(fields),
  };
}

function mailboxOf(address: string): Mailbox {
  const at = address.lastIndexOf('@');
  const local = at < 0 ? address : address.slice(0, at);
  const domain = address.slice(at + 1);
  const digits = local.replace(/\D/g, '');
  return {
    ...{ address, local, domain, digits, hasAt: at >= 0 },
    letters: digits === '' ? local : local.replace(/\d/g, ''),
    isLargeProvider: isLargeProvider(domain),
  };
}

function wordsOf(name: string): string[] {
  return isPlaceholderName(name) ? [] : nameWords(name).slice(0, MAX_WORDS).map(foldedWord);
}

/**
 * How two names agree, in spelling variants, short forms and initials. `full`: first and last name, also exchanged;
 * `half`: one of them, the other being unknown; `part`: one of them, and the other contradicts; `contradict`: none of
 * them; `unknown`: no part is known of both.
 */
export type NameLikeness = 'full' | 'half' | 'part' | 'contradict' | 'unknown';
/** `near`: one digit differs, or day and month are exchanged. */
export type BirthLikeness = 'equal' | 'near' | 'contradict' | 'unknown';
/**
 * `mistyped`: a local part of at least 6 characters, or 4 with a digit, at a domain within 2 edits, or the same letters and
 * digits without an `@`; `slip`: at most 4 edits, the digits of the local part unchanged; `near`: at most 4 edits, or the same without digits. At large
 * providers one edit at most, and no slip.
 */
export type EmailLikeness = 'equal' | 'mistyped' | 'slip' | 'near' | 'other' | 'unknown';

export type PersonLikeness = {
  readonly names: NameLikeness;
  /** Whether both names are equal by their key. */
  readonly isSameName: boolean;
  /** Whether both first names are known and are two names. */
  readonly haveOtherFirstNames: boolean;
  readonly births: BirthLikeness;
  readonly emails: EmailLikeness;
  /** Whether both wrote one email alike, without a tag. */
  readonly wroteAlike: boolean;
};

/** Compares two persons. */
export function comparePersons(one: Person, other: Person): PersonLikeness {
  return new Likeness(one, other);
}

/**
 * Names are compared when they are first asked for: most candidates share no more than a key of a near email, and their
 * names matter only where the emails are near.
 */
class Likeness implements PersonLikeness {
  readonly isSameName: boolean;
  readonly births: BirthLikeness;
  readonly emails: EmailLikeness;
  readonly wroteAlike: boolean;
  readonly #one: Person;
  readonly #other: Person;
  #compared: ReturnType<typeof compareNames> | null = null;

  constructor(one: Person, other: Person) {
    this.#one = one;
    this.#other = other;
    this.isSameName = one.nameKey !== '' && one.nameKey === other.nameKey;
    this.births = compareBirthDates(one.birthDate, other.birthDate);
    this.emails = compareEmails(one.mailbox, other.mailbox);
    this.wroteAlike = one.writtenEmail !== '' && one.writtenEmail === other.writtenEmail;
  }

  get names(): NameLikeness {
    return this.#names().names;
  }

  get haveOtherFirstNames(): boolean {
    return this.#names().haveOtherFirstNames;
  }

  #names() {
    this.#compared ??= compareNames(this.#one, this.#other);
    return this.#compared;
  }
}

type Agreement = 'agree' | 'unknown' | 'contradict';

function compareNames(one: Person, other: Person): Pick<PersonLikeness, 'names' | 'haveOtherFirstNames'> {
  const straight = [
    compareWords(one.firstName, other.firstName),
    compareWords(one.lastName, other.lastName),
  ] as const;
  const crossed = [
    compareWords(one.firstName, other.lastName),
    compareWords(one.lastName, other.firstName),
  ] as const;
  const isCrossed = agreements(crossed) > agreements(straight) && !crossed.includes('contradict');
  const parts = isCrossed ? crossed : straight;
  const haveOtherFirstNames = !isCrossed && straight[0] === 'contradict';
  return { names: likenessOf(parts), haveOtherFirstNames };
}

function likenessOf(parts: readonly Agreement[]): NameLikeness {
  const agreed = agreements(parts);
  if (agreed === 2) return 'full';
  const contradicts = parts.includes('contradict');
  if (agreed === 1) return contradicts ? 'part' : 'half';
  return contradicts ? 'contradict' : 'unknown';
}

function agreements(parts: readonly Agreement[]): number {
  return parts.filter((part) => part === 'agree').length;
}

/**
 * Parts of names agree when each word of the one with fewer words is a word of the other, or all of their words written
 * as one: Anna agrees with Anna-Maria, which does not agree with Anna-Luise.
 */
function compareWords(one: readonly string[], other: readonly string[]): Agreement {
  if (one.length === 0 || other.length === 0) return 'unknown';
  // Of equally many words both ways count: which of two accounts is compared with the other must not matter.
  const isAlike =
    isSameWord(one.join(''), other.join('')) ||
    (one.length <= other.length && isPartOf(one, other)) ||
    (other.length <= one.length && isPartOf(other, one));
  if (isAlike) return 'agree';
  return isGarbled(one.join(''), other.join('')) ? 'unknown' : 'contradict';
}

const isPartOf = (fewer: readonly string[], more: readonly string[]): boolean =>
  fewer.every((a) => more.some((b) => isSameWord(a, b)));

const MIN_GARBLED = 3;
const MIN_LONG_GARBLED = 5;

/**
 * Whether one word may be the other with its letters out of order, and up to two more or less: Harley and Hayler, Archie and
 * Areceih. Some are two names (Leon and Noel), so that they neither agree nor contradict.
 */
function isGarbled(one: string, other: string): boolean {
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (short.length < MIN_GARBLED || long.length - short.length > (short.length < MIN_LONG_GARBLED ? 1 : 2))
    return false;
  const letters = [...long];
  return [...short].every((letter) => {
    const at = letters.indexOf(letter);
    if (at >= 0) letters.splice(at, 1);
    return at >= 0;
  });
}

function isSameWord(one: string, other: string): boolean {
  if (isLikeName(one, other) || isSameGivenName(one, other)) return true;
  // An initial, or a name that was cut off.
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return long.startsWith(short) || isMistyped(one, other);
}

/**
 * Edits that are slips of the hand in a word, by its letters. `Anna` and `Anne`, `Mario` and `Maria`, `Norbury` and
 * `Worbury` are two names: the first and the last letter are seldom replaced.
 */
function isMistyped(one: string, other: string): boolean {
  const letters = Math.min(one.length, other.length);
  const limit = letters >= 7 ? 3 : letters >= 5 ? 2 : 1;
  if (letters < 3 || isEndReplaced(one, other)) return false;
  // Two replaced letters make another name (Baker, Walker) rather than a slip.
  return (
    editDistanceWithin(one, other, limit) <= limit &&
    editDistanceWithin(one, other, limit + 1, 2) <= limit + 1
  );
}

function compareBirthDates(one: string, other: string): BirthLikeness {
  if (one === '' || other === '') return 'unknown';
  if (one === other) return 'equal';
  const [year = '', month = '', day = ''] = one.split('-');
  const differing = [...one].filter((digit, place) => digit !== other[place]).length;
  return differing === 1 || other === `${year}-${day}-${month}` ? 'near' : 'contradict';
}

function isEndReplaced(one: string, other: string): boolean {
  return (
    one.length === other.length &&
    (one.slice(0, -1) === other.slice(0, -1) || one.slice(1) === other.slice(1))
  );
}

const MAX_EMAIL_EDITS = 4;
/** Between mailboxes of large providers, where emails of people with one name are near. */
const MAX_EDITS_AT_LARGE_PROVIDER = 1;
const MIN_LETTERS = 4;
const MAX_DOMAIN_EDITS = 2;
/** Shorter local parts are chosen by several people: `anna@smith.com` and `anna@smyth.com`. */
const MIN_DISTINCTIVE = 6;
const MIN_DISTINCTIVE_WITH_DIGIT = 4;

function compareEmails(one: Mailbox | null, other: Mailbox | null): EmailLikeness {
  if (one === null || other === null) return 'unknown';
  if (one.address === other.address) return 'equal';
  if (!(one.isLargeProvider && other.isLargeProvider) && isMistypedMailbox(one, other)) return 'mistyped';
  const isLarge = one.isLargeProvider || other.isLargeProvider;
  const most = isLarge ? MAX_EDITS_AT_LARGE_PROVIDER : MAX_EMAIL_EDITS;
  const isNear = editDistanceWithin(one.address, other.address, most) <= most;
  if (isNear && !isLarge && one.digits === other.digits) return 'slip';
  return isNear || isSameWithoutDigits(one, other) ? 'near' : 'other';
}

/** The same distinctive local part at domains that a slip explains, or the same letters and digits without an `@`. */
function isMistypedMailbox(one: Mailbox, other: Mailbox): boolean {
  const { local, digits } = one.hasAt ? one : other;
  if (local.length < (digits === '' ? MIN_DISTINCTIVE : MIN_DISTINCTIVE_WITH_DIGIT)) return false;
  if (!one.hasAt || !other.hasAt) return withoutMarks(one.address) === withoutMarks(other.address);
  return (
    local === other.local &&
    editDistanceWithin(one.domain, other.domain, MAX_DOMAIN_EDITS) <= MAX_DOMAIN_EDITS
  );
}

function isSameWithoutDigits(one: Mailbox, other: Mailbox): boolean {
  return (
    one.letters.length >= MIN_LETTERS &&
    one.letters === other.letters &&
    one.hasAt === other.hasAt &&
    (!one.hasAt || one.domain === other.domain)
  );
}

function withoutMarks(email: string): string {
  return email.replace(/[^\p{L}\p{N}]/gu, '');
}
