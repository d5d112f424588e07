import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, totalmem } from 'node:os';
import { type BenchOptions, RESULTS } from './options.ts';
import type { LaneResult, Turn } from './rounds.ts';
import { median, spreadOf } from './statistics.ts';

/** A target: the rate (or 99th percentile) of one lane as a ratio to that of another. */
export type Bar = {
  name: string;
  lane: string;
  to: string;
  of: 'rate' | 'p99';
  /** At least this for a rate, at most this for a 99th percentile. */
  bar: number;
};

/** When the rate of the baseline lane varies more within a run, processor time decides. */
const MAX_SPREAD_OF_CLOCK = 0.15;

const LANE_COLUMNS = ['lane', 'requests/s', 'p50 ms', 'p99 ms', 'server µs', 'postgres µs', 'SQL', 'RSS MB'];

/** Prints the tables, writes them as JSON, and fails the run on a wrong response; a time never does. */
export function report(
  name: string,
  results: readonly LaneResult[],
  bars: readonly Bar[],
  options: BenchOptions,
  extra: Record<string, unknown> = {},
): void {
  const lanes = results.map(({ lane, turns, requests }) => {
    const of = (key: keyof Turn) => median(turns.map((turn) => turn[key]));
    return {
      lane: lane.name,
      requests,
      requestsPerSecond: of('requestsPerSecond'),
      p50Ms: of('p50Ms'),
      p99Ms: of('p99Ms'),
      serverMicroseconds: of('serverMicroseconds'),
      postgresMicroseconds: of('postgresMicroseconds'),
      statementsPerRequest: of('statements'),
      residentMb: of('residentMb'),
    };
  });
  const names = new Set(results.map(({ lane }) => lane.name));
  const measured = bars.filter(({ lane, to }) => names.has(lane) && names.has(to));
  const ratios = measured.map((bar) => ({ ...bar, ...ratioOf(results, bar) }));
  printTable(
    LANE_COLUMNS,
    lanes.map((lane) => [
      lane.lane,
      lane.requestsPerSecond.toFixed(0),
      lane.p50Ms.toFixed(2),
      lane.p99Ms.toFixed(2),
      lane.serverMicroseconds.toFixed(0),
      lane.postgresMicroseconds.toFixed(0),
      lane.statementsPerRequest.toFixed(2),
      lane.residentMb.toFixed(0),
    ]),
  );
  if (ratios.length > 0) printRatios(ratios);
  const machine = describeMachine();
  console.log(`\n${machine}; ${options.size} accounts, ${options.rounds} rounds of ${options.seconds} s`);
  const mistakes = results.flatMap(({ lane, mistakes: found }) =>
    found.map((text) => `${lane.name}: ${text}`),
  );
  mkdirSync(RESULTS, { recursive: true });
  const file = new URL(`${name}.json`, RESULTS);
  const turns = Object.fromEntries(results.map(({ lane, turns: all }) => [lane.name, all]));
  writeFileSync(
    file,
    JSON.stringify({ name, machine, options, lanes, ratios, ...extra, mistakes, turns }, null, 2),
  );
  console.log(`written to ${file.pathname}`);
  for (const mistake of mistakes.slice(0, 10)) console.error(`WRONG  ${mistake}`);
  if (mistakes.length > 0) process.exitCode = 1;
}

/**
 * Ratios are taken round by round, since a slow phase of the machine affects both. Processor time, gateway and
 * PostgreSQL together, is the steadier measure when other programs use the machine too.
 */
function ratioOf(results: readonly LaneResult[], { lane, to, of }: Bar) {
  const turnsOf = (name: string) => results.find((result) => result.lane.name === name)!.turns;
  const key = of === 'rate' ? 'requestsPerSecond' : 'p99Ms';
  const others = turnsOf(to);
  const costOf = (turns: readonly Turn[]) =>
    median(turns.map((turn) => turn.serverMicroseconds + turn.postgresMicroseconds));
  return {
    ...spreadOf(turnsOf(lane).map((turn, round) => turn[key] / others[round]![key])),
    byProcessorTime: costOf(others) / costOf(turnsOf(lane)),
    isSteady: isSteady(others.map(({ requestsPerSecond }) => requestsPerSecond)),
  };
}

/** Whether the rates of a lane vary so little that a ratio by the clock is meaningful. */
function isSteady(rates: readonly number[]): boolean {
  const { median: middle, min, max } = spreadOf(rates);
  return (max - min) / middle < MAX_SPREAD_OF_CLOCK;
}

function printRatios(ratios: readonly (Bar & ReturnType<typeof ratioOf>)[]): void {
  printTable(
    ['ratio', 'median', 'min..max', 'by CPU', 'bar', 'result'],
    ratios.map((ratio) => [
      ratio.name,
      ratio.median.toFixed(3),
      `${ratio.min.toFixed(3)}..${ratio.max.toFixed(3)}`,
      ratio.of === 'rate' ? ratio.byProcessorTime.toFixed(3) : '-',
      `${ratio.of === 'rate' ? '≥' : '≤'} ${ratio.bar}`,
      resultOf(ratio),
    ]),
  );
}

/** Reached or missed, and by which of the two figures. */
function resultOf({
  of,
  bar,
  median: middle,
  byProcessorTime,
  isSteady: byClock,
}: Bar & ReturnType<typeof ratioOf>) {
  if (of === 'p99') return middle <= bar ? 'reached' : 'missed';
  const figure = byClock ? middle : byProcessorTime;
  return `${figure >= bar ? 'reached' : 'missed'} by ${byClock ? 'the clock' : 'CPU'}`;
}

export function printTable(header: readonly string[], rows: readonly (readonly string[])[]): void {
  const widths = header.map((title, column) =>
    Math.max(title.length, ...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (cells: readonly string[]) =>
    cells.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!)));
  console.log('');
  for (const row of [header, ...rows]) console.log(line(row).join('  '));
}

/** Processors, memory, Node.js version and commit of this run. */
export function describeMachine(): string {
  const processors = cpus();
  const commit = commitOf();
  return (
    `${processors.length} × ${processors[0]?.model.trim() ?? 'unknown'}, ${Math.round(totalmem() / 2 ** 30)} GB, ` +
    `${process.platform} ${process.arch}, Node ${process.versions.node}${commit && `, commit ${commit}`}`
  );
}

function commitOf(): string {
  try {
    const folder = new URL('../../', import.meta.url).pathname;
    return execFileSync('git', ['-c', `safe.directory=*`, 'rev-parse', '--short', 'HEAD'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'ignore'],
    })
      .toString()
      .trim();
  } catch {
    return '';
  }
}
