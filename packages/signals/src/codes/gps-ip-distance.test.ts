import { expect, test } from 'vitest';
import { factsWith, networkWith } from '../../../../test/support/signals/facts.ts';
import { UNKNOWN_LOCATION } from '../network/ip-location.ts';
import { gpsIpDistance } from './gps-ip-distance.ts';

const FORT_WORTH = { latitude: 32.7555, longitude: -97.3308, accuracyM: 10, mock: false };
/** 344 km from London. */
const PARIS = { ...FORT_WORTH, latitude: 48.8566, longitude: 2.3522 };
const LONDON = networkWith({
  location: { ...networkWith().location, countryCode: 'GB', latitude: 51.5074, longitude: -0.1278 },
});

const evaluate = (gps: typeof FORT_WORTH | null, network = networkWith()) =>
  gpsIpDistance.evaluate(factsWith({ gps, network }));

test('a device in Paris with an address in London is 269 km beyond both accuracies', () => {
  const evidence = evaluate(PARIS, LONDON);
  expect(evidence).toMatchObject({
    confidence: 1,
    observed: '269 km between both locations, beyond their radii',
  });
  expect(evidence?.contributions.locationSpoofing).toBeCloseTo(0.85 * (1 - Math.exp(-268.5 / 400)), 2);
});

test('a distance of an ocean scores the maximum', () => {
  expect(evaluate(PARIS)?.contributions.locationSpoofing).toBeCloseTo(0.85, 4);
});

test('a mobile address, whose location is inexact, has a lower weight at a distance', () => {
  const mobile = { ...LONDON, connectionType: 'mobile' as const };
  expect(evaluate(PARIS, mobile)?.contributions.locationSpoofing).toBeCloseTo(
    0.6 * 0.85 * (1 - Math.exp(-43.5 / 400)),
    2,
  );
  expect(evaluate(PARIS, { ...LONDON, connectionType: 'satellite' })).toBeNull();
});

test('the same town and an inaccurate position are not a distance', () => {
  expect(evaluate(FORT_WORTH)).toBeNull();
  expect(evaluate({ ...PARIS, accuracyM: 300_000 }, LONDON)).toBeNull();
});

test('a disputed country halves the score', () => {
  expect(evaluate(PARIS, networkWith({ countryConfidence: 0.5 }))?.confidence).toBe(0.5);
});

test('a simulated position keeps the full score', () => {
  expect(evaluate({ ...PARIS, mock: true })).toEqual(evaluate(PARIS));
});

test('a missing position, a missing location of the address and invalid coordinates produce no evidence', () => {
  expect(evaluate(null)).toBeNull();
  expect(evaluate(PARIS, networkWith({ location: UNKNOWN_LOCATION, countryConfidence: 0 }))).toBeNull();
  expect(evaluate({ ...PARIS, latitude: 4000 })).toBeNull();
  expect(evaluate({ ...PARIS, longitude: Number.NaN })).toBeNull();
});
