import { RecentCache } from '@vouchgraph/platform/recent-cache';
import anyAscii from 'any-ascii';
import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  Metadata,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';

export type NormalizedPhone = {
  /** Whether the numbering plan of the country assigns the number. */
  valid: boolean;
  /** E.164 without an extension; '' unless valid. */
  e164: string;
  /** Match key, equal for all spellings of a number; '' for a text without digits. */
  matchKey: string;
};

/**
 * Parses a phone number. International forms (`+`, leading `00`, `tel:`) need no country; national forms are parsed with the
 * given country only, never with a guessed one. A number of a possible length that no numbering plan assigns is matched by its
 * parsed form. Any other text is matched by its digits.
 *
 * An extension is dropped: otherwise a user could append any extension to avoid a match.
 */
export function normalizePhone(text: string, defaultCountry: string | null): NormalizedPhone {
  const { number, matchKey } = parsePhone(text, defaultCountry);
  const valid = number?.isValid() ?? false;
  return { valid, e164: valid ? number!.number : '', matchKey };
}

export type ParsedPhone = {
  /** Number of a possible length; null for other texts, and for a national number with an unknown country. */
  number: PhoneNumber | null;
  /** Match key, equal for all spellings of a number; '' for a text without digits. */
  matchKey: string;
  /** Whether the text is international or its country is known; otherwise a null number does not imply an invalid one. */
  isReadable: boolean;
};

/** Parses a text by the rules of `normalizePhone`, with the facts of the numbering plan. */
export function parsePhone(text: string, defaultCountry: string | null): ParsedPhone {
  const plain = plainForm(text);
  const inDigits = withoutLetters(plain);
  return inDigits === null
    ? parseWritten(plain, defaultCountry)
    : parseLetters(plain, inDigits, defaultCountry);
}

/** A text with letters is a number if its digits are a valid one; otherwise its own digits are, unless they are too few. */
function parseLetters(plain: string, inDigits: string, defaultCountry: string | null): ParsedPhone {
  const converted = parseWritten(inDigits, defaultCountry);
  const isNumber = converted.number?.isValid() || digitsOf(plain).length < MIN_OWN_DIGITS;
  return isNumber ? converted : parseWritten(plain, defaultCountry);
}

/** Digits from which a text is a number with a remark (`555 1234 home`) rather than a number in letters (`1-800-FLOWERS`). */
const MIN_OWN_DIGITS = 7;

function parseWritten(written: string, defaultCountry: string | null): ParsedPhone {
  const country = defaultCountry !== null && isSupportedCountry(defaultCountry) ? defaultCountry : null;
  const number = readNumber(written, country);
  return {
    number,
    matchKey: number?.number ?? digitsOf(written),
    isReadable: country !== null || isInternational(written) || written.startsWith('00'),
  };
}

/** Parses an account's phone: a national number with its one expected country, never with a guessed one. */
export function readPhone(phone: string, expectedCountries: readonly string[]): NormalizedPhone {
  const country = countryOfPhone(expectedCountries);
  return recentlyRead.get(`${country ?? ''} ${phone}`, () => normalizePhone(phone, country));
}

/** Country for parsing national numbers of an account: its one expected country, otherwise null. */
export function countryOfPhone(expectedCountries: readonly string[]): string | null {
  return expectedCountries.length === 1 ? expectedCountries[0]! : null;
}

/** A change parses its account's phone for matching and for the response; parsing takes longer than decrypting the account. */
const recentlyRead = new RecentCache<NormalizedPhone>({ seconds: 60, entries: 100_000 });

/**
 * Digits of the extension of a phone, which does not depend on the country; '' without one. An extension of zeros and a leading
 * zero count: they are other lines.
 */
export function phoneExtension(text: string): string {
  return MAY_HAVE_EXTENSION.test(text) ? (parse(plainForm(text), 'US')?.ext ?? '') : '';
}

