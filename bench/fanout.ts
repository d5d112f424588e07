import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { outboxEvent } from '@vouchgraph/events/internals/outbox-event';
import { insertEventsCall } from '../src/domain/events/insert-events-store.ts';
import { NOTIFY_WRITTEN } from '../src/domain/events/outbox-store.ts';
import {
  type Arrivals,
  commonNow,
  dataOf,
  QUERY,
  type ServerQuestion,
  type ServerState,
  type SubscriberQuestion,
  type SubscriberReply,
} from './support/fanout/protocol.ts';
import { RESULTS, readOptions } from './support/options.ts';
import { start, stop } from './support/processes.ts';
import { processTime } from './support/processor-time.ts';
import { describeMachine, printTable } from './support/report.ts';
import { median, shuffle, spreadOf } from './support/statistics.ts';
import { type Workbench, withWorkbench } from './support/workbench.ts';

/*
 * S1: one event to 10,000 subscribers over WebSocket (500 with --quick), beside one message to as many bare
 * sockets (the limit) and beside unmodified graphql-ws with a pub-sub. All servers run at the same time and
 * take turns; each has a separate process of subscribers. Events of the gateway are rows of its outbox, and
 * their time starts with the commit.
 */
const options = readOptions();
const SUBSCRIBERS = options.quick ? 500 : 10_000;
const EVENTS_PER_ROUND = 2;

const GATEWAY = new URL('./support/fanout/gateway-process.ts', import.meta.url);
const RAW = new URL('./support/fanout/raw-process.ts', import.meta.url);
const STOCK = new URL('./support/fanout/stock-process.ts', import.meta.url);
const MANY_SUBSCRIBERS = new URL('./support/fanout/subscribers-process.ts', import.meta.url);

/**
 * The rate is measured from publication; for servers that store events first, from the first arrival: the time
 * before it is part of p50.
 */
type Turn = { microseconds: number; perSecond: number; p50Ms: number; p99Ms: number; blockedMs: number };
type Lane = {
  name: string;
  server: ChildProcess;
  subscribers: ChildProcess;
  publish: (n: number) => Promise<void>;
  /** Whether published messages pass through the database. */
  isStored: boolean;
  kilobytesASocket: number;
  openedPerSecond: number;
  turns: Turn[];
  mistakes: string[];
};

async function ask<Answer>(
  child: ChildProcess,
  question: ServerQuestion | SubscriberQuestion,
): Promise<Answer> {
  const answered = once(child, 'message');
  child.send(question);
  return ((await answered) as [Answer])[0];
}
const look = (lane: Lane, collect = false) => ask<ServerState>(lane.server, { kind: 'look', collect });

async function openLane(
  name: string,
  process: { file: URL; env?: Record<string, string> },
  talk: { init: object; subscribe: object } | null,
  publish?: (n: number) => Promise<void>,
): Promise<Lane> {
  const server = start(process.file, { env: process.env, nodeOptions: ['--expose-gc'] });
  const [{ url }] = (await once(server, 'message')) as [{ url: string }];
  const lane: Lane = {
    name,
    server,
    subscribers: start(MANY_SUBSCRIBERS),
    publish: publish ?? (async (n) => void server.send({ kind: 'publish', n })),
    isStored: publish !== undefined,
    kilobytesASocket: 0,
    openedPerSecond: 0,
    turns: [],
    mistakes: [],
  };
  const { init = null, subscribe = null } = talk ?? {};
  const open = async (count: number, all: number) => {
    await ask(lane.subscribers, { kind: 'open', url, count, init, subscribe });
    while ((await look(lane)).subscribers < all) await delay(20);
    await delay(500);
    return (await look(lane, true)).memory;
  };
  // The first half lets the process allocate its buffers; the second half measures the cost of a socket.
  const half = SUBSCRIBERS / 2;
  const before = await open(half, half);
  const from = performance.now();
  const after = await open(half, SUBSCRIBERS);
  lane.openedPerSecond = (half / (performance.now() - from - 500)) * 1000;
  lane.kilobytesASocket = (after - before) / half / 1024;
  console.log(`${name}: ${SUBSCRIBERS} subscribers, ${lane.kilobytesASocket.toFixed(1)} kB each`);
  return lane;
}

async function takeTurn(lane: Lane, n: number, counted: boolean): Promise<void> {
  await ask<SubscriberReply>(lane.subscribers, { kind: 'expect', n });
  await look(lane);
  const arrived = once(lane.subscribers, 'message');
  const spentBefore = processTime(lane.server.pid!);
  const publishedAt = commonNow();
  await lane.publish(n);
  const [{ arrivals }] = (await arrived) as [{ arrivals: Arrivals }];
  const { blockedMs } = await look(lane);
  lane.mistakes.push(...arrivals.mistakes);
  if (!counted) return;
  lane.turns.push({
    microseconds: (processTime(lane.server.pid!) - spentBefore) / SUBSCRIBERS,
    perSecond: (SUBSCRIBERS / (lane.isStored ? arrivals.spreadMs : arrivals.lastAt - publishedAt)) * 1000,
    p50Ms: arrivals.p50At - publishedAt,
    p99Ms: arrivals.p99At - publishedAt,
    blockedMs,
  });
}

