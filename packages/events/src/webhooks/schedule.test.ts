import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Outcome } from './endpoint.ts';
import { DAY, DELAYS, nextState, readRetryAfter } from './schedule.ts';

const now = new Date('2026-11-21T12:00:00Z');
const outcome = (changes: Partial<Outcome>): Outcome => ({
  status: 500,
  durationMs: 1,
  error: '',
  answer: '',
  retryAfter: null,
  ...changes,
});

describe('the result of an attempt', () => {
  it('is a retry with the delay of its number, within a tenth', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 9 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (attempts, random) => {
          const verdict = nextState(outcome({}), attempts, now, random);
          if (verdict.state !== 'waiting') throw new Error(verdict.state);
          const wait = verdict.nextAttemptAt.getTime() - now.getTime();
          expect(Math.abs(wait / DELAYS[attempts - 1]! - 1)).toBeLessThanOrEqual(0.1 + 1e-9);
        },
      ),
    );
  });

  it('is a retry whose delay reaches both bounds', () => {
    const waits = [0, 1].map((random) => nextState(outcome({}), 2, now, random));
    const minutes = (count: number) => ({
      state: 'waiting',
      nextAttemptAt: new Date(now.getTime() + count * 60_000),
    });
    expect(waits).toEqual([minutes(4.5), minutes(5.5)]);
  });

  it('is the end after the tenth attempt', () => {
    expect(nextState(outcome({}), 10, now, 0.5)).toEqual({ state: 'dead', isGone: false });
  });

  it.each([200, 201, 204, 299])('is delivered for status %i', (status) => {
    expect(nextState(outcome({ status }), 1, now, 0.5)).toEqual({ state: 'delivered' });
  });

  it.each([199, 300, 304, 400, 404, 500, null])('is a retry for %s', (status) => {
    expect(nextState(outcome({ status }), 1, now, 0.5).state).toBe('waiting');
  });

  it('is a retry for an incomplete response', () => {
    expect(nextState(outcome({ status: 200, error: 'timeout' }), 1, now, 0.5).state).toBe('waiting');
  });

  it('is the end for status 410', () => {
    expect(nextState(outcome({ status: 410 }), 1, now, 0.5)).toEqual({ state: 'dead', isGone: true });
  });
});

describe('Retry-After', () => {
  it.each([
    ['60', 60_000],
    [' 60 ', 60_000],
    ['0', 0],
    ['99999999', DAY],
    ['Sat, 21 Nov 2026 12:10:00 GMT', 600_000],
    ['Sat, 21 Nov 2020 12:10:00 GMT', 0],
    ['Sat, 21 Nov 2099 12:10:00 GMT', DAY],
    ['soon', 0],
    ['', 0],
    [null, 0],
  ])('of %s is %i ms', (header, expected) => {
    expect(readRetryAfter(header, now)).toBe(expected);
  });
});
