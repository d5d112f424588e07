import { basename, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { checkR1, R1 } from './support/account-reads.ts';
import { loadDataSet } from './support/data-set.ts';
import { type BenchRequest, startLoad } from './support/load.ts';
import { readOptions } from './support/options.ts';
import { type Bar, printTable, report } from './support/report.ts';
import { type Lane, runRounds } from './support/rounds.ts';
import { createSessionMaker } from './support/sessions.ts';
import { randomBelow, spreadOf } from './support/statistics.ts';
import { withWorkbench } from './support/workbench.ts';
import { createWriteTraffic } from './support/write-traffic.ts';

/*
 * The same GraphQL requests to gateways of several checkouts, in the same rounds and on one database: a small query, the
 * read of `bench:read`, and an authenticate. The first folder of CHECKOUTS (comma-separated) is compared with the others.
 * Each folder needs its packages and generated files.
 */
const CONNECTIONS = 8;
const REQUESTS = 5000;
/** Authenticates of a turn. */
const AUTHENTICATES = 150;
const SMALL = '{ __typename }';
const AUTHENTICATE = `mutation Authenticate($input: AuthenticateSessionInput!) {
  authenticateSession(input: $input) {
    decision
    session { sessionId network { ipAddress } riskSignals { vpn proxy tor } }
    account { accountId email phone numSessions lastSeen numLinkedAccounts: linkedAccounts(first: 10) { edges { score } } }
  }
}`;

const options = readOptions();
const folders = (process.env.CHECKOUTS ?? '').split(',').filter((folder) => folder !== '');
if (folders.length < 2) throw new Error('CHECKOUTS must name at least two folders');
const names = folders.map((folder) => basename(resolve(folder)));

/** By `--lanes`. */
const isChosen = (name: string) =>
  !options.lanes?.length || options.lanes.some((beginning) => name.startsWith(beginning));

type Results = Awaited<ReturnType<typeof runRounds>>;
type Parts = {
  readonly bench: Parameters<Parameters<typeof withWorkbench>[1]>[0];
  readonly population: Awaited<ReturnType<typeof loadDataSet>>['population'];
  readonly makeSession: Awaited<ReturnType<typeof createSessionMaker>>;
  readonly load: ReturnType<typeof startLoad>;
};

await withWorkbench(options, async (bench) => {
  const makeSession = await createSessionMaker(bench.project);
  const { population } = await loadDataSet(bench, options.size, makeSession);
  const load = startLoad();
  const parts: Parts = { bench, population, makeSession, load };
  try {
    const lanes: Lane[] = [];
    for (const folder of folders) lanes.push(...(await lanesOf(folder, parts)));
    const results = await runRounds(
      lanes.filter(({ name }) => isChosen(name)),
      { ...options, load, postgresPid: bench.postgresPid, say: console.log },
    );
    const bars = barsOf(['small', 'read', 'authenticate'].filter(isChosen));
    report('checkouts', results, bars, options);
    printProcessorTime(results, bars);
  } finally {
    await load.stop();
  }
});

/** A small query, reads and authenticates to a gateway of a checkout. */
async function lanesOf(folder: string, { bench, population, makeSession, load }: Parts): Promise<Lane[]> {
  const name = basename(resolve(folder));
  const file = pathToFileURL(resolve(folder, 'bench/support/gateway-process.ts'));
  const server = await bench.startLimit(name, file);
  // Authenticates change accounts with even numbers.
  const half = Math.floor((population.firstHubPartner - 1) / 2);
  const chosen = Array.from({ length: REQUESTS }, () => 1 + 2 * randomBelow(half));
  const ask = (body: unknown): BenchRequest => ({
    method: 'POST',
    path: '/graphql',
    headers: { 'x-api-key': bench.key },
    body,
  });
  const reads = chosen.map((n) => ask({ query: R1, variables: { id: population.personOf(n).accountId } }));
  await load.setRequests(`small ${name}`, server.url, [ask({ query: SMALL })]);
  await load.setRequests(`read ${name}`, server.url, reads);
  const traffic = createWriteTraffic(bench, population, makeSession);
  // Code is compiled in the first turn.
  let count = 4 * AUTHENTICATES;
  const common = { server, connections: CONNECTIONS };
  return [
    {
      ...common,
      name: `small ${name}`,
      check: (_index, body) => (body === '{"data":{"__typename":"Query"}}' ? null : 'another body'),
    },
    {
      ...common,
      name: `read ${name}`,
      check: (index, body) => checkR1(population, chosen[index]!, body, true),
    },
    {
      ...common,
      name: `authenticate ${name}`,
      check: (index, body) => traffic.check(index, asRest(body)),
      async prepareTurn() {
        const requests = await traffic.next(count);
        count = AUTHENTICATES;
        await load.setRequests(`authenticate ${name}`, server.url, requests.map(asGraphql));
      },
    },
  ];
}

function barsOf(kinds: readonly string[]): Bar[] {
  return kinds.flatMap((kind) =>
    names.slice(1).map((name) => ({
      name: `${kind} ${name} / ${names[0]}`,
      lane: `${kind} ${name}`,
      to: `${kind} ${names[0]}`,
      of: 'rate',
      bar: 0.95,
    })),
  );
}

function printProcessorTime(results: Results, bars: readonly Bar[]): void {
  const microseconds = (lane: string) =>
    results
      .find((result) => result.lane.name === lane)!
      .turns.map(({ serverMicroseconds }) => serverMicroseconds);
  printTable(
    ['processor time of the gateway', 'median µs', 'ratio by round', 'min..max'],
    bars.map(({ name, lane, to }) => {
      const [own, base] = [microseconds(lane), microseconds(to)];
      const { median, min, max } = spreadOf(own.map((each, round) => each / base[round]!));
      return [
        name,
        `${spreadOf(own).median.toFixed(0)} / ${spreadOf(base).median.toFixed(0)}`,
        median.toFixed(3),
        `${min.toFixed(3)}..${max.toFixed(3)}`,
      ];
    }),
  );
}

function asGraphql({ body, headers }: BenchRequest): BenchRequest {
  const { session_id: sessionId, account } = body as {
    session_id: string;
    account: { id: string; email: string; phone: string };
  };
  const { id: accountId, ...others } = account;
  return {
    method: 'POST',
    path: '/graphql',
    headers,
    body: { query: AUTHENTICATE, variables: { input: { sessionId, account: { accountId, ...others } } } },
  };
}

function asRest(body: string): string {
  const { data, errors } = JSON.parse(body);
  if (errors) return JSON.stringify({ errors });
  const { decision, session, account } = data.authenticateSession;
  const words: Record<string, string> = { REAL: 'Real', FAKE: 'Fake', SUSPICIOUS: 'Fake' };
  return JSON.stringify({
    account_id: account.accountId,
    session_id: session.sessionId,
    decision: words[decision],
    accounts_linked: account.numLinkedAccounts.edges.length,
    session: { network: { ip_address: session.network.ipAddress } },
    account: { email: { email: account.email } },
  });
}
