import fc from 'fast-check';
import { getAlpha2Codes } from 'i18n-iso-countries/index.js';
import { expect, test } from 'vitest';
import { distanceBetweenCountriesKm, distanceToCountryKm } from './borders.ts';

const CODES = Object.keys(getAlpha2Codes());
const code = fc.constantFrom(...CODES);

test('countries that border Germany are at 0 km, and no others', () => {
  const adjacent = CODES.filter((other) => distanceBetweenCountriesKm('DE', other) === 0);
  expect(adjacent.toSorted()).toEqual(['AT', 'BE', 'CH', 'CZ', 'DE', 'DK', 'FR', 'LU', 'NL', 'PL']);
});

test.each([
  ['Paris', 48.8566, 2.3522, 298, 2],
  ['Strasbourg, across the Rhine', 48.5734, 7.7521, 4, 2],
  ['Sydney', -33.8688, 151.2093, 16_000, 30],
])('%s is %f, %f: %i km from Germany, ±%i', (_, latitude, longitude, km, tolerance) => {
  expect(Math.abs(distanceToCountryKm(latitude, longitude, 'DE')! - km)).toBeLessThanOrEqual(tolerance);
});

test('a place inside a country is at 0 km, also on small islands and in divided countries', () => {
  expect(distanceToCountryKm(52.52, 13.405, 'DE')).toBe(0);
  expect(distanceToCountryKm(35.3, 33.3, 'CY')).toBe(0);
  expect(distanceToCountryKm(-8.52, 179.2, 'TV')).toBe(0);
});

test('borders along a parallel and across the 180th meridian are exact', () => {
  expect(distanceToCountryKm(48.9, -110.5, 'CA')).toBeCloseTo(10.6, -0.5);
  expect(distanceToCountryKm(65.6, -168.1, 'RU')).toBeLessThan(100);
});

test.each([
  ['GF', 'BR', 0],
  ['GF', 'FR', 6520],
  ['XK', 'RS', 0],
  ['GI', 'ES', 0],
  ['FR', 'GB', 36],
  ['SO', 'ET', 0],
  ['US', 'CU', 150],
])('%s is %s at its nearest point: overseas territories have their own location', (one, other, km) => {
  const measured = distanceBetweenCountriesKm(one, other)!;
  expect(Math.abs(measured - km)).toBeLessThanOrEqual(km * 0.05);
});

test('every country has an outline, distance 0 to itself, and symmetric distances to others', () => {
  for (const each of CODES) {
    expect(distanceToCountryKm(0, -20, each)).toBeGreaterThan(0);
    expect(distanceBetweenCountriesKm(each, each)).toBe(0);
  }
  fc.assert(
    fc.property(code, code, (one, other) => {
      expect(distanceBetweenCountriesKm(one, other)).toBe(distanceBetweenCountriesKm(other, one));
    }),
  );
});

test('an unknown country or place has no distance', () => {
  for (const unknown of ['', 'UK', 'de', 'ZZ', '__proto__']) {
    expect(distanceToCountryKm(48, 2, unknown)).toBeNull();
    expect(distanceBetweenCountriesKm('DE', unknown)).toBeNull();
    expect(distanceBetweenCountriesKm(unknown, unknown)).toBeNull();
  }
  expect(distanceToCountryKm(Number.NaN, 2, 'DE')).toBeNull();
  expect(distanceToCountryKm(91, 2, 'DE')).toBeNull();
});
