import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { createEventWriter, type WrittenEvent } from '../../support/outbox.ts';
import {
  type Collected,
  collect,
  EVENTS,
  headOf,
  overSocket,
  overStream,
  socketUrl,
} from '../../support/subscriptions.ts';
import { openSocket } from '../../support/websocket.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
let write: (events: readonly WrittenEvent[]) => Promise<void>;
const open: { dispose(): void | Promise<void> }[] = [];
const sockets: { close(): void }[] = [];

beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  project = await gateway.project();
  write = await createEventWriter(gateway, masterKey, project.projectId);
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.dispose();
  for (const one of sockets.splice(0)) one.close();
  await quiet();
});
afterAll(() => gateway.close());

const NOBODY = { projects: 0, groups: 0, subscribers: 0, sockets: 0, streams: 0 };
const quiet = () =>
  vi.waitFor(() => expect(gateway.app.realtimeCounts()).toEqual(NOBODY), { timeout: 50_000, interval: 5 });
const subscribers = (count: number) =>
  vi.waitFor(() => expect(gateway.app.realtimeCounts().subscribers).toBe(count), {
    timeout: 50_000,
    interval: 5,
  });

function client() {
  const made = overSocket(gateway.baseUrl, { 'x-api-key': project.key });
  open.push(made);
  return made;
}
const raw = async () => (await openSocket(sockets, socketUrl(gateway.baseUrl))).acknowledged(project.key);

let written = 0;
const writeSome = (count: number, extra: Record<string, unknown> = {}) =>
  write(
    Array.from({ length: count }, () => {
      written += 1;
      return { type: 'rule.custom', data: { n: written, ...extra } };
    }),
  );

const subscribe = (id: string, after: string, query = EVENTS) => ({
  id,
  type: 'subscribe',
  payload: { query, variables: { after } },
});

describe('subscribers of the same document', () => {
  const QUERY = `subscription Mine($after: String, $id: ID) {
    accountUpdated(after: $after, accountId: $id) { type cursor account { accountId numSessions } } }`;
  const reads = () => gateway.takeStatements().filter((name) => name === 'account.find_many').length;

  it('share one execution of an event, for any number and transport of subscribers', async () => {
    const id = unique('grouped');
    await project.authenticate({ id });
    await gateway.app.settleEvents();
    const after = await headOf(project);
    const stream = overStream(gateway.baseUrl, { 'x-api-key': project.key });
    open.push(stream);
    // Each from a cursor of its own text: the position makes no difference.
    const collected = Array.from({ length: 49 }, () => collect(client(), QUERY, { after, id }));
    collected.push(collect(stream, QUERY, { after, id }));
    await subscribers(50);
    expect(gateway.app.realtimeCounts()).toMatchObject({ projects: 1, groups: 1 });
    // All have joined when each has received one event.
    await project.authenticate({ id });
    for (const one of collected) await one.until(1);
    gateway.takeStatements();
    await project.authenticate({ id });
    for (const one of collected) await one.until(2);
    expect(reads()).toBe(1);
    expect(collected.every(({ events }) => events[1].account.numSessions === 3)).toBe(true);
  });

  it('use separate executions for each document and each set of variables', async () => {
    const after = await headOf(project);
    const [one, two] = [unique('one'), unique('two')];
    for (const id of [one, one, two]) collect(client(), QUERY, { after, id });
    collect(client(), QUERY.replace('Mine', 'Yours'), { after, id: one });
    await subscribers(4);
    expect(gateway.app.realtimeCounts().groups).toBe(3);
  });
});

describe('a project without subscribers', () => {
  it('reads no events', async () => {
    const collected = collect(client(), EVENTS, { after: await headOf(project) });
    await writeSome(1);
    await collected.until(1);
    collected.stop();
    await subscribers(0);
    gateway.takeStatements();
    await project.authenticate({ id: unique('unheard') });
    await gateway.app.settleEvents();
    expect(gateway.takeStatements().filter((name) => name.startsWith('event.'))).toEqual([]);
  });
});

