import { once } from 'node:events';
import { readdir, readFile, readlink } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type GatewayProcess,
  makeFolder,
  type Sandbox,
  start,
  until,
} from '../../acceptance/gateway-process.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';

/* Clients without a key that send many messages and read none. MEASURE=1 prints the memory growth of the gateway. */
/** Garbage must be collected by then: without a limit V8 lets the heap grow with the number of allocations. */
const MAX_HEAP_MB = 256;
const MAX_GROWTH_MB = 200;
const READERS = 150;
const FLOOD_MS = 3_000;

let database: TestDatabase;
let folder: string;
let removeFolder: () => Promise<void>;
let gateway: GatewayProcess;
let sandbox: Sandbox;
const masterKey = generateMasterKey();
const sockets: Socket[] = [];

beforeAll(async () => {
  database = await createTestDatabase();
  ({ folder, remove: removeFolder } = await makeFolder());
});
afterAll(async () => {
  await database.drop();
  await removeFolder();
});

async function startGateway(): Promise<void> {
  ({ gateway, sandbox } = await start(folder, {
    DATABASE_URL: database.ownerUrl,
    MASTER_KEY: masterKey,
    RATE_LIMIT_PER_MINUTE: '0',
    NODE_OPTIONS: `--max-old-space-size=${MAX_HEAP_MB}`,
    MX_LOOKUPS: 'off',
  }));
}

function disconnect(): void {
  for (const socket of sockets.splice(0)) socket.destroy();
}

async function endGateway(): Promise<void> {
  disconnect();
  gateway.signal('SIGKILL');
  await gateway.exited;
}

