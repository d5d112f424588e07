import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { IDENTIFIER_KINDS } from '@vouchgraph/linking';
import { insertRows } from './support/bulk-insert.ts';
import { RESULTS } from './support/options.ts';
import { familyTime, processTime } from './support/processor-time.ts';
import { describeMachine, printTable } from './support/report.ts';
import { createSessionMaker, insertSessions, type SessionMaker } from './support/sessions.ts';
import { median, shuffle } from './support/statistics.ts';
import { type Workbench, withWorkbench } from './support/workbench.ts';

/*
 * Cost of an authenticate by the length of the account's own history: accounts with 10, 3 x 1,000, 3 x 3,000
 * and 50,000 identifiers that were added in bulk (the last one of all five kinds of sessions) take turns in
 * every round, in a random order. Every session has a new address. The first request of each account, which may
 * have to trim a long history, is reported separately.
 */
const { browser, device, network, subnet, device_part } = IDENTIFIER_KINDS;
const THREE_KINDS = [browser, device, network];
const ALL_KINDS = [...THREE_KINDS, subnet, device_part];
const DAY_MS = 86_400_000;
const MAX_RATIO = 2;
const MAX_DELAY_MS = 20;

const { values } = parseArgs({
  options: {
    histories: { type: 'string', default: '10,3000,9000,50000' },
    rounds: { type: 'string', default: '20' },
    requests: { type: 'string', default: '10' },
  },
});
const histories = values.histories.split(',').map(Number);
const rounds = Number(values.rounds);
const requests = Number(values.requests);

const FIND_ACCOUNT = {
  name: 'bench.find_account',
  text: 'select id from accounts where project_id = $1 and account_id = $2',
};

type Lane = {
  size: number;
  accountId: string;
  firstMs: number;
  /** Milliseconds of a request: the median of each round. */
  rounds: number[];
  delays: number[];
  gatewayMs: number;
  postgresMs: number;
  answered: number;
};

await withWorkbench({ size: 0, rounds, seconds: 0, quick: false, profileFolder: null }, async (bench) => {
  const makeSession = await createSessionMaker(bench.project);
  const gateway = await bench.startGateway();
  let addresses = 0;
  const newSessions = async (count: number) => {
    const made = Array.from({ length: count }, () => newSession(makeSession, addresses++));
    await insertSessions(bench, made);
    return made.map(({ row }) => row.session_id);
  };

  async function authenticate(accountId: string, sessionId: string): Promise<number> {
    const started = performance.now();
    const response = await fetch(new URL('/session/authenticate', gateway.url), {
      method: 'POST',
      headers: { 'x-api-key': bench.key, 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: sessionId, account: { id: accountId } }),
    });
    const body = (await response.json()) as { accounts_linked: number; session_id: string };
    const took = performance.now() - started;
    // Its partner has the same phone and device.
    if (response.status !== 200 || body.accounts_linked !== 1 || body.session_id !== sessionId)
      throw new Error(`${accountId}: ${response.status} ${JSON.stringify(body).slice(0, 300)}`);
    return took;
  }

  const lanes: Lane[] = [];
  for (const size of histories) {
    const accountId = `history-${size}`;
    await createWithPartner(bench, gateway.url, accountId, await newSessions(2));
    await addHistory(bench, accountId, size);
    lanes.push({
      size,
      accountId,
      firstMs: 0,
      rounds: [],
      delays: [],
      gatewayMs: 0,
      postgresMs: 0,
      answered: 0,
    });
  }
  await bench.analyze();
  for (const lane of lanes) {
    const [sessionId] = await newSessions(1);
    lane.firstMs = await authenticate(lane.accountId, sessionId!);
  }
  await bench.analyze();
  for (let round = 0; round <= rounds; round += 1) {
    for (const lane of shuffle(lanes)) {
      const sessionIds = await newSessions(requests);
      await gateway.takeLoopDelay();
      const before = { gateway: processTime(gateway.pid), postgres: familyTime(bench.postgresPid) };
      const times: number[] = [];
      for (const sessionId of sessionIds) times.push(await authenticate(lane.accountId, sessionId));
      const delay = await gateway.takeLoopDelay();
      // The first round is a warm-up.
      if (round === 0) continue;
      lane.gatewayMs += (processTime(gateway.pid) - before.gateway) / 1000;
      lane.postgresMs += (familyTime(bench.postgresPid) - before.postgres) / 1000;
      lane.answered += requests;
      lane.rounds.push(median(times));
      lane.delays.push(delay);
    }
  }
  print(lanes);
});

