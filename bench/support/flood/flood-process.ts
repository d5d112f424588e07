import { connect, type Socket } from 'node:net';
import type { Attack, FloodMessage, FloodReply } from './protocol.ts';

/* Connections that send as fast as the server reads, and connect again when they are closed. */

const CHUNK_BYTES = 64 * 1024;
const TEXT = 1;
const PING = 9;

/** Client frames are masked; a mask of zeros is valid. */
function frame(opcode: number, body: Buffer, isLast = true): Buffer {
  const length = body.length < 126 ? [0x80 | body.length] : [0x80 | 126, body.length >> 8, body.length & 255];
  return Buffer.concat([Buffer.from([(isLast ? 0x80 : 0) | opcode, ...length, 0, 0, 0, 0]), body]);
}
const text = (value: object) => frame(TEXT, Buffer.from(JSON.stringify(value)));

const get = (path: string, headers = '') => Buffer.from(`GET ${path} HTTP/1.1\r\nhost: a\r\n${headers}\r\n`);

const CHUNKED = Buffer.from('POST /graphql HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n');

function refusedStream(key: string): Buffer {
  const body = JSON.stringify({ query: 'subscription { nothing }' });
  const headers = [
    'host: a',
    `x-api-key: ${key}`,
    'accept: text/event-stream',
    'content-type: application/json',
  ];
  return Buffer.from(
    `POST /graphql HTTP/1.1\r\n${headers.join('\r\n')}\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
}

/** One unit of an attack by its number. */
function unitOf(attack: Attack, key: string): (n: number) => Buffer {
  const same = (unit: Buffer) => () => unit;
  switch (attack) {
    case 'ping messages':
    case 'before the ack':
      return same(text({ type: 'ping' }));
    case 'ping frames':
      return same(frame(PING, Buffer.alloc(0)));
    case 'fragments of a byte':
      return (n) => frame(n === 0 ? TEXT : 0, Buffer.from('x'), false);
    case 'refused subscribes':
      return (n) => text({ id: `${n}`, type: 'subscribe', payload: { query: 'subscription { nothing }' } });
    case 'pipelined 404':
      return same(get('/nothing', `x-api-key: ${key}\r\n`));
    case 'pipelined 401':
      return same(get('/account/x'));
    case 'pipelined /livez':
      return same(get('/livez'));
    case 'chunks of a byte':
      return (n) => (n === 0 ? CHUNKED : Buffer.from('1\r\nx\r\n'));
    case 'refused event streams':
      return same(refusedStream(key));
  }
}

const HTTP_ATTACKS = /^(pipelined|chunks|refused event streams)/;

const UPGRADE = [
  'GET /graphql HTTP/1.1',
  'host: a',
  'connection: upgrade',
  'upgrade: websocket',
  'sec-websocket-version: 13',
  'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
  'sec-websocket-protocol: graphql-transport-ws',
  '\r\n',
].join('\r\n');

let sockets = new Set<Socket>();
let report: FloodReply = { opened: 0, sentBytes: 0, mistakes: [] };
let isRunning = false;

function open(message: Extract<FloodMessage, { kind: 'start' }>): void {
  const { attack, host, port, key } = message;
  const socket = connect(port, host);
  sockets.add(socket);
  report.opened += 1;
  const unit = unitOf(attack, key);
  let n = 0;
  const pump = () => {
    for (;;) {
      const units: Buffer[] = [];
      for (let bytes = 0; bytes < CHUNK_BYTES; n += 1) bytes += units[units.push(unit(n)) - 1]!.length;
      const chunk = Buffer.concat(units);
      report.sentBytes += chunk.length;
      if (!socket.write(chunk)) return;
    }
  };
  const begin = () => {
    socket.on('drain', pump);
    pump();
  };
  let received = '';
  const await101 = (data: Buffer) => {
    received += data.toString('latin1');
    if (!received.includes('\r\n\r\n')) return;
    if (attack === 'before the ack' || received.includes('connection_ack')) {
      socket.off('data', await101).resume();
      begin();
    } else if (!received.startsWith('HTTP/1.1 101')) report.mistakes.push(received.slice(0, 100));
  };
  if (HTTP_ATTACKS.test(attack)) socket.once('connect', begin).resume();
  else {
    socket.write(UPGRADE);
    socket.on('data', await101);
    if (attack !== 'before the ack')
      socket.write(text({ type: 'connection_init', payload: { 'x-api-key': key } }));
  }
  socket.on('error', () => {});
  socket.on('close', () => {
    sockets.delete(socket);
    if (isRunning) setTimeout(() => isRunning && open(message), 20);
  });
}

process.on('message', (message: FloodMessage) => {
  if (message.kind === 'start') {
    report = { opened: 0, sentBytes: 0, mistakes: [] };
    isRunning = true;
    for (let count = 0; count < message.sockets; count += 1) open(message);
    return;
  }
  isRunning = false;
  for (const socket of sockets) socket.destroy();
  sockets = new Set();
  process.send!(report);
});
process.on('disconnect', () => process.exit(0));
