import { once } from 'node:events';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { socketUrl } from '../../support/subscriptions.ts';
import { PROTOCOL } from '../../support/websocket.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
/** A gateway that waits long enough for pongs on a busy machine. */
let tolerant: Gateway;
let project: TestProject;
const sockets: WebSocket[] = [];

beforeAll(async () => {
  gateway = await startGateway({ masterKey, realtime: { heartbeatMs: 40, pingMs: 40 } });
  tolerant = await startGateway({
    masterKey,
    database: gateway.database,
    realtime: { heartbeatMs: 1000, pingMs: 1000 },
  });
  project = await gateway.project();
});
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.terminate();
});
afterAll(async () => {
  await tolerant.close();
  await gateway.close();
});

async function openSocket(at: Gateway, options: { autoPong: boolean }): Promise<WebSocket> {
  const socket = new WebSocket(socketUrl(at.baseUrl), [PROTOCOL], options);
  sockets.push(socket);
  await once(socket, 'open');
  return socket;
}

/** Reads the text of a stream up to the expected content. */
async function readUntil(chunks: AsyncIterator<Uint8Array>, isEnough: (text: string) => boolean) {
  let text = '';
  while (!isEnough(text)) {
    const { value, done } = await chunks.next();
    if (done) throw new Error(`the stream ended: ${text}`);
    text += Buffer.from(value).toString();
  }
  return text;
}

describe('a quiet event stream', () => {
  it('receives heartbeat comments repeatedly, also after an event', async () => {
    const stop = new AbortController();
    const response = await fetch(`${gateway.baseUrl}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': project.key, accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query: 'subscription { accountUpdated { type } }' }),
      signal: stop.signal,
    });
    const chunks = response.body![Symbol.asyncIterator]();
    expect(await readUntil(chunks, (text) => text.length >= 12)).toMatch(/^(:\n\n)+$/);
    await project.authenticate({ id: unique('heard') });
    const events = (text: string) => text.replaceAll(':\n\n', '');
    const collected = await readUntil(chunks, (text) => events(text).endsWith('}\n\n'));
    expect(events(collected)).toBe(
      'event: next\ndata: {"data":{"accountUpdated":{"type":"ACCOUNT_AUTHENTICATED"}}}\n\n',
    );
    expect(await readUntil(chunks, (text) => text.length >= 9)).toMatch(/^(:\n\n)+$/);
    stop.abort();
  });
});

describe('a quiet socket', () => {
  it('is pinged, and stays open when it responds', async () => {
    const socket = await openSocket(tolerant, { autoPong: true });
    for (let count = 0; count < 3; count += 1) await once(socket, 'ping');
    expect(socket.readyState).toBe(WebSocket.OPEN);
    expect(tolerant.app.realtimeCounts().sockets).toBe(1);
  });

  it('is closed when it does not respond', async () => {
    const socket = await openSocket(gateway, { autoPong: false });
    const [code] = await once(socket, 'close');
    expect(code).toBe(1006);
    await expect.poll(() => gateway.app.realtimeCounts().sockets).toBe(0);
  });
});
