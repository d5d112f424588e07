import { mkdirSync, writeFileSync } from 'node:fs';
import { basename, resolve } from 'node:path';
import { RESULTS, readOptions } from './support/options.ts';
import {
  LANES,
  type LaneName,
  type OpenTurn,
  openSecondsOf,
  openSide,
  openTurnsOf,
  type Side,
  type SideReport,
  type SideTurn,
  settingsOf,
} from './support/people/side.ts';
import { forkSide } from './support/people/side-protocol.ts';
import { describeMachine, printTable } from './support/report.ts';
import { printStatementCosts } from './support/statement-costs.ts';
import { median, shuffle, spreadOf } from './support/statistics.ts';
import { withWorkbench } from './support/workbench.ts';

/*
 * W1: the complete POST /session/authenticate (without assessing, since the session already exists) of a model of people and
 * rings, against one statement that writes the same rows. With --against, another version does the same in the same run, on a
 * database of its own, and both alternate.
 */
const W1_BAR = 0.3;
/** The same version with many accounts may cost this much more. */
const MAX_FACTOR_OF_SIZE = 1.3;
/** When the rate of the reference varies more within a run, processor time decides. */
const MAX_SPREAD_OF_CLOCK = 0.15;

type Measured = {
  name: string;
  side: Side;
  turns: Record<LaneName, SideTurn[]>;
  /** At half of its own peak, and at half of the other version's. */
  open: OpenTurn[];
  equalOpen: OpenTurn[];
  report?: SideReport;
};

const options = readOptions();
await withWorkbench(
  options,
  async (bench) => {
    const measured = await openSides(() => openSide(bench, options));
    try {
      await measure(measured);
    } finally {
      await Promise.all(measured.map(({ side }) => side.close()));
    }
    report(measured);
  },
  settingsOf(options),
);

async function openSides(open: () => Promise<Side>): Promise<Measured[]> {
  const { data: _, ...rest } = options;
  const { against, againstSize = options.size } = options;
  const otherOptions = { ...rest, size: againstSize };
  const version = basename(resolve(against ?? '.'));
  const otherName = againstSize === options.size ? version : `${version} with ${againstSize} accounts`;
  const opening = [
    open().then((side) => ({ name: 'this version', side })),
    ...(against ? [forkSide(against, otherOptions).then((side) => ({ name: otherName, side }))] : []),
  ];
  const opened = await Promise.allSettled(opening);
  const sides = opened.flatMap((each) => (each.status === 'fulfilled' ? [each.value] : []));
  const failed = opened.find((each) => each.status === 'rejected');
  if (failed) {
    await Promise.allSettled(sides.map(({ side }) => side.close()));
    throw failed.reason;
  }
  return sides.map((side) => ({
    ...side,
    turns: { gateway: [], reference: [], lone: [] },
    open: [],
    equalOpen: [],
  }));
}

async function measure(all: readonly Measured[]): Promise<void> {
  for (const { side } of all) await side.warmUp();
  for (let round = 1; round <= options.rounds; round += 1) {
    const lanes = all.flatMap((each) => LANES.map((lane) => ({ ...each, lane })));
    for (const { side, turns, lane } of shuffle(lanes)) turns[lane].push(await side.turn(lane));
    const rates = lanes.map(
      ({ name, turns, lane }) => `${name} ${lane} ${turns[lane].at(-1)!.requestsPerSecond.toFixed(0)}/s`,
    );
    console.log(`round ${round} of ${options.rounds}: ${rates.join(', ')}`);
  }
  const seconds = openSecondsOf(options);
  const other = all[1];
  for (let turn = 0; turn < openTurnsOf(options); turn += 1) {
    for (const { side, open, turns } of shuffle(all))
      open.push(await side.openTurn(rateOf(turns.gateway) / 2, seconds));
    if (other) all[0]!.equalOpen.push(await all[0]!.side.openTurn(rateOf(other.turns.gateway) / 2, seconds));
  }
  for (const each of all) each.report = await each.side.report();
}

function rateOf(turns: readonly SideTurn[]): number {
  return median(turns.map(({ requestsPerSecond }) => requestsPerSecond));
}

/** Microseconds of processor time of a request, by median. */
function costOf(turns: readonly SideTurn[], part: 'server' | 'postgres' | 'both' = 'both'): number {
  return median(
    turns.map(
      ({ serverMicroseconds, postgresMicroseconds }) =>
        (part === 'postgres' ? 0 : serverMicroseconds) + (part === 'server' ? 0 : postgresMicroseconds),
    ),
  );
}

function report(all: readonly Measured[]): void {
  printLanes(all);
  printOpen(all);
  printWrites(all);
  for (const { name, report: found } of all)
    if (found!.statements?.length) printStatementCosts(name, found!.statements);
  printRatios(all);
  const machine = describeMachine();
  console.log(`\n${machine}; ${options.size} accounts, ${options.rounds} rounds of ${options.seconds} s`);
  mkdirSync(RESULTS, { recursive: true });
  const file = new URL('authenticate.json', RESULTS);
  const sides = all.map(({ side: _, ...rest }) => rest);
  writeFileSync(file, JSON.stringify({ machine, options, sides }, null, 2));
  console.log(`written to ${file.pathname}`);
  const mistakes = all.flatMap(({ name, report: found }) =>
    found!.mistakes.map((text) => `${name}: ${text}`),
  );
  for (const mistake of mistakes.slice(0, 10)) console.error(`WRONG  ${mistake}`);
  if (mistakes.length > 0) process.exitCode = 1;
}

