import { parseArgs } from 'node:util';

/** What a benchmark is run with: `--size`, `--rounds`, `--seconds`, `--quick`, `--profile`; BENCH_SIZE as default. */
export type BenchOptions = {
  /** Accounts in the data set. */
  size: number;
  rounds: number;
  /** Length of one server's turn in a round. */
  seconds: number;
  quick: boolean;
  /** Where the gateway writes a CPU profile when it ends; null for none. */
  profileFolder: string | null;
};

const RESULTS = new URL('../results/', import.meta.url);

export function readOptions(): BenchOptions {
  const { values } = parseArgs({
    options: {
      size: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
    },
  });
  const { quick } = values;
  const number = (text: string | undefined, fallback: number) => {
    const value = text === undefined ? fallback : Number(text);
    if (!(value > 0)) throw new Error(`${JSON.stringify(text)} is not a number above 0`);
    return value;
  };
  return {
    size: Math.max(1000, Math.round(number(values.size ?? process.env.BENCH_SIZE, quick ? 2000 : 100_000))),
    rounds: Math.round(number(values.rounds, quick ? 2 : 8)),
    seconds: number(values.seconds, quick ? 0.5 : 3),
    quick,
    profileFolder: values.profile ? RESULTS.pathname : null,
  };
}

export { RESULTS };
