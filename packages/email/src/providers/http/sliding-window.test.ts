import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createSlidingWindow } from './sliding-window.ts';

test('no time window has more requests than its limit, and no request waits unnecessarily', () => {
  const steps = fc.array(fc.integer({ min: 0, max: 400 }), { maxLength: 200 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), steps, (limit, advances) => {
      let nowMs = 0;
      const window = createSlidingWindow(limit, 1000, { now: () => new Date(nowMs) });
      const taken: number[] = [];
      for (const advance of advances) {
        nowMs += advance;
        const recent = taken.filter((time) => nowMs - time < 1000).length;
        expect(window.hasRoom()).toBe(recent < limit);
        if (!window.hasRoom()) continue;
        window.take();
        taken.push(nowMs);
      }
    }),
  );
});

test('a clock that is set back does not stop requests', () => {
  let nowMs = 1_000_000;
  const window = createSlidingWindow(1, 1000, { now: () => new Date(nowMs) });
  window.take();
  expect(window.hasRoom()).toBe(false);
  nowMs -= 500_000;
  expect(window.hasRoom()).toBe(true);
});
