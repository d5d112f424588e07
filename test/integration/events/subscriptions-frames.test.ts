import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { createEventWriter, type WrittenEvent } from '../../support/outbox.ts';
import { browserToken, EVENTS, headOf, socketUrl } from '../../support/subscriptions.ts';
import { openSocket } from '../../support/websocket.ts';

/* Subscribers of a group share the bytes of a message: each must receive its own id and the whole result. */

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
let write: (events: readonly WrittenEvent[]) => Promise<void>;
const sockets: { close(): void }[] = [];

beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  project = await gateway.project();
  write = await createEventWriter(gateway, masterKey, project.projectId);
});
afterEach(async () => {
  for (const one of sockets.splice(0)) one.close();
  await subscribers(0);
});
afterAll(() => gateway.close());

const subscribers = (count: number) =>
  vi.waitFor(() => expect(gateway.app.realtimeCounts().subscribers).toBe(count), {
    timeout: 50_000,
    interval: 5,
  });
const open = async () => (await openSocket(sockets, socketUrl(gateway.baseUrl))).acknowledged(project.key);
type Raw = Awaited<ReturnType<typeof open>>;

const subscribe = (id: string, query: string, variables: Body) => ({
  id,
  type: 'subscribe',
  payload: { query, variables },
});
const custom = (data: Record<string, unknown>): WrittenEvent => ({ type: 'rule.custom', data });

async function receiveMany(socket: Raw, count: number): Promise<Body[]> {
  const messages: Body[] = [];
  while (messages.length < count) messages.push(await socket.receive());
  return messages;
}

const IDS = [
  '0f8fad5b-d9cd-469f-a165-70867728950e',
  '7c9e6679-7425-40de-944b-e07fc1f90ae7',
  '1',
  '2',
  'ä',
  'zz',
  '😀',
  'a"b\\c\nd',
  'e"f\\g\nh',
  '__proto__x',
  'x'.repeat(70_000),
];

describe('subscribers with the same document', () => {
  it.each([
    {
      what: 'short events',
      query: 'subscription ($after: String) { events(after: $after) { type } }',
      text: '',
    },
    { what: 'events of medium length', query: EVENTS, text: 'grün, 日本, 👩‍👩‍👧, \u2028 and "quotes"' },
    { what: 'events of 65 KB', query: EVENTS, text: 'ß'.repeat(32_700) },
    { what: 'events of 200 KB', query: EVENTS, text: 'é'.repeat(100_000) },
  ])('receive $what complete, each under its own id', async ({ query, text }) => {
    const after = await headOf(project);
    const clients = await Promise.all(IDS.map(async (id) => ({ id, socket: await open() })));
    for (const { id, socket } of clients) socket.send(subscribe(id, query, { after }));
    // Another client may use the same ids, and one socket may hold several subscriptions.
    const other = await open();
    for (const id of IDS) other.send(subscribe(id, query, { after }));
    await subscribers(2 * IDS.length);
    await write([custom({ n: 0, text })]);
    for (const { socket } of clients) await socket.receive();
    await receiveMany(other, IDS.length);
    // All have joined their group: they share it from here on.
    await write([custom({ n: 1, text }), custom({ n: 2, text })]);
    const expected = [1, 2].map((n) =>
      query === EVENTS ? { type: 'RULE_CUSTOM', data: { n, text } } : { type: 'RULE_CUSTOM' },
    );
    for (const { id, socket } of clients) {
      const messages = await receiveMany(socket, 2);
      expect(messages.map((message) => message.id)).toEqual([id, id]);
      expect(messages.map(({ payload }) => payload.data.events)).toMatchObject(expected);
    }
    const shared = await receiveMany(other, 2 * IDS.length);
    for (const id of IDS) {
      const mine = shared.filter((message) => message.id === id);
      expect(mine.map(({ payload }) => payload.data.events)).toMatchObject(expected);
    }
  });

  it('receive events by their own permissions, also under the same id', async () => {
    const mine = unique('mine');
    const { session_id: sessionId } = await project.authenticate({ id: mine });
    await gateway.app.settleEvents();
    const after = await headOf(project);
    const token = await browserToken(project, { sessionId });
    const all = await open();
    const limited = await openSocket(sockets, socketUrl(gateway.baseUrl));
    limited.send({ type: 'connection_init', payload: { authorization: `Bearer ${token}` } });
    expect(await limited.receive()).toEqual({ type: 'connection_ack' });
    const query = 'subscription ($after: String) { events(after: $after) { type sessionId accountId } }';
    for (const socket of [all, limited]) socket.send(subscribe('same', query, { after }));
    await subscribers(2);
    const failed: WrittenEvent = { type: 'verification.failed', sessionId, data: { account_id: mine } };
    await write([custom({ n: 1 }), failed, custom({ n: 2 }), failed]);
    const type = 'VERIFICATION_FAILED';
    const typesOf = (messages: Body[]) => messages.map(({ payload }) => payload.data.events.type);
    expect(typesOf(await receiveMany(all, 4))).toEqual(['RULE_CUSTOM', type, 'RULE_CUSTOM', type]);
    expect(typesOf(await receiveMany(limited, 2))).toEqual([type, type]);
    expect(limited.poll()).toBeUndefined();
  });
});

