import placeholders from '../data/placeholders.json' with { type: 'json' };
import { usernameKey } from './username.ts';

/*
 * Placeholder values, which people and forms enter instead of real data. A placeholder neither links nor supports a link. Values
 * are compared as a whole, after the normalization of matching: a value that only contains a listed word is not a placeholder.
 * docs/links.md prints these lists.
 */

/** An email is a placeholder when its local part and its domain are listed, each in one of these. */
export const PLACEHOLDER_LOCAL_PARTS: readonly string[] = placeholders.emailLocalParts;

/**
 * Domains reserved for documentation and tests (RFC 2606), common fillers of empty fields, and large providers: mailboxes with
 * placeholder names exist there, but forms rarely get them from their owners.
 */
export const PLACEHOLDER_DOMAINS: readonly string[] = placeholders.emailDomains;

/**
 * Words that are never a part of a name: first name unknown, last name unknown, no first, middle or last name. A part of digits
 * is none either. The other part of the name still counts.
 */
export const PLACEHOLDER_NAME_PARTS: readonly string[] = placeholders.nameParts;

/** Whole names whose words can each be real. Their words are compared in any order, from either field. */
export const PLACEHOLDER_FULL_NAMES: readonly string[] = placeholders.fullNames;

/** First and last names; a name is a placeholder when both of its parts are listed. */
export const PLACEHOLDER_NAMES: readonly string[] = placeholders.names;

/** Usernames. */
export const PLACEHOLDER_USERNAMES: readonly string[] = placeholders.usernames;

/**
 * Id numbers, in upper case without separators: words, and social security numbers that were printed as examples (on a sample
 * card in wallets of 1938, and in a leaflet of the Social Security Administration of 1940).
 */
export const PLACEHOLDER_ID_NUMBERS: readonly string[] = placeholders.idNumbers;

/** Dates of birth that forms and systems fill in: their earliest date, the epoch of Unix time, repeated digits. */
export const PLACEHOLDER_BIRTH_DATES: readonly string[] = placeholders.birthDates;

const LOCAL_PARTS: ReadonlySet<string> = new Set(PLACEHOLDER_LOCAL_PARTS);
const DOMAINS: ReadonlySet<string> = new Set(PLACEHOLDER_DOMAINS);
const NAMES: ReadonlySet<string> = new Set(PLACEHOLDER_NAMES.map(partKey));
const NAME_PARTS: ReadonlySet<string> = new Set(PLACEHOLDER_NAME_PARTS);
const FULL_NAMES: ReadonlySet<string> = new Set(PLACEHOLDER_FULL_NAMES.map(fullNameKey));
const USERNAMES: ReadonlySet<string> = new Set(PLACEHOLDER_USERNAMES.map(usernameKey));
const ID_NUMBERS: ReadonlySet<string> = new Set(PLACEHOLDER_ID_NUMBERS);
const BIRTH_DATES: ReadonlySet<string> = new Set(PLACEHOLDER_BIRTH_DATES);

/** Whether a canonical email is a placeholder: without an `@`, or listed. */
export function isPlaceholderEmail(canonical: string): boolean {
  const at = canonical.lastIndexOf('@');
  if (at < 0) return true;
  return LOCAL_PARTS.has(canonical.slice(0, at)) && DOMAINS.has(canonical.slice(at + 1));
}

/** Whether a part of a name is a placeholder. */
export function isPlaceholderName(part: string): boolean {
  return NAMES.has(partKey(part)) || isNoName(part);
}

type NameParts = { readonly firstName: string; readonly lastName: string };

/**
 * A name without its placeholders. Both parts are '' when the whole name is listed, or when each part is. A part that is never
 * a name is ''; a part that can also be a name (`Guest`) remains beside another one.
 */
export function knownName({ firstName, lastName }: NameParts): NameParts {
  if (isPlaceholderFullName(firstName, lastName)) return { firstName: '', lastName: '' };
  return {
    firstName: isNoName(firstName) ? '' : firstName,
    lastName: isNoName(lastName) ? '' : lastName,
  };
}

/** Whether a first and last name are a placeholder together. An empty part is none. */
export function isPlaceholderFullName(firstName: string, lastName: string): boolean {
  if (FULL_NAMES.has(fullNameKey(`${firstName} ${lastName}`))) return true;
  return [firstName, lastName].every((part) => part === '' || isPlaceholderName(part));
}

const DIGITS_ONLY = /^[\p{Nd}\s.,_-]*\p{Nd}[\p{Nd}\s.,_-]*$/u;

/** Whether a text is never a part of a name. */
function isNoName(part: string): boolean {
  return NAME_PARTS.has(partKey(part)) || DIGITS_ONLY.test(part);
}

function fullNameKey(name: string): string {
  return partKey(name)
    .split(/[\s.,]+/)
    .filter((word) => word !== '')
    .sort()
    .join(' ');
}

/** Whether a username in its normal form is a placeholder. */
export function isPlaceholderUsername(key: string): boolean {
  return USERNAMES.has(key);
}

/** Equal digits, alone or at least seven after a country code. */
const REPEATED = /^(?:(\d)\1*|\d{1,3}(\d)\2{6,})$/;
/** Ascending or descending digits, alone or at least seven after a country code. */
const COUNTED = ['0123456789'.repeat(3), '1234567890'.repeat(3), '9876543210'.repeat(3)];
const MIN_COUNTED_LENGTH = 4;
const MIN_LENGTH_AFTER_CODE = 7;

/** Whether the digits of a phone that no numbering plan assigns are a pattern: 000…, 123456…, 987654…. */
export function isPlaceholderPhone(digits: string): boolean {
  if (REPEATED.test(digits)) return true;
  if (digits.length >= MIN_COUNTED_LENGTH && isCounted(digits)) return true;
  return [1, 2, 3].some(
    (code) => digits.length - code >= MIN_LENGTH_AFTER_CODE && isCounted(digits.slice(code)),
  );
}

const ONE_CHARACTER = /^(.)\1*$/u;

/** Whether an id number without separators is a placeholder: listed, one repeated character, or 1234…, 0123…, 9876…. */
export function isPlaceholderIdNumber(digits: string): boolean {
  return ID_NUMBERS.has(digits) || ONE_CHARACTER.test(digits) || isCounted(digits);
}

/** Whether a date of birth, YYYY-MM-DD, is a placeholder. */
export function isPlaceholderBirthDate(date: string): boolean {
  return BIRTH_DATES.has(date);
}

function isCounted(digits: string): boolean {
  return COUNTED.some((row) => row.startsWith(digits));
}

/** Not transliterated to ASCII as in name matching: 未知 would become Weizhi, which is a name. */
function partKey(part: string): string {
  return part.normalize('NFKC').toLowerCase().replace(/\s+/g, ' ').trim();
}