async function residentMb(): Promise<number> {
  const status = await readFile(`/proc/${gateway.child.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+) kB/.exec(status)![1]) / 1024;
}

/** The largest growth of the gateway while the work runs. */
async function growthDuring(what: string, work: () => Promise<void>): Promise<number> {
  const before = await residentMb();
  let highest = before;
  const look = setInterval(async () => {
    highest = Math.max(highest, await residentMb().catch(() => 0));
  }, 50);
  await work();
  clearInterval(look);
  highest = Math.max(highest, await residentMb());
  if (process.env.MEASURE)
    process.stdout.write(`${what}: ${Math.round(before)} + ${Math.round(highest - before)} MB\n`);
  return highest - before;
}

function dial(): Promise<Socket> {
  const { hostname, port } = new URL(sandbox.base_url);
  const socket = connect(Number(port), hostname);
  sockets.push(socket);
  socket.on('error', () => {});
  return once(socket, 'connect').then(() => socket);
}

/** A frame of a client; its mask is zero, so that the payload is unchanged. */
function frame(opcode: number, payload: string): Buffer {
  const length = Buffer.byteLength(payload);
  const head =
    length < 126 ? [0x80 | opcode, 0x80 | length] : [0x80 | opcode, 0x80 | 126, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.from([...head, 0, 0, 0, 0]), Buffer.from(payload)]);
}

const TEXT = 1;
const PING = 9;

/** An upgraded socket that reads nothing from now on. */
async function upgraded(isAcknowledged: boolean): Promise<Socket> {
  const socket = await dial();
  socket.write(
    'GET /graphql HTTP/1.1\r\nHost: gateway\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n' +
      'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n' +
      'Sec-WebSocket-Protocol: graphql-transport-ws\r\n\r\n',
  );
  const seen = async (text: RegExp) => {
    let received = '';
    while (!text.test(received)) received += String((await once(socket, 'data'))[0]);
  };
  await seen(/\r\n\r\n/);
  if (isAcknowledged) {
    const payload = { 'x-api-key': sandbox.api_key };
    socket.write(frame(TEXT, JSON.stringify({ type: 'connection_init', payload })));
    await seen(/connection_ack/);
  }
  socket.pause();
  return socket;
}

/** Writes the same frames repeatedly until the gateway closes the socket, or the time expires. */
async function flood(socket: Socket, one: Buffer): Promise<boolean> {
  const chunk = Buffer.concat(Array.from({ length: Math.ceil(65_536 / one.length) }, () => one));
  const giveUpAt = Date.now() + FLOOD_MS;
  while (!socket.destroyed && Date.now() < giveUpAt) {
    const isTaken = await new Promise((resolve) => {
      const timer = setTimeout(resolve, 50, false);
      socket.write(chunk, () => {
        clearTimeout(timer);
        resolve(true);
      });
    });
    if (!isTaken && socket.writableLength > 4 * chunk.length)
      await new Promise((resolve) => setTimeout(resolve, 20));
  }
  return socket.destroyed;
}

/** Floods with three concurrent sockets; returns the number of closed ones, and the growth of the gateway. */
async function floodAll(name: string, isAcknowledged: boolean, one: Buffer) {
  let closed = 0;
  const grown = await growthDuring(name, async () => {
    const results = await Promise.all([1, 2, 3].map(async () => flood(await upgraded(isAcknowledged), one)));
    closed = results.filter((isClosed) => isClosed).length;
  });
  return { closed, grown };
}

const message = (value: unknown) => frame(TEXT, JSON.stringify(value));
const FLOODS: readonly { name: string; frames: Buffer }[] = [
  { name: 'ping frames', frames: frame(PING, 'x'.repeat(125)) },
  { name: 'ping messages', frames: message({ type: 'ping' }) },
  {
    name: 'ping messages of 60 KB',
    frames: message({ type: 'ping', payload: { text: 'x'.repeat(60_000) } }),
  },
];
const OPERATIONS = [
  { name: 'queries', frames: message({ id: '1', type: 'subscribe', payload: { query: '{ __typename }' } }) },
  {
    name: 'subscriptions that are completed at once',
    frames: Buffer.concat([
      message({ id: '1', type: 'subscribe', payload: { query: 'subscription { events { type } }' } }),
      message({ id: '1', type: 'complete' }),
    ]),
  },
];

describe('a WebSocket client that sends many messages before the acknowledgement', () => {
  beforeAll(startGateway);
  afterEach(disconnect);
  afterAll(endGateway);

  it.each(FLOODS)('is disconnected: $name', async ({ name, frames }) => {
    const { closed, grown } = await floodAll(`${name}, before the acknowledgement`, false, frames);
    expect({ closed, isBounded: grown < MAX_GROWTH_MB }).toEqual({ closed: 3, isBounded: true });
  });
});

describe('a WebSocket client that sends many messages and reads none', () => {
  // A process for each test, so that memory of one does not affect the next.
  beforeEach(startGateway);
  afterEach(endGateway);

  it.each(FLOODS)('uses little memory after the acknowledgement: $name', async ({ name, frames }) => {
    const { grown } = await floodAll(`${name}, after the acknowledgement`, true, frames);
    expect(grown).toBeLessThan(MAX_GROWTH_MB);
    expect((await fetch(`${sandbox.base_url}/livez`)).status).toBe(200);
  });

  // The rate limit of keys is off here: data of one operation would fill the heap.
  it.each(OPERATIONS)('leaves no memory on the heap: $name', async ({ name, frames }) => {
    await floodAll(`${name}, after the acknowledgement`, true, frames);
    expect((await fetch(`${sandbox.base_url}/livez`)).status).toBe(200);
  });
});

describe('clients that request the largest pages and read nothing', () => {
  beforeEach(startGateway);
  afterEach(endGateway);

  it('share one copy and are disconnected, while others are served', { timeout: 120_000 }, async () => {
    const paths = ['/graphql', '/docs/swagger-ui-bundle.js'];
    const openBefore = await openSockets();
    const grown = await growthDuring(`${READERS} clients that read nothing`, async () => {
      for (let index = 0; index < READERS; index += 1) {
        const socket = await dial();
        socket.pause();
        socket.write(
          `GET ${paths[index % 2]} HTTP/1.1\r\nHost: gateway\r\nAccept: text/html\r\nConnection: close\r\n\r\n`,
        );
      }
      // Every request before this one has been read.
      await until('an answer', async () => (await fetch(`${sandbox.base_url}/sdk.js`)).status === 200);
      await new Promise((resolve) => setTimeout(resolve, 3_000));
    });
    expect(grown).toBeLessThan(MAX_GROWTH_MB);
    for (const path of ['/livez', '/sdk.js', '/docs'])
      expect((await fetch(sandbox.base_url + path)).status).toBe(200);
    await until('the end of all', async () => (await openSockets()) <= openBefore + 5, 60_000);
  });
});

/** Sockets of the gateway's process, those to the database included. */
async function openSockets(): Promise<number> {
  const folder = `/proc/${gateway.child.pid}/fd`;
  const targets = await Promise.all(
    (await readdir(folder)).map((fd) => readlink(`${folder}/${fd}`).catch(() => '')),
  );
  return targets.filter((target) => target.startsWith('socket:')).length;
}
