/** What time is, and how to wait: a test brings its own. */
export type Timers = {
  now(): number;
  /** Runs a function later; returns what forgets it. */
  after(delayMs: number, run: () => void): () => void;
};

/** Runs a function when it is asked to, but at most once per interval, the first time an interval after its start. */
export type Throttle = {
  request(): void;
  stop(): void;
};

/** `intervalMs` is asked anew for each run, so that it may grow with time. */
export function createThrottle(intervalMs: () => number, timers: Timers, run: () => void): Throttle {
  let lastRun = timers.now();
  let forget: (() => void) | null = null;
  let isStopped = false;
  return {
    request() {
      if (forget || isStopped) return;
      forget = timers.after(Math.max(0, lastRun + intervalMs() - timers.now()), () => {
        forget = null;
        lastRun = timers.now();
        run();
      });
    },
    stop() {
      isStopped = true;
      forget?.();
      forget = null;
    },
  };
}
