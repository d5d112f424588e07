import { computeStandings } from '../data-set.ts';
import { type Load, startLoad } from '../load.ts';
import { openLoopTurn } from '../open-loop.ts';
import type { BenchOptions } from '../options.ts';
import type { ServerProcess } from '../processes.ts';
import { type Lane, type LaneResult, type Turn, takeTurn } from '../rounds.ts';
import { createSessionMaker, type SessionMaker } from '../sessions.ts';
import { COUNTS_STATEMENTS, type StatementCost } from '../statement-costs.ts';
import { shuffle } from '../statistics.ts';
import type { PeopleFacts, Workbench } from '../workbench.ts';
import { createLimitTraffic, type Recorded } from './limit-traffic.ts';
import { checkPeople, importPeople, insertPeople, loadPeople, type People } from './load-people.ts';
import { readPeople, writePeople } from './people-file.ts';
import { createPeopleTraffic, NEW } from './people-traffic.ts';
import { type RecordedWrite, readWrites, summarize } from './recorded-writes.ts';
import { watchWork } from './watch-work.ts';

/** Authenticates of several clients, the reference, and authenticates of one client. */
export const LANES = ['gateway', 'reference', 'lone'] as const;
export type LaneName = (typeof LANES)[number];
export type SideTurn = Turn & { walBytes: number; pageBytes: number };
export type OpenTurn = { p50Ms: number; p99Ms: number };
export type SideReport = {
  mistakes: string[];
  /** Means of all requests of the gateway. */
  traffic: Record<string, number>;
  /** Rows by table and kind of change, per request, in the last turn of each lane. */
  rows: Record<'gateway' | 'reference', Record<string, number>>;
  /** Absent from versions that do not count them. */
  statements?: StatementCost[];
};

/** One version: its database with people, its gateway and its reference. */
export type Side = {
  /** Requests until statements are planned, code is compiled and tables are analyzed. */
  warmUp(): Promise<void>;
  turn(lane: LaneName): Promise<SideTurn>;
  /** Requests that start at random times, at this rate. */
  openTurn(rate: number, seconds: number): Promise<OpenTurn>;
  report(): Promise<SideReport>;
  close(): Promise<void>;
};

/** The log of a turn is read after it. Checkpoints would add whole pages at random times. */
const SERVER_SETTINGS = {
  wal_keep_size: '1GB',
  max_wal_size: '16GB',
  checkpoint_timeout: '1h',
};

export function settingsOf({ showsStatements, settings }: BenchOptions): Record<string, string> {
  return { ...SERVER_SETTINGS, ...(showsStatements ? COUNTS_STATEMENTS : {}), ...settings };
}

const CONNECTIONS = 8;
/** Accounts in the project of the reference. */
const MAX_REFERENCE_ACCOUNTS = 50_000;
const MAX_RECORDED = 2000;
const MAX_FAKE = 0.1;
/** Requests per second in the first turn, and at most. */
const FIRST_RATES: Record<LaneName, number> = { gateway: 150, reference: 800, lone: 100 };
const MAX_RATE = 700;
const STEADY = 0.05;

const warmTurnsOf = ({ quick }: BenchOptions) => (quick ? 1 : 10);
/** Number and seconds of the turns at half of the peak. */
export const openTurnsOf = ({ quick }: BenchOptions) => (quick ? 1 : 3);
export const openSecondsOf = ({ quick }: BenchOptions) => (quick ? 2 : 20);

type Parts = {
  bench: Workbench;
  options: BenchOptions;
  load: Load;
  watch: Awaited<ReturnType<typeof watchWork>>;
  people: People;
  makeSession: SessionMaker;
  gateway: ServerProcess;
};

/** Loads the data set and starts the servers. */
export async function openSide(bench: Workbench, options: BenchOptions): Promise<Side> {
  // Answers of the network's name servers would be measured too.
  bench.environment.MX_LOOKUPS = 'off';
  const makeSession = await createSessionMaker(bench.project);
  const people = await peopleOf(bench, options, makeSession);
  if (options.checks) await checkPeople(bench);
  const watch = await watchWork(bench.superuserUrl, options.showsStatements);
  const load = startLoad();
  try {
    const gateway = await bench.startGateway();
    await watch.backlogSettled();
    const parts = { bench, options, load, watch, people, makeSession, gateway };
    const authenticates = createGatewayLanes(parts);
    const reference = await createReferenceLane(parts, authenticates.recorded);
    await bench.analyze();
    return createSide(parts, authenticates, reference);
  } catch (error) {
    await Promise.allSettled([load.stop(), watch.close()]);
    throw error;
  }
}