/** Every notation of an extension has a letter or one of these signs. Most numbers have none, and parsing them is slow. */
const MAY_HAVE_EXTENSION = /[\p{L}#~,;＃～]/u;

/** Whether parsing a phone number does not depend on the account's country. */
export function isReadWithoutCountry(text: string): boolean {
  return isInternational(plainForm(text));
}

/**
 * Converts full-width digits and digits of other scripts to ASCII, and removes invisible characters and surrounding punctuation,
 * which copied numbers often contain.
 */
function plainForm(text: string): string {
  return (
    text
      .normalize('NFKC')
      .replace(/\p{Cf}/gu, '')
      .replace(/\p{Nd}/gu, (digit) => anyAscii(digit))
      .trim()
      .replace(/^tel:\s*/i, '')
      .replace(/^[^\p{L}\d+]+/u, '')
      .replace(/[^\p{L}\d]+$/u, '')
      .replace(/^\++/, '+')
      // No country's calling code begins with 0, so +00 can only be 00 typed after a plus.
      .replace(/^\+\D*(?=00)/, '')
  );
}

const EXTENSION =
  /\s*(?:;ext=|,|#|~|\b(?:e?xtn?|ext(?:ension)?|int|anexo)\b[\s.:]*|\bx(?=[\s.:]*\d))[\s\d.:#]*$/i;
const WRITTEN_IN_LETTERS = /^\+?\(?\d[\d\s().\-/]*[a-z][\da-z\s().\-/]*$/i;
const MIN_LETTERS = 3;
const MAX_DIGITS = 15;
/** Letters of each digit from 2 to 9 on a keypad (ITU-T E.161). */
const KEYPAD = ['abc', 'def', 'ghi', 'jkl', 'mno', 'pqrs', 'tuv', 'wxyz'];

/** A number with letters in digits, with its extension: `1-800-FLOWERS`; null for other texts. */
function withoutLetters(written: string): string | null {
  const extension = EXTENSION.exec(written)?.[0] ?? '';
  const number = written.slice(0, written.length - extension.length);
  const letters = number.replace(/[^a-z]/gi, '').length;
  if (letters < MIN_LETTERS || !WRITTEN_IN_LETTERS.test(number)) return null;
  const inDigits = number.replace(/[a-z]/gi, (letter) =>
    String(2 + KEYPAD.findIndex((key) => key.includes(letter.toLowerCase()))),
  );
  return digitsOf(inDigits).length > MAX_DIGITS ? null : inDigits + extension;
}

function digitsOf(written: string): string {
  return written.replace(/\D/g, '');
}

function isInternational(written: string): boolean {
  return written.startsWith('+');
}

/**
 * Selects among the interpretations of a text, valid ones before those of a possible length. `00` is read as `+` before the
 * carrier prefixes of a few countries, such as `002`, but after a country's only prefix, such as `0011` in Australia.
 */
function readNumber(written: string, country: CountryCode | null): PhoneNumber | null {
  if (isInternational(written)) return possible(parse(written));
  const general = written.startsWith('00') ? possible(parse(written.replace(/^00\D*/, '+'))) : null;
  const own = country && (withCallingCode(written, country) ?? nationalReading(written, country));
  const readings = country && isDialledAbroad(written, country) ? [own, general] : [general, own];
  return readings.find(valid) ?? readings.find((number) => number !== null) ?? null;
}

/** Whether a text starts with the country's only international prefix, if that is longer than `00`. */
function isDialledAbroad(written: string, country: CountryCode): boolean {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  const { numberingPlan: plan } = metadata;
  const prefix = plan?.defaultIDDPrefix() || plan?.IDDPrefix() || '';
  return /^\d{3,}$/.test(prefix) && digitsOf(written).startsWith(prefix);
}

/**
 * Digits that start with the country's calling code and are a valid number after a plus: `491711234569` in Germany does not
 * belong to the area code 4917.
 */
function withCallingCode(written: string, country: CountryCode): PhoneNumber | null {
  return written.startsWith(getCountryCallingCode(country)) ? valid(parse(`+${written}`)) : null;
}

/**
 * The number as dialed in the country, nationally or with its international prefixes. Null when the digits are equally
 * likely a number of another country without its plus, unless it is a valid number of the country with the country's
 * national prefix, or the country has no national prefix.
 */
function nationalReading(written: string, country: CountryCode): PhoneNumber | null {
  const number = possible(parse(written, country));
  if (number === null) return null;
  // No country's calling code begins with 0.
  const international = written.startsWith('0') ? null : parse(`+${written}`);
  if (valid(international) && NORTH_AMERICAN.test(written)) return null;
  if (number.number === international?.number) return number;
  if (valid(number) && isWrittenInFull(written, number, country)) return number;
  return likelihood(number) > likelihood(international) ? number : null;
}

/** Grouping of North American numbers only, with a leading 1, with which area codes of other countries can start too. */
const NORTH_AMERICAN = /^1[\s.-]*\(?\d{3}[)\s.-]+\d{3}[\s.-]+\d{4}(?!\d)/;

/** Whether it is a national number with its prefix, or of a country without a prefix. */
function isWrittenInFull(written: string, number: PhoneNumber, country: CountryCode): boolean {
  if (number.countryCallingCode !== getCountryCallingCode(country)) return false;
  const dialled = dialledDigits(written, number);
  const { nationalNumber } = number;
  number.setExt('');
  if (dialled === digitsOf(number.formatNational())) return true;
  return dialled.endsWith(nationalNumber) && dialled !== nationalNumber;
}

function dialledDigits(written: string, { ext = '' }: PhoneNumber): string {
  const digits = digitsOf(written);
  return ext !== '' && digits.endsWith(ext) ? digits.slice(0, -ext.length) : digits;
}

/**
 * Mexican mobiles had a 1 after the calling code until 2019, and many are still written with it. No current Mexican number has
 * as many digits.
 */
const FORMER_MEXICAN_MOBILE = /^\+52[\s.()-]*1[\s.()-]*(?=\d(?:[\s.()-]*\d){9}(?![\s.()-]*\d))/;

/**
 * Numbers of one country that are dialed as an area of another one: San Marino through Italy, whose calling code and area code
 * 0549 remain in use beside +378, and Northern Ireland from Ireland.
 */
const THROUGH_NEIGHBORS: readonly (readonly [dialled: RegExp, number: string])[] = [
  [/^\+390?549(?=\d{6}$)/, '+3780549'],
  [/^\+35348(?=\d{8}$)/, '+4428'],
];

function parse(written: string, defaultCountry?: CountryCode): PhoneNumber | null {
  const present = written.replace(FORMER_MEXICAN_MOBILE, '+52');
  const number = parsePhoneNumberFromString(present, { defaultCountry, extract: false }) ?? null;
  const neighbor = number && THROUGH_NEIGHBORS.find(([dialled]) => dialled.test(number.number));
  if (!number || !neighbor) return number;
  const own = parsePhoneNumberFromString(number.number.replace(...neighbor));
  if (!own?.isValid()) return number;
  if (number.ext) own.setExt(number.ext);
  return own;
}

function valid(number: PhoneNumber | null): PhoneNumber | null {
  return number?.isValid() ? number : null;
}

function possible(number: PhoneNumber | null): PhoneNumber | null {
  return number?.isPossible() ? number : null;
}

function likelihood(number: PhoneNumber | null): number {
  if (valid(number)) return 2;
  return possible(number) ? 1 : 0;
}
