import { once } from 'node:events';
import { createLogger } from '@vouchgraph/platform/logger';
import { type Client, createClient, type ExecutionResult, type SubscribePayload } from 'graphql-ws';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import {
  type Body,
  type Gateway,
  startGateway,
  startOwnGateway,
  type TestProject,
  unique,
} from '../support/gateway.ts';
import { openSocket, PROTOCOL } from '../support/websocket.ts';

let gateway: Gateway;
let project: TestProject;
let url: string;
const open: { close(): void }[] = [];

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
  url = `${gateway.baseUrl.replace('http', 'ws')}/graphql`;
});
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});
afterAll(() => gateway.close());

/** The published client. */
function connect(connectionParams: Record<string, unknown> | undefined): Client {
  const client = createClient({
    url,
    webSocketImpl: WebSocket,
    connectionParams,
    retryAttempts: 0,
    lazy: true,
  });
  open.push({ close: () => void client.dispose() });
  return client;
}

/** The one result of an operation; rejects with the close event or the errors. */
function run(client: Client, payload: SubscribePayload): Promise<ExecutionResult<Body>> {
  return new Promise((resolve, reject) => {
    let result: ExecutionResult<Body>;
    client.subscribe<Body>(payload, {
      next: (value) => {
        result = value as ExecutionResult<Body>;
      },
      error: reject,
      complete: () => resolve(result),
    });
  });
}

const connectRaw = (protocols?: string[], target = url) => openSocket(open, target, protocols);

const QUERY = { query: '{ project { projectId environment } }' };
const subscribe = (id: string, payload: unknown = QUERY) => ({ id, type: 'subscribe', payload });

