import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { quantile } from '../statistics.ts';
import { type Arrivals, commonNow, type SubscriberQuestion, type SubscriberReply } from './protocol.ts';

/*
 * Many subscribers in one process: bare sockets with a minimal WebSocket client, so that the servers are
 * measured instead of their clients. Each reads the type of every message; one in a hundred is parsed
 * completely.
 */
const OPENED_AT_ONCE = 100;
const TEXT = 1;
const PING = 9;
const PONG = 10;

type Subscriber = { socket: Socket; rest: Buffer | null; index: number; received: number };
const subscribers: Subscriber[] = [];
const ids: string[] = [];
let expected = 0;
let arrivals: number[] = [];
let mistakes: string[] = [];
let allArrived = Promise.withResolvers<void>();
let acknowledged: ((subscriber: Subscriber) => void) | null = null;

/** Client frames are masked; a mask of zeros is valid. */
function frame(opcode: number, body: Buffer): Buffer {
  const head =
    body.length < 126
      ? [0x80 | opcode, 0x80 | body.length]
      : [0x80 | opcode, 0x80 | 126, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), body]);
}
const text = (value: object) => frame(TEXT, Buffer.from(JSON.stringify(value)));

function take(subscriber: Subscriber, chunk: Buffer): void {
  let data = subscriber.rest === null ? chunk : Buffer.concat([subscriber.rest, chunk]);
  for (;;) {
    const short = data.length < 2 ? 0 : data[1]!;
    const head = short === 126 ? 4 : 2;
    const length = short === 126 && data.length >= 4 ? data.readUInt16BE(2) : short;
    if (data.length < 2 || short === 127 || data.length < head + length) break;
    handle(subscriber, data[0]! & 15, data.subarray(head, head + length));
    data = data.subarray(head + length);
  }
  subscriber.rest = data.length === 0 ? null : data;
}

function handle(subscriber: Subscriber, opcode: number, body: Buffer): void {
  if (opcode === PING) subscriber.socket.write(frame(PONG, body));
  else if (opcode !== TEXT) mistakes.push(`a frame of kind ${opcode}`);
  else if (body.includes('"type":"connection_ack"')) acknowledged?.(subscriber);
  else if (body.includes('"type":"next"')) arrive(subscriber, body);
  else mistakes.push(body.toString().slice(0, 200));
}

function arrive(subscriber: Subscriber, body: Buffer): void {
  arrivals.push(commonNow());
  subscriber.received += 1;
  if (subscriber.index % 100 === 0) check(subscriber, body);
  if (arrivals.length === subscribers.length) allArrived.resolve();
}

function check({ index }: Subscriber, body: Buffer): void {
  const { id, payload } = JSON.parse(body.toString());
  if (ids[index] !== undefined && id !== ids[index]) mistakes.push(`id ${id} instead of ${ids[index]}`);
  const n = payload.data?.events?.data?.n;
  if (n !== expected) mistakes.push(`event ${n} instead of ${expected}`);
}

async function open(question: Extract<SubscriberQuestion, { kind: 'open' }>): Promise<void> {
  const { hostname, port } = new URL(question.url);
  const { init, subscribe } = question;
  acknowledged = (subscriber) => {
    ids[subscriber.index] = randomUUID();
    subscriber.socket.write(text({ id: ids[subscriber.index], type: 'subscribe', payload: subscribe }));
  };
  const openOne = async (index: number) => {
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    socket.write(
      `GET /graphql HTTP/1.1\r\nHost: ${hostname}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
        'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n' +
        `Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n`,
    );
    const [answer] = (await once(socket, 'data')) as [Buffer];
    if (!answer.includes(' 101 ')) throw new Error(answer.toString());
    const subscriber: Subscriber = { socket, rest: null, index, received: 0 };
    subscribers.push(subscriber);
    socket.on('data', (chunk: Buffer) => take(subscriber, chunk));
    socket.on('error', (error) => mistakes.push(String(error)));
    if (init) socket.write(text({ type: 'connection_init', payload: init }));
  };
  const all = subscribers.length + question.count;
  for (let first = subscribers.length; first < all; first += OPENED_AT_ONCE) {
    const size = Math.min(OPENED_AT_ONCE, all - first);
    await Promise.all(Array.from({ length: size }, (_, offset) => openOne(first + offset)));
  }
}

async function expectEvent(n: number): Promise<Arrivals> {
  await allArrived.promise;
  const sorted = arrivals.toSorted((a, b) => a - b);
  for (const { index, received } of subscribers)
    if (received !== 1) mistakes.push(`${index} received ${received} of event ${n}`);
  return {
    spreadMs: sorted.at(-1)! - sorted[0]!,
    lastAt: sorted.at(-1)!,
    p50At: quantile(sorted, 0.5),
    p99At: quantile(sorted, 0.99),
    mistakes: mistakes.splice(0),
  };
}

const reply = (message: SubscriberReply) => process.send!(message);

process.on('message', async (question: SubscriberQuestion) => {
  if (question.kind === 'open') {
    await open(question);
    return reply({ opened: subscribers.length });
  }
  expected = question.n;
  arrivals = [];
  mistakes = [];
  for (const subscriber of subscribers) subscriber.received = 0;
  allArrived = Promise.withResolvers<void>();
  // Ready: the event may be published.
  reply({ opened: subscribers.length });
  reply({ arrivals: await expectEvent(question.n) });
});
process.on('disconnect', () => process.exit(0));
