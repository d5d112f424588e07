import { once } from 'node:events';
import net from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { generateApiKey } from '../../../src/domain/projects/api-key.ts';
import { type Answer, type Gateway, send, startGateway, type TestProject } from '../../support/gateway.ts';
import { browserToken, EVENTS, socketUrl } from '../../support/subscriptions.ts';
import { openSocket, PROTOCOL } from '../../support/websocket.ts';

/* Unauthenticated use is limited by address, so that it cannot exhaust shared resources. */
const FAILED = 5;
const SOCKETS = 4;
const OF_A_KEY = 2;
let gateway: Gateway;
let project: TestProject;
const opened: { close(): void }[] = [];

beforeAll(async () => {
  gateway = await startGateway({
    settings: {
      TRUSTED_PROXIES: '127.0.0.1',
      FAILED_KEY_LIMIT_PER_MINUTE: String(FAILED),
      SOCKET_LIMIT_PER_MINUTE: String(SOCKETS),
      MAX_SOCKETS_PER_KEY: String(OF_A_KEY),
    },
  });
  project = await gateway.project();
});
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});
afterAll(() => gateway.close());

let last = 0;
function freshAddress(): string {
  last += 1;
  return `203.0.113.${last}`;
}

const get = (key: string, from: string): Promise<Answer> =>
  send(`${gateway.baseUrl}/account/x`, 'GET', undefined, { 'x-api-key': key, 'x-forwarded-for': from });
const unknownKey = () => generateApiKey(project.projectId, 'sandbox');

async function exhaust(from: string): Promise<void> {
  for (let sent = 0; sent < FAILED; sent += 1) expect((await get(unknownKey(), from)).status).toBe(401);
}

describe('invalid keys', () => {
  it('are looked up a limited number of times a minute for an address, then rejected with 429', async () => {
    const from = freshAddress();
    await exhaust(from);
    gateway.takeStatements();
    const refused = await get(unknownKey(), from);
    expect([refused.status, refused.body]).toEqual([
      429,
      { statusCode: 429, code: expect.any(String), message: 'Too Many Requests' },
    ]);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    const query = { query: '{ project { name } }' };
    const headers = { 'x-api-key': 'nonsense', 'x-forwarded-for': from };
    const graphql = await send(`${gateway.baseUrl}/graphql`, 'POST', query, headers);
    expect([graphql.status, graphql.body.errors[0].extensions.code]).toEqual([429, 'rate_limit.exceeded']);
    expect(gateway.takeStatements().filter((name) => name.startsWith('key.find'))).toEqual([]);
  });

  it('count together with invalid tokens and secrets, and requests without credentials do not count', async () => {
    const from = freshAddress();
    const headers = { 'x-forwarded-for': from };
    for (let sent = 0; sent < 2 * FAILED; sent += 1)
      expect((await send(`${gateway.baseUrl}/account/x`, 'GET', undefined, headers)).status).toBe(401);
    for (let sent = 0; sent < FAILED; sent += 1) {
      const authorization = `Bearer ${sent % 2 === 0 ? 'nonsense' : `vgv_${'0'.repeat(32)}_${'0'.repeat(43)}`}`;
      const answer = await send(`${gateway.baseUrl}/account/x`, 'GET', undefined, {
        ...headers,
        authorization,
      });
      expect(answer.status).toBe(401);
    }
    expect((await get(unknownKey(), from)).status).toBe(429);
  });

  it('do not block a previously valid key at the same address, nor any key at another address', async () => {
    const from = freshAddress();
    const used = await gateway.project();
    const unused = await gateway.project();
    for (let sent = 0; sent < 3 * FAILED; sent += 1) expect((await get(used.key, from)).status).toBe(400);
    await exhaust(from);
    expect((await get(used.key, from)).status).toBe(400);
    expect((await get(unused.key, from)).status).toBe(429);
    expect((await get(unused.key, freshAddress())).status).toBe(400);
    expect((await get(unused.key, from)).status).toBe(400);
  });

  it('count for a whole /64 of IPv6', async () => {
    for (let host = 1; host <= FAILED; host += 1)
      expect((await get(unknownKey(), `2001:db8:1:1::${host}`)).status).toBe(401);
    expect((await get(unknownKey(), '2001:db8:1:1:ffff::1')).status).toBe(429);
    expect((await get(unknownKey(), '2001:db8:1:2::1')).status).toBe(401);
  });

  it('also count on sockets, which then close with 1013', async () => {
    const from = freshAddress();
    await exhaust(from);
    const closedWith = async (key: string) => {
      const socket = await open(from);
      socket.send({ type: 'connection_init', payload: { 'x-api-key': key } });
      return (await socket.closed).code;
    };
    expect(await closedWith(unknownKey())).toBe(1013);
    const other = freshAddress();
    expect((await get(unknownKey(), other)).status).toBe(401);
    const socket = await open(other);
    socket.send({ type: 'connection_init', payload: { 'x-api-key': unknownKey() } });
    expect((await socket.closed).code).toBe(4403);
  });
});

