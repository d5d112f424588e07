import { once } from 'node:events';
import { connect } from 'node:net';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject, unique } from '../support/gateway.ts';
import { openSocket } from '../support/websocket.ts';

/* Clients that send more than they may over WebSocket. */

const PER_SECOND = 20;
/** Five seconds of the budget of a socket. */
const BURST = 100;
let gateway: Gateway;
let patient: Gateway;
let project: TestProject;
const open: { close(): void }[] = [];

beforeAll(async () => {
  const masterKey = generateMasterKey();
  const settings = {
    SOCKET_MESSAGES_PER_SECOND: String(PER_SECOND),
    KEY_MESSAGES_PER_SECOND: String(PER_SECOND),
  };
  gateway = await startGateway({ masterKey, settings, realtime: { maxExcessMs: 1000 } });
  patient = await startGateway({
    masterKey,
    settings,
    database: gateway.database,
    realtime: { maxExcessMs: 3_600_000 },
  });
  project = await gateway.project();
});
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});
afterAll(async () => {
  await patient.close();
  await gateway.close();
});

const connectTo = (to: Gateway, options = {}) =>
  openSocket(open, `${to.baseUrl.replace('http', 'ws')}/graphql`, undefined, options);
/** A socket of a key that no other test uses: its budget is full. */
async function withNewKey(to: Gateway) {
  const { key } = await gateway.app.projects.createKey(project.projectId, 'server');
  return { key, raw: await (await connectTo(to)).acknowledged(key) };
}

type Raw = Awaited<ReturnType<typeof connectTo>>;

/** Sends for as long as the socket is open; resolves with the close. */
async function flood(raw: Raw, send: () => void): Promise<{ code: number; reason: string }> {
  const timer = setInterval(() => {
    if (raw.socket.bufferedAmount < 1_000_000) for (let count = 0; count < 1000; count += 1) send();
  }, 10);
  try {
    return await raw.closed;
  } finally {
    clearInterval(timer);
  }
}

const QUERY = { query: '{ project { projectId } }' };
const subscribe = (id: number, payload: object = QUERY) => ({ id: `${id}`, type: 'subscribe', payload });

describe('a socket that keeps sending more than its budget', () => {
  let n = 0;
  it.each([
    ['ping messages', (raw: Raw) => raw.send({ type: 'ping' })],
    ['ping frames', (raw: Raw) => raw.socket.ping()],
    ['pong frames', (raw: Raw) => raw.socket.pong()],
    ['fragments', (raw: Raw) => raw.socket.send('x', { fin: false })],
    [
      'rejected subscribes',
      (raw: Raw) => {
        n += 1;
        raw.send(subscribe(n, { query: 'subscription { nothing }' }));
      },
    ],
  ])('closes with 4429: %s', async (_, send) => {
    const { raw } = await withNewKey(gateway);
    expect(await flood(raw, () => send(raw))).toEqual({ code: 4429, reason: 'Too many messages' });
  });

  it('closes with 4429 on bytes: each 4 KB count as a message', async () => {
    const { raw } = await withNewKey(gateway);
    const large = JSON.stringify({ type: 'pong', payload: { text: 'x'.repeat(200_000) } });
    for (let count = 0; count < 20; count += 1) raw.send(large);
    expect((await raw.closed).code).toBe(4429);
  });

  it('is closed while other sockets and requests are answered', async () => {
    const { raw } = await withNewKey(gateway);
    const other = await withNewKey(gateway);
    let isClosed = false;
    const closed = flood(raw, () => raw.socket.ping()).then((close) => {
      isClosed = true;
      return close;
    });
    let answered = 0;
    for (let id = 0; !isClosed; id += 1) {
      expect((await fetch(`${gateway.baseUrl}/livez`)).status).toBe(200);
      expect((await project.graphql('{ project { projectId } }')).project.projectId).toBe(project.projectId);
      // Within the budget of the other key.
      if (id < 20) {
        other.raw.send(subscribe(id));
        expect(await other.raw.receive()).toMatchObject({ id: `${id}`, type: 'next' });
        expect(await other.raw.receive()).toMatchObject({ id: `${id}`, type: 'complete' });
        answered += 1;
      }
    }
    expect((await closed).code).toBe(4429);
    expect(answered).toBeGreaterThan(0);
    expect(other.raw.socket.readyState).toBe(other.raw.socket.OPEN);
  });
});

