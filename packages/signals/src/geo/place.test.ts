import { expect, test } from 'vitest';
import { factsWith, networkWith } from '../../../../test/support/signals/facts.ts';
import type { FeedMatch } from '../feeds/feed-match.ts';
import { UNKNOWN_LOCATION } from '../network/ip-location.ts';
import { gpsPosition } from './gps-position.ts';
import { placeConfidence, placeRadiusKm, traceOf } from './place.ts';

const PARIS = { latitude: 48.8566, longitude: 2.3522, accuracyM: 20, mock: false };
const NO_SCORES = { vpn: 0, proxy: 0, tor: 0 };
const RELAY: FeedMatch = {
  feed: 'relays',
  kind: 'relay',
  confidence: 1,
  asOf: null,
  halfLifeDays: null,
  provider: '',
};

test.each([
  ['isp', 75],
  ['education', 75],
  ['government', 75],
  ['business', 75],
  ['', 75],
  ['hosting', 150],
  ['private_relay', 150],
  ['mobile', 300],
  ['satellite', 1500],
] as const)('an address of the kind "%s" is located within %i km', (connectionType, km) => {
  expect(placeRadiusKm(networkWith({ connectionType }), null)).toBe(km);
});

test('an address with only a known country can be anywhere in it', () => {
  const location = { ...UNKNOWN_LOCATION, countryCode: 'US' };
  expect(placeRadiusKm(networkWith({ location }), null)).toBe(600);
});

test('a position has its reported accuracy, which is at least one meter', () => {
  const radius = (accuracyM: number | null) => placeRadiusKm(networkWith(), { ...PARIS, accuracyM });
  expect(radius(20)).toBe(0.02);
  expect(radius(0)).toBe(0.001);
  expect(radius(-5)).toBe(0.001);
  expect(radius(null)).toBe(1);
});

test('mobile and satellite addresses and disputed countries have a lower weight', () => {
  expect(placeConfidence(networkWith())).toBe(1);
  expect(placeConfidence(networkWith({ connectionType: 'mobile' }))).toBe(0.6);
  expect(placeConfidence(networkWith({ connectionType: 'satellite', countryConfidence: 0.5 }))).toBe(0.3);
  expect(placeConfidence(networkWith({ countryConfidence: 0 }))).toBe(0);
});

test('a position counts unless it is simulated or invalid', () => {
  expect(gpsPosition(PARIS)).toEqual(PARIS);
  expect(gpsPosition({ ...PARIS, mock: null })).not.toBeNull();
  expect(gpsPosition({ ...PARIS, mock: true })).toBeNull();
  expect(gpsPosition({ ...PARIS, latitude: 123 })).toBeNull();
  expect(gpsPosition({ ...PARIS, longitude: Number.NaN })).toBeNull();
  expect(gpsPosition(null)).toBeNull();
});

test('a trace has the location of the address when the device has no position', () => {
  const mobile = {
    model: '',
    bootCount: 7,
    uptimeSeconds: 60,
    integrityProvider: '',
    integrityVerdicts: [],
  };
  const facts = factsWith({ mobile });
  expect(traceOf(facts, NO_SCORES, 'device-1')).toEqual({
    startTime: facts.startTime,
    countryCode: 'US',
    latitude: 32.7555,
    longitude: -97.3308,
    radiusKm: 75,
    anonymity: 0,
    connectionType: 'isp',
    device: 'device-1',
    bootCount: 7,
    uptimeSeconds: 60,
  });
});

test('the position of the device takes precedence over the address unless it is simulated', () => {
  expect(traceOf(factsWith({ gps: PARIS }), NO_SCORES, '')).toMatchObject({
    countryCode: 'FR',
    latitude: 48.8566,
    longitude: 2.3522,
    radiusKm: 0.02,
  });
  const simulated = traceOf(factsWith({ gps: { ...PARIS, mock: true } }), NO_SCORES, '');
  expect(simulated).toMatchObject({ countryCode: 'US', latitude: 32.7555, radiusKm: 75 });
});

test('a trace without coordinates has only its country, or no location', () => {
  const traceAt = (countryCode: string) =>
    traceOf(
      factsWith({ network: networkWith({ location: { ...UNKNOWN_LOCATION, countryCode } }) }),
      NO_SCORES,
      '',
    );
  expect(traceAt('US')).toMatchObject({ countryCode: 'US', latitude: null, longitude: null, radiusKm: 600 });
  expect(traceAt('')).toMatchObject({ countryCode: '', latitude: null, bootCount: null });
});

test('the strongest anonymizer hides the location, and a relay hides it in part', () => {
  const anonymity = (scores: Partial<typeof NO_SCORES>, network = networkWith()) =>
    traceOf(factsWith({ network }), { ...NO_SCORES, ...scores }, '').anonymity;
  expect(anonymity({ vpn: 0.7, proxy: 0.2, tor: 0.1 })).toBe(0.7);
  expect(anonymity({ vpn: 0.15 }, networkWith({ connectionType: 'private_relay' }))).toBe(0.3);
  expect(anonymity({ vpn: 0.15 }, networkWith({ feeds: [RELAY] }))).toBe(0.3);
  expect(anonymity({ tor: 0.99 }, networkWith({ feeds: [RELAY] }))).toBe(0.99);
});
