import fc from 'fast-check';
import { expect, test } from 'vitest';
import { continentOf, countryCodeHint, isCountryCode } from './countries.ts';

test('accepts alpha-2 codes in upper case only', () => {
  for (const code of ['US', 'GB', 'DE', 'GR', 'AQ', 'TW', 'XK']) expect(isCountryCode(code)).toBe(true);
  for (const code of ['us', 'UK', 'EL', 'EU', 'ZZ', 'USA', '840', '', ' US', '__proto__']) {
    expect(isCountryCode(code)).toBe(false);
  }
});

test('suggests the valid code', () => {
  expect(countryCodeHint('UK')).toBe('use GB');
  expect(countryCodeHint('EL')).toBe('use GR');
  expect(countryCodeHint('USA')).toBe('use US');
  expect(countryCodeHint('deu')).toBe('use DE');
  expect(countryCodeHint('fr')).toBe('use FR');
});

test('suggests nothing for a valid or unknown code', () => {
  for (const code of ['US', 'XK', 'ZZ', '', 'America', 'constructor', '__proto__']) {
    expect(countryCodeHint(code)).toBeNull();
  }
});

test('a suggestion is always an assigned code', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 4 }), (code) => {
      const hint = countryCodeHint(code);
      expect(hint === null || isCountryCode(hint.slice('use '.length))).toBe(true);
    }),
  );
});

test('returns the continent', () => {
  expect(continentOf('US')).toBe('NA');
  expect(continentOf('DE')).toBe('EU');
  expect(continentOf('XK')).toBe('EU');
  expect(continentOf('ZZ')).toBe('');
  expect(continentOf('')).toBe('');
  expect(continentOf('toString')).toBe('');
});