function printLanes(all: readonly Measured[]): void {
  printTable(
    [
      'lane',
      'requests/s',
      'p50 ms',
      'p99 ms',
      'server µs',
      'postgres µs',
      'SQL',
      'WAL bytes',
      'whole pages',
      'RSS MB',
    ],
    all.flatMap(({ name, turns }) =>
      LANES.map((lane) => {
        const of = (key: keyof SideTurn) => median(turns[lane].map((turn) => turn[key]));
        return [
          `${name}: ${lane}`,
          of('requestsPerSecond').toFixed(0),
          of('p50Ms').toFixed(2),
          of('p99Ms').toFixed(2),
          of('serverMicroseconds').toFixed(0),
          of('postgresMicroseconds').toFixed(0),
          of('faults').toFixed(0),
          of('statements').toFixed(2),
          of('walBytes').toFixed(0),
          of('pageBytes').toFixed(0),
          of('residentMb').toFixed(0),
        ];
      }),
    ),
  );
}

function printOpen(all: readonly Measured[]): void {
  const row = (name: string, rate: number, turns: readonly OpenTurn[]) => {
    const p99 = spreadOf(turns.map(({ p99Ms }) => p99Ms));
    const p50 = median(turns.map(({ p50Ms }) => p50Ms));
    const spread = `${p99.min.toFixed(1)}..${p99.max.toFixed(1)}`;
    return [name, (rate / 2).toFixed(0), p50.toFixed(1), p99.median.toFixed(1), spread];
  };
  const [own, other] = all;
  printTable(
    ['half of the peak, open loop', 'requests/s', 'p50 ms', 'p99 ms', 'p99 min..max'],
    [
      ...all.map(({ name, open, turns }) => row(name, rateOf(turns.gateway), open)),
      ...(own && other
        ? [row(`${own.name} at the rate of ${other.name}`, rateOf(other.turns.gateway), own.equalOpen)]
        : []),
    ],
  );
}

/** The traffic, and the rows that it changed by the log of the last turn. */
function printWrites(all: readonly Measured[]): void {
  const reports = all.map(({ name, report: found }) => ({ name, ...found! }));
  printMeans(
    'traffic, per request',
    reports.map(({ name, traffic }) => ({ name, means: traffic })),
  );
  printMeans(
    'rows, per request',
    reports.flatMap(({ name, rows }) => [
      { name, means: rows.gateway },
      { name: 'its reference', means: rows.reference },
    ]),
  );
}

function printMeans(
  title: string,
  columns: readonly { name: string; means: Record<string, number> }[],
): void {
  const kinds = [...new Set(columns.flatMap(({ means }) => Object.keys(means)))].sort();
  printTable(
    [title, ...columns.map(({ name }) => name)],
    kinds.map((kind) => [kind, ...columns.map(({ means }) => (means[kind] ?? 0).toFixed(3))]),
  );
}

function printRatios(all: readonly Measured[]): void {
  const rows = all.map(({ name, turns: { gateway, reference } }) => {
    const byClock = spreadOf(
      gateway.map((turn, round) => turn.requestsPerSecond / reference[round]!.requestsPerSecond),
    );
    return [
      `W1 of ${name}: authenticate / reference, goal ≥ ${W1_BAR}`,
      byClock.median.toFixed(3),
      `${byClock.min.toFixed(3)}..${byClock.max.toFixed(3)}`,
      (costOf(reference) / costOf(gateway)).toFixed(3),
    ];
  });
  printTable(['ratio', 'by the clock', 'min..max', 'by processor time'], rows);
  const [own, other] = all;
  if (!own || !other) return;
  const factor = (of: (side: Measured) => number) => (of(own) / of(other)).toFixed(3);
  const barOf = (bar: string) => (options.againstSize === undefined ? bar : '');
  const isSteady = all.every(({ turns }) => isSteadyRate(turns.reference));
  printTable(
    [`this version / ${other.name}`, 'measured', 'bar'],
    [
      [
        'processor time',
        factor(({ turns }) => costOf(turns.gateway)),
        barOf('≤ 0.5') || `≤ ${MAX_FACTOR_OF_SIZE}`,
      ],
      ['  of Node.js', factor(({ turns }) => costOf(turns.gateway, 'server')), barOf('≤ 0.55')],
      ['  of PostgreSQL', factor(({ turns }) => costOf(turns.gateway, 'postgres')), barOf('≤ 0.55')],
      [
        `time by the clock${isSteady ? '' : ' (the reference varied too much)'}`,
        (1 / Number(factor(({ turns }) => rateOf(turns.gateway)))).toFixed(3),
        barOf('≤ 0.5'),
      ],
      [
        'bytes written',
        factor(({ turns }) => median(turns.gateway.map(({ walBytes }) => walBytes))),
        barOf('≤ 0.5'),
      ],
      [
        'p50 of a lone request',
        factor(({ turns }) => median(turns.lone.map(({ p50Ms }) => p50Ms))),
        barOf('≤ 1'),
      ],
      [
        'p99 at half of the other peak',
        (
          median(own.equalOpen.map(({ p99Ms }) => p99Ms)) / median(other.open.map(({ p99Ms }) => p99Ms))
        ).toFixed(3),
        '',
      ],
      [
        'p99 at half of the peak',
        factor(({ open }) => median(open.map(({ p99Ms }) => p99Ms))),
        barOf('≤ 0.5'),
      ],
    ],
  );
}

function isSteadyRate(turns: readonly SideTurn[]): boolean {
  const { median: middle, min, max } = spreadOf(turns.map(({ requestsPerSecond }) => requestsPerSecond));
  return (max - min) / middle < MAX_SPREAD_OF_CLOCK;
}
