import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { checkR1, R1 } from './support/account-reads.ts';
import { loadDataSet } from './support/data-set.ts';
import type { Attack, FloodReply } from './support/flood/protocol.ts';
import { startLoad } from './support/load.ts';
import { RESULTS, readOptions } from './support/options.ts';
import { start, stop } from './support/processes.ts';
import { describeMachine, printTable } from './support/report.ts';
import { createSessionMaker } from './support/sessions.ts';
import { median, randomBelow } from './support/statistics.ts';
import { withWorkbench } from './support/workbench.ts';

/*
 * Five connections that send as much as the gateway reads, beside one client with another key that reads /livez and an
 * account by GraphQL, one request at a time. Each turn with an attack follows one without; the ratio of their medians
 * is the figure. A connection that the gateway closes connects again.
 */
const SOCKETS = 5;
const BAR = 2;
const REQUESTS = 500;
const ACCOUNTS = 2000;
const LIVEZ = '/livez';
const READ = 'GraphQL read';
const ATTACKS: readonly Attack[] = [
  'ping messages',
  'ping frames',
  'refused subscribes',
  'fragments of a byte',
  'before the ack',
  'pipelined /livez',
  'pipelined 404',
  'pipelined 401',
  'chunks of a byte',
  'refused event streams',
];

type Turn = { p50Ms: number; p99Ms: number };
type Row = { attack: Attack; lane: string; quiet: Turn[]; attacked: Turn[] };

const options = readOptions();
await withWorkbench(options, async (bench) => {
  const makeSession = await createSessionMaker(bench.project);
  const { population } = await loadDataSet(bench, Math.min(options.size, ACCOUNTS), makeSession);
  const attackersKey = await bench.createSandboxKey();
  const gateway = await bench.startGateway();
  const flood = start(new URL('./support/flood/flood-process.ts', import.meta.url));
  const load = startLoad();
  const mistakes: string[] = [];
  const rows: Row[] = [];
  const chosen = Array.from({ length: REQUESTS }, () => 1 + randomBelow(population.firstHubPartner - 1));
  const checks = new Map<string, (index: number, body: string) => string | null>([
    [LIVEZ, (_index, body) => (body === '{"status":"ok"}' ? null : 'not the answer of /livez')],
    [READ, (index, body) => checkR1(population, chosen[index]!, body, true)],
  ]);

  async function takeTurn(lane: string): Promise<Turn> {
    const result = await load.run(lane, 1, options.seconds);
    if (result.failures > 0) mistakes.push(`${lane}: ${result.failures} failures`);
    for (const { index, body } of result.samples) {
      const mistake = checks.get(lane)!(index, body);
      if (mistake !== null) mistakes.push(`${lane}: ${mistake}`);
    }
    return result;
  }

  async function underAttack(attack: Attack, work: () => Promise<Turn>): Promise<Turn> {
    const { hostname: host, port } = gateway.url;
    flood.send({ kind: 'start', attack, sockets: SOCKETS, host, port: Number(port), key: attackersKey });
    await delay(200);
    const turn = await work();
    flood.send({ kind: 'stop' });
    const [reply] = (await once(flood, 'message')) as [FloodReply];
    console.log(`${attack}: ${reply.opened} connections, ${(reply.sentBytes / 2 ** 20).toFixed(1)} MB sent`);
    mistakes.push(...reply.mistakes.map((text) => `${attack}: ${text}`));
    if (reply.sentBytes === 0) mistakes.push(`${attack}: nothing was sent`);
    return turn;
  }

  try {
    await load.setRequests(LIVEZ, gateway.url, [{ method: 'GET', path: LIVEZ }]);
    const reads = chosen.map((n) => ({
      method: 'POST' as const,
      path: '/graphql',
      headers: { 'x-api-key': bench.key },
      body: { query: R1, variables: { id: population.personOf(n).accountId } },
    }));
    await load.setRequests(READ, gateway.url, reads);
    for (const lane of checks.keys()) await takeTurn(lane);
    for (const attack of ATTACKS.filter((name) => isChosen(name))) {
      for (const lane of checks.keys()) {
        const row: Row = { attack, lane, quiet: [], attacked: [] };
        for (let round = 0; round < options.rounds; round += 1) {
          row.quiet.push(await takeTurn(lane));
          row.attacked.push(await underAttack(attack, () => takeTurn(lane)));
        }
        rows.push(row);
        console.log(`${attack}, ${lane}: ${ratioOf(row).toFixed(2)}`);
      }
    }
    printResults(rows, mistakes);
  } finally {
    await stop(flood);
    await load.stop();
  }
});

function isChosen(attack: Attack): boolean {
  const { lanes = [] } = options;
  return lanes.length === 0 || lanes.some((name) => attack.startsWith(name));
}

function ratioOf({ quiet, attacked }: Row): number {
  return median(attacked.map(({ p50Ms }, round) => p50Ms / quiet[round]!.p50Ms));
}

function printResults(rows: readonly Row[], mistakes: readonly string[]): void {
  const of = (turns: readonly Turn[], key: keyof Turn) => median(turns.map((turn) => turn[key])).toFixed(2);
  printTable(
    ['attack', 'client', 'p50 ms', 'attacked', 'p99 ms', 'attacked', 'ratio of p50', 'bar', ''],
    rows.map((row) => [
      row.attack,
      row.lane,
      of(row.quiet, 'p50Ms'),
      of(row.attacked, 'p50Ms'),
      of(row.quiet, 'p99Ms'),
      of(row.attacked, 'p99Ms'),
      ratioOf(row).toFixed(2),
      `≤ ${BAR}`,
      ratioOf(row) <= BAR ? 'met' : 'MISSED',
    ]),
  );
  const machine = describeMachine();
  console.log(`\n${machine}; ${SOCKETS} connections, ${options.rounds} rounds of ${options.seconds} s`);
  mkdirSync(RESULTS, { recursive: true });
  const file = new URL('flood.json', RESULTS);
  writeFileSync(file, JSON.stringify({ name: 'flood', machine, options, rows, mistakes }, null, 2));
  console.log(`written to ${file.pathname}`);
  for (const mistake of mistakes.slice(0, 10)) console.error(`WRONG  ${mistake}`);
  if (mistakes.length > 0) process.exitCode = 1;
}
