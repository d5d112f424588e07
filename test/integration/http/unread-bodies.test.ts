import { once } from 'node:events';
import net from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';

/* A body that is still being sent when its request is answered. */
const MB = 1024 * 1024;
const ANNOUNCED = 100 * MB;
/** What the gateway drops, 2 MB, and what the kernel buffers on both sides of a connection. */
const MAX_TAKEN = 50 * MB;
const PIECE = Buffer.alloc(64 * 1024, ' ');

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway({ worksInBackground: false });
  project = await gateway.project();
});
afterAll(() => gateway.close());

type Sent = { answer: string; taken: number; isClosed: boolean };

/** Sends a head, then its body until all of it is sent or the gateway closes the connection. */
async function sendBody(
  head: readonly string[],
  wrap: (piece: Buffer) => Buffer[] = (piece) => [piece],
  /** Number of pieces that are sent before the answer. */
  early = 0,
): Promise<Sent> {
  const { hostname, port } = new URL(gateway.baseUrl);
  const socket = net.connect(Number(port), hostname);
  let answer = '';
  socket.setEncoding('utf8').on('data', (text: string) => {
    answer += text;
  });
  let isClosed = false;
  const closed = new Promise<void>((resolve) =>
    socket
      .on('error', () => {})
      .once('close', () => {
        isClosed = true;
        resolve();
      }),
  );
  await once(socket, 'connect');
  socket.write(`${[...head, `host: ${hostname}`].join('\r\n')}\r\n\r\n`);
  for (let piece = 0; piece < early; piece += 1) for (const part of wrap(PIECE)) socket.write(part);
  while (!answer.includes('\r\n\r\n')) await once(socket, 'data');
  let taken = 0;
  while (!isClosed && taken < ANNOUNCED) {
    const sent = new Promise<boolean>((resolve) => {
      const parts = wrap(PIECE);
      for (const part of parts.slice(0, -1)) socket.write(part);
      socket.write(parts.at(-1)!, (error) => resolve(!error));
    });
    if (await Promise.race([sent, closed.then(() => false)])) taken += PIECE.length;
    else break;
  }
  if (taken < ANNOUNCED) await closed;
  const result = { answer, taken, isClosed };
  socket.destroy();
  return result;
}

const LENGTH = `content-length: ${ANNOUNCED}`;
const chunk = (piece: Buffer) => [
  Buffer.from(`${piece.length.toString(16)}\r\n`),
  piece,
  Buffer.from('\r\n'),
];

describe('a chunked body over the limit of its route', () => {
  const KEY = () => `x-api-key: ${project.key}`;
  it.each<[string, string[], number, RegExp]>([
    ['REST', ['POST /phone HTTP/1.1', 'content-type: application/json'], 256, /larger than 256 KB/],
    ['GraphQL', ['POST /graphql HTTP/1.1', 'content-type: application/json'], 256, /larger than 256 KB/],
  ])('is answered with 413 before its end, by %s', async (_, head, kilobytes, message) => {
    const { hostname, port } = new URL(gateway.baseUrl);
    const socket = net.connect(Number(port), hostname);
    let answers = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      answers += text;
    });
    const has = async (part: RegExp) => {
      while (!part.test(answers)) await once(socket, 'data');
    };
    socket.write(
      `${[...head, KEY(), `host: ${hostname}`, 'transfer-encoding: chunked'].join('\r\n')}\r\n\r\n`,
    );
    for (let sent = 0; sent <= kilobytes; sent += 64) for (const part of chunk(PIECE)) socket.write(part);
    // The body has not ended, and the client sends nothing more until it has the answer.
    await has(message);
    expect(answers.slice(0, 12)).toBe('HTTP/1.1 413');
    // The rest is dropped, and the connection serves the next request.
    for (let sent = 0; sent < 1024; sent += 64) for (const part of chunk(PIECE)) socket.write(part);
    socket.write(`0\r\n\r\nGET /livez HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
    await has(/"status":"ok"/);
    socket.destroy();
  });

  it.each(['/phone', '/graphql'])(
    'is dropped up to a limit, then the connection is closed: %s',
    async (path) => {
      const head = [`POST ${path} HTTP/1.1`, 'content-type: application/json', 'transfer-encoding: chunked'];
      const { answer, taken, isClosed } = await sendBody([...head, KEY()], chunk, 5);
      expect(answer.slice(0, 12)).toBe('HTTP/1.1 413');
      expect(isClosed).toBe(true);
      expect(taken).toBeLessThan(MAX_TAKEN);
    },
  );
});

describe('the rest of a body whose request was answered early', () => {
  it.each([
    ['401', ['POST /session/authenticate HTTP/1.1', 'content-type: application/json', LENGTH], undefined],
    ['401', ['POST /graphql HTTP/1.1', 'content-type: application/json', LENGTH], undefined],
    ['404', ['POST /nothing HTTP/1.1', LENGTH], undefined],
    ['404', ['POST /nothing HTTP/1.1', 'transfer-encoding: chunked'], chunk],
    ['405', ['DELETE /phone HTTP/1.1', LENGTH], undefined],
    ['413', ['POST /phone HTTP/1.1', 'content-type: application/json', LENGTH], undefined],
    ['415', ['POST /phone HTTP/1.1', 'content-type: text/plain', LENGTH], undefined],
    ['401', ['POST /email/imports HTTP/1.1', 'content-type: text/csv', LENGTH], undefined],
  ] as const)(
    'with %s is dropped up to a limit, then the connection is closed: %s',
    async (status, head, wrap) => {
      const key = status === '401' ? [] : [`x-api-key: ${project.key}`];
      const { answer, taken, isClosed } = await sendBody([...head, ...key], wrap);
      expect(answer.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
      expect(isClosed).toBe(true);
      expect(taken).toBeLessThan(MAX_TAKEN);
    },
  );

  it('of a size that clients send by mistake is dropped, and the connection serves the next request', async () => {
    const { hostname, port } = new URL(gateway.baseUrl);
    const socket = net.connect(Number(port), hostname);
    let answers = '';
    socket.setEncoding('utf8').on('data', (text: string) => {
      answers += text;
    });
    const has = async (part: string) => {
      while (!answers.includes(part)) await once(socket, 'data');
    };
    socket.write(`POST /nothing HTTP/1.1\r\nhost: ${hostname}\r\ncontent-length: ${MB}\r\n\r\n`);
    await has('Not Found');
    socket.write(Buffer.alloc(MB, ' '));
    socket.write(`GET /livez HTTP/1.1\r\nhost: ${hostname}\r\n\r\n`);
    await has('"status":"ok"');
    socket.destroy();
  });
});
