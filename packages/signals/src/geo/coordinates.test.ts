import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coordinatesOf, distanceKm, EARTH_RADIUS_KM } from './coordinates.ts';

const NEW_YORK = { latitude: 40.7128, longitude: -74.006 };
const LONDON = { latitude: 51.5074, longitude: -0.1278 };

/** 0, 0 is no place. */
const place = fc
  .record({
    latitude: fc.double({ min: -90, max: 90, noNaN: true }),
    longitude: fc.double({ min: -180, max: 180, noNaN: true }),
  })
  .filter(({ latitude, longitude }) => latitude !== 0 || longitude !== 0);

test('New York is 5,570 km from London', () => {
  expect(distanceKm(NEW_YORK, LONDON)).toBeCloseTo(5570.2, 0);
});

test('the distance across the 180th meridian is the short one, and at a pole all longitudes meet', () => {
  expect(distanceKm({ latitude: 0, longitude: 179.5 }, { latitude: 0, longitude: -179.5 })).toBeCloseTo(
    111.2,
    1,
  );
  expect(distanceKm({ latitude: 90, longitude: 0 }, { latitude: 90, longitude: 137 })).toBeCloseTo(0, 6);
});

test('the distance is symmetric and at most half the circumference of the Earth', () => {
  fc.assert(
    fc.property(place, place, (a, b) => {
      const km = distanceKm(a, b)!;
      expect(km).toBeGreaterThanOrEqual(0);
      expect(km).toBeLessThanOrEqual(Math.PI * EARTH_RADIUS_KM);
      expect(distanceKm(b, a)).toBeCloseTo(km, 6);
    }),
  );
});

test.each([
  [Number.NaN, 0],
  [0, Number.NaN],
  [90.01, 0],
  [0, -180.01],
  [Number.POSITIVE_INFINITY, 0],
  [null, 0],
  [0, null],
  [0, 0],
  [-0, 0],
])('%s, %s is invalid and has no distance', (latitude, longitude) => {
  expect(coordinatesOf({ latitude, longitude })).toBeNull();
  expect(distanceKm({ latitude, longitude }, LONDON)).toBeNull();
  expect(distanceKm(LONDON, { latitude, longitude })).toBeNull();
});
