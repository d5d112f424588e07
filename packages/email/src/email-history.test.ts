import { expect, test } from 'vitest';
import { ageSignal, type EmailHistory, isLongKnown, yearsBetween } from './email-history.ts';

const AT = new Date('2026-06-01T00:00:00Z');
const ago = (days: number) => new Date(AT.getTime() - days * 86_400_000);
const historySignals = (history: EmailHistory, at: Date) => [
  ...(history.firstSeen ? [ageSignal(yearsBetween(history.firstSeen, at))] : []).filter(
    (age) => age !== null,
  ),
  ...(isLongKnown(history, at) ? ['email_known_online_history'] : []),
];
const signals = (days: number, sightings = 1) => historySignals({ firstSeen: ago(days), sightings }, AT);

test('only the signal of the largest age is reported', () => {
  expect(signals(366)).toEqual(['email_age_greater_than_1_years']);
  expect(signals(3 * 365)).toEqual(['email_age_greater_than_2_years']);
  expect(signals(9 * 365)).toEqual(['email_age_greater_than_5_years']);
  expect(signals(40 * 365)).toEqual(['email_age_greater_than_10_years']);
});

test('an age must exceed the limit, not equal it', () => {
  expect(signals(365.25)).toEqual([]);
  expect(signals(365.26)).toEqual(['email_age_greater_than_1_years']);
});

test('a history is known after three sightings over ninety days', () => {
  expect(signals(90, 3)).toEqual(['email_known_online_history']);
  expect(signals(400, 12)).toEqual(['email_age_greater_than_1_years', 'email_known_online_history']);
});

test('many sightings in a short time are not a history, and neither are two in a long time', () => {
  expect(signals(89, 500)).toEqual([]);
  expect(signals(300, 2)).toEqual([]);
});

test('an unseen address, or one seen only in the future, has no history', () => {
  expect(historySignals({ firstSeen: null, sightings: 0 }, AT)).toEqual([]);
  expect(signals(-1, 5)).toEqual([]);
});
