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
    events(types: [ACCOUNT_AUTHENTICATED], after: $after) { id cursor account { accountId } }
  }
`;
type Event = { id: string; cursor: string; account: { accountId: string } };
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
async function stop(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  running.gateway.signal(signal);
  await running.gateway.exited;
}

/** A subscription that continues after the last received event: a retry sends the current variables. */
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

/** Authenticates accounts one by one, with retries until the gateway responds, and returns those with a response. */
async function write(count: number, sandbox: Sandbox): Promise<string[]> {
  const answered: string[] = [];
  while (answered.length < count)
    await until(
      'an answer',
      async () => {
        // A new account each time: a request without a response may have been committed.
        const id = unique('account');
        const succeeded = await authenticate({ id }, {}, sandbox).then(
          () => true,
          () => false,
        );
        if (succeeded) answered.push(id);
        return succeeded;
      },
      60_000,
    );
  return answered;
}

async function eventsAfter(after: string, sandbox: Sandbox): Promise<Pick<Event, 'id' | 'account'>[]> {
  const text = `query ($after: String) {
    events(first: 100, after: $after, types: [ACCOUNT_AUTHENTICATED]) {
      edges { node { id account { accountId } } }
      pageInfo { hasNextPage }
    }
  }`;
  type Page = {
    events: { edges: { node: Pick<Event, 'id' | 'account'> }[]; pageInfo: { hasNextPage: boolean } };
  };
  const { events } = await execute<Page>(text, { after }, sandbox);
  expect(events.pageInfo.hasNextPage).toBe(false);
  return events.edges.map(({ node }) => node);
}

/** SIGTERM lets the gateway close its connections; SIGKILL closes them in the middle of a statement or an event. */
const SIGNALS = ['SIGTERM', 'SIGKILL'] as const;

it.each(SIGNALS)(
  'graphql-ws and graphql-sse lose no event and receive none twice over a restart by %s',
  async (signal) => {
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
    await stop(signal);
    expect(running.gateway.child.signalCode).toBe(signal === 'SIGKILL' ? 'SIGKILL' : null);
    const received = overSocket.events.length;
    running = await startHere(new URL(sandbox.base_url).port);
    const answered = await writing;

    // An event is numbered shortly after its request, in the order of the requests.
    const last = answered.at(-1)!;
    const expected = await until(
      'the last event',
      async () => {
        const events = await eventsAfter(after, sandbox);
        return events.some(({ account }) => account.accountId === last) && events;
      },
      60_000,
    );
    const accounts = expected.map(({ account }) => account.accountId);
    expect(accounts).toEqual(expect.arrayContaining(answered));
    expect(new Set(accounts).size).toBe(accounts.length);
    expect(received).toBeLessThan(expected.length);
    await receive(expected.length);
    for (const { events, problems } of subscribers) {
      expect(events.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
      expect(problems).toEqual([]);
    }
    await socket.dispose();
    stream.dispose();
  },
);
