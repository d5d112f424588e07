import anyAscii from 'any-ascii';
import {
  type CountryCode,
  getCountryCallingCode,
  isSupportedCountry,
  Metadata,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { RecentCache } from '../../platform/recent-cache.ts';

export type NormalisedPhone = {
  /** A number that its country's numbering plan assigns. */
  valid: boolean;
  /** E.164 without an extension; '' unless valid. */
  e164: string;
  /** What two spellings of one number have in common; '' when the text holds no digit. For matching only. */
  matchKey: string;
};

/**
 * Reads a phone number. International forms (`+`, leading `00`, `tel:`) need no country; national ones are read only
 * with the country given, never with a guessed one. A number of a possible length that no numbering plan assigns is
 * matched by its parsed form. Any other text keeps its digits, so that equal strings match.
 *
 * An extension is dropped: anybody can append one to a number, and a shared number must stay a match.
 */
export function normalisePhone(text: string, defaultCountry: string | null): NormalisedPhone {
  const { number, matchKey } = parsePhone(text, defaultCountry);
  const valid = number?.isValid() ?? false;
  return { valid, e164: valid ? number!.number : '', matchKey };
}

export type ParsedPhone = {
  /** Number of a possible length; null when the text is none, or a national number whose country is not known. */
  number: PhoneNumber | null;
  /** What two spellings of one number have in common; '' when the text holds no digit. For matching only. */
  matchKey: string;
  /** Whether the text is international, or its country was given: only then a null number means that there is none. */
  isReadable: boolean;
};

/** The number in a text by the rules of `normalisePhone`, with what its numbering plan says. */
export function parsePhone(text: string, defaultCountry: string | null): ParsedPhone {
  const written = plainForm(text);
  const country = defaultCountry !== null && isSupportedCountry(defaultCountry) ? defaultCountry : null;
  const number = readNumber(written, country);
  return {
    number,
    matchKey: number?.number ?? digitsOf(written),
    isReadable: country !== null || isInternational(written) || written.startsWith('00'),
  };
}

/** Reads an account's phone: a national number with the one country that it is expected in, never with a guess. */
export function readPhone(phone: string, expectedCountries: readonly string[]): NormalisedPhone {
  const country = countryOfPhone(expectedCountries);
  return recentlyRead.get(`${country ?? ''} ${phone}`, () => normalisePhone(phone, country));
}

/** The country with which an account's national numbers are read: the one that it is expected in, else none. */
export function countryOfPhone(expectedCountries: readonly string[]): string | null {
  return expectedCountries.length === 1 ? expectedCountries[0]! : null;
}

/** A change reads its account's phone to match and to answer it; reading one takes longer than decrypting the account. */
const recentlyRead = new RecentCache<NormalisedPhone>({ seconds: 60, entries: 100_000 });

/** Whether the country of its account changes nothing in how a phone number is read. */
export function isReadWithoutCountry(text: string): boolean {
  return isInternational(plainForm(text));
}

/**
 * Full-width and other scripts' digits as ASCII; without invisible marks and punctuation at either end, which copied
 * numbers often carry.
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

function digitsOf(written: string): string {
  return written.replace(/\D/g, '');
}

function isInternational(written: string): boolean {
  return written.startsWith('+');
}

/**
 * The readings of a text, a valid one before those of a possible length. `00` is read as `+` before the carriers' prefixes
 * that a few countries dial, such as `002`, but after a country's one prefix, such as `0011` in Australia.
 */
function readNumber(written: string, country: CountryCode | null): PhoneNumber | null {
  if (isInternational(written)) return possible(parse(written));
  const general = written.startsWith('00') ? possible(parse(written.replace(/^00\D*/, '+'))) : null;
  const own = country && (withCallingCode(written, country) ?? nationalReading(written, country));
  const readings = country && isDialledAbroad(written, country) ? [own, general] : [general, own];
  return readings.find(valid) ?? readings.find((number) => number !== null) ?? null;
}

/** Whether a text begins with the one international prefix of a country that is longer than `00`. */
function isDialledAbroad(written: string, country: CountryCode): boolean {
  const metadata = new Metadata();
  metadata.selectNumberingPlan(country);
  const { numberingPlan: plan } = metadata;
  const prefix = plan?.defaultIDDPrefix() || plan?.IDDPrefix() || '';
  return /^\d{3,}$/.test(prefix) && digitsOf(written).startsWith(prefix);
}

/**
 * Digits that begin with the country's calling code and are a valid number after a plus: `491711234569` in Germany is
 * no subscriber of the area code 4917.
 */
function withCallingCode(written: string, country: CountryCode): PhoneNumber | null {
  return written.startsWith(getCountryCallingCode(country)) ? valid(parse(`+${written}`)) : null;
}

/**
 * The number as it is dialled in the country, nationally or with its international prefixes. Null where the digits are as
 * likely a number of another country without its plus: a valid one of the country counts nevertheless if it has the
 * prefix that the country writes, or if the country writes none.
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

/** How only North American numbers are grouped; with 1, as in other countries an area code may begin. */
const NORTH_AMERICAN = /^1[\s.-]*\(?\d{3}[)\s.-]+\d{3}[\s.-]+\d{4}(?!\d)/;

/** Whether it is a national number with its prefix, or of a country that writes none. */
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
 * Mexican mobiles had a 1 behind the calling code until 2019, and many are still written so. No Mexican number of today has
 * as many digits.
 */
const FORMER_MEXICAN_MOBILE = /^\+52[\s.()-]*1[\s.()-]*(?=\d(?:[\s.()-]*\d){9}(?![\s.()-]*\d))/;

function parse(written: string, defaultCountry?: CountryCode): PhoneNumber | null {
  const present = written.replace(FORMER_MEXICAN_MOBILE, '+52');
  return parsePhoneNumberFromString(present, { defaultCountry, extract: false }) ?? null;
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
