import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { createClient } from 'graphql-ws';
import pg from 'pg';
import { Agent, request } from 'undici';
import { WebSocket } from 'ws';
import { RESULTS } from './support/options.ts';
import type { ServerProcess } from './support/processes.ts';
import { describeMachine, printTable } from './support/report.ts';
import { COUNTS_STATEMENTS } from './support/statement-costs.ts';
import { quantile } from './support/statistics.ts';
import { type Workbench, withWorkbench } from './support/workbench.ts';

/*
 * Cost of numbering events, and its delay. Two gateways share one PostgreSQL with pg_stat_statements; the first is the
 * relay, and all requests go to the second.
 *
 *   load   2,000 authenticates by 8 clients: calls, planning, execution and WAL of the relay's statements
 *   idle   statements a second without requests
 *   lone   one event after a quiet time: from the commit (by the server's own record of it) to a subscriber at either gateway
 *
 * `--gaps 30x10,70x2` are 30 events after 10 seconds each, then 70 after 2.
 */
const { values } = parseArgs({
  options: {
    authenticates: { type: 'string', default: '2000' },
    idle: { type: 'string', default: '20' },
    days: { type: 'string', default: '30' },
    gaps: { type: 'string', default: '30x10,70x2' },
  },
});
const AUTHENTICATES = Number(values.authenticates);
/** Past days with events, each in a partition of its own, as with the default retention. */
const DAYS = Number(values.days);
const EVENTS_PER_DAY = 3000;
const IDLE_SECONDS = Number(values.idle);
const GAPS = values.gaps
  .split(',')
  .map((text) => text.split('x').map(Number) as [count: number, seconds: number]);
const CLIENTS = 8;
const MAX_P99_MS = 120;

const SETTINGS = {
  ...COUNTS_STATEMENTS,
  track_commit_timestamp: 'on',
};

