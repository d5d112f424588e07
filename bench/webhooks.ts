import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import type { EventType } from '@vouchgraph/events/internals/catalogue/event-type';
import { eventBody } from '@vouchgraph/events/internals/event-body';
import { outboxEvent } from '@vouchgraph/events/internals/outbox-event';
import { newSecret, signedHeaders } from '@vouchgraph/events/internals/webhooks/signature';
import { newId } from '@vouchgraph/platform/ids';
import pg from 'pg';
import { Agent, request } from 'undici';
import { insertEventsCall } from '../src/domain/events/insert-events-store.ts';
import { NOTIFY_WRITTEN } from '../src/domain/events/outbox-store.ts';
import { insertRows } from './support/bulk-insert.ts';
import { RESULTS, readOptions } from './support/options.ts';
import { start, stop } from './support/processes.ts';
import { familyTime, processTime } from './support/processor-time.ts';
import { describeMachine, printTable } from './support/report.ts';
import { spreadOf } from './support/statistics.ts';
import type { Reached, Target } from './support/webhooks/protocol.ts';
import { type Workbench, withWorkbench } from './support/workbench.ts';

const STANDARD = { signatureFormat: 'standard', signatureKey: 'text' } as const;

/*
 * H1: deliveries per second to 100 endpoints, of which 10 fail and one hangs, compared in the same run with a
 * bare loop that claims rows, signs and POSTs them without retries or a record of attempts (the limit). And the
 * additional delay of the healthy receivers compared with a run in which all are healthy. Processor time is
 * that of the sending process and of PostgreSQL, which a busy machine does not affect.
 */
const options = readOptions();
const ENDPOINTS = 100;
const FAILING = 10;
const HANGING = 1;
const EVENTS = options.quick ? 30 : 300;
/** Each has three events by default, which are sent one after the other. */
const ACCOUNTS = process.env.BENCH_ACCOUNTS === '0' ? 0 : EVENTS / 3;
const ROUNDS = Math.min(options.rounds, 5);
const BARS = { ratio: 0.5, slowed: 1.1 };
/** Prints the cost of the gateway's statements by pg_stat_statements, which has a cost itself. */
const SHOWS_STATEMENTS = process.env.BENCH_STATEMENTS === '1';
const CONCURRENCY = 64;
const CLAIMED = 200;

type Kind = 'ok' | 'fail' | 'hang';
const kindOf = (index: number): Kind =>
  index < HANGING ? 'hang' : index < HANGING + FAILING ? 'fail' : 'ok';
/** Each set of endpoints receives its own event type. */
const SETS = { healthy: 'rule.custom', mixed: 'rule.triggered' } as const satisfies Record<string, EventType>;

const now = () => performance.timeOrigin + performance.now();

async function addEndpoints({ project, system }: Workbench, receiver: string): Promise<void> {
  await system.query({ name: 'bench.sandbox', text: `update projects set environment = 'sandbox'` }, []);
  for (const [set, type] of Object.entries(SETS)) {
    const endpoints = Array.from({ length: ENDPOINTS }, (_, index) => {
      const id = newId();
      const kind = set === 'healthy' ? 'ok' : kindOf(index);
      const secret = project.cipher.encryptJson('webhook_endpoints', id, newSecret());
      return { endpoint_id: id, url: `${receiver}/${kind}/${index}`, secret, description: type };
    });
    await insertRows(
      { project, system },
      {
        name: 'webhook_endpoints',
        columns: { endpoint_id: 'uuid', url: 'text', secret: 'bytea', description: 'text' },
        computed: { event_types: 'array[given.description]' },
      },
      endpoints,
    );
  }
}

const dataOf = (index: number) => ({
  rule: `rule ${index}`,
  accountId: `account-${index}`,
  scores: { account: 0.71, bot: 0.2, multipleAccounts: 0.4, email: 0.33 },
  countries: ['DE', 'AT', 'CH'],
  text: 'x'.repeat(600),
});