async function peopleOf(bench: Workbench, options: BenchOptions, makeSession: SessionMaker): Promise<People> {
  const { stored } = bench;
  const facts = factsOf(options);
  if (!stored) return (options.imported ? importPeople : loadPeople)(bench, facts, makeSession);
  if (stored.arrivals < facts.arrivals || stored.presence !== facts.presence)
    throw new Error('the stored data set is for other --rounds, --seconds or --against-size');
  return readPeople(bench.environment.DATA_DIR!);
}

/** Imports people, and stores the database when the gateway has done the work that the import leaves. */
export async function storePeople(bench: Workbench, options: BenchOptions): Promise<void> {
  const facts = factsOf(options);
  await writePeople(bench.environment.DATA_DIR!, await importPeople(bench, facts));
  const watch = await watchWork(bench.superuserUrl);
  await bench.startGateway();
  await watch.backlogSettled();
  await watch.close();
  await bench.analyze();
  bench.storeAtEnd(facts);
}

function factsOf(options: BenchOptions): PeopleFacts {
  const { size, smallestSize = size } = options;
  const arrivals = arrivalsOf(options);
  return { size, arrivals, drawnAt: Date.now(), presence: smallestSize / (smallestSize + arrivals) };
}

/** New accounts of all turns at the highest rate. */
function arrivalsOf(options: BenchOptions): number {
  const turns = (warmTurnsOf(options) + 2 + 2 * options.rounds) * options.seconds;
  // At half of the rate.
  const open = openTurnsOf(options) * openSecondsOf(options);
  return Math.ceil(NEW * MAX_RATE * (turns + open));
}

function createSide(
  { bench, options, load, watch, gateway }: Parts,
  authenticates: ReturnType<typeof createGatewayLanes>,
  reference: Awaited<ReturnType<typeof createReferenceLane>>,
): Side {
  const { lanes, traffic } = authenticates;
  const resultOf = (lane: Lane): LaneResult => ({ lane, turns: [], mistakes: [], requests: 0 });
  const results: Record<LaneName, LaneResult> = {
    gateway: resultOf(lanes.gateway),
    reference: resultOf(reference.lane),
    lone: resultOf(lanes.lone),
  };
  const openMistakes: string[] = [];

  async function turn(name: LaneName): Promise<SideTurn> {
    const result = results[name];
    const before = result.requests;
    try {
      await takeTurn(result, { load, seconds: options.seconds, postgresPid: bench.postgresPid });
    } finally {
      process.kill(gateway.pid, 'SIGCONT');
    }
    const requests = result.requests - before;
    const { recordBytes, pageBytes } = await watch.logged();
    return {
      ...result.turns.at(-1)!,
      walBytes: recordBytes / requests,
      pageBytes: pageBytes / requests,
    };
  }

  /** Turns until two differ by a few percent. */
  async function warmGateway(): Promise<void> {
    let before = 0;
    for (let left = warmTurnsOf(options); left > 0; left -= 1) {
      const { requestsPerSecond } = await turn('gateway');
      if (Math.abs(requestsPerSecond / before - 1) < STEADY) return;
      before = requestsPerSecond;
    }
  }

  return {
    async warmUp() {
      await bench.prewarm();
      await warmGateway();
      await turn('reference');
      await bench.analyze();
      for (const name of LANES) await turn(name);
      for (const name of LANES) results[name].turns.length = 0;
      await watch.takeStatementCosts();
    },
    turn,
    async openTurn(rate, seconds) {
      await load.setRequests('open', gateway.url, await traffic.next(Math.ceil(1.3 * rate * seconds) + 50));
      const mix = [{ lane: 'open', share: 1 }];
      const found = await load.runMix(mix, { connections: 4 * CONNECTIONS, seconds, rate });
      const lane = { name: 'open', check: traffic.check };
      const { turn: measured, mistakes } = openLoopTurn('open', rate, [lane], found);
      openMistakes.push(...mistakes);
      await watch.settled();
      const { p50Ms, p99Ms } = measured.lanes[0]!;
      return { p50Ms, p99Ms };
    },
    async report() {
      const all = Object.values(results);
      const mean = summarize(authenticates.all());
      const mistakes = [...all.flatMap((result) => result.mistakes), ...openMistakes];
      if (!(mean['decided Fake']! <= MAX_FAKE))
        mistakes.push(`${mean['decided Fake']} of the requests are Fake`);
      return {
        mistakes,
        traffic: mean,
        rows: { gateway: perRequest(authenticates.recorded()), reference: perRequest(reference.written()) },
        statements: await watch.takeStatementCosts(),
      };
    },
    async close() {
      await load.stop();
      await watch.close();
    },
  };
}

