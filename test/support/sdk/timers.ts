import type { Timers } from '../../../clients/sdk/throttle.ts';

/** Timers that stand still until they are advanced. */
export type ManualTimers = Timers & { advance(milliseconds: number): void };

export function manualTimers(): ManualTimers {
  let now = 0;
  let waiting: { at: number; run: () => void }[] = [];
  return {
    now: () => now,
    after(delayMs, run) {
      const entry = { at: now + delayMs, run };
      waiting.push(entry);
      return () => {
        waiting = waiting.filter((each) => each !== entry);
      };
    },
    advance(milliseconds) {
      const end = now + milliseconds;
      for (;;) {
        const next = waiting.filter(({ at }) => at <= end).sort((one, other) => one.at - other.at)[0];
        if (!next) break;
        waiting = waiting.filter((each) => each !== next);
        now = next.at;
        next.run();
      }
      now = end;
    },
  };
}
