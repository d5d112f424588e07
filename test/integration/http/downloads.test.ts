import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, send, startGateway } from '../../support/gateway.ts';

const MAX_OPEN = 32;
/** Largest file that is served: it does not fit into the buffers of a connection. */
const LARGEST = '/graphiql/app.js';
let gateway: Gateway;
const sockets: Socket[] = [];

beforeAll(async () => {
  gateway = await startGateway({ settings: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});
afterAll(() => gateway.close());

const get = (path: string, address: string) =>
  send(gateway.baseUrl + path, 'GET', undefined, { accept: 'text/html', 'x-forwarded-for': address });

/** Requests the largest file, and reads only the beginning of the answer: its status. */
async function request(address: string): Promise<number> {
  const { hostname, port } = new URL(gateway.baseUrl);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on('error', () => {});
  socket.write(
    `GET ${LARGEST} HTTP/1.1\r\nHost: x\r\nAccept: text/html\r\nX-Forwarded-For: ${address}\r\n\r\n`,
  );
  const [head] = await once(socket, 'data');
  socket.pause();
  return Number(/^HTTP\/1\.1 (\d+)/.exec(String(head))![1]);
}

describe('clients that disconnect while a page is loaded for the first time', () => {
  it('do not use up the downloads of their address', async () => {
    const { hostname, port } = new URL(gateway.baseUrl);
    const path = LARGEST;
    const left = Array.from({ length: 2 * MAX_OPEN }, async () => {
      const socket = connect(Number(port), hostname);
      sockets.push(socket);
      socket.on('error', () => {});
      await once(socket, 'connect');
      // Both are read concurrently: the response to the first shows that the gateway has started with the
      // second.
      const from = 'Host: x\r\nX-Forwarded-For: 192.0.2.7\r\n';
      socket.write(
        `GET /livez HTTP/1.1\r\n${from}\r\nGET ${path} HTTP/1.1\r\n${from}Accept: text/html\r\n\r\n`,
      );
      await once(socket, 'data');
      socket.resetAndDestroy();
    });
    await Promise.all(left);
    await expect.poll(async () => (await get(path, '192.0.2.7')).status).toBe(200);
  });
});

describe('an address with clients that do not read', () => {
  it('has a limited number of open downloads, by /64 of IPv6, and other addresses have their own', async () => {
    const statuses = [];
    for (let index = 0; index < MAX_OPEN; index += 1)
      statuses.push(await request(`2001:db8:1:2::${index + 1}`));
    expect(new Set(statuses)).toEqual(new Set([200]));
    const refused = await get(LARGEST, '2001:db8:1:2:ffff::1');
    expect(refused).toMatchObject({ status: 429, body: { message: 'Too Many Requests' } });
    expect(refused.headers.get('retry-after')).toBe('5');
    for (const path of ['/sdk.js', '/livez', '/docs'])
      expect((await get(path, '2001:db8:1:2::1')).status).toBe(200);
    expect((await get(LARGEST, '2001:db8:1:3::1')).status).toBe(200);
    expect((await get(LARGEST, '192.0.2.1')).status).toBe(200);

    for (const socket of sockets.splice(0)) socket.destroy();
    await expect.poll(async () => (await get(LARGEST, '2001:db8:1:2::1')).status).toBe(200);
  });
});
