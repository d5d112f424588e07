import { expect, test } from 'vitest';
import { countryOfPoint } from './country-of-point.ts';

test.each([
  ['Paris', 48.8566, 2.3522, 'FR'],
  ['Guadeloupe, which is not reported as France', 16.2, -61.5, 'GP'],
  ['Hong Kong', 22.3, 114.17, 'HK'],
  ['Pristina', 42.66, 21.16, 'XK'],
  ['Hargeisa', 9.56, 44.06, 'SO'],
  ['the north of Cyprus', 35.3, 33.3, 'CY'],
  ['the sea off Nice', 43.65, 7.27, 'FR'],
  ['Taveuni, just west of the 180th meridian', -16.85, 179.97, 'FJ'],
])('%s', (_, latitude, longitude, code) => {
  expect(countryOfPoint(latitude, longitude)).toBe(code);
});

test('the high seas and invalid places have no country', () => {
  expect(countryOfPoint(0, -20)).toBe('');
  expect(countryOfPoint(Number.NaN, 2)).toBe('');
  expect(countryOfPoint(48.8566, 720)).toBe('');
});
