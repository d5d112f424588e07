import { expect, test } from 'vitest';
import { historyWith, traceWith } from '../../../../test/support/signals/facts.ts';
import { outsideExpectedCountries } from './outside-expected-countries.ts';

const GERMAN = ['DE'];

function at(
  countryCode: string,
  latitude: number | null,
  longitude: number | null,
  expectedCountries = GERMAN,
) {
  const session = traceWith({ countryCode, latitude, longitude });
  return outsideExpectedCountries.evaluate(historyWith({ session, expectedCountries }));
}

test('a German customer in Sydney is 16,000 km from Germany', () => {
  const evidence = at('AU', -33.8688, 151.2093);
  expect(evidence?.contributions.locationSpoofing).toBeCloseTo(0.65, 2);
  expect(evidence).toMatchObject({ group: 'expected_countries', observed: 'in AU, 16000 km from DE' });
});

test('a session in Paris, 298 km away, has little more weight than the other country', () => {
  // 0.15 + 0.5 · (1 − e^(−298 / 2500))
  expect(at('FR', 48.8566, 2.3522)?.contributions.locationSpoofing).toBeCloseTo(0.206, 3);
});

test('a session across the Rhine, and one in an adjacent country without coordinates, have the minimum score', () => {
  expect(at('FR', 48.5734, 7.7521)?.contributions.locationSpoofing).toBeCloseTo(0.151, 3);
  const withoutPlace = at('FR', null, null);
  expect(withoutPlace?.contributions.locationSpoofing).toBe(0.15);
  expect(withoutPlace?.observed).toBe('in FR, 0 km from DE');
});

test('without coordinates the borders of the two countries are compared', () => {
  const evidence = at('AU', null, null);
  expect(evidence?.contributions.locationSpoofing).toBeGreaterThan(0.64);
});

test('the nearest of several expected countries counts', () => {
  expect(at('FR', 48.8566, 2.3522, ['JP', 'DE', 'BR'])?.observed).toBe('in FR, 298 km from DE');
});

test('a session in an expected country, by country or by coordinates, produces no evidence', () => {
  expect(at('DE', 52.52, 13.405)).toBeNull();
  expect(at('DE', null, null, ['FR', 'DE'])).toBeNull();
  // Databases locate a border town on the other side.
  expect(at('FR', 52.52, 13.405)).toBeNull();
  expect(at('DE', 48.8566, 2.3522)).toBeNull();
});

test('missing expectations, missing locations and invalid country codes produce no evidence', () => {
  expect(at('FR', 48.8566, 2.3522, [])).toBeNull();
  expect(at('', null, null)).toBeNull();
  expect(at('FR', 48.8566, 2.3522, ['XX', ''])).toBeNull();
  expect(at('FR', Number.NaN, 2.3522, ['XX'])).toBeNull();
});
