import { describe, expect, it } from 'vitest';
import { parseTimestamp } from './timestamp.ts';

describe('a timestamp', () => {
  it.each([
    ['2025-06-10T16:35:22.184Z', '2025-06-10T16:35:22.184Z'],
    ['2025-06-10T16:35:22.184999999Z', '2025-06-10T16:35:22.184Z'],
    ['2025-06-10T16:35+02:00', '2025-06-10T14:35:00.000Z'],
    ['2024-02-29T23:59:59-01:00', '2024-03-01T00:59:59.000Z'],
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
  });
});
