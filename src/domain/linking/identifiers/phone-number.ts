import anyAscii from 'any-ascii';
import { isSupportedCountry, type PhoneNumber, parsePhoneNumberFromString } from 'libphonenumber-js/max';

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
 * with the country given, never with a guessed one. What cannot be read keeps its digits, so that equal strings match.
 *
 * An extension is dropped: anybody can append one to a number, and a shared number must stay a match.
 */
export function normalisePhone(text: string, defaultCountry: string | null): NormalisedPhone {
  const written = plainForm(text);
  const number = readNumber(written, defaultCountry);
  if (number === null) return { valid: false, e164: '', matchKey: written.replace(/\D/g, '') };
  return { valid: true, e164: number.number, matchKey: number.number };
}

/** Full-width and other scripts' digits as ASCII; without invisible marks, which copied numbers often carry. */
function plainForm(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Cf}/gu, '')
    .replace(/\p{Nd}/gu, (digit) => anyAscii(digit))
    .trim()
    .replace(/^tel:\s*/i, '');
}

/**
 * The country's own reading comes first: `0011` in Australia and `00` with a carrier's digits in Brazil are
 * international prefixes that the general rule for `00` would misread.
 */
function readNumber(written: string, country: string | null): PhoneNumber | null {
  const national = country !== null && isSupportedCountry(country) ? country : undefined;
  if (national) {
    const number = parsePhoneNumberFromString(written, { defaultCountry: national, extract: false });
    if (number?.isValid()) return number;
  }
  // No country's calling code begins with 0, so +00 can only be 00 typed after a plus.
  const international = written.replace(/^\+?\s*00\s*/, '+');
  const number = parsePhoneNumberFromString(international, { extract: false });
  return number?.isValid() ? number : null;
}
