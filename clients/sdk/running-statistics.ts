/** Count, mean and standard deviation of numbers that are forgotten at once. */
export type RunningStatistics = {
  add(value: number): void;
  count(): number;
  mean(): number;
  deviation(): number;
};

/** Welford's method (Technometrics 4, 1962), so that no single number has to be kept. */
export function createRunningStatistics(): RunningStatistics {
  let count = 0;
  let mean = 0;
  let squares = 0;
  return {
    add(value) {
      count += 1;
      const distance = value - mean;
      mean += distance / count;
      squares += distance * (value - mean);
    },
    count: () => count,
    mean: () => mean,
    deviation: () => (count < 2 ? 0 : Math.sqrt(squares / count)),
  };
}
