import { describe, expect, it } from 'vitest';
import { RateLimits } from './rate-limits.ts';

const at = (seconds: number) => new Date(seconds * 1000);

describe('the limit of attempts per minute', () => {
  it('allows an attempt a minute after the first of the last ones', () => {
    const limits = new RateLimits();
    expect(limits.take('a', 2, at(0))).toBeNull();
    expect(limits.take('a', 2, at(20))).toBeNull();
    expect(limits.take('a', 2, at(30))).toEqual(at(60));
    expect(limits.exhausted(at(30))).toEqual(['a']);
    expect(limits.take('a', 2, at(60))).toBeNull();
    expect(limits.take('a', 2, at(61))).toEqual(at(80));
  });

  it('holds for its endpoint, and ends when it is removed', () => {
    const limits = new RateLimits();
    expect(limits.take('a', 1, at(0))).toBeNull();
    expect(limits.take('b', 1, at(0))).toBeNull();
    expect(limits.take('a', null, at(1))).toBeNull();
    expect(limits.exhausted(at(1))).toEqual(['b']);
    expect(limits.exhausted(at(61))).toEqual([]);
  });
});