/** Rows by table and kind of change, per request. */
function perRequest({ rows, requests }: Recorded): Record<string, number> {
  return Object.fromEntries(Object.entries(rows).map(([name, count]) => [name, count / requests]));
}

const NOTHING: Recorded = { writes: [], rows: {}, requests: 0 };

/** Authenticates over HTTP. The background work of a turn belongs to it. */
function createGatewayLanes({ bench, options, load, watch, people, makeSession, gateway }: Parts) {
  const traffic = createPeopleTraffic(bench, people, makeSession);
  let recorded = NOTHING;
  const all: RecordedWrite[] = [];
  const laneOf = (name: 'gateway' | 'lone', connections: number): Lane => {
    let rate = FIRST_RATES[name];
    return {
      name,
      server: gateway,
      connections,
      check: traffic.check,
      async prepareTurn() {
        await load.setRequests(name, gateway.url, await traffic.next(Math.ceil(rate * options.seconds)));
        await watch.begin();
      },
      async settle() {
        await watch.settled();
        await watch.end();
      },
      async noteTurn({ requestsPerSecond }) {
        rate = requestsPerSecond;
        if (name === 'lone') return;
        const attempts = traffic.attempts();
        const writes = await readWrites(bench, attempts.slice(0, MAX_RECORDED));
        recorded = { writes, rows: await watch.changedRows(), requests: attempts.length };
        all.push(...writes);
      },
    };
  };
  const lanes = { gateway: laneOf('gateway', CONNECTIONS), lone: laneOf('lone', 1) };
  return { lanes, traffic, recorded: () => recorded, all: () => all };
}

/**
 * The reference, in a project of its own. The gateway stands still meanwhile: it would process the events of the reference,
 * whose minimum is to write them.
 */
async function createReferenceLane(
  { bench: whole, options, load, watch, people, gateway }: Parts,
  recorded: () => Recorded,
) {
  const bench = { ...whole, project: await whole.createProject() };
  const makeSession = await createSessionMaker(bench.project);
  const known = shuffle(Array.from({ length: people.known.length }, (_, place) => place))
    .slice(0, MAX_REFERENCE_ACCOUNTS)
    .map((place) => people.known.at(place));
  await insertPeople(bench, known, makeSession);
  await computeStandings(bench, known.length);
  const traffic = await createLimitTraffic(bench, known, makeSession);
  const file = new URL('./limit-process.ts', import.meta.url);
  const server = await bench.startLimit('reference', file, bench.project);
  let rate = FIRST_RATES.reference;
  let written = NOTHING;
  const lane: Lane = {
    name: 'reference',
    server,
    connections: CONNECTIONS,
    check: traffic.check,
    async prepareTurn() {
      const requests = await traffic.next(Math.ceil(rate * options.seconds), recorded());
      await load.setRequests('reference', server.url, requests);
      process.kill(gateway.pid, 'SIGSTOP');
      await watch.begin();
    },
    async settle() {
      await watch.end();
    },
    async noteTurn({ requestsPerSecond }) {
      rate = requestsPerSecond;
      await watch.removeWork(bench.project.projectId);
      // Timeouts of the gateway run while it stands still.
      process.kill(gateway.pid, 'SIGCONT');
      written = { writes: [], rows: await watch.changedRows(), requests: traffic.attempts().length };
    },
  };
  return { lane, written: () => written };
}
