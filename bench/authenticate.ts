import { loadDataSet } from './support/data-set.ts';
import { startLoad } from './support/load.ts';
import { openLoopTurn, printOpenLoop } from './support/open-loop.ts';
import { readOptions } from './support/options.ts';
import { type Bar, printTable, report } from './support/report.ts';
import { type Lane, runRounds } from './support/rounds.ts';
import { countWrites, type Writes } from './support/row-counts.ts';
import { createSessionMaker } from './support/sessions.ts';
import { median } from './support/statistics.ts';
import { withWorkbench } from './support/workbench.ts';
import { createWriteTraffic } from './support/write-traffic.ts';

/*
 * W1: the complete POST /session/authenticate (without assessing, since the session already exists) against one
 * statement that writes the same rows. Three of ten accounts are new; one of ten requests uses the device and
 * address of another account, which links the two. Both lanes use the same tables with separate accounts and
 * sessions.
 */
const CONNECTIONS = 8;
const GATEWAY = 'W1 authenticate';
const HALF_LOAD = 'half of the peak, open loop';
const LIMIT = 'W1 one statement (limit)';
const BARS: readonly Bar[] = [
  { name: 'W1 authenticate / one statement', lane: GATEWAY, to: LIMIT, of: 'rate', bar: 0.3 },
];

const options = readOptions();
await withWorkbench(options, async (bench) => {
  const makeSession = await createSessionMaker(bench.project);
  const { population } = await loadDataSet(bench, options.size, makeSession);
  const limit = await bench.startLimit(
    'one statement',
    new URL('./support/authenticate-limit-process.ts', import.meta.url),
  );
  const gateway = await bench.startGateway();
  const load = startLoad();
  try {
    /** Latency at half of the peak rate with random arrivals (open loop): p99 ≤ 20 ms on a quiet machine. */
    async function reportHalfLoad(rate: number): Promise<void> {
      const seconds = options.quick ? 3 : 20;
      const traffic = createWriteTraffic(bench, population, makeSession, { share: 0, isLimit: false });
      await load.setRequests(
        HALF_LOAD,
        gateway.url,
        await traffic.next(Math.ceil(1.3 * rate * seconds) + 50),
      );
      const mix = [{ lane: HALF_LOAD, share: 1 }];
      const found = await load.runMix(mix, { connections: 4 * CONNECTIONS, seconds, rate });
      const checked = [{ name: GATEWAY, check: (index: number, body: string) => traffic.check(index, body) }];
      const { turn, mistakes } = openLoopTurn(HALF_LOAD, rate, checked, found);
      printOpenLoop([turn]);
      for (const mistake of mistakes.slice(0, 10)) console.error(`WRONG  ${mistake}`);
      if (mistakes.length > 0) process.exitCode = 1;
    }
    const lanes = [
      { name: GATEWAY, server: gateway, share: 0, rate: 800 },
      { name: LIMIT, server: limit, share: 1, rate: 2000 },
    ].map(({ name, server, share, rate }): Lane => {
      const traffic = createWriteTraffic(bench, population, makeSession, {
        share,
        isLimit: server === limit,
      });
      return {
        name,
        server,
        connections: CONNECTIONS,
        check: (index, body) => traffic.check(index, body),
        async prepareTurn() {
          const requests = await traffic.next(Math.ceil(rate * options.seconds));
          await load.setRequests(name, server.url, requests);
        },
        noteTurn(turn) {
          rate = turn.requestsPerSecond;
        },
      };
    });
    const before = await countWrites(bench);
    const results = await runRounds(lanes, {
      ...options,
      load,
      postgresPid: bench.postgresPid,
      say: console.log,
    });
    const after = await countWrites(bench);
    const writes = results.map(({ lane, requests }, share) => ({
      lane: lane.name,
      ...perRequest(before[share]!, after[share]!, requests),
    }));
    report('authenticate', results, BARS, options, { writes });
    const kinds = Object.keys(writes[0]!).filter((name) => name !== 'lane') as (keyof Writes)[];
    printTable(
      ['rows and bytes written per request', ...kinds],
      writes.map((row) => [row.lane, ...kinds.map((kind) => row[kind].toFixed(2))]),
    );
    await reportHalfLoad(median(results[0]!.turns.map(({ requestsPerSecond }) => requestsPerSecond)) / 2);
  } finally {
    await load.stop();
  }
});

function perRequest(before: Writes, after: Writes, requests: number): Writes {
  const entries = Object.entries(after) as [keyof Writes, number][];
  return Object.fromEntries(
    entries.map(([kind, count]) => [kind, (count - before[kind]) / requests]),
  ) as Writes;
}
