/** What time is, and how to wait: a test brings its own. */
export type Timers = {
  now(): number;
  /** Runs a function later; returns what forgets it. */
  after(delayMs: number, run: () => void): () => void;
};

/** Runs at once, and then at most once per interval, however often it is asked. */
export type Throttle = {
  request(): void;
  /** Runs now, whatever the interval; a run that was waiting is done with that. */
  runNow(): void;
  stop(): void;
};

/** `intervalMs` is asked anew for each run, so that it may grow with time. */
export function createThrottle(intervalMs: () => number, timers: Timers, run: () => void): Throttle {
  let lastRun = timers.now();
  let forget: (() => void) | null = null;
  const runNow = () => {
    forget?.();
    forget = null;
    lastRun = timers.now();
    run();
  };
  return {
    request() {
      if (forget) return;
      forget = timers.after(Math.max(0, lastRun + intervalMs() - timers.now()), runNow);
    },
    runNow,
    stop() {
      forget?.();
      forget = null;
    },
  };
}