/** Starts with the commit of all events. */
async function ours(
  bench: Workbench,
  receiver: ChildProcess,
  set: keyof typeof SETS,
): Promise<Reached & { begun: number; deliveries: number }> {
  const { project } = bench;
  const failing = set === 'mixed' ? FAILING : 0;
  const healthy = ENDPOINTS - failing - (set === 'mixed' ? HANGING : 0);
  const reached = await expecting(receiver, { healthy: healthy * EVENTS, failing: failing * EVENTS });
  const at = new Date();
  const accounts = Array.from({ length: ACCOUNTS }, () => newId());
  const events = Array.from({ length: EVENTS }, (_, index) => ({
    ...outboxEvent(project.cipher, SETS[set], null, dataOf(index) as never, at),
    accountId: accounts[index % ACCOUNTS] ?? null,
  }));
  await bench.system.query(...insertEventsCall(project.projectId, events, { requestId: null, now: at }));
  await bench.system.query(NOTIFY_WRITTEN, []);
  const begun = now();
  return { ...(await reached()), begun, deliveries: (healthy + failing) * EVENTS };
}

/** Sets the expected deliveries of a receiver, and waits for them. */
async function expecting(receiver: ChildProcess, target: Target): Promise<() => Promise<Reached>> {
  const ready = once(receiver, 'message');
  receiver.send(target);
  await ready;
  const done = once(receiver, 'message');
  return async () => ((await done) as [Reached])[0];
}

/** Claims rows, signs and sends them, and deletes them. */
async function limit(owner: pg.Client, receiver: ChildProcess, url: string): Promise<number> {
  const count = ENDPOINTS * EVENTS;
  const secret = newSecret();
  const bodies = Array.from({ length: EVENTS }, (_, index) =>
    eventBody({
      id: newId(),
      type: 'rule.custom',
      position: index,
      createdAt: new Date(),
      projectId: newId(),
      sessionId: null,
      referringSessionId: null,
      requestId: null,
      accountId: null,
      facts: dataOf(index),
    }),
  );
  await owner.query('truncate bench_queue');
  await owner.query(
    `insert into bench_queue (endpoint, body) select e, b from unnest($1::text[]) b, generate_series(1, ${ENDPOINTS}) e`,
    [bodies],
  );
  const reached = await expecting(receiver, { healthy: count, failing: 0 });
  const agent = new Agent({ allowH2: false });
  const begun = now();
  for (;;) {
    const { rows } = await owner.query({
      name: 'claim',
      text: `update bench_queue set taken = true where id in (
               select id from bench_queue where not taken order by id limit ${CLAIMED} for update skip locked
             ) returning id, endpoint, body`,
    });
    if (rows.length === 0) break;
    const left = [...rows];
    const worker = async () => {
      for (let row = left.pop(); row; row = left.pop()) {
        const message = { id: newId(), type: 'rule.custom', body: row.body };
        const headers = signedHeaders(message, [secret], STANDARD, new Date());
        const answer = await request(`${url}/ok/${row.endpoint}`, {
          method: 'POST',
          headers,
          body: row.body,
          dispatcher: agent,
        });
        await answer.body.dump();
      }
    };
    await Promise.all(Array.from({ length: CONCURRENCY }, worker));
    await owner.query({
      name: 'ack',
      text: 'delete from bench_queue where id = any($1)',
      values: [rows.map(({ id }) => id)],
    });
  }
  const { healthyAt } = await reached();
  await agent.close();
  return count / ((healthyAt - begun) / 1000);
}

/** Processor time of statements per delivery since the last call. */
async function printStatements(owner: pg.Client, deliveries: number): Promise<void> {
  const { rows } = await owner.query(
    `select left(regexp_replace(query, '\\s+', ' ', 'g'), 70) as query, calls::int, rows::int, total_plan_time * 1000 as plan,
       total_exec_time * 1000 as exec, wal_bytes::float8 as wal
     from pg_stat_statements order by total_plan_time + total_exec_time desc limit 16`,
  );
  printTable(
    ['statement', 'calls', 'rows', 'plan µs a delivery', 'exec µs a delivery', 'WAL bytes a delivery'],
    rows.map(({ query, calls, rows: count, plan, exec, wal }) => [
      query,
      String(calls),
      String(count),
      ...[plan, exec, wal].map((value) => (value / deliveries).toFixed(1)),
    ]),
  );
  await owner.query('select pg_stat_statements_reset()');
}

const SETTINGS: Record<string, string> = SHOWS_STATEMENTS
  ? { shared_preload_libraries: 'pg_stat_statements', 'pg_stat_statements.track_planning': 'on' }
  : {};

