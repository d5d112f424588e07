import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { createTransport, isFinalStatus } from './transport.ts';

let server: Server | undefined;

async function transportTo(listener: RequestListener) {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return createTransport({ baseUrl: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
}

afterEach(() => {
  server?.closeAllConnections();
  server?.close();
});

describe('transport', () => {
  test('sends JSON with the token and returns the body', async () => {
    const transport = await transportTo(async (request, response) => {
      const { authorization, 'content-type': type } = request.headers;
      const chunks = await request.toArray();
      const body: unknown = JSON.parse(Buffer.concat(chunks).toString());
      response.end(JSON.stringify({ url: request.url, method: request.method, authorization, type, body }));
    });
    const answer = await transport.ask({ method: 'PATCH', path: '/session/1', token: 't', body: { a: 1 } });
    expect(answer).toEqual({
      ok: true,
      body: {
        url: '/session/1',
        method: 'PATCH',
        authorization: 'Bearer t',
        type: 'application/json',
        body: { a: 1 },
      },
    });
  });

  test.each([
    [400, 'refused', true],
    [401, 'refused', true],
    [429, 'refused', false],
    [500, 'server_error', false],
    [503, 'server_error', false],
  ])('returns status %i as %s', async (status, error, isFinal) => {
    const transport = await transportTo((_, response) => response.writeHead(status).end('{}'));
    expect(await transport.ask({ method: 'POST', path: '/session' })).toEqual({ ok: false, error, isFinal });
  });

  test('reports a response that is not JSON and a broken connection as retryable failures', async () => {
    const page = await transportTo((_, response) => response.end('<html>'));
    expect(await page.ask({ method: 'POST', path: '/session' })).toMatchObject({ ok: false, isFinal: false });
    const broken = await transportTo((request) => request.destroy());
    expect(await broken.ask({ method: 'POST', path: '/session' })).toEqual({
      ok: false,
      error: 'network_error',
      isFinal: false,
    });
  });

  test('does not throw for a body that cannot be serialized as JSON', async () => {
    const transport = await transportTo((_, response) => response.end('{}'));
    const loop: Record<string, unknown> = {};
    loop.loop = loop;
    expect(await transport.ask({ method: 'POST', path: '/session', body: loop })).toMatchObject({
      ok: false,
    });
  });

  test('measures the round trip over several small requests, and returns null without a response', async () => {
    const asked: (string | undefined)[] = [];
    const transport = await transportTo((request, response) => {
      asked.push(request.url);
      response.end();
    });
    expect(await transport.roundTripMs()).toBeGreaterThan(0);
    expect(asked).toEqual(['/livez', '/livez', '/livez']);
    const broken = await transportTo((request) => request.destroy());
    expect(await broken.roundTripMs()).toBeUndefined();
  });
});

test('only statuses that reject the request itself are final', () => {
  expect([200, 400, 404, 408, 413, 429, 500].map(isFinalStatus)).toEqual([
    false,
    true,
    true,
    false,
    true,
    false,
    false,
  ]);
});
