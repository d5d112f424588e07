import { describe, expect, test } from 'vitest';
import { manualTimers } from '../../test/support/sdk/timers.ts';
import { createThrottle } from './throttle.ts';

function countingThrottle(intervalMs: () => number = () => 5000) {
  const timers = manualTimers();
  const runsAt: number[] = [];
  const throttle = createThrottle(intervalMs, timers, () => runsAt.push(timers.now()));
  return { timers, throttle, runsAt };
}

describe('throttle', () => {
  test('merges many requests into one run at the end of the interval', () => {
    const { timers, throttle, runsAt } = countingThrottle();
    for (let count = 0; count < 100; count += 1) throttle.request();
    timers.advance(4999);
    expect(runsAt).toEqual([]);
    timers.advance(1);
    expect(runsAt).toEqual([5000]);
    timers.advance(60_000);
    expect(runsAt).toEqual([5000]);
  });

  test('runs a request at once after a long silence', () => {
    const { timers, throttle, runsAt } = countingThrottle();
    timers.advance(60_000);
    throttle.request();
    timers.advance(0);
    expect(runsAt).toEqual([60_000]);
  });

  test('runs steady requests once per interval, which may grow', () => {
    const { timers, throttle, runsAt } = countingThrottle(() => (runsAt.length < 2 ? 5000 : 15_000));
    for (let second = 0; second < 30; second += 1) {
      throttle.request();
      timers.advance(1000);
    }
    expect(runsAt).toEqual([5000, 10_000, 25_000]);
  });

  test('runs nothing after it is stopped', () => {
    const { timers, throttle, runsAt } = countingThrottle();
    throttle.request();
    throttle.stop();
    throttle.request();
    timers.advance(60_000);
    expect(runsAt).toEqual([]);
  });
});