await withWorkbench(
  options,
  async (bench) => {
    const receiver = start(new URL('./support/webhooks/receiver-process.ts', import.meta.url));
    const [{ url }] = (await once(receiver, 'message')) as [{ url: string }];
    const owner = new pg.Client({ connectionString: bench.environment.DATABASE_URL });
    // Closed by the server after another failure, which was already reported.
    owner.on('error', () => {});
    await owner.connect();
    await owner.query(
      'create table bench_queue (id bigserial primary key, endpoint int, body text, taken bool default false)',
    );
    const statements = SHOWS_STATEMENTS ? new pg.Client({ connectionString: bench.superuserUrl }) : null;
    await statements?.connect();
    await statements?.query('create extension pg_stat_statements');
    await addEndpoints(bench, url);
    bench.environment.WEBHOOK_ALLOW_LOOPBACK = '1';
    const gateway = await bench.startGateway();
    const spentBy = (pid: number) => processTime(pid) + familyTime(bench.postgresPid);

    const rates = { limit: [] as number[], mixed: [] as number[], healthy: [] as number[] };
    const slowed: number[] = [];
    const spent = { limit: [] as number[], mixed: [] as number[] };
    // The first turn of each is a warm-up and is not counted.
    for (let round = 0; round <= ROUNDS; round += 1) {
      const before = [spentBy(process.pid)];
      const limitRate = await limit(owner, receiver, url);
      before.push(spentBy(process.pid));
      const healthy = await ours(bench, receiver, 'healthy');
      before.push(spentBy(gateway.pid));
      if (statements) await statements.query('select pg_stat_statements_reset()');
      const mixed = await ours(bench, receiver, 'mixed');
      before.push(spentBy(gateway.pid));
      if (statements) await printStatements(statements, mixed.deliveries);
      // Failed and hanging deliveries would be retried in the next round.
      await truncate(owner);
      if (round === 0) continue;
      const rateOf = ({ allAt, begun, deliveries }: typeof mixed) => deliveries / ((allAt - begun) / 1000);
      spent.limit.push((before[1]! - before[0]!) / (ENDPOINTS * EVENTS));
      spent.mixed.push((before[3]! - before[2]!) / mixed.deliveries);
      rates.limit.push(limitRate);
      rates.healthy.push(rateOf(healthy));
      rates.mixed.push(rateOf(mixed));
      // Per delivery: the mixed set has fewer healthy receivers, who share the gateway with the failing ones.
      slowed.push(
        (mixed.allAt - mixed.begun) /
          mixed.deliveries /
          ((healthy.allAt - healthy.begun) / healthy.deliveries),
      );
    }
    const ratios = rates.mixed.map((rate, round) => rate / rates.limit[round]!);
    const spentRatios = spent.mixed.map((time, round) => spent.limit[round]! / time);
    const shown = (name: string, values: readonly number[], digits: number, bar = '') => {
      const { median, min, max } = spreadOf(values);
      return [name, median.toFixed(digits), `${min.toFixed(digits)}..${max.toFixed(digits)}`, bar];
    };
    printTable(
      [`${ENDPOINTS * EVENTS} deliveries to ${ENDPOINTS} endpoints`, 'median', 'min..max', 'bar'],
      [
        shown('bare loop (limit), deliveries/s', rates.limit, 0),
        shown('all healthy, deliveries/s', rates.healthy, 0),
        shown('10 failing, 1 hanging, deliveries/s', rates.mixed, 0),
        shown('ratio to the limit', ratios, 3, `≥ ${BARS.ratio}`),
        shown('bare loop, processor µs a delivery', spent.limit, 0),
        shown('10 failing, 1 hanging, processor µs a delivery', spent.mixed, 0),
        shown('ratio by processor time', spentRatios, 3),
        shown('slowed by those that fail and hang', slowed, 3, `≤ ${BARS.slowed}`),
      ],
    );
    const machine = describeMachine();
    console.log(`\n${machine}; ${ROUNDS} rounds`);
    mkdirSync(RESULTS, { recursive: true });
    writeFileSync(
      new URL('webhooks.json', RESULTS),
      `${JSON.stringify({ machine, rates, ratios, spent, spentRatios, slowed, bars: BARS }, null, 2)}\n`,
    );
    await owner.end();
    await statements?.end();
    await stop(receiver);
  },
  SETTINGS,
);

/** The gateway may use one of the tables: a transaction that the server aborts is retried. */
async function truncate(owner: pg.Client): Promise<void> {
  for (;;) {
    try {
      await owner.query('truncate webhook_deliveries, webhook_attempts, webhook_bodies');
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== '40P01') throw error;
    }
  }
}
