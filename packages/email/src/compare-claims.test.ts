import anyAscii from 'any-ascii';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareClaims, type KnownOwner } from './compare-claims.ts';
import type { EmailClaims } from './email-evidence.ts';

const NOTHING: EmailClaims = { firstName: '', lastName: '', phone: '', country: '' };
const UNKNOWN: KnownOwner = { names: [], phones: [], countries: [], localPart: '', at: new Date() };

function compare(claims: Partial<EmailClaims>, known: Partial<KnownOwner>) {
  return compareClaims({ ...NOTHING, ...claims }, { ...UNKNOWN, ...known });
}

describe('names', () => {
  test.each([
    ['Jane', 'Doe', 'Jane Doe'],
    ['Doe', 'Jane', 'jane DOE'],
    ['Bob', 'Smith', 'Robert Smith'],
    ['Rob', 'Smith', 'Bob Smith'],
    ['Дмитрий', 'Иванов', 'Dima Ivanov'],
    ['Francisco', 'García', 'Paco Garcia'],
    ['Jürgen', 'Müller', 'Juergen Mueller'],
    ['Juergen', 'Mueller', 'Jurgen Muller'],
    ['Søren', 'Ågaard', 'Soren Aagaard'],
    ['Anna-Lena', 'Schmidt', 'Annalena Schmidt'],
    ['Anna Lena', 'Schmidt', 'Anna-Lena Schmidt'],
    ['John', 'Smith', 'John Paul Smith'],
    ['John Paul', 'Smith', 'John Smith'],
    ['Siobhán', 'O’Brien', "Siobhan O'Brien"],
    ['Siobhán', 'O Brien', 'Siobhan OBrien'],
    ['Juan', 'De La Cruz', 'Juan Delacruz'],
    ['Juan', 'Delacruz', 'Juan De La Cruz'],
    ['小明', '王', '王小明'],
    ['Mohammed', 'Ali', 'Muhammad Ali'],
    ['Jane Doe', '', 'Jane Mary Doe'],
    ['Jane', '', 'Jane'],
    ['Dr. Jane', 'Doe Jr.', 'Jane Doe'],
  ])('%s %s is %s', (firstName, lastName, known) => {
    expect(compare({ firstName, lastName }, { names: ['Someone Else', known] }).name).toBe('match');
  });

  test.each([
    ['Jane', 'Doe', 'Jane Smith'],
    ['Jane', 'Doe', 'Ann Doe'],
    ['J.', 'Doe', 'Jane Doe'],
    ['Jane', 'Doe', 'J. Doe'],
    ['Jane', 'Doe', 'J. D.'],
    ['Jane', '', 'Jane Doe'],
    ['Mario', 'Rossi', 'Maria Rossi'],
    ['Christina', 'Lee', 'Christian Lee'],
    ['Daniel', 'Berg', 'Daniela Berg'],
    ['Jane', 'Doe', 'Doe'],
  ])('%s %s partly matches: %s', (firstName, lastName, known) => {
    expect(compare({ firstName, lastName }, { names: [known] }).name).toBe('partial_match');
  });

  test.each([
    ['Jane', 'Doe', 'Peter Smith'],
    ['Ludwig', 'van Beethoven', 'Vincent van Gogh'],
    ['J.', 'Smith', 'Jane Doe'],
    ['Li', 'Na', 'Marlina Kowalska'],
  ])('%s %s is not %s', (firstName, lastName, known) => {
    expect(compare({ firstName, lastName }, { names: [known] }).name).toBe('no_match');
  });

  test.each([
    ['Jane', 'Doe', 'jane.doe84'],
    ['Jane', 'Doe', 'jdoe'],
    ['Robert', 'Smith', 'bob.smith'],
    ['Bob', 'Smith', 'robertsmith'],
    ['Smith', 'Bob', 'robertsmith'],
    ['Jane', '', 'jane.84'],
  ])('%s %s occurs in the local part %s', (firstName, lastName, localPart) => {
    expect(compare({ firstName, lastName }, { localPart }).name).toBe('partial_match');
    expect(compare({ firstName, lastName }, { localPart, names: ['Zoltan Quux'] }).name).toBe(
      'partial_match',
    );
  });

  test('are skipped when no source knows one', () => {
    expect(
      compare({ firstName: 'Jane', lastName: 'Doe' }, { localPart: 'sales', names: ['', '!!'] }).name,
    ).toBe('skipped');
  });
});

