import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { limitPipelining } from '@vouchgraph/pacing/internals/pipelining';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

/* Requests that are sent on one connection before earlier ones are answered. */

let gateway: Gateway;
let project: TestProject;
const open: Socket[] = [];

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterEach(() => {
  for (const socket of open.splice(0)) socket.destroy();
});
afterAll(() => gateway.close());

function connectHere(): Socket {
  const { hostname, port } = new URL(gateway.baseUrl);
  const socket = connect(Number(port), hostname);
  open.push(socket);
  return socket;
}

/** The lines of a request before its body. */
function headOf(method: string, path: string, headers: readonly string[]): string {
  const lines = ['host: a', `x-api-key: ${project.key}`, ...headers];
  return `${method} ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}

const CHUNKED = ['transfer-encoding: chunked', 'content-type: application/json'];

/** A request whose body has chunks of one byte. */
function chunkedRequest(path: string, body: unknown): string {
  const chunks = [...JSON.stringify(body)].map((character) => `1\r\n${character}\r\n`).join('');
  return `${headOf('POST', path, CHUNKED)}${chunks}0\r\n\r\n`;
}

function request(method: string, path: string, body?: unknown, headers: string[] = [], padding = ''): string {
  const text = body === undefined ? '' : JSON.stringify(body) + padding;
  const ofBody = text === '' ? [] : ['content-type: application/json'];
  const length = `content-length: ${Buffer.byteLength(text)}`;
  return headOf(method, path, [...headers, ...ofBody, length]) + text;
}

const query = (n: number, padding = '') => ({ query: `{ n${n}: __typename } # ${padding}` });

/** Receives until all parts have arrived in this order. */
async function receiveInOrder(socket: Socket, parts: readonly string[]): Promise<void> {
  let received = '';
  for (const part of parts) {
    for (;;) {
      const at = received.indexOf(part);
      if (at >= 0) {
        received = received.slice(at + part.length);
        break;
      }
      received += String((await once(socket, 'data'))[0]);
    }
  }
}

describe('pipelined requests', () => {
  it('are all answered, in their order: more than may be sent at once', async () => {
    const socket = connectHere();
    const numbers = Array.from({ length: 150 }, (_, n) => n);
    socket.write(numbers.map((n) => request('POST', '/graphql', query(n))).join(''));
    await receiveInOrder(
      socket,
      numbers.map((n) => `{"data":{"n${n}":"Query"}}`),
    );
  });

  it('are answered with bodies of every length and in chunks', async () => {
    const socket = connectHere();
    socket.write(
      [
        request('POST', '/graphql', query(1, 'x'.repeat(20_000))),
        request('GET', '/livez'),
        chunkedRequest('/graphql', query(2)),
        request('POST', '/graphql', query(3), [], '\r\n'.repeat(3000)),
        chunkedRequest('/graphql', query(4, 'x'.repeat(5000))),
        request('GET', '/nothing'),
        request('GET', '/livez'),
      ].join(''),
    );
    const parts = ['"n1"', '"status":"ok"', '"n2"', '"n3"', '"n4"', 'HTTP/1.1 404', '"status":"ok"'];
    await receiveInOrder(socket, parts);
  });

  it('are answered when they arrive byte by byte', async () => {
    const socket = connectHere();
    socket.setNoDelay(true);
    const text = [1, 2].map((n) => request('POST', '/graphql', query(n))).join('');
    const received = receiveInOrder(socket, ['"n1"', '"n2"']);
    for (const byte of text) await new Promise((resolve) => socket.write(byte, resolve));
    await received;
  });

  it('are answered before the connection ends, when the client has sent its last byte', async () => {
    const socket = connectHere();
    const numbers = [1, 2, 3, 4, 5];
    socket.end(numbers.map((n) => request('POST', '/graphql', query(n))).join(''));
    await receiveInOrder(
      socket,
      numbers.map((n) => `"n${n}"`),
    );
  });

  it('are not executed while the answer before them is an open event stream', async () => {
    const socket = connectHere();
    const name = unique('behind');
    const stream = request('POST', '/graphql', { query: 'subscription { accountUpdated { type } }' }, [
      'accept: text/event-stream',
    ]);
    const create = {
      query: 'mutation ($input: CreateListInput!) { createList(input: $input) { list { name } } }',
      variables: { input: { name } },
    };
    socket.write(stream + request('POST', '/graphql', create));
    await receiveInOrder(socket, ['text/event-stream', ':\n\n']);
    // Sent later, on another connection.
    await project.graphql(
      'mutation ($input: CreateListInput!) { createList(input: $input) { list { name } } }',
      {
        input: { name: unique('later') },
      },
    );
    const { lists } = await project.graphql('{ lists(first: 100) { edges { node { name } } } }');
    expect(lists.edges.map(({ node }: { node: { name: string } }) => node.name)).not.toContain(name);
  });
});

it('a body with a malformed size of a chunk ends its connection only', async () => {
  for (const size of [' ', '-5', '0x5', '/', '5 ']) {
    const socket = connectHere();
    const closed = once(socket, 'close');
    socket.resume().write(`${headOf('POST', '/graphql', CHUNKED)}1\r\n{\r\n${size}\r\nabcde\r\n0\r\n\r\n`);
    await closed;
    expect((await fetch(`${gateway.baseUrl}/livez`)).status).toBe(200);
  }
});

describe('an address that has used up its budget', () => {
  // The budget does not refill during a test: what waits for it is never answered.
  const limits = { pipelinedRequestsPerSecond: 1e-3, pipelinedRequestsAtOnce: 3 };
  const bodyBytes = new Map<string, number>();
  const server = createServer((incoming, response) => {
    pipelining.begin(incoming, response);
    const url = incoming.url!;
    incoming.on('data', ({ length }: Buffer) => bodyBytes.set(url, (bodyBytes.get(url) ?? 0) + length));
    incoming.once('end', () => response.end(`answer of ${url}`));
  });
  const pipelining = limitPipelining(server, limits);
  const connectToServer = () => {
    const { port } = server.address() as AddressInfo;
    const socket = connect(port, '127.0.0.1');
    open.push(socket);
    return socket;
  };
  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)));
  afterAll(async () => {
    const closed = new Promise((resolve) => server.close(resolve));
    server.closeAllConnections();
    await closed;
  });

  it('waits with small chunks of a body, and with pipelined requests; other requests are read with their bodies', async () => {
    const small = connectToServer();
    small.write(chunkedRequest('/small', query(1, 'x'.repeat(20_000))));
    const flooding = connectToServer();
    flooding.write([1, 2, 3, 4, 5].map((n) => request('GET', `/flood${n}`)).join(''));
    await receiveInOrder(flooding, ['/flood1']);
    const other = connectToServer();
    const longHead = [`cookie: ${'x'.repeat(10_000)}`];
    other.write(request('GET', '/head', undefined, longHead));
    await receiveInOrder(other, ['answer of /head']);
    const sized = ['', 'x'.repeat(5000), 'x'.repeat(60_000)].map((padding) =>
      request('POST', '/one', query(1, padding)),
    );
    const head = headOf('POST', '/one', CHUNKED);
    const chunks = Buffer.from(`1000\r\n${'x'.repeat(4096)}\r\n`.repeat(10));
    const large = Buffer.concat([Buffer.from(head), chunks, Buffer.from('0\r\n\r\n')]);
    for (const one of [...sized, large]) {
      other.write(one);
      await receiveInOrder(other, ['answer of /one']);
    }
    // A network that cuts a large body around the end of its first chunk.
    const cut = large.indexOf('x\r\n1000\r\n');
    const readBytes = (before: number) => expect.poll(() => bodyBytes.get('/one')! - before);
    const before = bodyBytes.get('/one')!;
    other.write(large.subarray(0, cut));
    await readBytes(before).toBe(4095);
    other.write(large.subarray(cut, cut + 10));
    await readBytes(before).toBe(4097);
    other.write(large.subarray(cut + 10));
    await receiveInOrder(other, ['answer of /one']);
    // Lines of a body are no chunks.
    const lines = 'a\r\n\n'.repeat(1000);
    other.write(`${head}${lines.length.toString(16)}\r\n${lines}\r\n0\r\n\r\n`);
    await receiveInOrder(other, ['answer of /one']);
    expect(bodyBytes.get('/small')).toBeLessThan(10_000);
    expect([small.bytesRead, bodyBytes.has('/flood5')]).toEqual([0, false]);
  });
});

describe('a rejected document of an event stream', () => {
  it.each(['subscription { nothing }', 'subscription {'])('is answered as a stream: %s', async (document) => {
    const socket = connectHere();
    const headers = ['accept: text/event-stream'];
    socket.write(request('POST', '/graphql', { query: document }, headers));
    await receiveInOrder(socket, [
      'HTTP/1.1 200',
      'event: next\ndata: {"errors":[',
      'graphql.invalid',
      'event: complete',
    ]);
  });
});
