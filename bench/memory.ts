import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { loadDataSet } from './support/data-set.ts';
import { type BenchRequest, startLoad } from './support/load.ts';
import type { LoadResult } from './support/load-protocol.ts';
import { RESULTS } from './support/options.ts';
import type { Population } from './support/population.ts';
import { memoryOf, type ProcessMemory, processTime } from './support/processor-time.ts';
import { describeMachine, printTable } from './support/report.ts';
import { type ServedGateway, serveGateway } from './support/served-gateway.ts';
import { createSessionMaker } from './support/sessions.ts';
import { randomBelow } from './support/statistics.ts';
import { type Workbench, withWorkbench } from './support/workbench.ts';
import { createWriteTraffic } from './support/write-traffic.ts';

/*
 * Memory of a gateway started by the command, without image checks: after the start, and under concurrent
 * queries of linked accounts and authenticates, in slices of some seconds. The first third of the load is a
 * warm-up; the slope is that of a line through the rest. Every hundredth response is checked.
 */
const MAX_STARTED_MB = 300;
const MAX_LOADED_MB = 450;
const READERS = 16;
const WRITERS = 4;
const SLICE_SECONDS = 5;

const { values } = parseArgs({
  options: {
    size: { type: 'string' },
    minutes: { type: 'string' },
    quick: { type: 'boolean', default: false },
    'node-options': { type: 'string', default: '' },
  },
});
const minutes = Number(values.minutes ?? (values.quick ? 0.25 : 5));
const size = Number(values.size ?? (values.quick ? 2000 : 100_000));
if (!(minutes > 0 && size >= 1000)) throw new Error('--minutes must be positive, and --size at least 1000');
const nodeOptions = values['node-options'].split(' ').filter((option) => option !== '');

const QUERY = `query Read($id: ID!) {
  account(accountId: $id) {
    accountId email username country numSessions lastSeen lists { name } lastSession { sessionId startTime }
    linkedAccounts(first: 10) { edges { score matchTypes node { accountId email username lists { name } } } }
  }
}`;

type Sample = ProcessMemory & { minute: number };
type Counts = { reads: number; writes: number; processorMicroseconds: number };

await withWorkbench(
  { size, rounds: 1, seconds: SLICE_SECONDS, quick: values.quick, profileFolder: null },
  async (bench) => {
    const makeSession = await createSessionMaker(bench.project);
    const { population } = await loadDataSet(bench, size, makeSession);
    const gateway = await serveGateway(bench.environment, nodeOptions);
    try {
      // Garbage of the start is collected by then, if it is collected without further work.
      await delay(3000);
      const started = memoryOf(gateway.pid);
      const traffic = createWriteTraffic(bench, population, makeSession);
      const { samples, counts } = await runLoad(bench, gateway, population, traffic);
      report(started, samples, counts);
    } finally {
      await gateway.stop();
    }
  },
);

async function runLoad(
  bench: Workbench,
  gateway: ServedGateway,
  population: Population,
  traffic: ReturnType<typeof createWriteTraffic>,
): Promise<{ samples: Sample[]; counts: Counts }> {
  const readers = startLoad();
  const writers = startLoad();
  try {
    const ids = Array.from(
      { length: 5000 },
      () => population.personOf(1 + randomBelow(population.firstHubPartner - 1)).accountId,
    );
    const requests = ids.map((id) => readOf(bench, id));
    await readers.setRequests('reads', gateway.url, requests);
    const samples: Sample[] = [];
    const counts = { reads: 0, writes: 0, processorMicroseconds: 0 };
    let writesPerSecond = 50;
    const startedAt = performance.now();
    const minute = () => (performance.now() - startedAt) / 60_000;
    while (minute() < minutes) {
      await writers.setRequests(
        'writes',
        gateway.url,
        await traffic.next(Math.ceil(writesPerSecond * SLICE_SECONDS)),
      );
      const before = processTime(gateway.pid);
      const [reads, writes] = await Promise.all([
        readers.run('reads', READERS, SLICE_SECONDS),
        writers.run('writes', WRITERS, null),
      ]);
      check(reads, (index, body) => (body.includes(`"${ids[index]}"`) ? null : 'another account'));
      check(writes, traffic.check);
      counts.processorMicroseconds += processTime(gateway.pid) - before;
      counts.reads += reads.requests;
      counts.writes += writes.requests;
      writesPerSecond = writes.requests / (writes.elapsedMs / 1000);
      samples.push({ minute: minute(), ...memoryOf(gateway.pid) });
    }
    return { samples, counts };
  } finally {
    await Promise.all([readers.stop(), writers.stop()]);
  }
}

function readOf({ key }: Workbench, id: string): BenchRequest {
  return {
    method: 'POST',
    path: '/graphql',
    headers: { 'x-api-key': key },
    body: { query: QUERY, variables: { id } },
  };
}

function check({ failures, samples }: LoadResult, mistakeOf: (index: number, body: string) => string | null) {
  if (failures > 0) throw new Error(`${failures} answers without a 2xx status`);
  for (const { index, body } of samples) {
    const mistake = body.includes('"errors"') ? 'GraphQL errors' : mistakeOf(index, body);
    if (mistake !== null) throw new Error(`${mistake}: ${body.slice(0, 300)}`);
  }
}

/** MB per minute of the least-squares line. */
function slopeOf(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number) =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / samples.length;
  const middle = mean(({ minute }) => minute);
  const level = mean(({ resident }) => resident);
  const covariance = mean(({ minute, resident }) => (minute - middle) * (resident - level));
  return covariance / mean(({ minute }) => (minute - middle) ** 2);
}

function report(started: ProcessMemory, samples: readonly Sample[], counts: Counts): void {
  const settled = samples.slice(Math.floor(samples.length / 3));
  const last = samples.at(-1)!;
  const slope = settled.length > 2 ? slopeOf(settled) : Number.NaN;
  const row = (name: string, { resident, anonymous, file, peak }: ProcessMemory, bar: string) => [
    name,
    ...[resident, anonymous, file, peak].map((value) => value.toFixed(0)),
    bar,
  ];
  const every = Math.max(1, Math.ceil(samples.length / 12));
  printTable(
    ['memory', 'RSS MB', 'anonymous', 'file', 'peak', 'bar'],
    [
      row('after the start', started, `≤ ${MAX_STARTED_MB}`),
      ...samples
        .filter((_, index) => index % every === every - 1)
        .map((sample) => row(`load, minute ${sample.minute.toFixed(1)}`, sample, `≤ ${MAX_LOADED_MB}`)),
    ],
  );
  const microseconds = counts.processorMicroseconds / (counts.reads + counts.writes);
  console.log(
    `\n${counts.reads} reads and ${counts.writes} authenticates, ${microseconds.toFixed(0)} µs of CPU each; ${Number.isNaN(slope) ? 'run too short to measure growth of memory' : `after warm-up ${slope.toFixed(2)} MB a minute`}`,
  );
  const machine = describeMachine();
  console.log(machine);
  mkdirSync(RESULTS, { recursive: true });
  const result = { name: 'memory', machine, nodeOptions, size, started, samples, counts, slope };
  writeFileSync(new URL('memory.json', RESULTS), `${JSON.stringify(result, null, 2)}\n`);
  if (started.resident > MAX_STARTED_MB || last.peak > MAX_LOADED_MB) console.log('above the bars');
}
