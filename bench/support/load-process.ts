import { setTimeout as delay } from 'node:timers/promises';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { LoadMessage, LoadReply, LoadResult } from './load-protocol.ts';
import { RawConnection } from './raw-connection.ts';
import { quantile } from './statistics.ts';

/* The load generator: closed and open loops over persistent connections, in a separate process. */

const SAMPLE_EVERY = 100;

type Lane = { host: string; port: number; requests: Buffer[]; connections: RawConnection[]; next: number };
const lanes = new Map<string, Lane>();

function setRequests(message: Extract<LoadMessage, { kind: 'requests' }>): void {
  const { lane: name, host, port } = message;
  const requests = message.requests.map((text) => Buffer.from(text));
  const lane = lanes.get(name);
  if (lane) Object.assign(lane, { requests, next: 0 });
  else lanes.set(name, { host, port, requests, connections: [], next: 0 });
}

/** Minimum number of connections of a lane. */
async function connectLane(lane: Lane, count: number): Promise<RawConnection[]> {
  lane.connections = lane.connections.filter((connection) => connection.isOpen);
  while (lane.connections.length < count) {
    lane.connections.push(await RawConnection.open(lane.host, lane.port));
  }
  return lane.connections.slice(0, count);
}

/** Responses of one lane in one turn. */
class Answers {
  readonly #latencies: number[] = [];
  readonly #samples: LoadResult['samples'] = [];
  #failures = 0;

  /** Sends a request; its latency counts from `since`. */
  async send(connection: RawConnection, request: Buffer, index: number, since: number): Promise<void> {
    const { status, body, encoding } = await connection.send(request);
    this.#latencies.push(performance.now() - since);
    const failed = status < 200 || status > 299;
    if (failed) this.#failures += 1;
    if (this.#latencies.length % SAMPLE_EVERY === 1 || (failed && this.#failures === 1)) {
      this.#samples.push({ index, status, body: textOf(body, encoding) });
    }
  }

  result(elapsedMs: number): LoadResult {
    const sorted = Float64Array.from(this.#latencies).sort();
    return {
      requests: sorted.length,
      elapsedMs,
      p50Ms: quantile(sorted, 0.5),
      p99Ms: quantile(sorted, 0.99),
      failures: this.#failures,
      samples: this.#samples,
    };
  }
}

async function run(message: Extract<LoadMessage, { kind: 'run' }>): Promise<LoadResult> {
  const lane = lanes.get(message.lane)!;
  const connections = await connectLane(lane, message.connections);
  const answers = new Answers();
  const startedAt = performance.now();
  const until = message.seconds === null ? Number.POSITIVE_INFINITY : startedAt + message.seconds * 1000;
  const last = message.seconds === null ? lane.requests.length : Number.POSITIVE_INFINITY;
  if (message.seconds === null) lane.next = 0;
  const work = async (connection: RawConnection) => {
    while (lane.next < last) {
      const index = lane.next++ % lane.requests.length;
      const sentAt = performance.now();
      if (sentAt >= until) return;
      await answers.send(connection, lane.requests[index]!, index, sentAt);
    }
  };
  await Promise.all(connections.map(work));
  return answers.result(performance.now() - startedAt);
}

type Due = { lane: Lane; answers: Answers; index: number; since: number };

/** Lanes of a mix belong to one server and share its connections. */
async function runMix(message: Extract<LoadMessage, { kind: 'mix' }>): Promise<LoadResult[]> {
  const mixed = message.lanes.map(({ lane, share }) => {
    return { lane: lanes.get(lane)!, share, answers: new Answers() };
  });
  for (const { lane } of mixed) lane.next = 0;
  const connections = await connectLane(mixed[0]!.lane, message.connections);
  const startedAt = performance.now();
  const until = startedAt + message.seconds * 1000;

  function nextDue(since: number): Due {
    let drawn = Math.random();
    const { lane, answers } =
      mixed.find(({ share }) => {
        drawn -= share;
        return drawn < 0;
      }) ?? mixed[0]!;
    return { lane, answers, index: lane.next++ % lane.requests.length, since };
  }
  const sendDue = (connection: RawConnection, { lane, answers, index, since }: Due) =>
    answers.send(connection, lane.requests[index]!, index, since);

  if (message.rate === null) await sendClosed(connections, until, nextDue, sendDue);
  else await sendOpen(connections, { startedAt, until, rate: message.rate }, nextDue, sendDue);
  const elapsedMs = performance.now() - startedAt;
  return mixed.map(({ answers }) => answers.result(elapsedMs));
}

type SendDue = (connection: RawConnection, due: Due) => Promise<void>;

async function sendClosed(
  connections: readonly RawConnection[],
  until: number,
  nextDue: (since: number) => Due,
  sendDue: SendDue,
): Promise<void> {
  const work = async (connection: RawConnection) => {
    for (let now = performance.now(); now < until; now = performance.now())
      await sendDue(connection, nextDue(now));
  };
  await Promise.all(connections.map(work));
}

/**
 * Requests become due by a Poisson process; those without a free connection wait, and their latency includes
 * the wait.
 */
async function sendOpen(
  connections: readonly RawConnection[],
  { startedAt, until, rate }: { startedAt: number; until: number; rate: number },
  nextDue: (since: number) => Due,
  sendDue: SendDue,
): Promise<void> {
  const free = [...connections];
  const waiting: Due[] = [];
  const unanswered = new Set<Promise<void>>();
  let lost: unknown = null;
  const pump = () => {
    while (free.length > 0 && waiting.length > 0) {
      // In turn: the server closes a connection that is idle for a minute.
      const connection = free.shift()!;
      const sent = sendDue(connection, waiting.shift()!).then(
        () => {
          free.push(connection);
          unanswered.delete(sent);
          pump();
        },
        (error: unknown) => {
          lost = error;
        },
      );
      unanswered.add(sent);
    }
  };
  let next = startedAt;
  while (next < until && lost === null) {
    const now = performance.now();
    while (next <= now && next < until) {
      waiting.push(nextDue(next));
      next -= (Math.log(1 - Math.random()) / rate) * 1000;
    }
    pump();
    await delay(1);
  }
  while (lost === null && unanswered.size > 0) await Promise.all(unanswered);
  if (lost !== null) throw lost;
}

function textOf(body: Buffer, encoding: string): string {
  if (encoding === '') return body.toString('utf8');
  return (encoding === 'br' ? brotliDecompressSync(body) : gunzipSync(body)).toString('utf8');
}

const reply = (message: LoadReply) => process.send!(message);

process.on('message', (message: LoadMessage) => {
  if (message.kind === 'requests') {
    setRequests(message);
    reply({ kind: 'ready' });
    return;
  }
  const answered: Promise<LoadReply> =
    message.kind === 'mix'
      ? runMix(message).then((results) => ({ kind: 'results', results }))
      : run(message).then((result) => ({ kind: 'result', ...result }));
  answered.then(reply, (error: unknown) => reply({ kind: 'error', message: String(error) }));
});
process.on('disconnect', () => process.exit(0));
