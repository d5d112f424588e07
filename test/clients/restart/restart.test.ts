import path from 'node:path';
import { createClient as createStreamClient } from 'graphql-sse';
import { createClient as createSocketClient } from 'graphql-ws';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { makeFolder, type Sandbox, start, until } from '../../acceptance/gateway-process.ts';
import { UNLIMITED } from '../support/folders.ts';
import { authenticate, execute, graphqlUrl, headers, socketUrl, unique } from '../support/sandbox.ts';

// A gateway with its own PostgreSQL starts twice.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const query = /* GraphQL */ `
  subscription ($after: String) {
    events(types: [ACCOUNT_AUTHENTICATED], after: $after) { id cursor }
  }
`;
type Event = { id: string; cursor: string };
type Result = { data?: { events: Event } | null; errors?: unknown };
type Started = Awaited<ReturnType<typeof start>>;

let folder: Awaited<ReturnType<typeof makeFolder>>;
let running: Started;
beforeAll(async () => {
  folder = await makeFolder();
  running = await startHere();
});
afterAll(async () => {
  await stop();
  await folder.remove();
});

const startHere = (port = '0') => start(path.join(folder.folder, 'data'), { ...UNLIMITED, PORT: port });
async function stop(): Promise<void> {
  running.gateway.signal('SIGTERM');
  await running.gateway.exited;
}

/** A subscription that continues after the last event which it received: a retry sends the variables as they are then. */
function record(after: string) {
  const events: Event[] = [];
  const problems: unknown[] = [];
  const variables = { after };
  const sink = {
    next({ data, errors }: Result) {
      if (errors) problems.push(errors);
      if (!data) return;
      events.push(data.events);
      variables.after = data.events.cursor;
    },
    error: (error: unknown) => void problems.push(error),
    complete: () => void problems.push('completed'),
  };
  return { events, problems, payload: { query, variables }, sink };
}

const wait = () => new Promise<void>((resolve) => setTimeout(resolve, 100));

/** Authenticates accounts one by one, each again until the gateway answers. */
async function write(count: number, sandbox: Sandbox): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await until(
      'an answer',
      () =>
        authenticate({ id: unique('account') }, {}, sandbox).then(
          () => true,
          () => false,
        ),
      60_000,
    );
}

async function eventsAfter(after: string, sandbox: Sandbox): Promise<string[]> {
  const text = `query ($after: String) {
    events(first: 100, after: $after, types: [ACCOUNT_AUTHENTICATED]) { edges { node { id } } pageInfo { hasNextPage } }
  }`;
  type Page = { events: { edges: { node: { id: string } }[]; pageInfo: { hasNextPage: boolean } } };
  const { events } = await execute<Page>(text, { after }, sandbox);
  expect(events.pageInfo.hasNextPage).toBe(false);
  return events.edges.map(({ node }) => node.id);
}

it('graphql-ws and graphql-sse lose no event and receive none twice while the gateway restarts', async () => {
  const { sandbox } = running;
  const head = await execute<{ events: { headCursor: string } }>(
    '{ events(first: 1) { headCursor } }',
    {},
    sandbox,
  );
  const after = head.events.headCursor;
  const retryAttempts = Number.POSITIVE_INFINITY;
  const socket = createSocketClient({
    url: socketUrl(sandbox),
    webSocketImpl: WebSocket,
    connectionParams: headers(sandbox),
    retryAttempts,
    shouldRetry: () => true,
    retryWait: wait,
  });
  const stream = createStreamClient({
    url: graphqlUrl(sandbox),
    headers: headers(sandbox),
    retryAttempts,
    retry: wait,
  });
  const [overSocket, overStream] = [record(after), record(after)];
  const subscribers = [overSocket, overStream];
  socket.subscribe(overSocket.payload, overSocket.sink as never);
  stream.subscribe(overStream.payload, overStream.sink as never);
  const receive = (count: number) =>
    until(`${count} events`, async () => subscribers.every(({ events }) => events.length >= count), 60_000);

  const writing = write(40, sandbox);
  await receive(5);
  await stop();
  const received = overSocket.events.length;
  running = await startHere(new URL(sandbox.base_url).port);
  await writing;

  // An event is numbered a moment after its request was answered.
  const expected = await until(
    'the last event',
    async () => {
      const ids = await eventsAfter(after, sandbox);
      return ids.length >= 40 && ids;
    },
    60_000,
  );
  expect(received).toBeLessThan(expected.length);
  await receive(expected.length);
  for (const { events, problems } of subscribers) {
    expect(events.map(({ id }) => id)).toEqual(expected);
    expect(problems).toEqual([]);
  }
  await socket.dispose();
  stream.dispose();
});
