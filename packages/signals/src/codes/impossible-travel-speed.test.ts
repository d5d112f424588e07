import fc from 'fast-check';
import { expect, test } from 'vitest';
import { historyWith, traceWith } from '../../../../test/support/signals/facts.ts';
import type { SessionTrace } from '../evidence/evidence.ts';
import { impossibleTravelSpeed } from './impossible-travel-speed.ts';

const NEW_YORK = { countryCode: 'US', latitude: 40.7128, longitude: -74.006 };
const BOSTON = { countryCode: 'US', latitude: 42.3601, longitude: -71.0589 };
const LONDON = { countryCode: 'GB', latitude: 51.5074, longitude: -0.1278 };
const PARIS = { countryCode: 'FR', latitude: 48.8566, longitude: 2.3522 };
const SYDNEY = { countryCode: 'AU', latitude: -33.8688, longitude: 151.2093 };

const START = Date.UTC(2025, 5, 10, 12);

function travel(
  from: Partial<SessionTrace>,
  to: Partial<SessionTrace>,
  hours: number,
  both: Partial<SessionTrace> = {},
) {
  const previous = traceWith({ ...from, ...both, startTime: new Date(START) });
  const session = traceWith({ ...both, ...to, startTime: new Date(START + hours * 3_600_000) });
  return impossibleTravelSpeed.evaluate(historyWith({ previous, session }))?.[0] ?? null;
}

const scoreOf = (...args: Parameters<typeof travel>) => travel(...args)?.contributions.impossibleTravel ?? 0;

const MOBILE = { radiusKm: 300, connectionType: 'mobile' };
const SATELLITE = { radiusKm: 1500, connectionType: 'satellite' };

test.each([
  ['New York to London in 7 h, the duration of a flight', NEW_YORK, LONDON, 7, {}, 0.26],
  ['New York to London in 2 h', NEW_YORK, LONDON, 2, {}, 1],
  ['New York to London in 3 h, both by satellite', NEW_YORK, LONDON, 3, SATELLITE, 0.41],
  ['New York to Sydney in a minute', NEW_YORK, SYDNEY, 1 / 60, {}, 1],
  ['Sydney to New York in 21 h, the duration of a flight', SYDNEY, NEW_YORK, 21, {}, 0.23],
  ['New York to Boston in 5 min, both mobile', NEW_YORK, BOSTON, 5 / 60, MOBILE, 0],
  ['London to Paris in 10 min', LONDON, PARIS, 10 / 60, {}, 0.9],
])('%s', (_, from, to, hours, both, score) => {
  expect(scoreOf(from, to, hours, both)).toBeCloseTo(score, 2);
});

test('an anonymizer on either end changes the address, not the location of the person', () => {
  const exit = { ...LONDON, anonymity: 0.95 };
  expect(scoreOf(NEW_YORK, exit, 2)).toBeCloseTo(0.24, 2);
  expect(scoreOf(exit, NEW_YORK, 2)).toBeCloseTo(0.24, 2);
});

test('the same device lowers the score by a fifth; devices without identity are not the same', () => {
  expect(scoreOf(NEW_YORK, LONDON, 2, { device: 'one' })).toBeCloseTo(0.8, 2);
  expect(scoreOf(NEW_YORK, { ...LONDON, device: 'other' }, 2, { device: 'one' })).toBeCloseTo(1, 2);
  expect(scoreOf(NEW_YORK, LONDON, 2, { device: '' })).toBeCloseTo(1, 2);
});

test('the evidence contains distance and speed, not the places', () => {
  expect(travel(NEW_YORK, LONDON, 2)?.observed).toBe('at least 5420 km in 2.0 h');
  expect(travel(LONDON, PARIS, 1 / 6)?.observed).toBe('at least 194 km in 10 min');
});

test('a session that is bound after a later one is compared with the later one too', () => {
  const session = traceWith({ ...NEW_YORK, startTime: new Date(START) });
  const following = traceWith({ ...LONDON, startTime: new Date(START + 7_200_000) });
  const found = impossibleTravelSpeed.evaluate(historyWith({ session, following }));
  expect(found?.[0]?.contributions.impossibleTravel).toBeCloseTo(1, 2);
});

test('two sessions at the same time are treated as a minute apart', () => {
  expect(scoreOf(NEW_YORK, LONDON, 0)).toBeCloseTo(1, 4);
  expect(scoreOf(NEW_YORK, BOSTON, 0)).toBeCloseTo(1, 4);
});

test('a legitimate traveler by train or car, and a person at home, are not reported', () => {
  expect(travel(LONDON, PARIS, 3)).toBeNull();
  expect(travel(NEW_YORK, NEW_YORK, 0)).toBeNull();
  expect(travel(NEW_YORK, BOSTON, 1 / 60, MOBILE)).toBeNull();
});

test('without coordinates the distance is that between the borders of the countries', () => {
  const country = (countryCode: string) => ({ countryCode, latitude: null, longitude: null, radiusKm: 600 });
  expect(scoreOf(country('US'), country('AU'), 1)).toBeCloseTo(1, 2);
  expect(travel(country('DE'), country('FR'), 0)).toBeNull();
  expect(travel(NEW_YORK, country('US'), 0)).toBeNull();
  expect(travel(NEW_YORK, country(''), 0)).toBeNull();
});

test('only earlier sessions of the last seven days are compared', () => {
  expect(travel(NEW_YORK, LONDON, -1)).toBeNull();
  const far = { anonymity: 0, radiusKm: 0 };
  expect(travel(NEW_YORK, SYDNEY, 7 * 24 + 0.1, far)).toBeNull();
  expect(impossibleTravelSpeed.evaluate(historyWith())).toBeNull();
  expect(travel(NEW_YORK, LONDON, Number.NaN)).toBeNull();
});

test('invalid coordinates are not compared', () => {
  expect(travel({ ...NEW_YORK, countryCode: '', latitude: 1e9 }, LONDON, 1)).toBeNull();
  expect(travel({ ...NEW_YORK, countryCode: '', longitude: Number.NaN }, LONDON, 1)).toBeNull();
});

test('a longer time never makes travel less possible', () => {
  const hours = fc.double({ min: 0, max: 160, noNaN: true });
  fc.assert(
    fc.property(hours, hours, (a, b) => {
      const [short, long] = [Math.min(a, b), Math.max(a, b)];
      expect(scoreOf(NEW_YORK, SYDNEY, short)).toBeGreaterThanOrEqual(scoreOf(NEW_YORK, SYDNEY, long));
    }),
  );
});
