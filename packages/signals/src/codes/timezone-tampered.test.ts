import { expect, test } from 'vitest';
import { checksWith, factsWith } from '../../../../test/support/signals/facts.ts';
import { timezoneTampered } from './timezone-tampered.ts';

const SUMMER = new Date('2025-06-10T16:35:00Z');
const evaluate = (
  timezone: string,
  offset: number | null,
  raw: Record<string, unknown> = {},
  startTime = SUMMER,
) =>
  timezoneTampered.evaluate(
    factsWith({ startTime, browser: { timezone, timezoneOffsetMinutes: offset }, checks: checksWith(raw) }),
  );

test('a zone with the clock of another zone was set by a script', () => {
  expect(evaluate('America/New_York', 0)).toMatchObject({
    confidence: 0.9,
    group: 'tamper',
    observed: 'clock UTC, zone UTC-4',
  });
  // West is positive in JavaScript: the opposite sign is another zone.
  expect(evaluate('America/New_York', -240)).not.toBeNull();
});

test('a clock with another daylight saving time is reported', () => {
  expect(
    evaluate('Europe/Berlin', -120, { january_offset_minutes: -120, july_offset_minutes: -120 })?.observed,
  ).toContain('summer time');
});

test('a zone without daylight saving time and a clock with it are a mismatch', () => {
  const seasons = { january_offset_minutes: 300, july_offset_minutes: 240 };
  expect(evaluate('Asia/Kolkata', -330, seasons)?.observed).toContain('January and July');
});

test('a clock that matches no zone is reported', () => {
  expect(evaluate('Europe/Berlin', -121)?.observed).toBe('impossible UTC offset');
  expect(evaluate('', 1200)?.observed).toBe('impossible UTC offset');
});

test.each([
  [{ worker: { timezone: 'America/New_York' } }, 'another timezone in a worker'],
  [{ worker: { timezone_offset_minutes: 240 } }, 'another time in a worker'],
  [{ timezone: 'America/New_York' }, 'two timezones in one page'],
])('%j beside Berlin is reported', (raw, observed) => {
  expect(evaluate('Europe/Berlin', -120, raw)).toMatchObject({ observed, confidence: 0.9 });
});

test('two names of one zone are not a mismatch', () => {
  const same = {
    timezone: 'Europe/Vienna',
    worker: { timezone: 'Europe/Paris', timezone_offset_minutes: -120 },
  };
  expect(evaluate('Europe/Berlin', -120, same)).toBeNull();
});

test.each([
  ['America/Mexico_City', 300, 360, 300],
  ['Asia/Almaty', -360, -360, -360],
  ['Africa/Cairo', -120, -120, -120],
])('%s with the rules of an outdated device is legitimate', (zone, now, january, july) => {
  const raw = { january_offset_minutes: january, july_offset_minutes: july };
  expect(evaluate(zone, now, raw)).toBeNull();
});

test('a zone that the server may not know yet has almost no weight', () => {
  expect(evaluate('America/Somewhere_New', 180)?.contributions.deviceRisk).toBeLessThan(0.1);
});

test('an invalid zone name is reported', () => {
  expect(evaluate('Middle-earth/Shire', 0)?.observed).toBe('the timezone is not in the tz database');
});

test.each([
  ['America/New_York', 240],
  ['Asia/Kolkata', -330],
  ['UTC', 0],
  ['Etc/GMT+5', 300],
  ['+05:30', -330],
  ['Asia/Calcutta', -330],
])('%s with %i is legitimate', (timezone, offset) => {
  expect(evaluate(timezone, offset)).toBeNull();
});

test('the day of a change to summer time is legitimate on both sides', () => {
  const change = new Date('2025-03-30T00:30:00Z');
  expect(evaluate('Europe/Berlin', -60, {}, change)).toBeNull();
  expect(evaluate('Europe/Berlin', -120, {}, change)).toBeNull();
  expect(evaluate('Europe/Berlin', -240, {}, change)).not.toBeNull();
});

test('both offsets of a legitimate year match', () => {
  expect(
    evaluate('Europe/Berlin', -120, { january_offset_minutes: -60, july_offset_minutes: -120 }),
  ).toBeNull();
});

test('a missing zone or clock produces no evidence', () => {
  expect(evaluate('', 0)).toBeNull();
  expect(evaluate('Europe/Berlin', null)).toBeNull();
});
