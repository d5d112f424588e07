import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { RecentCache } from './recent-cache.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const makeCounter = () => {
  let made = 0;
  return () => {
    made += 1;
    return { made };
  };
};

describe('a cache of recent values', () => {
  it('creates a value once, and again after its expiry, even with continuous reads', () => {
    const cache = new RecentCache<{ made: number }>({ seconds: 60, entries: 10 });
    const make = makeCounter();
    expect(cache.get('a', make).made).toBe(1);
    vi.advanceTimersByTime(29_000);
    expect(cache.get('a', make).made).toBe(1);
    vi.advanceTimersByTime(30_000);
    expect(cache.get('a', make).made).toBe(1);
    vi.advanceTimersByTime(2000);
    expect(cache.get('a', make).made).toBe(2);
  });

  it('keeps at most the maximum number of entries', () => {
    const cache = new RecentCache<{ made: number }>({ seconds: 60, entries: 4 });
    const make = makeCounter();
    for (const key of ['a', 'b', 'c', 'd', 'e']) cache.get(key, make);
    expect(cache.get('e', make).made).toBe(5);
    expect(cache.get('c', make).made).toBe(3);
    expect(cache.get('a', make).made).toBe(6);
  });
});
