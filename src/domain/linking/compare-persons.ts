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
 * Compares names, emails and dates of birth of two accounts in clear text, because keyed hashes only show whether values are
 * equal. Pure. Stores decrypt the fields of candidates: accounts that share at least one comparing identifier.
 */

type ComparedFields = Pick<PersonalFields, 'email' | 'firstName' | 'lastName'> &
  Partial<Pick<PersonalFields, 'dateOfBirth' | 'documentDateOfBirth'>>;

/** Compared fields of an account, without placeholders. */
export type Person = {
  /** Words in ASCII and lower case; empty for an unknown name. */
  readonly firstName: readonly string[];
  readonly lastName: readonly string[];
  /** Key of equal names; '' unless both parts are known. */
  readonly nameKey: string;
  /** Canonical email; '' for no email and for a role mailbox. */
  readonly email: string;
  /** Compared parts of `email`; null without one. */
  readonly mailbox: Mailbox | null;
  /** Email as the client sent it, in lower case; '' with a tag. */
  readonly writtenEmail: string;
  /** YYYY-MM-DD; '' when unknown. */
  readonly birthDate: string;
};

/** Parts of a canonical email, parsed once because it is compared with hundreds of others. */
type Mailbox = {
  readonly address: string;
  /** The whole text when it has no `@`; so is `domain`. */
  readonly local: string;
  readonly domain: string;
  /** Digits of the local part. */
  readonly digits: string;
  /** The local part without its digits. */
  readonly letters: string;
  readonly hasAt: boolean;
  readonly isLargeProvider: boolean;
};

/** Maximum number of compared words of a name: a client could send thousands. */
const MAX_WORDS = 4;

/** Derives the compared fields from an account's fields. */
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
 * Agreement of two names, including spelling variants, short forms and initials. `full`: first and last name agree, also
 * when exchanged. `half`: one part agrees and the other is unknown. `part`: one part agrees and the other contradicts.
 * `contradict`: no part agrees. `unknown`: no part is known for both.
 */
export type NameLikeness = 'full' | 'half' | 'part' | 'contradict' | 'unknown';
/** Agreement of two dates of birth. `near`: one digit differs, or day and month are exchanged. */
export type BirthLikeness = 'equal' | 'near' | 'contradict' | 'unknown';
/**
 * Agreement of two emails.
 * `mistyped`: the same local part of at least 6 characters (4 with a digit) at domains at most 2 edits apart, or the same
 * letters and digits where one text has no `@`.
 * `slip`: at most 4 edits, and the digits of the local part are equal.
 * `near`: at most 4 edits, or equal without digits.
 * At large providers the limit is 1 edit, and `slip` does not occur.
 */
export type EmailLikeness = 'equal' | 'mistyped' | 'slip' | 'near' | 'other' | 'unknown';

export type PersonLikeness = {
  readonly names: NameLikeness;
  /** Whether both names have the same key. */
  readonly isSameName: boolean;
  /** Whether both first names are known and different. */
  readonly haveOtherFirstNames: boolean;
  readonly births: BirthLikeness;
  readonly emails: EmailLikeness;
  /** Whether both accounts have the same email in the same spelling, without a tag. */
  readonly hasSameSpelling: boolean;
};

/** Compares two persons. */
export function comparePersons(one: Person, other: Person): PersonLikeness {
  return new Likeness(one, other);
}

/**
 * Compares names lazily: most candidates share only a key of near emails, and their names matter only when the emails are
 * near.
 */
class Likeness implements PersonLikeness {
  readonly isSameName: boolean;
  readonly births: BirthLikeness;
  readonly emails: EmailLikeness;
  readonly hasSameSpelling: boolean;
  readonly #one: Person;
  readonly #other: Person;
  #compared: ReturnType<typeof compareNames> | null = null;

  constructor(one: Person, other: Person) {
    this.#one = one;
    this.#other = other;
    this.isSameName = one.nameKey !== '' && one.nameKey === other.nameKey;
    this.births = compareBirthDates(one.birthDate, other.birthDate);
    this.emails = compareEmails(one.mailbox, other.mailbox);
    this.hasSameSpelling = one.writtenEmail !== '' && one.writtenEmail === other.writtenEmail;
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
 * Two name parts agree when each word of the shorter one is a word of the other, or when their joined words are equal: Anna
 * agrees with Anna-Maria, and Anna-Maria does not agree with Anna-Luise.
 */
function compareWords(one: readonly string[], other: readonly string[]): Agreement {
  if (one.length === 0 || other.length === 0) return 'unknown';
  // With equally many words both directions are checked, so that the result is symmetric.
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
 * Whether one word can be a typing error of the other with letters out of order and up to two added or missing letters:
 * Harley and Hayler, Archie and Areceih. Some such pairs are two names (Leon and Noel), so they neither agree nor contradict.
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
 * Whether the edits between two words are typing errors. `Anna` and `Anne`, `Mario` and `Maria`, `Norbury` and `Worbury` are
 * different names: typing errors rarely replace the first or last letter.
 */
function isMistyped(one: string, other: string): boolean {
  const letters = Math.min(one.length, other.length);
  const limit = letters >= 7 ? 3 : letters >= 5 ? 2 : 1;
  if (letters < 3 || isEndReplaced(one, other)) return false;
  // Two replaced letters indicate another name (Baker, Walker) rather than a typing error.
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
/** At large providers, where people with the same name have near emails. */
const MAX_EDITS_AT_LARGE_PROVIDER = 1;
const MIN_LETTERS = 4;
const MAX_DOMAIN_EDITS = 2;
/** Several people choose the same shorter local part: `anna@smith.com` and `anna@smyth.com`. */
const MIN_DISTINCTIVE = 6;
const MIN_DISTINCTIVE_WITH_DIGIT = 4;

function compareEmails(one: Mailbox | null, other: Mailbox | null): EmailLikeness {
  if (one === null || other === null) return 'unknown';
  if (one.address === other.address) return 'equal';
  if (!(one.isLargeProvider && other.isLargeProvider) && isMistypedMailbox(one, other)) return 'mistyped';
  const isLarge = one.isLargeProvider || other.isLargeProvider;
  const limit = isLarge ? MAX_EDITS_AT_LARGE_PROVIDER : MAX_EMAIL_EDITS;
  const isNear = editDistanceWithin(one.address, other.address, limit) <= limit;
  if (isNear && !isLarge && one.digits === other.digits) return 'slip';
  return isNear || isSameWithoutDigits(one, other) ? 'near' : 'other';
}

/** Whether two emails have the same distinctive local part at near domains, or the same letters and digits where one has no `@`. */
function isMistypedMailbox(one: Mailbox, other: Mailbox): boolean {
  const { local, digits } = one.hasAt ? one : other;
  if (local.length < (digits === '' ? MIN_DISTINCTIVE : MIN_DISTINCTIVE_WITH_DIGIT)) return false;
  if (!one.hasAt || !other.hasAt)
    return withoutPunctuation(one.address) === withoutPunctuation(other.address);
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

function withoutPunctuation(email: string): string {
  return email.replace(/[^\p{L}\p{N}]/gu, '');
}
