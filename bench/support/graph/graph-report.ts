import { mkdirSync, writeFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { RESULTS } from '../options.ts';
import { describeMachine, printTable } from '../report.ts';
import { median, spreadOf } from '../statistics.ts';
import type { GraphOptions } from './graph-options.ts';
import type { GraphLaneResult, GraphTurn } from './turns.ts';

const MAX_GROWTH = 1.3;

/**
 * Prints the tables and writes them as JSON. The run fails on a wrong response and, unless `quick`, on too much
 * growth.
 */
export function reportGraph(
  results: readonly GraphLaneResult[],
  options: GraphOptions,
  loadBefore: number,
): void {
  const lanes = results.map(summarize);
  printTable(
    ['lane', 'requests/s', 'p50 ms', 'p99 ms', 'server µs', 'postgres µs', 'SQL', 'checked'],
    lanes.map((lane) => [
      lane.lane,
      lane.requestsPerSecond.toFixed(0),
      lane.p50Ms.toFixed(2),
      lane.p99Ms.toFixed(2),
      lane.serverMicroseconds.toFixed(0),
      lane.postgresMicroseconds.toFixed(0),
      lane.statements.toFixed(2),
      String(lane.checked),
    ]),
  );
  const ratios = ratiosToLimits(results);
  printTable(
    ['GraphQL / one statement', 'accounts', 'rate', 'min..max', 'by CPU'],
    ratios.map(({ workload, size, rate, byProcessorTime }) => [
      workload,
      String(size),
      rate.median.toFixed(3),
      `${rate.min.toFixed(3)}..${rate.max.toFixed(3)}`,
      byProcessorTime.toFixed(3),
    ]),
  );
  const growth = growthOf(results);
  printTable(
    ['time of a request as accounts grow', 'from', 'to', 'factor', 'min..max', 'by CPU', 'bar'],
    growth.map(({ workload, from, to, time, byProcessorTime, bar }) => [
      workload,
      String(from),
      String(to),
      time.median.toFixed(2),
      `${time.min.toFixed(2)}..${time.max.toFixed(2)}`,
      byProcessorTime.toFixed(2),
      bar === null ? '' : `≤ ${bar}`,
    ]),
  );
  const machine = describeMachine();
  const load = { before: loadBefore, after: loadavg()[0]! };
  console.log(
    `\n${machine}; ${options.rounds} rounds of ${options.seconds} s; ` +
      `load average ${load.before.toFixed(1)} before, ${load.after.toFixed(1)} after`,
  );
  const mistakes = results.flatMap(({ lane, mistakes: found }) =>
    found.map((text) => `${lane.name}: ${text}`),
  );
  const below = options.quick ? [] : growth.filter(({ time, bar }) => bar !== null && time.median > bar);
  mkdirSync(RESULTS, { recursive: true });
  const file = new URL('graph.json', RESULTS);
  const turns = Object.fromEntries(results.map(({ lane, turns: all }) => [lane.name, all]));
  writeFileSync(
    file,
    JSON.stringify(
      { name: 'graph', machine, load, options, lanes, ratios, growth, mistakes, turns },
      null,
      2,
    ),
  );
  console.log(`written to ${file.pathname}`);
  for (const mistake of mistakes.slice(0, 10)) console.error(`WRONG  ${mistake}`);
  for (const { workload, from, to, time } of below) {
    console.error(`BELOW THE BAR  ${workload}: ${time.median.toFixed(2)}x from ${from} to ${to} accounts`);
  }
  if (mistakes.length > 0 || below.length > 0) process.exitCode = 1;
}

function summarize({ lane, turns, checked }: GraphLaneResult) {
  const of = (key: keyof GraphTurn) => median(turns.map((turn) => turn[key]));
  return {
    lane: lane.name,
    workload: lane.workload,
    size: lane.size,
    isLimit: lane.isLimit,
    requestsPerSecond: of('requestsPerSecond'),
    p50Ms: of('p50Ms'),
    p99Ms: of('p99Ms'),
    serverMicroseconds: of('serverMicroseconds'),
    postgresMicroseconds: of('postgresMicroseconds'),
    statements: of('statements'),
    checked,
  };
}

function ratiosToLimits(results: readonly GraphLaneResult[]) {
  return results.flatMap((result) => {
    const { workload, size, isLimit } = result.lane;
    const other = results.find(
      ({ lane }) => lane.isLimit && !isLimit && lane.workload === workload && lane.size === size,
    );
    if (!other) return [];
    return [
      { workload, size, rate: ratesOver(result, other), byProcessorTime: costOf(other) / costOf(result) },
    ];
  });
}

/** From the smallest size to each larger one, for lanes of the gateway only. */
function growthOf(results: readonly GraphLaneResult[]) {
  const ofGateway = results.filter(({ lane }) => !lane.isLimit);
  const smallest = Math.min(...ofGateway.map(({ lane }) => lane.size));
  return ofGateway.flatMap((large) => {
    const { workload, size } = large.lane;
    const small = ofGateway.find(({ lane }) => lane.workload === workload && lane.size === smallest);
    if (!small || small === large) return [];
    return [
      {
        workload,
        from: smallest,
        to: size,
        time: ratesOver(small, large),
        byProcessorTime: costOf(large) / costOf(small),
        bar: large.lane.prepareTurn ? MAX_GROWTH : null,
      },
    ];
  });
}

/** Round by round, since a slow phase of the machine affects both. */
function ratesOver(one: GraphLaneResult, other: GraphLaneResult) {
  return spreadOf(
    one.turns.map((turn, round) => turn.requestsPerSecond / other.turns[round]!.requestsPerSecond),
  );
}

/** Processor time is the steadier measure where other programs use the machine too. */
function costOf({ turns }: GraphLaneResult): number {
  return median(turns.map((turn) => turn.serverMicroseconds + turn.postgresMicroseconds));
}