/** Writes an event and notifies the relay, as a gateway does. */
async function writeEvent({ project, system }: Workbench, n: number): Promise<void> {
  const now = new Date();
  const event = outboxEvent(project.cipher, 'rule.custom', null, dataOf(n) as never, now);
  await system.query(...insertEventsCall(project.projectId, [event], { requestId: null, now }));
  await system.query(NOTIFY_WRITTEN, []);
}

await withWorkbench(options, async (bench) => {
  const lanes: Lane[] = [];
  try {
    const init = { 'x-api-key': bench.key };
    const subscribe = { query: QUERY };
    lanes.push(await openLane('raw ws (limit)', { file: RAW }, null));
    lanes.push(
      await openLane('gateway', { file: GATEWAY, env: bench.environment }, { init, subscribe }, (n) =>
        writeEvent(bench, n),
      ),
    );
    lanes.push(await openLane('graphql-ws as it comes', { file: STOCK }, { init, subscribe }));
    let n = 0;
    for (let round = 0; round <= options.rounds; round += 1) {
      for (const lane of shuffle(lanes)) {
        for (let count = 0; count < EVENTS_PER_ROUND; count += 1) {
          n += 1;
          // The first round is a warm-up.
          await takeTurn(lane, n, round > 0);
        }
      }
    }
    printResults(lanes);
  } finally {
    for (const { server, subscribers } of lanes) {
      await stop(subscribers);
      await stop(server);
    }
  }
});

function met(isMet: boolean): string {
  return isMet ? 'met' : 'MISSED';
}

/** Processor time has a resolution of a hundredth of a second, which is coarse for a single turn. */
function totalOf(lane: Lane, key: keyof Turn): number {
  return lane.turns.reduce((sum, turn) => sum + turn[key], 0);
}

function printResults(lanes: readonly Lane[]): void {
  const of = (lane: Lane, key: keyof Turn) => median(lane.turns.map((turn) => turn[key]));
  const worst = (lane: Lane, key: keyof Turn) => Math.max(...lane.turns.map((turn) => turn[key]));
  printTable(
    ['lane', 'messages/s', 'CPU µs', 'p50 ms', 'p99 ms', 'blocked ms (max)', 'kB a socket', 'opened/s'],
    lanes.map((lane) => [
      lane.name,
      of(lane, 'perSecond').toFixed(0),
      (totalOf(lane, 'microseconds') / lane.turns.length).toFixed(1),
      of(lane, 'p50Ms').toFixed(1),
      of(lane, 'p99Ms').toFixed(1),
      `${of(lane, 'blockedMs').toFixed(1)} (${worst(lane, 'blockedMs').toFixed(1)})`,
      lane.kilobytesASocket.toFixed(1),
      lane.openedPerSecond.toFixed(0),
    ]),
  );
  const [limit, gateway, stock] = lanes as [Lane, Lane, Lane];
  const ratioTo = (lane: Lane, other: Lane) =>
    spreadOf(lane.turns.map((turn, index) => turn.perSecond / other.turns[index]!.perSecond));
  const show = ({ median: middle, min, max }: ReturnType<typeof ratioTo>) => [
    middle.toFixed(3),
    `${min.toFixed(3)}..${max.toFixed(3)}`,
  ];
  const lost = lanes.flatMap(({ name, mistakes }) => mistakes.map((text) => `${name}: ${text}`));
  const messages = ratioTo(gateway, limit);
  const cpu = totalOf(limit, 'microseconds') / totalOf(gateway, 'microseconds');
  const [blockedMs, p99Ms] = [of(gateway, 'blockedMs'), of(gateway, 'p99Ms')];
  const { kilobytesASocket: kilobytes } = gateway;
  const bars = [
    ['messages/s, gateway / raw ws', ...show(messages), '≥ 0.8', met(messages.median >= 0.8)],
    ['the same by CPU', cpu.toFixed(3), '', '≥ 0.8', met(cpu >= 0.8)],
    ['p99 from the commit, ms', p99Ms.toFixed(1), '', '≤ 160', met(p99Ms <= 160)],
    ['event loop blocked, ms', blockedMs.toFixed(1), '', '≤ 20', met(blockedMs <= 20)],
    ['kB a socket', kilobytes.toFixed(1), '', '≤ 9', met(kilobytes <= 9)],
    ['lost, twice or wrong', String(lost.length), '', '0', met(lost.length === 0)],
    ['messages/s, graphql-ws / raw ws', ...show(ratioTo(stock, limit)), '', ''],
  ];
  printTable(['figure', 'median', 'min..max', 'bar', ''], bars);
  const machine = describeMachine();
  console.log(
    `\n${machine}; ${SUBSCRIBERS} subscribers, ${options.rounds} rounds of ${EVENTS_PER_ROUND} events`,
  );
  mkdirSync(RESULTS, { recursive: true });
  const results = lanes.map(({ name, kilobytesASocket, openedPerSecond, turns }) => ({
    name,
    kilobytesASocket,
    openedPerSecond,
    turns,
  }));
  const target = new URL('fanout.json', RESULTS);
  writeFileSync(
    target,
    JSON.stringify({ name: 'fanout', machine, subscribers: SUBSCRIBERS, results, bars, lost }, null, 2),
  );
  console.log(`written to ${target.pathname}`);
  for (const mistake of lost.slice(0, 10)) console.error(`WRONG  ${mistake}`);
  if (lost.length > 0) process.exitCode = 1;
}
