import { parseArgs } from 'node:util';

/**
 * Options of a benchmark: `--size`, `--rounds`, `--seconds`, `--quick`, `--profile`, `--lanes`; BENCH_SIZE as
 * default.
 */
export type BenchOptions = {
  /** Accounts in the data set. */
  size: number;
  rounds: number;
  /** Length of one server's turn in a round. */
  seconds: number;
  quick: boolean;
  /** File for a CPU profile of the gateway; null for none. */
  profileFolder: string | null;
  /** Prefixes of the names of the lanes to run; all lanes when empty or absent. */
  lanes?: readonly string[];
  /** Folder of another version to compare with; only `bench:authenticate` has it. */
  against?: string;
  /** Accounts in the data set of `against`; those of `size` by default. */
  againstSize?: number;
  /** Size of the smallest data set of the run, if there are two: their accounts have equally many links on average. */
  smallestSize?: number;
  /** Whether `vouchgraph import accounts` stores the accounts, without sessions. */
  imported?: boolean;
  /**
   * Folder of a stored database, which `bench:people-data` makes and `bench:authenticate` copies.
   */
  data?: string;
  /** Settings of PostgreSQL, as in postgresql.conf. */
  settings?: Record<string, string>;
  /** Whether the costs of the statements of PostgreSQL are shown. */
  showsStatements?: boolean;
  /** Whether the data set is compared with a recomputation first. */
  checks?: boolean;
};

const RESULTS = new URL('../results/', import.meta.url);

const HELP = `Options of a benchmark:
  --size N       accounts in the data set (100,000; with --quick 2,000; BENCH_SIZE sets another default)
  --rounds N     rounds in which all lanes take turns (8; with --quick 2)
  --seconds N    length of a lane's turn (3; with --quick 0.5)
  --lanes A,B    only lanes whose names begin so
  --against DIR  bench:authenticate: alternates with the version in this folder, which has its packages
  --against-size N  accounts in the data set of that version, which may be this one (--against .)
  --imported     bench:authenticate: \`vouchgraph import accounts\` stores the accounts, which have no sessions then
  --data DIR     bench:people-data stores its database in this folder; bench:authenticate runs on a copy of it, with
                 the same --size, --rounds and --seconds
  --statements   bench:authenticate: shows the costliest statements of PostgreSQL
  --settings A=B,C=D  bench:authenticate: settings of PostgreSQL
  --check        bench:authenticate: first compares links and groups of the data set with a recomputation
  --profile      writes a CPU profile of the gateway to bench/results/
  --quick        a small run that takes about half a minute`;

export function readOptions(): BenchOptions {
  const { values } = parseArgs({
    options: {
      size: { type: 'string' },
      rounds: { type: 'string' },
      seconds: { type: 'string' },
      quick: { type: 'boolean', default: false },
      profile: { type: 'boolean', default: false },
      lanes: { type: 'string', default: '' },
      against: { type: 'string' },
      'against-size': { type: 'string' },
      data: { type: 'string' },
      imported: { type: 'boolean', default: false },
      statements: { type: 'boolean', default: false },
      settings: { type: 'string', default: '' },
      check: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    console.log(HELP);
    process.exit(0);
  }
  const { quick } = values;
  const number = (text: string | undefined, fallback: number) => {
    const value = text === undefined ? fallback : Number(text);
    if (!(value > 0)) throw new Error(`${JSON.stringify(text)} is not a positive number`);
    return value;
  };
  const sizeOf = (text: string | undefined) =>
    Math.max(1000, Math.round(number(text, quick ? 2000 : 100_000)));
  const size = sizeOf(values.size ?? process.env.BENCH_SIZE);
  return {
    size,
    rounds: Math.round(number(values.rounds, quick ? 2 : 8)),
    seconds: number(values.seconds, quick ? 0.5 : 3),
    quick,
    profileFolder: values.profile ? RESULTS.pathname : null,
    ...(values.against === undefined ? {} : { against: values.against }),
    ...(values['against-size'] ? sizesOf(size, sizeOf(values['against-size'])) : {}),
    ...(values.data === undefined ? {} : { data: values.data }),
    imported: values.imported,
    checks: values.check,
    showsStatements: values.statements,
    settings: Object.fromEntries(listOf(values.settings).map((setting) => setting.split('='))),
    lanes: listOf(values.lanes),
  };
}

function listOf(text: string): string[] {
  return text.split(',').filter((part) => part !== '');
}

function sizesOf(size: number, againstSize: number) {
  return { againstSize, smallestSize: Math.min(size, againstSize) };
}

export { RESULTS };
