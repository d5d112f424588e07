import { expect, test } from 'vitest';
import { locate, UNKNOWN_LOCATION } from './ip-location.ts';

const FORT_WORTH = {
  city: 'Fort Worth',
  country_code: 'US',
  latitude: 32.75550079345703,
  longitude: -97.33080291748047,
  postcode: '',
  state1: 'Texas',
};

test('joins the city source with derived values', () => {
  expect(locate(FORT_WORTH, 'US')).toEqual({
    location: {
      continent: 'NA',
      countryCode: 'US',
      state: 'Texas',
      city: 'Fort Worth',
      zipCode: '',
      timezone: 'America/Chicago',
      latitude: 32.7555,
      longitude: -97.3308,
    },
    countryConfidence: 1,
    countrySources: { city: 'US', registry: 'US' },
  });
});

test('contradicting sources have less confidence, and the city source takes precedence', () => {
  const { location, countryConfidence } = locate(FORT_WORTH, 'CA');
  expect(location.countryCode).toBe('US');
  expect(countryConfidence).toBe(0.5);
});

test('the registry replaces a missing city', () => {
  expect(locate(null, 'FR')).toEqual({
    location: { ...UNKNOWN_LOCATION, continent: 'EU', countryCode: 'FR' },
    countryConfidence: 0.7,
    countrySources: { city: '', registry: 'FR' },
  });
});

test('without both sources all values are unknown', () => {
  expect(locate(null, '')).toEqual({
    location: UNKNOWN_LOCATION,
    countryConfidence: 0,
    countrySources: { city: '', registry: '' },
  });
});

test('an invalid country code is unknown, and Kosovo is known', () => {
  expect(locate({ country_code: 'ZZ' }, 'EU').location.countryCode).toBe('');
  expect(locate({ country_code: 'XK' }, 'XK').location).toMatchObject({ countryCode: 'XK', continent: 'EU' });
});

test('invalid coordinates have no time zone', () => {
  const { location } = locate({ country_code: 'US', latitude: 91, longitude: Number.NaN }, 'US');
  expect(location).toMatchObject({ latitude: null, longitude: null, timezone: '' });
  expect(locate({ country_code: 'US', latitude: 10 }, 'US').location.latitude).toBeNull();
});
