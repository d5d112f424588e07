import type { Clock } from '@vouchgraph/platform/clock';

export type SlidingWindow = {
  hasRoom(): boolean;
  take(): void;
};

/** Allows a maximum number of requests within any window of this length. */
export function createSlidingWindow(limit: number, lengthMs: number, clock: Clock): SlidingWindow {
  // The times of the latest requests, in a ring.
  const times = new Float64Array(limit).fill(Number.NEGATIVE_INFINITY);
  let oldest = 0;
  return {
    hasRoom() {
      const ageMs = clock.now().getTime() - times[oldest]!;
      // A clock that was set back must not stop requests until it has caught up.
      return ageMs >= lengthMs || ageMs < 0;
    },
    take() {
      times[oldest] = clock.now().getTime();
      oldest = (oldest + 1) % limit;
    },
  };
}
