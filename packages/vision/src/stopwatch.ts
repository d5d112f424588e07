/** Adds up how long each stage of a reading takes. */
export type Stopwatch = {
  /** Milliseconds by stage. */
  timings: Record<string, number>;
  time: <Result>(stage: string, work: () => Promise<Result>) => Promise<Result>;
};

export function createStopwatch(): Stopwatch {
  const timings: Record<string, number> = {};
  return {
    timings,
    time: async (stage, work) => {
      const start = performance.now();
      try {
        return await work();
      } finally {
        timings[stage] = (timings[stage] ?? 0) + performance.now() - start;
      }
    },
  };
}
