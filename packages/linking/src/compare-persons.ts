import { isRoleMailbox, parseEmail, spellingOf } from '@vouchgraph/email';
import {
  foldedWord,
  isFeminineForm,
  isLikeName,
  isPlaceholderEmail,
  isPlaceholderName,
  isSameGivenName,
  knownName,
  nameKey,
  nameWords,
  type PersonalFields,
  phoneExtension,
  splitSuffix,
} from '@vouchgraph/persons';
import { editDistanceWithin } from '@vouchgraph/platform/edit-distance';
import { birthDateOf } from './account-identifiers.ts';
import { compareEmails, type EmailLikeness, type Mailbox, mailboxOf } from './compare-emails.ts';
import { isMistypedEmail } from './email-blocks.ts';

/*
 * Compares names, emails and dates of birth of two accounts in clear text, because keyed hashes only show whether values are
 * equal. Pure. Stores decrypt the fields of candidates: accounts that share at least one comparing identifier.
 */

type ComparedFields = Pick<PersonalFields, 'email' | 'firstName' | 'lastName'> &
  Partial<Pick<PersonalFields, 'dateOfBirth' | 'documentDateOfBirth' | 'phone'>>;

/** Compared fields of an account, without placeholders. */
export type Person = {
  /** Words in ASCII and lower case, without a suffix; empty for an unknown name. */
  readonly firstName: readonly string[];
  readonly lastName: readonly string[];
  /** Generation by the suffix of the name, such as Jr. or III; null without one. */
  readonly generation: number | null;
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
  /** Digits of the extension of the phone; '' without one. */
  readonly phoneExtension: string;
};

/** Maximum number of compared words of a name: a client could send thousands. */
const MAX_WORDS = 4;

/** Derives the compared fields from an account's fields. */
export function personOf(fields: ComparedFields): Person {
  const { firstName, lastName } = knownName(fields);
  const email = parseEmail(fields.email);
  const isMailbox =
    isMistypedEmail(email.canonical) || (!isPlaceholderEmail(email.canonical) && !isRoleMailbox(email));
  const [first, last] = [splitSuffix(nameWords(firstName)), splitSuffix(nameWords(lastName))];
  return {
    firstName: isPlaceholderName(firstName) ? [] : comparedWords(first.words),
    lastName: isPlaceholderName(lastName) ? [] : comparedWords(last.words),
    generation: last.generation ?? first.generation,
    nameKey: nameKey(firstName, lastName),
    email: isMailbox ? email.canonical : '',
    mailbox: isMailbox && email.canonical !== '' ? mailboxOf(email.canonical) : null,
    writtenEmail: isMailbox && !spellingOf(email).isTagged ? email.address.toLowerCase() : '',
    birthDate: birthDateOf(fields),
    phoneExtension: phoneExtension(fields.phone ?? ''),
  };
}

function comparedWords(words: readonly string[]): string[] {
  return words.slice(0, MAX_WORDS).map(foldedWord);
}

/**
 * Agreement of two names, including spelling variants, short forms and initials. `full`: first and last name agree, also
 * when exchanged. `half`: one part agrees and the other is unknown. `part`: one part agrees and the other contradicts.
 * `contradict`: no part agrees, or the suffixes (Jr. and Sr.) differ. `unknown`: no part is known
 * for both.
 */
export type NameLikeness = 'full' | 'half' | 'part' | 'contradict' | 'unknown';
/** Agreement of two dates of birth. `near`: one digit differs, or day and month are exchanged. */
export type BirthLikeness = 'equal' | 'near' | 'contradict' | 'unknown';
export type PersonLikeness = {
  readonly names: NameLikeness;
  /** Whether both names have the same key. */
  readonly isSameName: boolean;
  /** Whether both first names are known and different, or both names have suffixes that differ. */
  readonly haveOtherFirstNames: boolean;
  /** Whether both names have suffixes that differ: a father and a son, or two bearers of a name in one family. */
  readonly haveOtherGenerations: boolean;
  readonly births: BirthLikeness;
  readonly emails: EmailLikeness;
  /** Share of the letters of near emails that agree, 0 to 1. */
  readonly emailShare: number;
  /** Whether both phones have an extension, and the extensions differ. */
  readonly haveOtherExtensions: boolean;
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
  readonly haveOtherGenerations: boolean;
  readonly births: BirthLikeness;
  readonly emails: EmailLikeness;
  readonly emailShare: number;
  readonly haveOtherExtensions: boolean;
  readonly hasSameSpelling: boolean;
  readonly #one: Person;
  readonly #other: Person;
  #compared: ReturnType<typeof compareNames> | null = null;

  constructor(one: Person, other: Person) {
    this.#one = one;
    this.#other = other;
    this.isSameName = one.nameKey !== '' && one.nameKey === other.nameKey;
    this.haveOtherGenerations = haveOtherGenerations(one, other);
    this.births = compareBirthDates(one.birthDate, other.birthDate);
    ({ emails: this.emails, emailShare: this.emailShare } = compareEmails(one.mailbox, other.mailbox));
    this.haveOtherExtensions =
      one.phoneExtension !== '' && other.phoneExtension !== '' && one.phoneExtension !== other.phoneExtension;
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

function haveOtherGenerations(one: Person, other: Person): boolean {
  return one.generation !== null && other.generation !== null && one.generation !== other.generation;
}

function compareNames(one: Person, other: Person): Pick<PersonLikeness, 'names' | 'haveOtherFirstNames'> {
  if (haveOtherGenerations(one, other)) return { names: 'contradict', haveOtherFirstNames: true };
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
  if (isFeminineForm(short, long)) return false;
  const letters = [...long];
  return [...short].every((letter) => {
    const at = letters.indexOf(letter);
    if (at >= 0) letters.splice(at, 1);
    return at >= 0;
  });
}

function isSameWord(one: string, other: string): boolean {
  if (isLikeName(one, other) || isSameGivenName(one, other)) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  if (isFeminineForm(short, long)) return false;
  // An initial, or a name that was cut off.
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

/** Dates of one day in years up to this far apart can be those of a parent and a child. */
const MAX_GENERATION_YEARS = 40;

function compareBirthDates(one: string, other: string): BirthLikeness {
  if (one === '' || other === '') return 'unknown';
  if (one === other) return 'equal';
  const [year = '', month = '', day = ''] = one.split('-');
  const differing = [...one].filter((digit, place) => digit !== other[place]).length;
  const years = Math.abs(Number(year) - Number(other.slice(0, 4)));
  // 1960 and 1990: a generation of one family rather than a typing error.
  const isMistyped = differing === 1 && !(years >= 10 && years <= MAX_GENERATION_YEARS);
  return isMistyped || other === `${year}-${day}-${month}` ? 'near' : 'contradict';
}

function isEndReplaced(one: string, other: string): boolean {
  return (
    one.length === other.length &&
    (one.slice(0, -1) === other.slice(0, -1) || one.slice(1) === other.slice(1))
  );
}
