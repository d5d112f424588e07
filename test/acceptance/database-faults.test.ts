import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Body } from '../support/gateway.ts';
import { createOwnPostgres, type OwnPostgres } from '../support/own-postgres.ts';
import { openSocket } from '../support/websocket.ts';
import { type GatewayProcess, makeFolder, type Sandbox, start, until } from './gateway-process.ts';

vi.setConfig({ testTimeout: 180_000, hookTimeout: 120_000 });

const OUTAGE_MS = 8000;
const READY_MS = 30_000;

let postgres: OwnPostgres;
let gateway: GatewayProcess;
let sandbox: Sandbox;
let removeFolder: () => Promise<void>;
const opened: { close(): void }[] = [];

beforeAll(async () => {
  postgres = await createOwnPostgres();
  const { folder, remove } = await makeFolder();
  removeFolder = remove;
  ({ gateway, sandbox } = await start(path.join(folder, 'data'), {
    DATABASE_URL: postgres.ownerUrl,
    RATE_LIMIT_PER_MINUTE: '0',
    MX_LOOKUPS: 'off',
  }));
});
afterEach(() => {
  postgres.thaw();
  for (const each of opened.splice(0)) each.close();
});
afterAll(async () => {
  gateway?.signal('SIGTERM');
  await gateway?.exited;
  await removeFolder?.();
  await postgres?.remove();
});

type Reply = { status: number; retryAfter: string | null; body: Body };

