import { isCountryCode } from '@vouchgraph/platform/countries';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { factsWith, networkWith } from '../../../../test/support/signals/facts.ts';
import type { ConnectionType } from '../network/connection-type.ts';
import { UNKNOWN_LOCATION } from '../network/ip-location.ts';
import { inferTrueCountry } from './true-country.ts';

type Case = {
  address: string;
  connectionType?: ConnectionType;
  confidence?: number;
  timezone?: string;
  language?: string;
  sim?: string;
  gps?: { latitude: number; longitude: number };
};

function infer({ address, connectionType = 'isp', confidence = 1, timezone, language, sim, gps }: Case) {
  const network = networkWith({
    connectionType,
    location: { ...UNKNOWN_LOCATION, countryCode: address },
    countryConfidence: address === '' ? 0 : confidence,
  });
  return inferTrueCountry(
    factsWith({
      network,
      browser: { timezone: timezone ?? '', language: language ?? '', languages: [] },
      carrier: sim === undefined ? null : { countryCode: sim },
      gps: gps ? { ...gps, accuracyM: 10, mock: false } : null,
    }),
  );
}

test('a device from Lagos with a VPN exit in London is in Nigeria', () => {
  const lagos = { address: 'GB', connectionType: 'hosting', timezone: 'Africa/Lagos' } as const;
  expect(infer({ ...lagos, language: 'en-NG' })).toMatchObject({ countryCode: 'NG', source: 'timezone' });
  // Ten countries share the zone.
  expect(infer(lagos)).toMatchObject({ countryCode: 'GB', source: 'address' });
});

test('a device from Moscow with a residential proxy in New York is in Russia', () => {
  expect(infer({ address: 'US', timezone: 'Europe/Moscow', language: 'ru-RU' }).countryCode).toBe('RU');
});

test('a clock alone does not override a residential address', () => {
  for (const timezone of ['Europe/Moscow', 'Africa/Lagos', 'Europe/Berlin', 'Asia/Tokyo']) {
    expect(infer({ address: 'US', timezone }).countryCode).toBe('US');
  }
});

test('a clock that the address shares with a larger adjacent country supports the address', () => {
  expect(infer({ address: 'DK', timezone: 'Europe/Berlin', language: 'en-US' })).toMatchObject({
    countryCode: 'DK',
    probability: expect.closeTo(0.94, 1),
  });
  expect(infer({ address: 'AO', timezone: 'Africa/Lagos', connectionType: 'mobile' }).countryCode).toBe('AO');
});

test('a legitimate traveler with a SIM from home and a local clock is in the country of the address', () => {
  const traveler = { address: 'US', timezone: 'America/New_York', sim: 'GB', language: 'en-GB' };
  expect(infer(traveler).countryCode).toBe('US');
  expect(infer({ ...traveler, connectionType: 'mobile' }).countryCode).toBe('US');
});

test('a roaming traveler with home routing stays in the country of the contract', () => {
  const roaming = { address: 'GB', timezone: 'America/New_York', sim: 'GB', language: 'en-GB' };
  expect(infer({ ...roaming, connectionType: 'mobile' }).countryCode).toBe('GB');
});

test('SIM and clock together override a residential address, and a position overrides all three', () => {
  const russian = { address: 'US', timezone: 'Europe/Moscow', sim: 'RU' };
  expect(infer(russian)).toMatchObject({ countryCode: 'RU', source: 'timezone' });
  const gps = { latitude: 48.8566, longitude: 2.3522 };
  expect(infer({ ...russian, gps })).toMatchObject({ countryCode: 'FR', source: 'gps' });
});

test('a relay or an American program abroad has no effect', () => {
  expect(
    infer({ address: 'DE', connectionType: 'private_relay', timezone: 'Europe/Berlin', language: 'en-US' })
      .countryCode,
  ).toBe('DE');
});

test('without an address other sources determine the country, and without sources it is unknown', () => {
  expect(infer({ address: '', timezone: 'Asia/Kolkata' })).toMatchObject({
    countryCode: 'IN',
    probability: 1,
  });
  expect(infer({ address: '', timezone: 'Africa/Lagos' }).countryCode).toBe('');
  expect(infer({ address: '' })).toEqual({ countryCode: '', probability: 0, source: null });
});

test('a language alone proposes no country, and supports or weakens proposals of other sources', () => {
  for (const language of ['de-DE', 'ja', 'en-NG', 'und', 'und-DE', '*']) {
    expect(infer({ address: '', language })).toEqual({ countryCode: '', probability: 0, source: null });
  }
  const berlin = { address: '', timezone: 'Europe/Berlin' };
  expect(infer({ ...berlin, language: 'de-DE' })).toMatchObject({ countryCode: 'DE', source: 'timezone' });
  expect(infer({ ...berlin, language: 'de-DE' }).probability).toBeGreaterThan(infer(berlin).probability);
  expect(infer({ ...berlin, language: 'en-NG' }).probability).toBeLessThan(infer(berlin).probability);
  expect(infer({ address: 'US', confidence: 0, language: 'de-DE' }).countryCode).toBe('US');
});

test('an address alone determines its own country', () => {
  expect(infer({ address: 'BR' })).toEqual({ countryCode: 'BR', probability: 1, source: 'address' });
});

test('for any claims the result is a country or empty, and the probabilities add up to one', () => {
  const text = fc.oneof(
    fc.string(),
    fc.constantFrom('Europe/Moscow', 'Africa/Lagos', 'en-NG', 'ru', 'GB', 'UK'),
  );
  const degrees = fc.double();
  fc.assert(
    fc.property(text, text, text, degrees, degrees, (timezone, language, sim, latitude, longitude) => {
      const { countryCode, probability } = infer({
        address: 'US',
        timezone,
        language,
        sim,
        gps: { latitude, longitude },
      });
      expect(isCountryCode(countryCode)).toBe(true);
      expect(probability >= 0 && probability <= 1).toBe(true);
    }),
  );
});