describe('one socket', () => {
  it('supports a hundred subscriptions; another one is rejected until one completes', async () => {
    const socket = await raw();
    const after = await headOf(project);
    for (let n = 1; n <= 101; n += 1) socket.send(subscribe(`${n}`, after));
    const refused = await socket.receive();
    expect(refused).toMatchObject({ id: '101', type: 'error' });
    expect(refused.payload[0].extensions).toMatchObject({ code: 'subscription.too_many', status: 429 });
    await writeSome(1);
    const ids = new Set<string>();
    while (ids.size < 100) ids.add((await socket.receive()).id);
    expect(ids.has('101')).toBe(false);
    socket.send({ id: '1', type: 'complete' });
    await subscribers(99);
    socket.send(subscribe('102', after));
    expect(await socket.receive()).toMatchObject({ id: '102', type: 'next' });
  });

  it('with a thousand subscriptions does not affect others', async () => {
    const socket = await raw();
    const after = await headOf(project);
    const collected = collect(client(), EVENTS, { after });
    for (let n = 1; n <= 1000; n += 1) socket.send(subscribe(`${n}`, after));
    const answer = project.graphql('{ project { projectId } }');
    for (let count = 0; count < 900; count += 1) expect((await socket.receive()).type).toBe('error');
    await answer;
    await writeSome(1);
    await collected.until(1);
    expect(gateway.app.realtimeCounts().subscribers).toBe(101);
  });

  it('receives no event for an id that it has completed', async () => {
    const socket = await raw();
    const after = await headOf(project);
    const collected = collect(client(), EVENTS, { after });
    socket.send(subscribe('kept', after));
    socket.send(subscribe('gone', after));
    await subscribers(3);
    const writing = writeSome(50);
    socket.send({ id: 'gone', type: 'complete' });
    socket.send({ type: 'ping' });
    const before: Body[] = [];
    for (let message = await socket.receive(); message.type !== 'pong'; message = await socket.receive())
      before.push(message);
    await writing;
    await collected.until(50);
    const behind: Body[] = [];
    const kept = () => [...before, ...behind].filter(({ id }) => id === 'kept').length;
    while (kept() < 50) behind.push(await socket.receive());
    expect(behind.filter(({ id }) => id === 'gone')).toEqual([]);
  });

  it('can use an id again after it is completed, and not before', async () => {
    const socket = await raw();
    const after = await headOf(project);
    socket.send(subscribe('same', after));
    await subscribers(1);
    socket.send({ id: 'same', type: 'complete' });
    socket.send(subscribe('same', after));
    await writeSome(1);
    expect(await socket.receive()).toMatchObject({ id: 'same', type: 'next' });
    socket.send(subscribe('same', after));
    expect((await socket.closed).code).toBe(4409);
  });

  it.each([
    { what: 'a second connection_init', message: JSON.stringify({ type: 'connection_init' }), code: 4429 },
    { what: 'a megabyte', message: 'x'.repeat(1024 * 1024), code: 1009 },
    { what: 'bytes', message: Buffer.from([0, 255, 254, 1]), code: 4400 },
  ])(
    'that subscribes and sends $what closes with $code, and leaves no open subscription',
    async ({ message, code }) => {
      const socket = await raw();
      socket.send(subscribe('1', await headOf(project)));
      await subscribers(1);
      socket.socket.send(message);
      expect((await socket.closed).code).toBe(code);
      await quiet();
    },
  );
});

describe('limits of documents', () => {
  const aliases = Array.from({ length: 16 }, (_, index) => `a${index}: type`).join(' ');
  const pages = (levels: number): string =>
    levels === 0
      ? 'accountId'
      : `accountId linkedAccounts(first: 100) { edges { node { ${pages(levels - 1)} } } }`;

  it.each([
    { limit: 'aliases', query: `subscription { events { ${aliases} } }`, code: 'graphql.invalid' },
    {
      limit: 'cost',
      query: `subscription { events { account { ${pages(3)} } } }`,
      code: 'graphql.too_expensive',
    },
    {
      limit: 'depth',
      query: `subscription { events { account { ${pages(6)} } } }`,
      code: 'graphql.too_deep',
    },
    {
      limit: 'one field',
      query: 'subscription { events { id } accountUpdated { id } }',
      code: 'graphql.invalid',
    },
    { limit: 'known fields', query: 'subscription { everything { id } }', code: 'graphql.invalid' },
  ])('apply to subscriptions: $limit', async ({ query, code }) => {
    const collected = collect(client(), query);
    await collected.ended;
    expect(collected.errors[0].extensions.code).toBe(code);
    const stream = overStream(gateway.baseUrl, { 'x-api-key': project.key });
    open.push(stream);
    const streamed = collect(stream, query);
    await streamed.ended;
    expect(streamed.errors[0].extensions.code).toBe(code);
  });

  it('count a subscription as one request, and its events as none', async () => {
    const limited = await startGateway({
      masterKey,
      database: gateway.database,
      settings: { RATE_LIMIT_PER_MINUTE: '3' },
    });
    const after = await headOf(project);
    const made = overSocket(limited.baseUrl, { 'x-api-key': project.key });
    const collected = collect(made, EVENTS, { after });
    await writeSome(20);
    await collected.until(20);
    const statuses: number[] = [];
    for (let count = 0; count < 3; count += 1) {
      const { status } = await fetch(`${limited.baseUrl}/account/x`, {
        headers: { 'x-api-key': project.key },
      });
      statuses.push(status);
    }
    expect(statuses.map((status) => status === 429)).toEqual([false, false, true]);
    collected.stop();
    await made.dispose();
    await limited.close();
  });
});

