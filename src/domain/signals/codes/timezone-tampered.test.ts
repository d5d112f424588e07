import { expect, test } from 'vitest';
import { checksWith, factsWith } from './facts-for-tests.ts';
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

test('a zone whose clock is another one was set by a script', () => {
  expect(evaluate('America/New_York', 0)).toMatchObject({
    contributions: { deviceRisk: 0.6 },
    observed: 'the clock is not that of its time zone',
  });
  // West is positive in JavaScript: the wrong sign is another zone.
  expect(evaluate('America/New_York', -240)).not.toBeNull();
});

test('a clock that keeps another summer time is told', () => {
  expect(
    evaluate('Europe/Berlin', -120, { january_offset_minutes: -120, july_offset_minutes: -120 })?.observed,
  ).toContain('summer time');
});

test('a name that is no zone is told', () => {
  expect(evaluate('Middle-earth/Shire', 0)?.observed).toBe('a time zone that is none');
});

test.each([
  ['America/New_York', 240],
  ['Asia/Kolkata', -330],
  ['UTC', 0],
  ['Etc/GMT+5', 300],
  ['+05:30', -330],
  ['Asia/Calcutta', -330],
])('%s with %i is honest', (timezone, offset) => {
  expect(evaluate(timezone, offset)).toBeNull();
});

test('the day of a change to summer time is honest on both sides', () => {
  const change = new Date('2025-03-30T00:30:00Z');
  expect(evaluate('Europe/Berlin', -60, {}, change)).toBeNull();
  expect(evaluate('Europe/Berlin', -120, {}, change)).toBeNull();
  expect(evaluate('Europe/Berlin', -180, {}, change)).not.toBeNull();
});

test('both offsets of an honest year fit', () => {
  expect(
    evaluate('Europe/Berlin', -120, { january_offset_minutes: -60, july_offset_minutes: -120 }),
  ).toBeNull();
});

test('nothing is said without a zone or without a clock', () => {
  expect(evaluate('', 0)).toBeNull();
  expect(evaluate('Europe/Berlin', null)).toBeNull();
});
