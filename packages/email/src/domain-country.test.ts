import { isCountryCode } from '@vouchgraph/platform/countries';
import { expect, test } from 'vitest';
import { countryOfDomain, GENERIC_COUNTRY_SUFFIXES } from './domain-country.ts';
import { parseEmail } from './email-address.ts';

test.each([
  ['example.de', 'DE'],
  ['mail.example.co.uk', 'GB'],
  ['example.com.br', 'BR'],
  ['example.xn--p1ai', 'RU'],
  ['example.xn--fiqs8s', 'CN'],
  ['example.xn--3e0b707e', 'KR'],
  [parseEmail('a@пример.укр').domain, 'UA'],
  [parseEmail('a@example.한국').domain, 'KR'],
])('%s belongs to %s', (domain, country) => expect(countryOfDomain(domain)).toBe(country));

test.each([
  'example.com',
  'example.org',
  'example.io',
  'example.co',
  'example.me',
  'example.tv',
  'example.eu',
  'example.su',
  'example.museum',
  '',
])('%s belongs to no country', (domain) => expect(countryOfDomain(domain)).toBeNull());

test('every suffix in generic use has two letters, and none belongs to a country that mostly uses it itself', () => {
  for (const suffix of GENERIC_COUNTRY_SUFFIXES) expect(suffix).toMatch(/^[a-z]{2}$/);
  for (const suffix of ['de', 'fr', 'is', 'li', 'md', 'us', 'in'])
    expect(GENERIC_COUNTRY_SUFFIXES.has(suffix)).toBe(false);
});

test('every country is in ISO 3166-1', () => {
  for (let first = 97; first < 123; first += 1)
    for (let second = 97; second < 123; second += 1) {
      const country = countryOfDomain(`a.${String.fromCharCode(first, second)}`);
      if (country !== null) expect(isCountryCode(country)).toBe(true);
    }
});