describe('a slow consumer', () => {
  const LARGE = { text: 'x'.repeat(200_000) };
  const COUNT = 80;
  const AT_ONCE = 10;
  /**
   * Writes until the slow client is being disconnected, which gives it seconds to read what was sent; the number of events. The
   * fast client shares this process: without waiting it would be slow itself on a busy machine.
   */
  const writeUntilSlow = async (quick: Collected) => {
    let n = 0;
    while (n < COUNT && gateway.app.realtimeCounts().subscribers > 1) {
      await writeSome(AT_ONCE, LARGE);
      n += AT_ONCE;
      await quick.until(n + 1);
    }
    return n;
  };

  it('is closed with 4413 and the cursor to resume from, and others are not delayed', async () => {
    const after = await headOf(project);
    const first = written + 1;
    const socket = await raw();
    const quick = collect(client(), EVENTS, { after });
    socket.send(subscribe('1', after));
    await subscribers(2);
    await writeSome(1);
    const seen: Body[] = [(await socket.receive()).payload.data.events];
    await quick.until(1);
    socket.socket.pause();
    const count = 1 + (await writeUntilSlow(quick));
    socket.socket.resume();
    const { code, reason } = await socket.closed;
    expect(code).toBe(4413);
    for (;;) {
      const message = socket.poll();
      if (!message) break;
      seen.push(message.payload.data.events);
    }
    expect(seen.length).toBeLessThan(count);
    expect(seen.at(-1).cursor).toBe(reason);
    const rest = collect(client(), EVENTS, { after: reason });
    await rest.until(count - seen.length);
    expect([...seen, ...rest.events].map(({ data }) => data.n)).toEqual(
      Array.from({ length: count }, (_, index) => first + index),
    );
  });

  it('that reads the missed events is not disconnected', async () => {
    const after = await headOf(project);
    const first = written + 1;
    for (let n = 0; n < COUNT; n += 10) await writeSome(10, LARGE);
    await gateway.app.settleEvents();
    const socket = await raw();
    socket.socket.pause();
    socket.send(subscribe('1', after));
    await subscribers(1);
    const quick = collect(client(), EVENTS, { after });
    await quick.until(COUNT);
    socket.socket.resume();
    const numbers: number[] = [];
    while (numbers.length < COUNT) numbers.push((await socket.receive()).payload.data.events.data.n);
    expect(numbers).toEqual(Array.from({ length: COUNT }, (_, index) => first + index));
  });

  it('with forty subscriptions that missed many events needs no more memory than one', async () => {
    const after = await headOf(project);
    for (let n = 0; n < COUNT; n += 10) await writeSome(10, LARGE);
    await gateway.app.settleEvents();
    const held = () => process.memoryUsage().arrayBuffers;
    const before = held();
    const socket = await raw();
    socket.socket.pause();
    for (let n = 1; n <= 40; n += 1) socket.send(subscribe(`${n}`, after));
    await subscribers(40);
    // Other subscriptions received the bytes that could be sent meanwhile.
    let most = 0;
    for (let turn = 0; turn < 2; turn += 1) {
      const quick = collect(client(), EVENTS, { after });
      await quick.until(COUNT);
      quick.stop();
      most = Math.max(most, held() - before);
    }
    expect(most).toBeLessThan(150 * 2 ** 20);
    socket.socket.resume();
    // They take turns, once pending messages are read.
    const ids = new Set<string>();
    while (ids.size < 40) ids.add((await socket.receive()).id);
  });

  it('of an event stream is disconnected', async () => {
    const after = await headOf(project);
    const quick = collect(client(), EVENTS, { after });
    const stop = new AbortController();
    const response = await fetch(`${gateway.baseUrl}/graphql`, {
      method: 'POST',
      headers: { 'x-api-key': project.key, 'content-type': 'application/json', accept: 'text/event-stream' },
      body: JSON.stringify({ query: EVENTS, variables: { after } }),
      signal: stop.signal,
    });
    expect(response.status).toBe(200);
    await subscribers(2);
    await writeSome(1);
    await quick.until(1);
    await writeUntilSlow(quick);
    await vi.waitFor(() => expect(gateway.app.realtimeCounts().streams).toBe(0), {
      timeout: 50_000,
      interval: 5,
    });
    stop.abort();
  });
});
