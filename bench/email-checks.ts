import { newId } from '@vouchgraph/platform/ids';
import { createClient } from 'graphql-sse';
import { Agent, request } from 'undici';
import { insertRows } from './support/bulk-insert.ts';
import { type DataSet, loadDataSet } from './support/data-set.ts';
import { readOptions } from './support/options.ts';
import type { ServerProcess } from './support/processes.ts';
import { familyTime, processTime } from './support/processor-time.ts';
import { describeMachine, printTable } from './support/report.ts';
import { createSessionMaker } from './support/sessions.ts';
import { quantile, spreadOf } from './support/statistics.ts';
import { type Workbench, withWorkbench } from './support/workbench.ts';

/*
 * Email checks in a project with --size accounts (100,000 by default), without network lookups. Single checks:
 * the time from the request to the response with its result, as measured by a client on the same machine, one
 * after another and eight at once. Batches of 1,000: the time from POST to email.batch.completed at a
 * subscriber. Half of the addresses belong to accounts. Every result is compared with its address; for batches,
 * one result in each page.
 */
const MAX_SINGLE_MS = 50;
const MAX_BATCH_MS = 2000;
const BATCH = 1000;
const AT_ONCE = 8;

const options = readOptions();
const SINGLES = options.quick ? 200 : 2000;
const BATCHES = options.quick ? 3 : 10;
process.env.MX_LOOKUPS = 'off';

type Address = { readonly email: string; readonly isKnown: boolean };
// biome-ignore lint/suspicious/noExplicitAny: bodies are checked by their values
type Body = any;

/** Addresses without earlier checks; every other one belongs to an account. */
function createAddresses({ population, ids }: DataSet): () => Address {
  let made = 0;
  return () => {
    made += 1;
    const account = (made * 7919) % ids.length;
    if (made % 2 === 0) return { email: population.personOf(account).email, isKnown: true };
    return { email: `visitor.${newId().slice(-12)}@mail${made % 3001}.example.com`, isKnown: false };
  };
}

function checkResult(result: Body, { email, isKnown }: Address): void {
  const { status, data } = result;
  const isRight =
    status === 'success' &&
    data.input.email === email &&
    typeof data.result.risk_score === 'number' &&
    data.result.risk_signals.length + data.result.trust_signals.length >= 0 &&
    (data.result.email.first_seen_at !== null) === isKnown;
  if (!isRight) throw new Error(`wrong result of ${email}: ${JSON.stringify(result).slice(0, 500)}`);
}

