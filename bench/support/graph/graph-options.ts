import { parseArgs } from 'node:util';

/** Options of the run: `--sizes`, `--large`, `--rounds`, `--seconds`, `--quick`. */
export type GraphOptions = {
  /** Accounts of each database, ascending. */
  sizes: readonly number[];
  rounds: number;
  /** Length of one lane's turn in a round. */
  seconds: number;
  quick: boolean;
};

export function readGraphOptions(): GraphOptions {
  const { values } = parseArgs({
    options: {
      sizes: { type: 'string' },
      large: { type: 'boolean', default: false },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      quick: { type: 'boolean', default: false },
    },
  });
  const { quick, large } = values;
  const number = (text: string) => {
    const value = Number(text);
    if (!(value > 0)) throw new Error(`${JSON.stringify(text)} is not a positive number`);
    return value;
  };
  const sizes = (values.sizes ?? (quick ? '2000,10000' : '10000,100000')).split(',').map(number);
  if (large) sizes.push(1_000_000);
  const usable = [...new Set(sizes.map((size) => Math.max(2000, Math.round(size))))];
  return {
    sizes: usable.sort((a, b) => a - b),
    rounds: Math.round(number(values.rounds ?? (quick ? '1' : '4'))),
    seconds: number(values.seconds ?? (quick ? '0.2' : '1')),
    quick,
  };
}
