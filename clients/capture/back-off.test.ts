import { describe, expect, it } from 'vitest';
import { backOffMs, nextLookMs } from './back-off.ts';

describe('delay before a retry', () => {
  it('doubles from half a second to a quarter of a minute', () => {
    const waits = [1, 2, 3, 4, 5, 6, 7, 50].map((failures) => backOffMs(failures, () => 0));
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]);
  });

  it('varies by up to a fifth', () => {
    expect(backOffMs(2, () => 0.5)).toBe(1100);
  });
});

describe('delay between polls', () => {
  it('grows to five seconds', () => {
    const waits = Array.from({ length: 12 }, (_, looks) => nextLookMs(looks));
    expect(waits[0]).toBe(800);
    expect(waits).toEqual([...waits].sort((a, b) => a - b));
    expect(waits[waits.length - 1]).toBe(5000);
    expect([0, 1, 2].map((looks) => nextLookMs(looks, 60))).toEqual([60, 84, 118]);
  });
});
