import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { newSecret } from '@vouchgraph/events/internals/webhooks/signature';
import { newId } from '@vouchgraph/platform/ids';
import { checkR1, R1 } from './support/account-reads.ts';
import { insertRows } from './support/bulk-insert.ts';
import { loadDataSet } from './support/data-set.ts';
import { type MixOptions, startLoad } from './support/load.ts';
import { type OpenLoopTurn, openLoopTurn, printOpenLoop, rateOf } from './support/open-loop.ts';
import { RESULTS, readOptions } from './support/options.ts';
import { start, stop } from './support/processes.ts';
import { familyMegabytes, residentMegabytes } from './support/processor-time.ts';
import { describeMachine, printTable } from './support/report.ts';
import { createSessionMaker } from './support/sessions.ts';
import { randomBelow } from './support/statistics.ts';
import { openIdleSubscribers } from './support/subscribers.ts';
import { type Workbench, withWorkbench } from './support/workbench.ts';
import { createWriteTraffic } from './support/write-traffic.ts';

/*
 * Mixed load of one gateway: 80 % R1, 20 % W1, 2,000 idle subscribers over WebSocket, and a webhook for every
 * session that W1 completes. First a closed loop for the peak, then an open loop at half of it and at 80 %:
 * requests start at random times, whether or not earlier ones are answered, and their latency counts from their
 * due time.
 */
const READS = 'R1 GraphQL';
const WRITES = 'W1 authenticate';
const MIX = [
  { lane: READS, share: 0.8 },
  { lane: WRITES, share: 0.2 },
];
const CONNECTIONS = 64;
const REQUESTS = 5000;
const SUBSCRIBERS = 2000;
/** More requests than a machine with two cores completes: the first turn has requests left over. */
const MAX_WRITES_PER_SECOND = 500;

const options = readOptions();
const seconds = options.quick ? 5 : 30;
await withWorkbench(options, async (bench) => {
  const makeSession = await createSessionMaker(bench.project);
  const { population } = await loadDataSet(bench, options.size, makeSession);
  const receiver = start(new URL('./support/webhooks/receiver-process.ts', import.meta.url));
  const [{ url: receiverUrl }] = (await once(receiver, 'message')) as [{ url: string }];
  await addEndpoint(bench, receiverUrl);
  const gateway = await bench.startGateway();
  const closeSubscribers = await openIdleSubscribers(gateway.url, bench.key, SUBSCRIBERS);
  const load = startLoad();
  try {
    const chosen = Array.from({ length: REQUESTS }, () => 1 + randomBelow(population.firstHubPartner - 1));
    const reads = chosen.map((n) => ({
      method: 'POST' as const,
      path: '/graphql',
      headers: { 'x-api-key': bench.key },
      body: { query: R1, variables: { id: population.personOf(n).accountId } },
    }));
    await load.setRequests(READS, gateway.url, reads);
    const traffic = createWriteTraffic(bench, population, makeSession);
    // W1 changes links, so that only the account itself is checked in R1.
    const lanes = [
      {
        name: READS,
        check: (index: number, body: string) => checkAccount(checkR1(population, chosen[index]!, body, true)),
      },
      { name: WRITES, check: (index: number, body: string) => traffic.check(index, body) },
    ];
    const mistakes: string[] = [];
    const turns: OpenLoopTurn[] = [];
    const memory: { name: string; gatewayMb: number; postgresMb: number }[] = [];
    const takeTurn = async (name: string, rate: number | null, length: number) => {
      const writes = rate === null ? MAX_WRITES_PER_SECOND : rate * 0.2 * 1.3;
      await load.setRequests(WRITES, gateway.url, await traffic.next(Math.ceil(writes * length) + 50));
      const mix: MixOptions = { connections: CONNECTIONS, seconds: length, rate };
      const results = await load.runMix(MIX, mix);
      const { turn, mistakes: found } = openLoopTurn(name, rate ?? rateOf(results), lanes, results);
      mistakes.push(...found);
      turns.push(turn);
      memory.push({
        name,
        gatewayMb: residentMegabytes(gateway.pid),
        postgresMb: familyMegabytes(bench.postgresPid),
      });
      return rateOf(results);
    };
    await takeTurn('warm-up, closed loop', null, Math.ceil(seconds / 3));
    const peak = await takeTurn('peak, closed loop', null, seconds);
    await takeTurn('50 % of the peak', peak * 0.5, seconds);
    await takeTurn('80 % of the peak', peak * 0.8, seconds);
    printReport(turns, memory, mistakes);
  } finally {
    await load.stop();
    await closeSubscribers();
    await stop(receiver);
  }
});

/** Writes of the same run link accounts by shared devices: links beyond those of the data set are correct. */
function checkAccount(mistake: string | null): string | null {
  return mistake !== null && /links instead of|is not of its ring|another's email/.test(mistake)
    ? null
    : mistake;
}

/** A webhook that receives every completed session. Only sandbox projects can use addresses of this machine. */
async function addEndpoint({ project, system }: Workbench, receiver: string): Promise<void> {
  await system.query({ name: 'bench.sandbox', text: `update projects set environment = 'sandbox'` }, []);
  const id = newId();
  const secret = project.cipher.encryptJson('webhook_endpoints', id, newSecret());
  await insertRows(
    { project, system },
    {
      name: 'webhook_endpoints',
      columns: { endpoint_id: 'uuid', url: 'text', secret: 'bytea', description: 'text' },
      computed: { event_types: `array['session.completed']` },
    },
    [{ endpoint_id: id, url: `${receiver}/ok/1`, secret, description: '' }],
  );
}

function printReport(
  turns: readonly OpenLoopTurn[],
  memory: readonly { name: string; gatewayMb: number; postgresMb: number }[],
  mistakes: readonly string[],
): void {
  printOpenLoop(turns);
  printTable(
    ['after', 'gateway MB (RSS)', 'PostgreSQL MB (PSS)'],
    memory.map(({ name, gatewayMb, postgresMb }) => [name, gatewayMb.toFixed(0), postgresMb.toFixed(0)]),
  );
  const errors = turns.reduce(
    (sum, { lanes }) => sum + lanes.reduce((of, lane) => of + lane.errors, 0),
    mistakes.length,
  );
  console.log(`\nerrors: ${errors} (bar: 0)`);
  const machine = describeMachine();
  console.log(`${machine}; ${options.size} accounts, ${SUBSCRIBERS} idle subscribers, turns of ${seconds} s`);
  mkdirSync(RESULTS, { recursive: true });
  const file = new URL('mixed.json', RESULTS);
  writeFileSync(file, JSON.stringify({ name: 'mixed', machine, options, turns, memory, mistakes }, null, 2));
  console.log(`written to ${file.pathname}`);
  for (const mistake of mistakes.slice(0, 10)) console.error(`WRONG  ${mistake}`);
  if (errors > 0) process.exitCode = 1;
}
