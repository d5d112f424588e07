import { expect, test } from 'vitest';
import { checksWith, factsWith, networkWith } from '../../../../test/support/signals/facts.ts';
import {
  countryOfLocale,
  deviceTimezone,
  gpsCountry,
  isHomeRouted,
  localeCountries,
  simCountry,
  timezoneCountries,
} from './country-claims.ts';

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0';

test.each([
  ['en-NG', 'NG', true],
  ['zh-Hant-TW', 'TW', true],
  ['en-GB-u-ca-gregory', 'GB', true],
  ['ja', 'JP', false],
  ['en-US', 'US', false],
  ['en', 'US', false],
  ['es-US', 'US', true],
])('the language %s points to %s, explicitly: %s', (tag, countryCode, isExplicit) => {
  expect(countryOfLocale(tag)).toEqual({ countryCode, isExplicit });
});

test('a region that is not a country and an invalid language tag indicate no country', () => {
  for (const tag of ['es-419', 'en-001', '', 'no such language', 'x'.repeat(1000), '__proto__', '*']) {
    expect(countryOfLocale(tag)).toBeNull();
  }
});

test('the preferred language comes first, each language once, up to a maximum number', () => {
  const facts = factsWith({
    browser: { language: 'de-CH', languages: ['de-CH', 'fr-CH', ...new Array(1000).fill('ja-JP')] },
    checks: checksWith({ locale: 'it-CH' }),
  });
  expect(localeCountries(facts).map(({ countryCode }) => countryCode)).toEqual(['CH', 'CH', 'JP', 'CH']);
});

test('the time zone of the page replaces a missing one of the browser block', () => {
  const checks = checksWith({ timezone: 'Asia/Tokyo' });
  expect(deviceTimezone(factsWith({ browser: { timezone: '' }, checks }))).toBe('Asia/Tokyo');
  expect(deviceTimezone(factsWith({ browser: { timezone: 'Europe/Rome' }, checks }))).toBe('Europe/Rome');
  expect(deviceTimezone(factsWith({ browser: { timezone: '' } }))).toBe('');
});

test('the zone of Iceland is a mask in a Firefox with resistFingerprinting, and Iceland in other browsers', () => {
  const browser = { timezone: 'Atlantic/Reykjavik' };
  expect(timezoneCountries(factsWith({ browser, userAgent: FIREFOX }))).toEqual([]);
  expect(timezoneCountries(factsWith({ browser }))).toEqual(['IS']);
});

test('a SIM names a country only by a valid country code', () => {
  expect(simCountry(factsWith({ carrier: { countryCode: 'gb' } }))).toBe('GB');
  expect(simCountry(factsWith({ carrier: { countryCode: 'UK' } }))).toBe('');
  expect(simCountry(factsWith())).toBe('');
});

test('a position names its country unless it is simulated', () => {
  const paris = { latitude: 48.8566, longitude: 2.3522, accuracyM: 10 };
  expect(gpsCountry(factsWith({ gps: { ...paris, mock: null } }))).toBe('FR');
  expect(gpsCountry(factsWith({ gps: { ...paris, mock: true } }))).toBe('');
  expect(gpsCountry(factsWith())).toBe('');
});

test('an address in the country of the SIM may be home routing of a traveler; an address of a server is not', () => {
  const carrier = { countryCode: 'US' };
  const mobile = networkWith({ connectionType: 'mobile' });
  expect(isHomeRouted(factsWith({ carrier, network: mobile }))).toBe(true);
  // Many operators run mobile and fixed lines through one system.
  expect(isHomeRouted(factsWith({ carrier }))).toBe(true);
  const hosting = networkWith({ connectionType: 'hosting' });
  expect(isHomeRouted(factsWith({ carrier, network: hosting }))).toBe(false);
  expect(isHomeRouted(factsWith({ network: mobile }))).toBe(false);
});
