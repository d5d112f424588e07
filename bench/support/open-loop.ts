import type { LoadResult } from './load-protocol.ts';
import { printTable } from './report.ts';

/** The same load at one rate: latencies of the requests of each lane from their due time. */
export type OpenLoopTurn = {
  name: string;
  rate: number;
  lanes: { lane: string; requests: number; p50Ms: number; p99Ms: number; errors: number }[];
};

export type CheckedLane = { name: string; check: (index: number, body: string) => string | null };

/** A turn from the results of the lanes in their order, with the errors of their responses. */
export function openLoopTurn(
  name: string,
  rate: number,
  lanes: readonly CheckedLane[],
  results: readonly LoadResult[],
): { turn: OpenLoopTurn; mistakes: string[] } {
  const mistakes: string[] = [];
  const rows = results.map((result, index) => {
    const { name: lane, check } = lanes[index]!;
    const wrong = result.samples.flatMap(({ index: at, status, body }) => {
      const mistake = status === 200 ? check(at, body) : `status ${status}`;
      return mistake === null ? [] : [`${name}, ${lane}: ${mistake}: ${body.slice(0, 200)}`];
    });
    mistakes.push(...wrong);
    const { requests, p50Ms, p99Ms, failures } = result;
    return { lane, requests, p50Ms, p99Ms, errors: failures };
  });
  return { turn: { name, rate, lanes: rows }, mistakes };
}

export function printOpenLoop(turns: readonly OpenLoopTurn[]): void {
  printTable(
    ['load', 'requests/s', 'lane', 'requests', 'p50 ms', 'p99 ms', 'errors'],
    turns.flatMap(({ name, rate, lanes }) =>
      lanes.map(({ lane, requests, p50Ms, p99Ms, errors }) => [
        name,
        rate.toFixed(0),
        lane,
        String(requests),
        p50Ms.toFixed(1),
        p99Ms.toFixed(1),
        String(errors),
      ]),
    ),
  );
}

export function rateOf(results: readonly LoadResult[]): number {
  return (results.reduce((sum, { requests }) => sum + requests, 0) / results[0]!.elapsedMs) * 1000;
}