/** Statements of the relay by their content. */
const RELAY_STATEMENTS: readonly [name: string, pattern: RegExp][] = [
  ['number events', /insert into outbox_positions as p/],
  ['notify', /^select (pg_notify|set_config\(.*pg_notify)/],
  ['become the relay', /pg_try_advisory_lock\(hashtext/],
];
const nameOf = (query: string) => RELAY_STATEMENTS.find(([, pattern]) => pattern.test(query))?.[0] ?? null;

type Statistics = {
  query: string;
  calls: number;
  plans: number;
  planMs: number;
  execMs: number;
  /** Of the fastest execution: on a busy machine the others wait for a processor. */
  fastestMs: number;
  walBytes: number;
};

async function readStatistics(owner: pg.Client): Promise<Statistics[]> {
  const { rows } = await owner.query(
    `select query, sum(calls)::float8 as calls, sum(plans)::float8 as plans, sum(total_plan_time) as "planMs",
       sum(total_exec_time) as "execMs", min(min_exec_time) as "fastestMs", sum(wal_bytes)::float8 as "walBytes"
     from pg_stat_statements s join pg_roles r on r.oid = s.userid
     where dbid = (select oid from pg_database where datname = current_database()) and not r.rolsuper
     group by query`,
  );
  return rows;
}

/** Events of earlier days, numbered: the statements of a gateway that has run for a month meet these partitions. */
async function addHistory({ project }: Workbench, owner: pg.Client): Promise<void> {
  for (let day = DAYS; day >= 1; day -= 1) {
    const dateOf = (ago: number) => new Date(Date.now() - ago * 86_400_000).toISOString().slice(0, 10);
    const date = dateOf(day);
    const partition = `outbox_events_${date.replaceAll('-', '')}`;
    await owner.query(
      `create table ${partition} partition of outbox_events for values from ('${date} 00:00:00+00') to ('${dateOf(day - 1)} 00:00:00+00')`,
    );
    await owner.query(
      `with added as (
         insert into outbox_events (project_id, created_at, event_id, write_id, place, type, session_id, account_id, payload)
         select $1, $2::timestamptz + make_interval(secs => n * 28), gen_random_uuid(),
           nextval('outbox_unnumbered_writes_write_id_seq'), 0, 'session.completed', gen_random_uuid(), gen_random_uuid(),
           decode(repeat(replace(gen_random_uuid()::text, '-', ''), 60), 'hex')
         from generate_series(1, ${EVENTS_PER_DAY}) n
         returning write_id, created_at
       )
       insert into outbox_writes (project_id, first_position, write_id, created_from, created_to, events)
       select $1, $3::bigint + row_number() over (order by write_id), write_id, created_at, created_at, 1 from added`,
      [project.projectId, `${date}T00:00:00Z`, (DAYS - day) * EVENTS_PER_DAY],
    );
  }
  await owner.query('insert into outbox_positions (project_id, position) values ($1, $2)', [
    project.projectId,
    DAYS * EVENTS_PER_DAY,
  ]);
  await owner.query('vacuum analyze');
  console.log(`${DAYS * EVENTS_PER_DAY} events of ${DAYS} past days`);
}

const agent = new Agent({ allowH2: false, connections: CLIENTS });

async function post(
  gateway: ServerProcess,
  key: string,
  path: string,
  body: object,
): Promise<{ session_id: string }> {
  const answer = await request(new URL(path, gateway.url), {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
    dispatcher: agent,
  });
  const text = await answer.body.text();
  if (answer.statusCode !== 200) throw new Error(`${path}: ${answer.statusCode} ${text}`);
  return JSON.parse(text);
}

/** Each person at home: few share a network. */
const addressOf = (index: number) =>
  `${80 + (index % 12)}.${index % 251}.${(index * 7) % 241}.${(index * 13) % 239}`;

async function authenticateMany(
  gateway: ServerProcess,
  key: string,
  count: number,
  prefix: string,
): Promise<void> {
  let next = 0;
  const client = async () => {
    while (next < count) {
      next += 1;
      const id = `${prefix}-${next}`;
      const { session_id } = await post(gateway, key, '/session', {
        ip_address: addressOf(next),
      });
      await post(gateway, key, '/session/authenticate', {
        session_id,
        account: { id, email: `${id}@example.com` },
      });
    }
  };
  await Promise.all(Array.from({ length: CLIENTS }, client));
}

async function settled(owner: pg.Client): Promise<void> {
  for (;;) {
    const { rows } = await owner.query('select 1 from outbox_unnumbered_writes limit 1');
    if (rows.length === 0) return;
    await delay(50);
  }
}

type Line = { name: string } & Omit<Statistics, 'query'>;

function sumByName(statistics: readonly Statistics[]): Line[] {
  const lines = RELAY_STATEMENTS.map(([name]) => ({
    name,
    calls: 0,
    plans: 0,
    planMs: 0,
    execMs: 0,
    fastestMs: Number.POSITIVE_INFINITY,
    walBytes: 0,
  }));
  for (const each of statistics) {
    const line = lines.find(({ name }) => name === nameOf(each.query));
    if (!line) continue;
    for (const key of ['calls', 'plans', 'planMs', 'execMs', 'walBytes'] as const) line[key] += each[key];
    line.fastestMs = Math.min(line.fastestMs, each.fastestMs);
  }
  return lines.filter(({ calls }) => calls > 0);
}

async function measureLoad(owner: pg.Client, gateway: ServerProcess, key: string) {
  await authenticateMany(gateway, key, Math.max(50, AUTHENTICATES / 10), 'warm');
  await settled(owner);
  const count = async () => Number((await owner.query('select count(*) from outbox_events')).rows[0].count);
  const before = await count();
  await owner.query('select pg_stat_statements_reset()');
  const startedAt = performance.now();
  await authenticateMany(gateway, key, AUTHENTICATES, 'load');
  const seconds = (performance.now() - startedAt) / 1000;
  await settled(owner);
  const statistics = await readStatistics(owner);
  const events = (await count()) - before;
  const allMs = statistics.reduce((sum, { planMs, execMs }) => sum + planMs + execMs, 0);
  const lines = sumByName(statistics);
  printTable(
    [
      'relay under load',
      'calls',
      'calls/s',
      'plans',
      'plan ms a call',
      'exec ms a call',
      'exec ms of the fastest',
      'WAL bytes a call',
      'WAL bytes an event',
      'share of database time',
    ],
    lines.map(({ name, calls, plans, planMs, execMs, fastestMs, walBytes }) => [
      name,
      String(calls),
      (calls / seconds).toFixed(1),
      String(plans),
      (planMs / calls).toFixed(2),
      (execMs / calls).toFixed(2),
      fastestMs.toFixed(2),
      (walBytes / calls).toFixed(0),
      (walBytes / events).toFixed(0),
      `${(((planMs + execMs) / allMs) * 100).toFixed(1)} %`,
    ]),
  );
  console.log(
    `${AUTHENTICATES} authenticates in ${seconds.toFixed(1)} s, ${events} events, all statements ${allMs.toFixed(0)} ms\n`,
  );
  return { seconds, events, allMs, lines };
}

async function measureIdle(owner: pg.Client) {
  await delay(5000);
  await owner.query('select pg_stat_statements_reset()');
  await delay(IDLE_SECONDS * 1000);
  const statistics = await readStatistics(owner);
  const perSecond = statistics
    .map(({ query, calls }) => ({
      name: nameOf(query) ?? query.replaceAll(/\s+/g, ' ').slice(0, 90),
      isRelay: nameOf(query) !== null,
      rate: calls / IDLE_SECONDS,
    }))
    .toSorted((a, b) => b.rate - a.rate);
  const sum = (rows: typeof perSecond) => rows.reduce((all, { rate }) => all + rate, 0);
  const all = sum(perSecond);
  const relay = sum(perSecond.filter(({ isRelay }) => isRelay));
  printTable(
    ['two idle gateways', 'statements a second'],
    [
      ...perSecond.slice(0, 30).map(({ name, rate }) => [name, rate.toFixed(2)]),
      ['ALL', all.toFixed(2)],
      ['of the relay', relay.toFixed(2)],
    ],
  );
  return { all, relay, perSecond };
}

/** Arrival times of sessions' events at a gateway, in milliseconds of the wall clock. */
async function subscribe(gateway: ServerProcess, key: string) {
  const arrivals = new Map<string, number>();
  const client = createClient({
    url: `${gateway.url.toString().replace('http', 'ws')}graphql`,
    webSocketImpl: WebSocket,
    connectionParams: { 'x-api-key': key },
    lazy: false,
  });
  client.subscribe(
    { query: 'subscription { events { type sessionId } }' },
    {
      next: ({ data }) => {
        const { sessionId } = (data as { events: { sessionId: string } }).events;
        if (!arrivals.has(sessionId)) arrivals.set(sessionId, performance.timeOrigin + performance.now());
      },
      error: (error) => console.error(error),
      complete: () => {},
    },
  );
  return { arrivals, close: () => client.dispose() };
}

/** Milliseconds from a bare NOTIFY to its listener in this process: what the machine and PostgreSQL take by themselves. */
async function openPing(owner: pg.Client, { superuserUrl }: Workbench) {
  const listener = new pg.Client({ connectionString: superuserUrl });
  await listener.connect();
  await listener.query('listen bench_ping');
  return {
    async measure(): Promise<number> {
      const arrived = once(listener, 'notification');
      const sentAt = performance.now();
      await owner.query('notify bench_ping');
      await arrived;
      return performance.now() - sentAt;
    },
    close: () => listener.end(),
  };
}

function lineOf(name: string, values: readonly number[]) {
  const sorted = values.toSorted((a, b) => a - b);
  const at = (share: number) => quantile(sorted, share);
  return { name, count: sorted.length, p50: at(0.5), p90: at(0.9), p99: at(0.99), max: sorted.at(-1)! };
}

async function measureLone(bench: Workbench, owner: pg.Client, gateways: readonly ServerProcess[]) {
  const { key } = bench;
  const [, writer] = gateways as [ServerProcess, ServerProcess];
  const subscribers = await Promise.all(gateways.map((gateway) => subscribe(gateway, key)));
  await delay(2000);
  const ping = await openPing(owner, bench);
  const all: number[] = [];
  const pings: number[] = [];
  const results: ReturnType<typeof lineOf>[] = [];
  // As in gateways that have run for a while: their connections have prepared their statements.
  for (let index = 0; index < 15; index += 1) {
    await post(writer, key, '/session', { ip_address: '81.2.69.142' });
    await delay(500);
  }
  for (const [count, gap] of GAPS) {
    const delays: number[] = [];
    for (let index = 0; index < count; index += 1) {
      // Out of step with everything that runs once a second.
      await delay(gap * 1000 + Math.random() * 1000);
      pings.push(await ping.measure());
      const { session_id } = await post(writer, key, '/session', { ip_address: '81.2.69.142' });
      for (const { arrivals } of subscribers) while (!arrivals.has(session_id)) await delay(1);
      const { rows } = await owner.query(
        `select extract(epoch from pg_xact_commit_timestamp(xmin)) * 1000 as at from sessions where session_id = $1`,
        [session_id],
      );
      for (const { arrivals } of subscribers) delays.push(arrivals.get(session_id)! - Number(rows[0].at));
    }
    all.push(...delays);
    results.push(lineOf(`after ${gap} s`, delays));
  }
  results.push(lineOf('all', all), lineOf('a bare NOTIFY, for comparison', pings));
  printTable(
    [`lone events, limit of p99 ${MAX_P99_MS} ms`, 'arrivals', 'p50 ms', 'p90 ms', 'p99 ms', 'max ms'],
    results.map(({ name, count, p50, p90, p99, max }) => [
      name,
      String(count),
      ...[p50, p90, p99, max].map((value) => value.toFixed(1)),
    ]),
  );
  await ping.close();
  await Promise.all(subscribers.map(({ close }) => close()));
  return results;
}

async function run(bench: Workbench): Promise<void> {
  const { system, key } = bench;
  await system.query({ name: 'bench.sandbox', text: `update projects set environment = 'sandbox'` }, []);
  const owner = new pg.Client({ connectionString: bench.superuserUrl });
  await owner.connect();
  await owner.query('create extension pg_stat_statements');
  if (DAYS > 0) await addHistory(bench, owner);
  const gateways = [await bench.startGateway(), await bench.startGateway()];
  const load = AUTHENTICATES > 0 ? await measureLoad(owner, gateways[1]!, key) : null;
  const idle = IDLE_SECONDS > 0 ? await measureIdle(owner) : null;
  const lone = await measureLone(bench, owner, gateways);
  console.log(`\n${describeMachine()}`);
  mkdirSync(RESULTS, { recursive: true });
  const target = new URL('relay.json', RESULTS);
  writeFileSync(target, JSON.stringify({ machine: describeMachine(), load, idle, lone }, null, 2));
  console.log(`written to ${target.pathname}`);
  await owner.end();
  await agent.close();
}

const options = { size: 0, rounds: 1, seconds: 1, quick: true, profileFolder: null };
await withWorkbench(options, run, SETTINGS);