const open = (from: string) =>
  openSocket(opened, socketUrl(gateway.baseUrl), [PROTOCOL], { headers: { 'x-forwarded-for': from } });

/** The status of a rejected upgrade; 101 when it is accepted. */
function upgradeStatus(from: string): Promise<number> {
  const socket = new WebSocket(socketUrl(gateway.baseUrl), [PROTOCOL], {
    headers: { 'x-forwarded-for': from },
  });
  opened.push({ close: () => socket.terminate() });
  return new Promise((resolve) => {
    socket.on('open', () => resolve(101));
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode!));
    socket.on('error', () => {});
  });
}

describe('new sockets', () => {
  it('are limited by address before authentication', async () => {
    const from = freshAddress();
    for (let count = 0; count < SOCKETS; count += 1) expect(await upgradeStatus(from)).toBe(101);
    expect(await upgradeStatus(from)).toBe(429);
    expect(await upgradeStatus(freshAddress())).toBe(101);
  });
});

describe('a rejected upgrade', () => {
  it('ends its connection even when the client keeps its side open', async () => {
    const from = freshAddress();
    const { hostname, port } = new URL(gateway.baseUrl);
    const upgrade = () => {
      const socket = net.connect({ port: Number(port), host: hostname, allowHalfOpen: true });
      opened.push({ close: () => socket.destroy() });
      socket.write(
        `GET /graphql HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: ${from}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n` +
          `Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n`,
      );
      return socket;
    };
    for (let count = 0; count < SOCKETS; count += 1) await once(upgrade(), 'data');
    const refused = upgrade();
    refused.on('error', () => {});
    let answer = '';
    refused.on('data', (chunk) => {
      answer += chunk;
    });
    await once(refused, 'end');
    expect(answer).toMatch(/^HTTP\/1\.1 429 /);
    // The gateway has closed the connection: further data of the client is answered with a reset.
    const closed = new Promise((resolve) => refused.once('close', resolve));
    const writing = setInterval(() => refused.write('x'), 20);
    await closed;
    clearInterval(writing);
  });
});

describe('open sockets', () => {
  const connect = async (key: string, from = freshAddress()) => {
    const socket = await open(from);
    socket.send({ type: 'connection_init', payload: { 'x-api-key': key } });
    return socket;
  };
  const accepted = async (key: string) => {
    const socket = await connect(key);
    expect(await socket.receive()).toEqual({ type: 'connection_ack' });
    return socket;
  };

  it('of one key are limited: another one closes with 1013 until one of them ends', async () => {
    const { key } = await gateway.project();
    const sockets = [await accepted(key), await accepted(key)];
    expect(sockets).toHaveLength(OF_A_KEY);
    expect(await (await connect(key)).closed).toEqual({
      code: 1013,
      reason: 'Too many open WebSockets for this key',
    });
    await accepted((await gateway.project()).key);
    sockets[0]!.socket.close(1000);
    await sockets[0]!.closed;
    await vi.waitFor(
      async () => {
        const socket = await connect(key);
        expect(await socket.receive()).toEqual({ type: 'connection_ack' });
      },
      { timeout: 50_000 },
    );
  });

  it('of all tokens of a key count with the key, and so do event streams', async () => {
    const stranger = await gateway.project();
    const tokens = [await browserToken(stranger, {}), await browserToken(stranger, {})];
    const stream = (token = tokens[0]) =>
      fetch(`${gateway.baseUrl}/graphql`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          accept: 'text/event-stream',
          'content-type': 'application/json',
        },
        body: JSON.stringify({ query: EVENTS }),
      });
    const streams = [await stream(), await stream(tokens[1])];
    expect(streams.map(({ status }) => status)).toEqual([200, 200]);
    const refused = await stream();
    expect(refused.status).toBe(429);
    await refused.text();
    const socket = await open(freshAddress());
    socket.send({ type: 'connection_init', payload: { authorization: `Bearer ${tokens[1]}` } });
    expect((await socket.closed).code).toBe(1013);
    await Promise.all(streams.map(({ body }) => body!.cancel()));
    const again = await vi.waitFor(
      async () => {
        const answer = await stream();
        if (answer.status !== 200) await answer.text();
        expect(answer.status).toBe(200);
        return answer;
      },
      { timeout: 50_000 },
    );
    await again.body!.cancel();
  });
});
