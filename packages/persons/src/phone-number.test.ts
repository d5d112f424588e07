import fc from 'fast-check';
import examples from 'libphonenumber-js/examples.mobile.json';
import {
  getCountries,
  getExampleNumber,
  Metadata,
  type PhoneNumber,
  parsePhoneNumberFromString,
} from 'libphonenumber-js/max';
import { describe, expect, test } from 'vitest';
import { isReadWithoutCountry, normalizePhone, phoneExtension } from './phone-number.ts';

test.each([
  ['+1 (415) 555-2671', null, '+14155552671'],
  ['07911 123456', 'GB', '+447911123456'],
  ['0044 20 7946 0958', null, '+442079460958'],
  ['0044 20 7946 0958', 'GB', '+442079460958'],
  ['0044 20 7946 0958', 'US', '+442079460958'],
  ['0011 44 20 7946 0958', 'AU', '+442079460958'],
  ['(0011) 44 20 7946 0958', 'AU', '+442079460958'],
  ['+0044 20 7946 0958', null, '+442079460958'],
  ['(+44) 20 7946 0958', null, '+442079460958'],
  ['++44 20 7946 0958.', null, '+442079460958'],
  ['+44 (0)20 7946 0958', null, '+442079460958'],
  ['tel:+44-20-7946-0958', null, '+442079460958'],
  ['+４４ ２０ ７９４６ ０９５８', null, '+442079460958'],
  ['٠٧٩١١١٢٣٤٥٦', 'GB', '+447911123456'],
  ['\u202a+14155552671\u202c', null, '+14155552671'],
  ['+1 415 555 2671 ext. 5', null, '+14155552671'],
  ['0711 123456 ext 5', 'DE', '+49711123456'],
  ['+39 06 1234 5678', null, '+390612345678'],
  ['+33612345678', 'US', '+33612345678'],
  ['491711234569', 'DE', '+491711234569'],
  ['1 415 555 2671', 'US', '+14155552671'],
  ['4155552671', 'US', '+14155552671'],
  ['14505552671', 'CN', '+8614505552671'],
  ['+378 0549 886377', null, '+3780549886377'],
  ['+378 886377', null, '+3780549886377'],
  ['+39 0549 886377', null, '+3780549886377'],
  ['+39 549 886377', null, '+3780549886377'],
  ['0039 0549 886377', null, '+3780549886377'],
  ['0549 886377', 'IT', '+3780549886377'],
  ['0549 886377', 'SM', '+3780549886377'],
  ['886377', 'SM', '+3780549886377'],
  ['390549886377', 'IT', '+3780549886377'],
  ['+378 66 661212', null, '+37866661212'],
  ['+39 0541 123456', null, '+390541123456'],
  // The Vatican has numbers of Rome.
  ['06 698 12345', 'VA', '+390669812345'],
  ['06 698 12345', 'IT', '+390669812345'],
  // Northern Ireland, dialed from Ireland.
  ['048 9032 1234', 'IE', '+442890321234'],
  ['+353 48 9032 1234', null, '+442890321234'],
  ['028 9032 1234', 'GB', '+442890321234'],
  // Countries with a common numbering plan.
  ['07781 123456', 'GG', '+447781123456'],
  ['07781 123456', 'GB', '+447781123456'],
  ['07797 712345', 'JE', '+447797712345'],
  ['8 701 123 45 67', 'KZ', '+77011234567'],
  ['8 701 123 45 67', 'RU', '+77011234567'],
  ['018 12345', 'AX', '+3581812345'],
  ['018 12345', 'FI', '+3581812345'],
  ['79 12 34 56', 'SJ', '+4779123456'],
  ['79 12 34 56', 'NO', '+4779123456'],
  ['1-800-FLOWERS', 'US', '+18003569377'],
  ['+1-800-FLOWERS', null, '+18003569377'],
  ['001 800 flowers', null, '+18003569377'],
  ['(800) FLOWERS', 'CA', '+18003569377'],
  ['1-888-GO-FEDEX ext. 7', 'US', '+18884633339'],
  ['+1 415 555 CALL', null, '+14155552255'],
  ['+52 1 55 1234 5678', null, '+525512345678'],
  ['+52 (1) 55-1234-5678', null, '+525512345678'],
  ['0052 1 55 1234 5678', null, '+525512345678'],
  ['5215512345678', 'MX', '+525512345678'],
  ['+52 1 55 1234 5678 ext 9', null, '+525512345678'],
])('%s with country %s is %s', (text, country, e164) => {
  expect(normalizePhone(text, country)).toEqual({ valid: true, e164, matchKey: e164 });
});