describe('GraphQL over WebSocket', () => {
  it('answers a query with a key', async () => {
    const client = connect({ 'x-api-key': project.key });
    expect((await run(client, QUERY)).data).toEqual({
      project: { projectId: project.projectId, environment: 'SANDBOX' },
    });
  });

  it('accepts the names of parameters in any case', async () => {
    const client = connect({ 'X-API-Key': project.key });
    expect((await run(client, QUERY)).data.project.projectId).toBe(project.projectId);
  });

  it('executes a mutation, which REST then shows', async () => {
    const session_id = await project.session();
    const id = unique('socket');
    const result = await run(connect({ 'x-api-key': project.key }), {
      query: `mutation ($input: AuthenticateSessionInput!) {
        authenticateSession(input: $input) { decision account { accountId numSessions } }
      }`,
      variables: { input: { sessionId: session_id, account: { accountId: id } } },
    });
    expect(result.data.authenticateSession.account).toEqual({ accountId: id, numSessions: 1 });
    expect((await project.rest('GET', `/account/${id}/sessions`)).body.sessions).toEqual([session_id]);
  });

  it('executes permitted operations of a browser token, and rejects others', async () => {
    const [mine, foreign] = [unique('mine'), unique('foreign')];
    for (const id of [mine, foreign]) await project.authenticate({ id });
    const { createBrowserToken } = await project.graphql(
      'mutation ($input: CreateBrowserTokenInput!) { createBrowserToken(input: $input) { token } }',
      { input: { scopes: ['ACCOUNT'], accountId: mine } },
    );
    const client = connect({ authorization: `Bearer ${createBrowserToken.token}` });
    const read = await run(client, {
      query:
        'query ($mine: ID!, $foreign: ID!) { mine: account(accountId: $mine) { accountId } foreign: account(accountId: $foreign) { accountId } }',
      variables: { mine, foreign },
    });
    expect(read).toEqual({ data: { mine: { accountId: mine }, foreign: null } });
    const write = await run(client, {
      query: 'mutation ($id: ID!) { deleteAccount(input: { accountId: $id }) { accountId } }',
      variables: { id: mine },
    });
    expect(write.errors?.[0]?.extensions?.code).toBe('auth.forbidden');
    expect((await project.rest('GET', `/account/${mine}`)).status).toBe(200);
  });

  it.each([
    { who: 'nobody', params: undefined },
    { who: 'an unknown key', params: { 'x-api-key': 'vg_sandbox_unknown' } },
    { who: 'an empty key', params: { 'x-api-key': '' } },
    { who: 'a key that is not text', params: { 'x-api-key': 7 } },
    { who: 'an unknown token', params: { authorization: 'Bearer abc.def' } },
  ])('closes with 4403 on $who', async ({ params }) => {
    await expect(run(connect(params), QUERY)).rejects.toMatchObject({
      code: 4403,
      reason: expect.stringMatching(/^Unauthorized: /),
    });
  });

  it.each([
    { mistake: 'a field that does not exist', query: '{ nothing }' },
    { mistake: 'a document that does not parse', query: '{ project {' },
    { mistake: 'a limit', query: `{ ${'a: __typename '.repeat(16)} }` },
    {
      mistake: 'an unknown operation',
      query: 'query A { project { name } }',
      operationName: 'B',
    },
  ])('reports $mistake by an error message with a code', async ({ mistake: _, ...payload }) => {
    const raw = await (await connectRaw()).acknowledged(project.key);
    raw.send(subscribe('1', payload));
    const { id, type, payload: errors } = await raw.receive();
    expect({ id, type }).toEqual({ id: '1', type: 'error' });
    expect(errors[0].message).toBeTruthy();
    expect(errors[0].extensions).toMatchObject({
      code: 'graphql.invalid',
      kind: 'invalid_input',
      status: 400,
    });
    raw.send(subscribe('1'));
    expect((await raw.receive()).payload.data.project.projectId).toBe(project.projectId);
  });

  it('reports an error of a resolver inside the result', async () => {
    const result = await run(connect({ 'x-api-key': project.key }), {
      query: 'mutation { deleteAccount(input: { accountId: "nobody" }) { accountId } }',
    });
    expect(result.errors?.[0]?.extensions?.code).toBe('account.not_found');
  });

  it('answers concurrent operations, each under its id', async () => {
    const raw = await (await connectRaw()).acknowledged(project.key);
    for (const id of ['a', 'b', 'c']) raw.send(subscribe(id));
    const messages = [];
    for (let count = 0; count < 6; count++) messages.push(await raw.receive());
    for (const id of ['a', 'b', 'c']) {
      expect(messages.filter((message) => message.id === id).map(({ type }) => type)).toEqual([
        'next',
        'complete',
      ]);
    }
  });

  it('answers a ping message and a ping frame of an acknowledged client', async () => {
    const raw = await (await connectRaw()).acknowledged(project.key);
    raw.send({ type: 'ping', payload: { n: 1 } });
    expect(await raw.receive()).toEqual({ type: 'pong', payload: { n: 1 } });
    raw.send({ type: 'ping' });
    expect(await raw.receive()).toEqual({ type: 'pong' });
    const pong = once(raw.socket, 'pong');
    raw.socket.ping('here');
    expect(String((await pong)[0])).toBe('here');
  });

  it('ignores a ping before the acknowledgement', async () => {
    const raw = await connectRaw();
    let pongs = 0;
    raw.socket.on('pong', () => {
      pongs += 1;
    });
    raw.socket.ping();
    raw.send({ type: 'ping' });
    await raw.acknowledged(project.key);
    expect(pongs).toBe(0);
  });
});

