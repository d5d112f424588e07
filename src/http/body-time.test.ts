import { createServer, request as httpRequest, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { readUpload } from '@vouchgraph/pacing/internals/upload-body';
import { readBody } from '@vouchgraph/platform/http';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { limitBodyTime } from './body-time.ts';

const BODY_MS = 30_000;

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

/** A server, and a client of it that has sent the first byte of its body. */
async function begun(read: (request: IncomingMessage) => Promise<unknown>) {
  const arrived = Promise.withResolvers<void>();
  const server = createServer((request, response) => {
    limitBodyTime(request, response);
    read(request).then(
      (body) => response.end(String((body as { length: number }).length)),
      () => response.destroy(),
    );
    arrived.resolve();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const client = httpRequest({ port, method: 'POST', headers: { 'content-length': 2 } });
  const answer = new Promise<number | undefined>((resolve, reject) => {
    client.on('response', (response) => resolve(response.resume().statusCode)).on('error', reject);
  });
  client.write('1');
  await arrived.promise;
  return { client, answer, close: () => server.close() };
}

it('an incomplete body times out after 30 seconds', async () => {
  const { answer, close } = await begun((request) => readBody(request, 1000));
  vi.advanceTimersByTime(BODY_MS - 1);
  expect(vi.getTimerCount()).toBeGreaterThan(0);
  vi.advanceTimersByTime(1);
  expect(await answer).toBe(408);
  close();
});

it('an upload has its own minimum rate', async () => {
  const { client, answer, close } = await begun((request) => readUpload(request, 1000));
  vi.advanceTimersByTime(BODY_MS);
  client.end('2');
  expect(await answer).toBe(200);
  close();
});