test.each([
  ['+44 7700 900201', null],
  ['+44 (0)7700 900201', null],
  ['0044 7700 900201', null],
  ['0044 7700 900201', 'JP'],
  ['07700 900201', 'GB'],
  ['447700900201', 'GB'],
  ['0011 44 7700 900201', 'AU'],
])('%s with country %s is unassigned, and is matched by its parsed number', (text, country) => {
  expect(normalizePhone(text, country)).toEqual({ valid: false, e164: '', matchKey: '+447700900201' });
});

test.each([
  ['07911 123456', null, '07911123456'],
  ['07911 123456', 'XX', '07911123456'],
  ['14155552671', 'GB', '14155552671'],
  ['1-415-555-2671', 'DE', '14155552671'],
  ['1-415-555-2671 x5', 'DE', '141555526715'],
  ['14155552671', 'DE', '14155552671'],
  // 01512 3456789 in Germany without its 0, or 512-345-6789 in Texas.
  ['15123456789', 'DE', '15123456789'],
  ['1-450-555-2671', 'CN', '14505552671'],
  ['1 (450) 555 2671', 'CN', '14505552671'],
  ['905012345678', 'BR', '905012345678'],
  ['+12345', null, '12345'],
  ['0011 44 20 7946 0958', null, '0011442079460958'],
  ['call +1 415 555 2671 now', null, '14155552671'],
  ['415 555 2671 home', null, '4155552671'],
  ['+1 415 555 2671 mobile', null, '14155552671'],
  // Without a country the letters are digits too: two words are two numbers.
  ['1-800-FLOWERS', null, '18003569377'],
  ['1-800-COLLECT', null, '18002655328'],
  ['1-800-FLOWERS', 'DE', '18003569377'],
  ['n/a', null, ''],
  ['', 'US', ''],
])('%s with country %s is not a number and keeps its digits', (text, country, digits) => {
  expect(normalizePhone(text, country)).toEqual({ valid: false, e164: '', matchKey: digits });
});

test.each([
  ['+1 415 555 2671 ext. 12', '12'],
  ['+1 415 555 2671;ext=12', '12'],
  ['(415) 555-2671 x12', '12'],
  ['0711 123456 ext 5', '5'],
  ['tel:+1-415-555-2671;ext=12', '12'],
  ['+1 415 555 2671', ''],
  ['1-800-FLOWERS', ''],
  ['n/a', ''],
  ['', ''],
])('the extension of %s is %j', (text, extension) => expect(phoneExtension(text)).toBe(extension));