describe('a socket within its budget', () => {
  it('is read later, and stays open, while all sockets of its key together send more than theirs', async () => {
    // 60 sockets × 6 messages use up ten seconds of the budget of the key; the gateway closes a socket after one.
    const { key } = await gateway.app.projects.createKey(project.projectId, 'server');
    const sockets = await Promise.all(
      Array.from({ length: 60 }, async () => (await connectTo(gateway)).acknowledged(key)),
    );
    const completed = sockets.map(async (raw) => {
      for (let id = 0; id < 5; id += 1) raw.send(subscribe(id));
      const ids = new Set<string>();
      while (ids.size < 5) {
        const message = await raw.receive();
        if (message.type === 'complete') ids.add(message.id);
      }
      return raw.socket.readyState;
    });
    expect(await Promise.all(completed)).toEqual(sockets.map(({ socket }) => socket.OPEN));
  });

  it('is answered completely after a burst of everything it may send at once', async () => {
    const { raw } = await withNewKey(gateway);
    const count = BURST - 20;
    for (let id = 0; id < count; id += 1) raw.send(subscribe(id));
    const completed = new Set<string>();
    while (completed.size < count) {
      const { id, type } = await raw.receive();
      if (type === 'complete') completed.add(id);
    }
    expect(raw.socket.readyState).toBe(raw.socket.OPEN);
  });

  it('is read later, and answered completely, when it sends more at once', async () => {
    const { raw } = await withNewKey(patient);
    const count = BURST + 3 * PER_SECOND;
    for (let id = 0; id < count; id += 1) raw.send({ type: 'ping', payload: { id } });
    for (let id = 0; id < count; id += 1)
      expect(await raw.receive()).toEqual({ type: 'pong', payload: { id } });
  });
});

describe('the budget of a key', () => {
  it('is shared by its sockets, and by those of its browser tokens', async () => {
    const { key, raw } = await withNewKey(patient);
    const { createBrowserToken } = await project
      .withKey(key)
      .graphql(
        'mutation ($input: CreateBrowserTokenInput!) { createBrowserToken(input: $input) { token } }',
        { input: { scopes: ['ACCOUNT'], accountId: unique('page') } },
      );
    const page = await connectTo(patient);
    page.send({ type: 'connection_init', payload: { authorization: `Bearer ${createBrowserToken.token}` } });
    expect(await page.receive()).toEqual({ type: 'connection_ack' });
    const another = await withNewKey(patient);
    const third = await (await connectTo(patient)).acknowledged(key);
    // More than the key may send at once: ten seconds of its budget, of which a socket can use five.
    for (const one of [raw, third])
      for (let id = 1; id <= 150; id += 1) one.send({ type: 'ping', payload: { id } });
    for (const one of [raw, third]) while ((await one.receive()).payload.id < BURST - 10);
    for (let id = 1; id <= 60; id += 1) {
      page.send({ type: 'ping', payload: { id } });
      another.raw.send({ type: 'ping', payload: { id } });
    }
    // The page has sent less than a socket may, and waits for its key; the socket of another key does not.
    for (let id = 1; id <= 60; id += 1)
      expect(await another.raw.receive()).toEqual({ type: 'pong', payload: { id } });
    const answered: number[] = [];
    for (let pong = page.poll(); pong; pong = page.poll()) answered.push(pong.payload.id);
    expect(answered.length).toBeLessThan(60);
    for (let id = answered.length + 1; id <= 60; id += 1)
      expect(await page.receive()).toEqual({ type: 'pong', payload: { id } });
  });
});

describe('before connection_ack', () => {
  it.each([
    ['ping frames', (raw: Raw) => raw.socket.ping()],
    ['fragments of a byte', (raw: Raw) => raw.socket.send('x', { fin: false })],
  ])('a socket that sends %s is closed with 1008', async (_, send) => {
    const raw = await connectTo(gateway);
    expect((await flood(raw, () => send(raw))).code).toBe(1008);
  });

  it('compression is not negotiated', async () => {
    const raw = await connectTo(gateway, { perMessageDeflate: true });
    expect(raw.socket.extensions).toBe('');
  });

  it('messages that arrive together with the upgrade are read in their order', async () => {
    const { hostname, port } = new URL(gateway.baseUrl);
    const { key } = await gateway.app.projects.createKey(project.projectId, 'server');
    const text = (value: object) => {
      const body = Buffer.from(JSON.stringify(value));
      const header = [0x81, 0x80 | 126, body.length >> 8, body.length & 255, 0, 0, 0, 0];
      return Buffer.concat([Buffer.from(header), body]);
    };
    const head = [
      'GET /graphql HTTP/1.1',
      'host: a',
      'connection: upgrade',
      'upgrade: websocket',
      'sec-websocket-version: 13',
      'sec-websocket-key: AAAAAAAAAAAAAAAAAAAAAA==',
      'sec-websocket-protocol: graphql-transport-ws',
      '\r\n',
    ];
    const socket = connect(Number(port), hostname);
    open.push({ close: () => socket.destroy() });
    const init = { type: 'connection_init', payload: { 'x-api-key': key, padding: 'x'.repeat(200) } };
    const pings = [1, 2].map((n) => ({ type: 'ping', payload: { n, text: 'x'.repeat(200) } }));
    socket.write(Buffer.concat([Buffer.from(head.join('\r\n')), text(init)]));
    let received = '';
    const until = async (part: string) => {
      while (!received.includes(part)) received += String((await once(socket, 'data'))[0]);
    };
    await until('connection_ack');
    expect(received).toMatch(/^HTTP\/1\.1 101/);
    socket.write(Buffer.concat(pings.map(text)));
    await until('"n":2');
    expect(received.indexOf('"n":1')).toBeLessThan(received.indexOf('"n":2'));
  });
});