describe('a socket that violates the protocol', () => {
  it.each([
    'not JSON',
    '[]',
    '{}',
    '{"type":"unheard_of"}',
    '{"type":"subscribe","id":"1"}',
    '{"type":"next","id":7}',
  ])('closes with 4400 on %s', async (message) => {
    const raw = await (await connectRaw()).acknowledged(project.key);
    raw.send(message);
    expect((await raw.closed).code).toBe(4400);
  });

  it('closes with 4401 on an operation before the acknowledgement', async () => {
    const raw = await connectRaw();
    raw.send(subscribe('1'));
    expect((await raw.closed).code).toBe(4401);
  });

  it('closes with 1008 on many messages before the acknowledgement', async () => {
    const raw = await connectRaw();
    for (let count = 0; count < 20; count += 1) raw.send({ type: 'pong' });
    expect((await raw.closed).code).toBe(1008);
  });

  it('closes with 1008 on many bytes before the acknowledgement', async () => {
    const raw = await connectRaw();
    raw.send({ type: 'pong', payload: { text: 'x'.repeat(40_000) } });
    expect((await raw.closed).code).toBe(1008);
  });

  it('closes with 4406 when it speaks another subprotocol', async () => {
    const raw = await connectRaw([]);
    expect((await raw.closed).code).toBe(4406);
  });

  it('closes with 4408 without authentication', async () => {
    const raw = await connectRaw();
    expect((await raw.closed).code).toBe(4408);
  });

  it('closes with 4409 on an id that is in use', async () => {
    const raw = await (await connectRaw()).acknowledged(project.key);
    raw.send(subscribe('same'));
    raw.send(subscribe('same'));
    expect((await raw.closed).code).toBe(4409);
  });

  it('closes with 4429 on a second connection_init', async () => {
    const raw = await (await connectRaw()).acknowledged(project.key);
    raw.send({ type: 'connection_init', payload: { 'x-api-key': project.key } });
    expect((await raw.closed).code).toBe(4429);
  });

  it('closes with 1009 on a message of more than 256 KB', async () => {
    const raw = await (await connectRaw()).acknowledged(project.key);
    raw.send(subscribe('1', { query: `{ project { name } } # ${'x'.repeat(256 * 1024)}` }));
    expect((await raw.closed).code).toBe(1009);
  });

  it.each([
    ['/', 200],
    ['/socket', 404],
    ['/graphql/more', 404],
    ['/session', 405],
  ])('gets the response of a request without Upgrade on %s: %i', async (path, status) => {
    const socket = new WebSocket(`${gateway.baseUrl.replace('http', 'ws')}${path}`, [PROTOCOL]);
    const [error] = await once(socket, 'error');
    expect(String(error)).toContain(String(status));
  });
});

describe('a socket that fails', () => {
  it('is logged only by the logger of the gateway, without input', async () => {
    const lines: string[] = [];
    const printed = vi.spyOn(console, 'error').mockImplementation(() => {});
    const log = createLogger('debug', { write: (line) => void lines.push(line) });
    const logging = await startGateway({ log });
    const { key } = await logging.project();
    const target = `${logging.baseUrl.replace('http', 'ws')}/graphql`;
    const raw = await (await connectRaw(undefined, target)).acknowledged(key);
    raw.send(subscribe('1', { query: `{ project { name } } # ${'personal'.repeat(64 * 1024)}` }));
    expect((await raw.closed).code).toBe(1009);
    await logging.close();
    const text = lines.join('');
    expect(text).toContain('WS_ERR_UNSUPPORTED_MESSAGE_LENGTH');
    expect(text).not.toMatch(new RegExp(`personal|${key}`));
    expect(printed).not.toHaveBeenCalled();
    printed.mockRestore();
  });
});

describe('a socket whose key or gateway ends', () => {
  it('closes with 4403 on the next operation once its key is revoked', async () => {
    const { key, keyId } = await gateway.app.projects.createKey(project.projectId, 'server');
    const raw = await (await connectRaw()).acknowledged(key);
    raw.send(subscribe('before'));
    expect((await raw.receive()).payload.data.project.projectId).toBe(project.projectId);
    await gateway.app.projects.revokeKey(project.projectId, keyId);
    // A key is cached for less than a second.
    await expect
      .poll(() =>
        project
          .withKey(key)
          .rest('GET', '/account/x')
          .then(({ status }) => status),
      )
      .toBe(401);
    raw.send(subscribe('after'));
    expect((await raw.closed).code).toBe(4403);
  });

  it('closes with 1001 when the service ends', async () => {
    const ending = await startOwnGateway();
    const { key } = await ending.project();
    const target = `${ending.baseUrl.replace('http', 'ws')}/graphql`;
    const raw = await (await connectRaw(undefined, target)).acknowledged(key);
    await ending.close();
    expect((await raw.closed).code).toBe(1001);
  });
});