test('only a number with a plus is parsed independently of the country', () => {
  expect(['+44 7700 900201', ' (+44) 7700 900201', 'tel:+44'].map(isReadWithoutCountry)).toEqual([
    true,
    true,
    true,
  ]);
  expect(['0044 7700 900201', '+0011 44', '07700 900201', ''].map(isReadWithoutCountry)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test('never throws, and its result parses to the same number', () => {
  fc.assert(
    fc.property(
      fc.oneof(fc.string(), fc.stringMatching(/^[+0-9() .-]{0,20}$/)),
      fc.constantFrom(null, 'US', 'GB', 'IT', 'BR'),
      (text, country) => {
        const once = normalizePhone(text, country);
        expect(once.matchKey).toMatch(/^\+?\d*$/);
        if (once.valid) expect(normalizePhone(once.e164, null)).toEqual(once);
      },
    ),
  );
});

const numbers = getCountries().flatMap((country) => {
  const number = getExampleNumber(country, examples);
  return number ? [{ country, number }] : [];
});
const OTHER_COUNTRIES = [null, 'AU', 'BR', 'CN', 'HK', 'TW', 'DE', 'GB', 'IT', 'JP', 'KR', 'RU', 'US'];

/** International spellings of a number, and national ones, which need its country. */
function spellings(number: PhoneNumber) {
  const { countryCallingCode: code, nationalNumber: national } = number;
  const inCountry = number.formatNational();
  const hasZero = inCountry.replace(/\D/g, '') === `0${national}`;
  return {
    international: [
      number.number,
      number.formatInternational(),
      `(+${code}) ${national}`,
      `tel:${number.number}`,
      `00${code}${national}`,
      `00 (${code}) ${national}`,
      ...(hasZero ? [`+${code} (0)${national}`, `00${code} (0) ${national}`] : []),
    ],
    national: [inCountry, inCountry.replace(/\D/g, ''), `${code}${national}`],
  };
}

describe('the example numbers of all countries', () => {
  test('are the same number in every spelling', () => {
    expect(numbers.length).toBeGreaterThan(240);
    for (const { country, number } of numbers) {
      const { international, national } = spellings(number);
      const read = [
        ...international.flatMap((text) =>
          [...OTHER_COUNTRIES, country].map((known) => [text, known, normalizePhone(text, known).matchKey]),
        ),
        ...national.map((text) => [text, country, normalizePhone(text, country).matchKey]),
      ];
      expect(read.filter(([, , key]) => key !== number.number)).toEqual([]);
    }
  });

  test('are parsed with the international prefix of every country, such as 0011', () => {
    const metadata = new Metadata();
    let prefixes = 0;
    for (const { country } of numbers) {
      metadata.selectNumberingPlan(country);
      const { numberingPlan: plan } = metadata;
      const prefix = plan?.defaultIDDPrefix() || plan?.IDDPrefix() || '';
      if (!/^0\d*$/.test(prefix)) continue;
      prefixes++;
      const wrong = numbers.filter(
        ({ number }) =>
          normalizePhone(`${prefix} ${number.number.slice(1)}`, country).matchKey !== number.number,
      );
      expect(
        wrong.map(({ number }) => number.number),
        `${prefix} in ${country}`,
      ).toEqual([]);
    }
    expect(prefixes).toBeGreaterThan(200);
  });

  test('without their plus are never a number that another country writes with 0', () => {
    for (const { country, number: own } of numbers) {
      if (own.formatNational().replace(/\D/g, '') !== `0${own.nationalNumber}`) continue;
      for (const { number } of numbers) {
        if (number.countryCallingCode === own.countryCallingCode) continue;
        const digits = number.number.slice(1);
        const { matchKey } = normalizePhone(digits, country);
        if (matchKey === digits) continue;
        // Some countries write 0 before mobile numbers alone.
        const national = parsePhoneNumberFromString(matchKey)!.formatNational();
        expect(national.replace(/\D/g, ''), `${digits} in ${country}`).toBe(digits);
      }
    }
  });

  test('never have the same match key, in any spelling with any country', () => {
    const owner = new Map<string, string>();
    for (const { country, number } of numbers) {
      const { international, national } = spellings(number);
      for (const [text, known] of [
        ...international.flatMap((text) => OTHER_COUNTRIES.map((each) => [text, each] as const)),
        ...national.map((text) => [text, country] as const),
      ]) {
        const { matchKey } = normalizePhone(text, known);
        expect(owner.get(matchKey) ?? number.number, `${text} in ${known}`).toBe(number.number);
        owner.set(matchKey, number.number);
      }
    }
  });
});