await withWorkbench(options, async (bench) => {
  const data = await loadDataSet(bench, options.size, await createSessionMaker(bench.project));
  await addEndpoint(bench);
  const gateway = await bench.startGateway();
  const agent = new Agent({ connections: AT_ONCE, pipelining: 1 });
  const nextAddress = createAddresses(data);

  async function call(method: 'GET' | 'POST', path: string, body?: unknown): Promise<Body> {
    const answer = await request(new URL(path, gateway.url), {
      method,
      dispatcher: agent,
      headers: { 'x-api-key': bench.key, 'content-type': 'application/json' },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await answer.body.text();
    if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text.slice(0, 500)}`);
    return JSON.parse(text);
  }

  async function askOne(): Promise<number> {
    const address = nextAddress();
    const began = performance.now();
    const { result } = await call('POST', '/email?wait=10', { email: address.email });
    const took = performance.now() - began;
    checkResult(result, address);
    return took;
  }

  async function singles(lanes: number): Promise<Float64Array> {
    const times: number[] = [];
    const lane = async () => {
      for (let count = 0; count < SINGLES / lanes; count += 1) times.push(await askOne());
    };
    await Promise.all(Array.from({ length: lanes }, lane));
    return Float64Array.from(times).sort();
  }

  for (let warm = 0; warm < 300; warm += 1) await askOne();
  const lanes = [];
  for (const count of [1, AT_ONCE]) lanes.push(await measured(bench, gateway, SINGLES, () => singles(count)));

  const events = subscribe(gateway, bench);
  await events.isOpen;
  const runBatch = () => oneBatch(call, nextAddress, events);
  await runBatch();
  const batches = await measured(bench, gateway, BATCHES, async () => {
    const times = [];
    for (let count = 0; count < BATCHES; count += 1) times.push(await runBatch());
    return times;
  });
  const longestMs = await gateway.takeLoopDelay();
  events.close();
  await agent.close();

  console.log(describeMachine());
  printTable(
    ['single answers', 'p50 ms', 'p99 ms', 'longest ms', 'SQL', 'gateway ms', 'postgres ms'],
    lanes.map(({ result, ...costs }, index) => [
      index === 0 ? 'one after another' : `${AT_ONCE} at once`,
      ...[quantile(result, 0.5), quantile(result, 0.99), result.at(-1)!].map((ms) => ms.toFixed(1)),
      ...costsOf(costs),
    ]),
  );
  const spread = spreadOf(batches.result);
  printTable(
    [
      `batches of ${BATCH}`,
      'median ms',
      'fastest ms',
      'slowest ms',
      'SQL',
      'gateway ms',
      'postgres ms',
      'loop held ms',
    ],
    [
      [
        String(BATCHES),
        ...[spread.median, spread.min, spread.max].map((ms) => ms.toFixed(0)),
        ...costsOf(batches),
        longestMs.toFixed(1),
      ],
    ],
  );
  const p99 = quantile(lanes[0]!.result, 0.99);
  console.log(`${p99 < MAX_SINGLE_MS ? 'met' : 'MISSED'}: p99 of single answers below ${MAX_SINGLE_MS} ms`);
  console.log(`${spread.max < MAX_BATCH_MS ? 'met' : 'MISSED'}: every batch below ${MAX_BATCH_MS} ms`);
});

type Call = (method: 'GET' | 'POST', path: string, body?: unknown) => Promise<Body>;

/** Milliseconds from POST to the event of a completed batch, whose results are read and compared afterwards. */
async function oneBatch(call: Call, nextAddress: () => Address, events: Events): Promise<number> {
  const addresses = Array.from({ length: BATCH }, nextAddress);
  const emails = addresses.map(({ email }) => ({ email }));
  const began = performance.now();
  const { batch_id } = await call('POST', '/email', { emails, batch_name: 'benchmark' });
  const completedAt = await events.completed(batch_id);
  const { results, ...head } = await call('GET', `/email/batch/${batch_id}?limit=${BATCH}`);
  if (head.status !== 'completed' || head.completed_count !== BATCH || results.length !== BATCH)
    throw new Error(`wrong batch: ${JSON.stringify(head)}`);
  for (const [index, result] of results.entries()) checkResult(result, addresses[index]!);
  return completedAt - began;
}

type Events = { isOpen: Promise<void>; completed(batchId: string): Promise<number>; close(): void };

/** A subscriber of completed batches. */
function subscribe({ url }: ServerProcess, { key }: Workbench): Events {
  const opened = Promise.withResolvers<void>();
  const seen = new Map<string, PromiseWithResolvers<number>>();
  const of = (id: string) => {
    const known = seen.get(id) ?? Promise.withResolvers<number>();
    seen.set(id, known);
    return known;
  };
  const client = createClient({
    url: new URL('/graphql', url).href,
    headers: { 'x-api-key': key },
    on: { connected: () => opened.resolve() },
  });
  const query = 'subscription { events(types: [EMAIL_BATCH_COMPLETED]) { data } }';
  const stop = client.subscribe(
    { query },
    {
      next: ({ data, errors }: Body) => {
        if (errors) throw new Error(JSON.stringify(errors));
        of(data.events.data.batch_id).resolve(performance.now());
      },
      error: (error) => {
        throw error;
      },
      complete: () => {},
    },
  );
  return {
    isOpen: opened.promise,
    completed: (id) => of(id).promise,
    close() {
      stop();
      client.dispose();
    },
  };
}

/** An endpoint receives the events of checks, so that deliveries are created too. */
async function addEndpoint(bench: Workbench): Promise<void> {
  const id = newId();
  await insertRows(
    bench,
    {
      name: 'webhook_endpoints',
      columns: { endpoint_id: 'uuid', url: 'text', secret: 'bytea' },
      computed: { event_types: `'{email.batch.completed}'`, state: `'paused'` },
    },
    [{ endpoint_id: id, url: 'https://receiver.example/', secret: Buffer.alloc(1) }],
  );
}

type Costs = { statements: number; gatewayMs: number; postgresMs: number };

/** Runs the work and returns its cost per unit: SQL statements, and processor time of the gateway and PostgreSQL. */
async function measured<T>(
  { postgresPid }: Workbench,
  gateway: ServerProcess,
  units: number,
  work: () => Promise<T>,
): Promise<{ result: T } & Costs> {
  await gateway.takeLoopDelay();
  const look = async () => ({
    statements: await gateway.countStatements(),
    gateway: processTime(gateway.pid),
    postgres: familyTime(postgresPid),
  });
  const before = await look();
  const result = await work();
  const after = await look();
  return {
    result,
    statements: (after.statements - before.statements) / units,
    gatewayMs: (after.gateway - before.gateway) / 1000 / units,
    postgresMs: (after.postgres - before.postgres) / 1000 / units,
  };
}

function costsOf({ statements, gatewayMs, postgresMs }: Costs): string[] {
  return [statements.toFixed(1), gatewayMs.toFixed(1), postgresMs.toFixed(1)];
}