describe('a slow consumer among fast ones with ids of the same length', () => {
  const COUNT = 80;
  const AT_ONCE = 10;
  const text = 'ü'.repeat(100_000);

  it('receives its own messages up to the close, and the others receive all of theirs', async () => {
    const after = await headOf(project);
    const [before, slow, behind] = [await open(), await open(), await open()];
    const clients = [
      { id: 'id-a', socket: before },
      { id: 'id-b', socket: slow },
      { id: 'id-c', socket: behind },
    ];
    for (const { id, socket } of clients) {
      socket.send(subscribe(id, EVENTS, { after }));
      await subscribers(clients.findIndex((client) => client.id === id) + 1);
    }
    await write([custom({ n: 0 })]);
    for (const { socket } of clients) await socket.receive();
    slow.socket.pause();
    const fast = [clients[0]!, clients[2]!];
    for (let first = 1; first <= COUNT; first += AT_ONCE) {
      const numbers = Array.from({ length: AT_ONCE }, (_, index) => first + index);
      await write(numbers.map((n) => custom({ n, text })));
      for (const { id, socket } of fast)
        expect((await receiveMany(socket, AT_ONCE)).map((message) => bodyOf(message, text))).toEqual(
          numbers.map((n) => ({ id, n, isWhole: true })),
        );
    }
    slow.socket.resume();
    // A client that does not read the close frame in time is disconnected instead: subscriptions-limits tests
    // the code and the cursor.
    await slow.closed;
    const seen: Body[] = [];
    for (let message = slow.poll(); message; message = slow.poll()) seen.push(message);
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.length).toBeLessThan(COUNT);
    expect(seen.map((message) => bodyOf(message, text))).toEqual(
      seen.map((_, index) => ({ id: 'id-b', n: index + 1, isWhole: true })),
    );
  });
});

function bodyOf({ id, payload }: Body, text: string) {
  const { data } = payload.data.events;
  return { id, n: data.n, isWhole: data.text === text };
}

describe('sockets that close while an event is sent to all', () => {
  const SOCKETS = 60;
  const EVENTS_SENT = 20;

  it('do not affect other subscriptions', async () => {
    const after = await headOf(project);
    const clients = await Promise.all(
      Array.from({ length: SOCKETS }, async (_, index) => ({ id: `id-${index}`, socket: await open() })),
    );
    for (const { id, socket } of clients) socket.send(subscribe(id, EVENTS, { after }));
    await subscribers(SOCKETS);
    // Every third one disconnects, closes or completes at its first event.
    for (const [index, { id, socket }] of clients.entries()) {
      if (index % 3 !== 0) continue;
      socket.socket.once('message', () => {
        if (index % 9 === 0) socket.socket.terminate();
        else if (index % 9 === 3) socket.socket.close();
        else socket.send({ id, type: 'complete' });
      });
    }
    const numbers = Array.from({ length: EVENTS_SENT }, (_, index) => index);
    await write(numbers.map((n) => custom({ n, text: 'x'.repeat(5000) })));
    for (const [index, { id, socket }] of clients.entries()) {
      if (index % 3 === 0) continue;
      const messages = await receiveMany(socket, EVENTS_SENT);
      expect(messages.map((message) => [message.id, message.payload.data.events.data.n])).toEqual(
        numbers.map((n) => [id, n]),
      );
    }
    await subscribers(SOCKETS - SOCKETS / 3);
  });
});