async function request(method: string, route: string, body?: unknown): Promise<Reply> {
  const response = await fetch(sandbox.base_url + route, {
    method,
    headers: { 'x-api-key': sandbox.api_key, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return {
    status: response.status,
    retryAfter: response.headers.get('retry-after'),
    body: await response.json(),
  };
}

const authenticate = (session_id: string, id: string) =>
  request('POST', '/session/authenticate', { session_id, account: { id, email: `${id}@example.com` } });
const graphql = (query: string) => request('POST', '/graphql', { query });
const ready = () => request('GET', '/readyz');

const UNAVAILABLE = { code: 'service.unavailable', kind: 'unavailable', status: 503, retryAfterSeconds: 1 };

/** Failed requests failed as documented: 503, retry time, the envelope of their family. */
function expectUnavailable({ status, retryAfter, body }: Reply): void {
  const isGraphQL = body.errors !== undefined;
  if (isGraphQL) expect(body.errors[0].extensions).toMatchObject(UNAVAILABLE);
  else expect(body).toEqual({ statusCode: 503, code: expect.any(String), message: expect.any(String) });
  // A nullable field keeps the rest of the response.
  if (isGraphQL && status === 200) return;
  expect({ status, retryAfter }).toEqual({ status: 503, retryAfter: '1' });
}

/** Clients that never stop, with the status of each response. */
function startLoad(workers: number) {
  const acknowledged: string[] = [];
  const failed: Reply[] = [];
  let isOver = false;
  const note = (reply: Reply): boolean => {
    const isGood = reply.status === 200 && reply.body.errors === undefined;
    if (!isGood) failed.push(reply);
    return isGood;
  };
  async function write(): Promise<void> {
    while (!isOver) {
      const id = `account-${randomUUID()}`;
      const session = await request('POST', '/session', {});
      if (note(session) && note(await authenticate(session.body.session_id, id))) acknowledged.push(id);
    }
  }
  async function read(): Promise<void> {
    while (!isOver) {
      note(await graphql('{ lists { edges { node { name } } } }'));
      note(await graphql(`mutation { createList(input: { name: "${randomUUID()}" }) { requestId } }`));
    }
  }
  async function ask(): Promise<void> {
    const socket = await openSocket(opened, `${sandbox.base_url.replace('http', 'ws')}/graphql`);
    await socket.acknowledged(sandbox.api_key);
    for (let id = 1; !isOver; id += 1) {
      socket.send({
        type: 'subscribe',
        id: String(id),
        payload: { query: '{ lists { edges { node { name } } } }' },
      });
      for (
        let message = await socket.receive();
        message.type !== 'complete';
        message = await socket.receive()
      ) {
        if (message.type === 'ping') continue;
        const errors = message.type === 'error' ? message.payload : message.payload.errors;
        if (errors) note({ status: 200, retryAfter: null, body: { errors } });
        if (message.type === 'error') break;
      }
    }
  }
  const running = Promise.all([...Array.from({ length: workers }, write), read(), ask()]);
  running.catch(() => {});
  return {
    acknowledged,
    failed,
    async stop() {
      isOver = true;
      await running;
    },
  };
}

/** Terminates this number of backends inside a transaction. */
async function endBackends(count: number): Promise<void> {
  for (let ended = 0; ended < count; ) {
    const { rows } = await postgres.query(
      `select count(pg_terminate_backend(pid))::int as ended from (
         select pid from pg_stat_activity
         where application_name = 'vouchgraph' and xact_start is not null limit ${count - ended}
       ) inside`,
    );
    ended += rows[0].ended;
    if (gateway.child.exitCode !== null) throw new Error('the gateway has ended');
  }
}

const untilReady = () => until('readiness', async () => (await ready()).status === 200, READY_MS);

describe('a gateway with a database that fails under load', () => {
  it('returns 503, keeps running, is ready soon afterwards, and has stored every acknowledged write', async () => {
    const load = startLoad(12);
    await until('first writes', async () => load.acknowledged.length > 20);

    await endBackends(50);
    await until('failed writes', async () => load.failed.length > 0);
    await untilReady();

    await postgres.stop();
    await postgres.start();
    await untilReady();

    const before = load.acknowledged.length;
    await postgres.stop();
    const failedBefore = load.failed.length;
    await until('failing requests', async () => load.failed.length > failedBefore + 20);
    expect((await ready()).body).toEqual({ status: 'unavailable', reason: 'database' });
    await delay(OUTAGE_MS);
    await postgres.start();
    await untilReady();
    await until('writes after the outage', async () => load.acknowledged.length > before + 20);
    await load.stop();

    expect(gateway.child.exitCode).toBeNull();
    for (const reply of load.failed) expectUnavailable(reply);
    for (const id of load.acknowledged) expect((await request('GET', `/account/${id}`)).status, id).toBe(200);
  });
});

describe('a gateway with an unresponsive database', () => {
  it('returns 503 meanwhile, is soon not ready, and continues afterwards', async () => {
    const sessions = await Promise.all(Array.from({ length: 12 }, () => request('POST', '/session', {})));
    await postgres.freeze();
    const pending = Promise.all([
      ...sessions.map(({ body }) => authenticate(body.session_id, `account-${randomUUID()}`)),
      request('GET', '/list'),
      graphql('{ lists { edges { node { name } } } }'),
    ]);
    for (let round = 0; round < 3; round += 1) {
      const startedAt = performance.now();
      const { status, body } = await ready();
      const waited = performance.now() - startedAt;
      expect({ status, body }).toEqual({ status: 503, body: { status: 'unavailable', reason: 'database' } });
      // 1.5 seconds, with a tolerance for a busy machine.
      expect(waited).toBeLessThan(30_000);
    }
    // The database remains frozen until all requests are answered.
    const replies = await pending;
    for (const reply of replies) expectUnavailable(reply);

    postgres.thaw();
    await untilReady();
    const id = `account-${randomUUID()}`;
    const { body } = await request('POST', '/session', {});
    expect((await authenticate(body.session_id, id)).status).toBe(200);
    // Events are numbered again, over a new connection.
    await until('the event', async () => {
      const { body: answer } = await graphql(`{ events(accountId: "${id}") { edges { cursor } } }`);
      return answer.data.events.edges.length > 0;
    });
    expect(gateway.child.exitCode).toBeNull();
  });
});
