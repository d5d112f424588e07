import { describe, expect, it } from 'vitest';
import { isInFuture, parseTimestamp, timestampProblem } from './timestamp.ts';

describe('a timestamp', () => {
  it.each([
    ['2025-06-10T16:35:22.184Z', '2025-06-10T16:35:22.184Z'],
    ['2025-06-10T16:35:22.184999999Z', '2025-06-10T16:35:22.184Z'],
    ['2025-06-10T16:35+02:00', '2025-06-10T14:35:00.000Z'],
    ['2024-02-29T23:59:59-01:00', '2024-03-01T00:59:59.000Z'],
    ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
    ['0000-12-31T23:30:00-01:00', '0001-01-01T00:30:00.000Z'],
    ['9999-12-31T23:59:59.9999Z', '9999-12-31T23:59:59.999Z'],
    ['9999-12-31T23:59:59+00:00', '9999-12-31T23:59:59.000Z'],
  ])('is parsed: %s', (text, moment) => {
    expect(parseTimestamp(text)?.toISOString()).toBe(moment);
  });

  it.each([
    '',
    'yesterday',
    '2025-06-10',
    '2025-06-10T16:35:22',
    '2025-02-29T00:00:00Z',
    '2025-04-31T00:00:00Z',
    '2025-13-01T00:00:00Z',
    '2025-01-00T00:00:00Z',
    '2025-01-01T25:00:00Z',
  ])('is invalid: %j', (text) => {
    expect(parseTimestamp(text)).toBeNull();
    expect(timestampProblem(text)).toMatch(/^must be an ISO 8601 timestamp such as /);
  });

  it.each([
    '0000-12-31T23:59:59.999Z',
    '0000-02-28T00:00:00Z',
    '0001-01-01T00:00:00+00:01',
    '9999-12-31T23:59:59-23:59',
    '9999-12-31T23:59:59-00:01',
    '9999-12-31T24:00:00Z',
  ])('is out of range in UTC: %s', (text) => {
    expect(parseTimestamp(text)).toBeNull();
    expect(timestampProblem(text)).toBe(
      'must be between 0001-01-01T00:00:00.000Z and 9999-12-31T23:59:59.999Z; null is no time and no end',
    );
  });

  it('is in the future after ten minutes', () => {
    const now = new Date('2026-01-01T00:00:00Z');
    expect(isInFuture(new Date('2026-01-01T00:10:00.000Z'), now)).toBe(false);
    expect(isInFuture(new Date('2026-01-01T00:10:00.001Z'), now)).toBe(true);
  });
});