describe('phones', () => {
  test.each([
    [{ phone: '+44 7911 123456' }, '+447911123456', 'match'],
    [{ phone: '07911 123456', country: 'GB' }, '+447911123456', 'match'],
    [{ phone: '07911 123456', country: 'gb' }, '0044 7911 123456', 'match'],
    [{ phone: '07911 123456' }, '+447911123456', 'partial_match'],
    [{ phone: '+44 7911 123456' }, '+44••••••••56', 'partial_match'],
    [{ phone: '07911 123456', country: 'GB' }, '***3456', 'partial_match'],
    [{ phone: '07911 123456' }, '+44******3456', 'partial_match'],
    [{ phone: '+44 7911 123456' }, '+1******3456', 'no_match'],
    [{ phone: '+44 7911 123456' }, '********57', 'no_match'],
    [{ phone: '+44 7911 123456' }, '*******', 'skipped'],
    [{ phone: '+44 7911 123456' }, '+447911123457', 'no_match'],
    [{ phone: '+44 7911 123456' }, 'n/a', 'skipped'],
    [{ phone: 'n/a' }, '+447911123456', 'skipped'],
    [{ phone: '' }, '+447911123456', 'skipped'],
  ] as const)('%j and %s: %s', (claims, phone, expected) => {
    expect(compare(claims, { phones: [phone] }).phone).toBe(expected);
  });

  test('the best of several phones counts', () => {
    const known = { phones: ['+14155552671', '+44••••••••56', '+447911123456'] };
    expect(compare({ phone: '+447911123456' }, known).phone).toBe('match');
    expect(compare({ phone: '+447911123456' }, { phones: known.phones.slice(0, 2) }).phone).toBe(
      'partial_match',
    );
  });
});

test('countries are compared for equality', () => {
  expect(compare({ country: 'de' }, { countries: ['FR', 'DE'] }).country).toBe('match');
  expect(compare({ country: 'US' }, { countries: ['FR', 'DE'] }).country).toBe('no_match');
  expect(compare({ country: 'US' }, {}).country).toBe('skipped');
  expect(compare({ country: '' }, { countries: ['FR'] }).country).toBe('skipped');
});

test('the risk score includes the compared values', () => {
  const claims = { firstName: 'Jane', lastName: 'Doe', phone: '+447911123456', country: 'GB' };
  const known = { names: ['Jane Doe'], phones: ['+447911123456'], countries: ['GB'] };
  const other = { names: ['Peter Smith'], phones: ['+447911123450'], countries: ['US'] };
  expect(compare(claims, known).riskScore).toBe(-1);
  expect(compare(claims, other).riskScore).toBe(1);
  expect(compare(claims, { ...known, names: ['Jane Smith'] }).riskScore).toBe(-0.75);
  expect(compare(claims, { names: ['Jane Doe'] }).riskScore).toBe(-0.5);
  expect(compare(claims, { countries: ['US'] }).riskScore).toBe(0.2);
  expect(compare(claims, {}).riskScore).toBeNull();
});

test('no claims are skipped claims', () => {
  const skipped = { name: 'skipped', phone: 'skipped', country: 'skipped', riskScore: null };
  const known = { names: ['Jane Doe'], phones: ['+447911123456'], countries: ['GB'], localPart: 'jane.doe' };
  expect(compareClaims(null, { ...UNKNOWN, ...known })).toEqual(skipped);
  expect(compare({}, known)).toEqual(skipped);
  fc.assert(
    fc.property(fc.array(fc.string()), fc.array(fc.string()), fc.string(), (names, phones, localPart) => {
      expect(compare({}, { names, phones, countries: ['DE'], localPart })).toEqual(skipped);
    }),
  );
});

const LETTERS = [...'abcdefghijklmnopqrstuvwxyzäöüßéñçøåłđ'];
const word = fc.string({ unit: fc.constantFrom(...LETTERS), minLength: 1, maxLength: 9 });
const part = fc.array(word, { minLength: 1, maxLength: 2 }).map((words) => words.join(' '));

test('a claim that equals a known name matches it in any case and order, with or without accents', () => {
  fc.assert(
    fc.property(part, part, fc.array(part, { maxLength: 3 }), (firstName, lastName, others) => {
      for (const known of spellings(firstName, lastName)) {
        expect(compare({ firstName, lastName }, { names: [...others, known] }).name, known).toBe('match');
      }
    }),
  );
  fc.assert(
    fc.property(fc.string(), fc.string(), (firstName, lastName) => {
      const { name } = compare({ firstName, lastName }, { names: [`${firstName} ${lastName}`] });
      expect(['match', 'skipped']).toContain(name);
    }),
  );
});

test('words of a known name that are written as one match in any order of its parts', () => {
  for (const known of ['Maria De La Cruz', 'De La Cruz Maria', 'Cruz Maria De La', 'cruz, maria de la'])
    expect(compare({ firstName: 'Maria', lastName: 'Delacruz' }, { names: [known] }).name, known).toBe(
      'match',
    );
  for (const known of ['k ñ', 'ñ k'])
    expect(compare({ firstName: 'a', lastName: 'kn a' }, { names: [known] }).name, known).toBe(
      'partial_match',
    );
});

test('case, accents and the order of the parts do not affect the result', () => {
  fc.assert(
    fc.property(part, part, part, part, word, (firstName, lastName, given, family, localPart) => {
      const { name } = compare({ firstName, lastName }, { names: [`${given} ${family}`], localPart });
      for (const known of spellings(given, family)) {
        expect(compare({ firstName, lastName }, { names: [known], localPart }).name, known).toBe(name);
      }
      expect(
        compare({ firstName: lastName, lastName: firstName }, { names: [`${given} ${family}`], localPart })
          .name,
      ).toBe(name);
    }),
  );
});

function spellings(first: string, last: string): string[] {
  const both = `${first} ${last}`;
  return [both, `${last} ${first}`, both.toUpperCase(), anyAscii(both), both.normalize('NFD')];
}