function newSession(makeSession: SessionMaker, number: number) {
  const ip = `81.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`;
  return makeSession({ ip, device: 'the same device' }, new Date(), true);
}

/** An account and another one with the same phone. */
async function createWithPartner(
  bench: Workbench,
  url: URL,
  accountId: string,
  sessionIds: string[],
): Promise<void> {
  for (const [index, sessionId] of sessionIds.entries()) {
    const id = index === 0 ? `${accountId}-partner` : accountId;
    const response = await fetch(new URL('/session/authenticate', url), {
      method: 'POST',
      headers: { 'x-api-key': bench.key, 'content-type': 'application/json' },
      body: JSON.stringify({ session_id: sessionId, account: { id, phone: phoneOf(accountId) } }),
    });
    if (response.status !== 200) throw new Error(`${id}: ${response.status} ${await response.text()}`);
  }
}

function phoneOf(accountId: string): string {
  return `+1415555${accountId.slice('history-'.length).padStart(4, '0').slice(-4)}`;
}

/**
 * Identifiers that no other account has, evenly distributed over all kinds, each an hour older than the
 * previous one.
 */
async function addHistory(bench: Workbench, accountId: string, size: number): Promise<void> {
  const kinds = size > 9000 ? ALL_KINDS : THREE_KINDS;
  const newest = Date.now() - DAY_MS;
  const [account] = await bench.system.query<{ id: string }>(FIND_ACCOUNT, [
    bench.project.projectId,
    accountId,
  ]);
  await insertRows(
    bench,
    {
      name: 'identifiers',
      columns: {
        account_id: 'uuid',
        kind: 'smallint',
        value_hash: 'bytea',
        first_seen: 'timestamptz',
        last_seen: 'timestamptz',
      },
    },
    Array.from({ length: size }, (_, index) => {
      const seen = new Date(newest - Math.floor(index / kinds.length) * 3_600_000);
      return {
        account_id: account!.id,
        kind: kinds[index % kinds.length],
        value_hash: crypto.getRandomValues(Buffer.alloc(16)),
        first_seen: seen,
        last_seen: seen,
      };
    }),
  );
}

function print(lanes: readonly Lane[]): void {
  const [smallest] = lanes;
  const rows = lanes.map((lane) => {
    const ratios = lane.rounds.map((value, round) => value / smallest!.rounds[round]!);
    return {
      identifiers: lane.size,
      firstMs: lane.firstMs,
      medianMs: median(lane.rounds),
      ratio: median(ratios),
      gatewayMs: lane.gatewayMs / lane.answered,
      postgresMs: lane.postgresMs / lane.answered,
      ratioByProcessorTime:
        (lane.gatewayMs + lane.postgresMs) /
        lane.answered /
        ((smallest!.gatewayMs + smallest!.postgresMs) / smallest!.answered),
      medianDelayMs: median(lane.delays),
      longestDelayMs: Math.max(...lane.delays),
    };
  });
  printTable(
    [
      'identifiers',
      'first ms',
      'ms',
      'ratio',
      'gateway ms',
      'postgres ms',
      'by CPU',
      'loop delay ms',
      'longest',
    ],
    rows.map((row) => [
      String(row.identifiers),
      row.firstMs.toFixed(1),
      row.medianMs.toFixed(2),
      row.ratio.toFixed(2),
      row.gatewayMs.toFixed(2),
      row.postgresMs.toFixed(2),
      row.ratioByProcessorTime.toFixed(2),
      row.medianDelayMs.toFixed(1),
      row.longestDelayMs.toFixed(1),
    ]),
  );
  const machine = describeMachine();
  console.log(
    `\nbars: ratio ≤ ${MAX_RATIO}, loop delay ≤ ${MAX_DELAY_MS} ms (median of the longest of each round)`,
  );
  console.log(`${machine}; ${rounds} rounds of ${requests} requests`);
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(
    new URL('account-history.json', RESULTS),
    JSON.stringify({ machine, rounds, requests, rows }, null, 2),
  );
}
