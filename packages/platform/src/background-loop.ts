export type BackgroundLoop = {
  /** Aborted at the close. */
  readonly signal: AbortSignal;
  /** Runs the work now. A run under way is followed by another one, since it may have passed what is new. */
  wake(): void;
  /** Runs the work now, or joins the run under way; resolves at its end. */
  run(): Promise<void>;
  /** Resolves when no run is under way. */
  idle(): Promise<void>;
  /** Aborts the signal, and waits for the end of the run under way. No run follows. */
  close(): Promise<void>;
};

type Options = {
  everyMs: number;
  /** False: the work runs only when it is asked for. */
  isAutomatic?: boolean | undefined;
  work: (signal: AbortSignal) => Promise<void>;
  onError: (error: unknown) => void;
};

/** Repeats work at an interval, one run at a time. A failed run is reported, and the next one follows at its time. */
export function startBackgroundLoop({ everyMs, isAutomatic = true, work, onError }: Options): BackgroundLoop {
  const stop = new AbortController();
  let running: Promise<void> | null = null;
  let isAsked = false;

  async function repeat(): Promise<void> {
    try {
      do {
        isAsked = false;
        await work(stop.signal).catch(onError);
      } while (isAsked && !stop.signal.aborted);
    } finally {
      // In the same step as the last look at `isAsked`, so that no wake is lost.
      running = null;
    }
  }

  async function run(): Promise<void> {
    if (!stop.signal.aborted) running ??= repeat();
    await running;
  }

  const timer = isAutomatic ? setInterval(run, everyMs).unref() : undefined;
  return {
    signal: stop.signal,
    run,
    wake() {
      isAsked = true;
      void run();
    },
    async idle() {
      await running;
    },
    async close() {
      clearInterval(timer);
      stop.abort();
      await running;
    },
  };
}
