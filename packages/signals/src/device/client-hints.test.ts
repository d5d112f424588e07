import { expect, test } from 'vitest';
import { checksWith, factsWith } from '../../../../test/support/signals/facts.ts';
import {
  brandsOfHeader,
  chromiumMajor,
  hintedMobile,
  hintedPlatforms,
  hintedVersions,
} from './client-hints.ts';

const HEADER = '"Not/A)Brand";v="24", "Chromium";v="137", "Opera";v="121"';

test('the brands of the header are read, including GREASE brands', () => {
  expect(brandsOfHeader(HEADER)).toEqual([
    { brand: 'Not/A)Brand', version: '24' },
    { brand: 'Chromium', version: '137' },
    { brand: 'Opera', version: '121' },
  ]);
  expect(brandsOfHeader('"Chromium" ; v="137.0.7151.61"')).toHaveLength(1);
});

test.each([undefined, '', 'Chromium;v=137', '"Chromium"', ','.repeat(5000)])(
  '%s contains no brands',
  (header) => {
    expect(brandsOfHeader(header)).toEqual([]);
  },
);

test('the version is that of Chromium, for any other brands', () => {
  expect(chromiumMajor(brandsOfHeader(HEADER))).toBe(137);
  expect(chromiumMajor([{ brand: 'Chromium', version: '137.0.7151.61' }])).toBe(137);
  expect(chromiumMajor([{ brand: 'Chromium', version: 'latest' }])).toBeNull();
  expect(chromiumMajor([{ brand: 'Opera', version: '121' }])).toBeNull();
  expect(chromiumMajor([])).toBeNull();
});

test('page and header are both read', () => {
  const facts = factsWith({
    headers: { 'sec-ch-ua': HEADER, 'sec-ch-ua-platform': '"Linux"', 'sec-ch-ua-mobile': '?0' },
    checks: checksWith({
      user_agent_data: { brands: [{ brand: 'Chromium', version: '156' }], platform: 'Windows', mobile: true },
    }),
  });
  expect(hintedVersions(facts).map(({ major }) => major)).toEqual([156, 137]);
  expect(hintedPlatforms(facts)).toEqual(['Windows', 'Linux']);
  expect(hintedMobile(facts)).toBe(false);
});

test('a browser without client hints produces no evidence', () => {
  expect(hintedVersions(factsWith())).toEqual([]);
  expect(hintedPlatforms(factsWith())).toEqual([]);
  expect(hintedMobile(factsWith({ headers: { 'sec-ch-ua-mobile': 'yes' } }))).toBeNull();
});
