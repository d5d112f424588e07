import { createHash } from 'node:crypto';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type Body,
  type Gateway,
  send,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { verificationLink } from '../../support/verification.ts';
import { openSocket } from '../../support/websocket.ts';

/*
 * Documents named by their SHA-256, over every protocol: those that a client sent before, those that the project
 * registered, and projects whose browser tokens execute registered documents only.
 */
const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;
let other: TestProject;
const open: { close(): void }[] = [];

beforeAll(async () => {
  gateway = await startGateway({ masterKey, worksInBackground: false });
  [project, other] = await Promise.all([gateway.project(), gateway.project()]);
});
afterEach(() => {
  for (const socket of open.splice(0)) socket.close();
});
afterAll(() => gateway.close());

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hashed = (text: string) => ({ persistedQuery: { version: 1, sha256Hash: sha256(text) } });
let lastNumber = 0;
function nextNumber(): number {
  lastNumber += 1;
  return lastNumber;
}
/** A document that no other test sends. */
const newDocument = () => `query Test${nextNumber()} { project { projectId } }`;
const NOT_FOUND = {
  errors: [
    expect.objectContaining({
      message: 'PersistedQueryNotFound',
      extensions: expect.objectContaining({ code: 'PERSISTED_QUERY_NOT_FOUND' }),
    }),
  ],
};
const isData = (name: string) => name !== 'set_project' && !name.startsWith('key.');

const register = (client: TestProject, ...texts: string[]) =>
  client.graphql(
    'mutation ($input: RegisterOperationsInput!) { registerOperations(input: $input) { operations { sha256Hash } } }',
    { input: { documents: texts.map((text) => ({ text })) } },
  );
const remove = (client: TestProject, ...texts: string[]) =>
  client.graphql(
    'mutation ($input: DeleteOperationsInput!) { deleteOperations(input: $input) { deletedIds } }',
    {
      input: { sha256Hashes: texts.map(sha256) },
    },
  );
const restrict = (client: TestProject) =>
  client.graphql(
    'mutation { updateProjectSettings(input: { browserTokenOperations: REGISTERED }) { settings { browserTokenOperations } } }',
  );
async function tokenOf(client: TestProject): Promise<Record<string, string>> {
  const { createBrowserToken } = await client.graphql(
    'mutation { createBrowserToken(input: { project: true, scopes: [ACCOUNT, VERIFICATION_STATE] }) { token } }',
  );
  return { authorization: `Bearer ${createBrowserToken.token}` };
}
const post = (body: unknown, headers: Record<string, string> = { 'x-api-key': project.key }) =>
  send(`${gateway.baseUrl}/graphql`, 'POST', body, headers);
const get = (
  parameters: Record<string, string>,
  headers: Record<string, string> = { 'x-api-key': project.key },
) => send(`${gateway.baseUrl}/graphql?${new URLSearchParams(parameters)}`, 'GET', undefined, headers);
async function socketOf(connectionParams: Record<string, string>) {
  const socket = await openSocket(open, `${gateway.baseUrl.replace('http', 'ws')}/graphql`);
  socket.send({ type: 'connection_init', payload: connectionParams });
  expect(await socket.receive()).toEqual({ type: 'connection_ack' });
  return async (payload: Body) => {
    socket.send({ id: '1', type: 'subscribe', payload });
    const message = await socket.receive();
    if (message.type === 'next') expect((await socket.receive()).type).toBe('complete');
    return message.payload;
  };
}
const answerOf = ({ projectId }: TestProject) => ({ data: { project: { projectId } } });

describe('a persisted document', () => {
  it('is executed by its hash: unknown, sent with its text, known', async () => {
    const query = newDocument();
    const unknown = await post({ extensions: hashed(query) });
    expect(unknown).toMatchObject({ status: 200, body: NOT_FOUND });
    expect((await post({ query, extensions: hashed(query) })).body).toEqual(answerOf(project));
    expect((await post({ extensions: hashed(query) })).body).toEqual(answerOf(project));
    expect((await get({ extensions: JSON.stringify(hashed(query)) })).body).toEqual(answerOf(project));
    expect((await post({ documentId: `sha256:${sha256(query)}` })).body).toEqual(answerOf(project));
    expect((await get({ documentId: `sha256:${sha256(query)}` })).body).toEqual(answerOf(project));
    const run = await socketOf({ 'x-api-key': project.key });
    expect(await run({ query: '', extensions: hashed(query) })).toEqual(answerOf(project));
    expect((await post({ documentId: sha256(query), variables: {} })).body).toEqual(answerOf(project));
  });

  it('that is unknown returns the status of the newer media type to a client that accepts no other', async () => {
    const headers = { 'x-api-key': project.key, accept: 'application/graphql-response+json' };
    expect(await post({ extensions: hashed(newDocument()) }, headers)).toMatchObject({
      status: 404,
      body: NOT_FOUND,
    });
  });

  it('is unknown to another project', async () => {
    const query = newDocument();
    await post({ query, extensions: hashed(query) });
    expect((await post({ extensions: hashed(query) }, { 'x-api-key': other.key })).body).toEqual(NOT_FOUND);
  });

  it('can be read by GET in production, where other documents cannot', async () => {
    const production = await gateway.project({ environment: 'production', role: 'server' });
    const headers = { 'x-api-key': production.key };
    const query = newDocument();
    await post({ query, extensions: hashed(query) }, headers);
    const extensions = JSON.stringify(hashed(query));
    expect((await get({ extensions }, headers)).body).toEqual(answerOf(production));
    expect((await get({ query, extensions }, headers)).status).toBe(405);
    expect((await get({ query }, headers)).status).toBe(405);
    const twice = await send(
      `${gateway.baseUrl}/graphql?query=&query=${encodeURIComponent(query)}&extensions=${encodeURIComponent('{"persistedQuery":null}')}`,
      'GET',
      undefined,
      headers,
    );
    expect(twice.status).toBe(400);
  });

  it('cannot be a mutation by GET', async () => {
    const query = 'mutation { updateProjectSettings(input: { seenFaceDays: 31 }) { requestId } }';
    await post({ query, extensions: hashed(query) });
    expect((await get({ extensions: JSON.stringify(hashed(query)) })).status).toBe(405);
  });

  it.each([
    {
      what: 'a hash of another text',
      extensions: hashed('{ x }'),
      message: /sha256Hash: must be the SHA-256 of query/,
    },
    {
      what: 'an invalid hash',
      extensions: { persistedQuery: { version: 1, sha256Hash: 'abc' } },
      message: /64 hexadecimal digits/,
    },
    { what: 'a documentId of another kind', documentId: 'md5:abc', message: /^documentId: must be sha256:/ },
    { what: 'a documentId that is not text', documentId: 7, message: /^documentId: must be/ },
  ])('is rejected with $what', async ({ message, what: _, ...named }) => {
    const answer = await post({ query: newDocument(), ...named });
    expect(answer.status).toBe(400);
    expect(answer.body.errors[0]).toMatchObject({
      message: expect.stringMatching(message),
      extensions: { code: 'input.invalid' },
    });
  });

  it('is rejected with another version of the protocol, so that the client sends texts', async () => {
    const query = newDocument();
    const extensions = { persistedQuery: { version: 2, sha256Hash: sha256(query) } };
    const answer = await post({ extensions });
    expect(answer).toMatchObject({
      status: 200,
      body: {
        errors: [
          { message: 'PersistedQueryNotSupported', extensions: { code: 'PERSISTED_QUERY_NOT_SUPPORTED' } },
        ],
      },
    });
  });

  it('that is unknown costs no statement, for any number of hashes', async () => {
    await post({ query: newDocument() });
    gateway.takeStatements();
    for (let batch = 0; batch < 20; batch += 1) {
      const answers = await Promise.all(
        Array.from({ length: 25 }, () => post({ extensions: hashed(newDocument()) })),
      );
      for (const { body } of answers) expect(body).toEqual(NOT_FOUND);
    }
    expect(gateway.takeStatements().filter(isData)).toEqual([]);
  });
});

describe('a registered document', () => {
  it('is executed by its hash over every protocol, without its text being sent', async () => {
    const query = newDocument();
    const subscription = `subscription Test${nextNumber()} { verificationCompleted { __typename } }`;
    await register(project, query, subscription);
    expect((await post({ extensions: hashed(query) })).body).toEqual(answerOf(project));
    expect((await get({ documentId: `sha256:${sha256(query)}` })).body).toEqual(answerOf(project));
    const run = await socketOf({ 'x-api-key': project.key });
    expect(await run({ query: '', extensions: { documentId: sha256(query) } })).toEqual(answerOf(project));
    const stopped = new AbortController();
    const stream = await fetch(`${gateway.baseUrl}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'text/event-stream', 'x-api-key': project.key },
      body: JSON.stringify({ documentId: `sha256:${sha256(subscription)}` }),
      signal: stopped.signal,
    });
    expect(stream.headers.get('content-type')).toMatch(/^text\/event-stream/);
    stopped.abort();
  });

  it('is unknown to another project', async () => {
    const query = newDocument();
    await register(project, query);
    await register(other, newDocument());
    expect((await post({ extensions: hashed(query) }, { 'x-api-key': other.key })).body).toEqual(NOT_FOUND);
  });

  it('is read from the database once, and its hashes once for each change of them', async () => {
    const [first, second] = [newDocument(), newDocument()];
    const own = await gateway.project();
    const headers = { 'x-api-key': own.key };
    await register(own, first, second);
    gateway.takeStatements();
    for (const query of [first, second, first, second])
      expect((await post({ extensions: hashed(query) }, headers)).body).toEqual(answerOf(own));
    expect((await post({ extensions: hashed(newDocument()) }, headers)).body).toEqual(NOT_FOUND);
    // The hashes, and the text of each document.
    expect(gateway.takeStatements().filter((name) => name.startsWith('prisma:'))).toHaveLength(3);
  });

  it('is rejected by every gateway within seconds after it was deleted', async () => {
    const second = await startGateway({ database: gateway.database, masterKey, worksInBackground: false });
    const own = await gateway.project();
    const [query, kept] = [newDocument(), newDocument()];
    await register(own, query, kept);
    const ask = (baseUrl: string, text: string) =>
      send(`${baseUrl}/graphql`, 'POST', { extensions: hashed(text) }, { 'x-api-key': own.key });
    for (const { baseUrl } of [gateway, second])
      expect((await ask(baseUrl, query)).body).toEqual(answerOf(own));
    expect((await remove(own, query)).deleteOperations.deletedIds).toHaveLength(1);
    expect((await ask(gateway.baseUrl, query)).body).toEqual(NOT_FOUND);
    await expect.poll(async () => (await ask(second.baseUrl, query)).body).toEqual(NOT_FOUND);
    expect((await ask(second.baseUrl, kept)).body).toEqual(answerOf(own));
    await register(own, query);
    await expect.poll(async () => (await ask(second.baseUrl, query)).body).toEqual(answerOf(own));
    await second.close();
  });
});

describe('a browser token of a project that requires registered documents', () => {
  let own: TestProject;
  let token: Record<string, string>;
  const registered = `query Test${nextNumber()} { accounts(first: 1) { edges { node { accountId } } } }`;
  const accountId = unique('account');
  const answer = { data: { accounts: { edges: [{ node: { accountId } }] } } };
  const subscription = 'subscription Ours { verificationCompleted { __typename } }';
  const arbitrary = '{ project { name } }';
  const REFUSED = {
    status: 403,
    body: { errors: [{ extensions: { code: 'operation.not_registered', status: 403 } }] },
  };

  beforeAll(async () => {
    own = await gateway.project();
    await own.authenticate({ id: accountId });
    await register(own, registered, subscription);
    token = await tokenOf(own);
    await restrict(own);
  });

  it('executes registered documents', async () => {
    expect((await post({ extensions: hashed(registered) }, token)).body).toEqual(answer);
    expect((await get({ documentId: `sha256:${sha256(registered)}` }, token)).body).toEqual(answer);
    const run = await socketOf(token);
    expect(await run({ query: '', extensions: hashed(registered) })).toEqual(answer);
  });

  it.each([
    { how: 'a text', body: { query: arbitrary } },
    { how: 'a text that does not parse', body: { query: '{{{' } },
    { how: 'an invalid text', body: { query: 5 } },
    { how: 'a registered text', body: { query: registered } },
    { how: 'a text with its hash', body: { query: arbitrary, extensions: hashed(arbitrary) } },
    {
      how: 'a text with the hash of a registered one',
      body: { query: arbitrary, extensions: hashed(registered) },
    },
    { how: 'a text with invalid variables', body: { query: arbitrary, variables: 5 } },
    { how: 'a batch', body: [{ query: arbitrary }] },
    { how: 'nothing', body: {} },
  ])('is rejected with $how, without a statement', async ({ body }) => {
    gateway.takeStatements();
    for (const accept of [
      'application/json',
      'application/graphql-response+json',
      'text/event-stream',
      'multipart/mixed',
    ])
      expect(await post(body, { ...token, accept })).toMatchObject(REFUSED);
    expect(gateway.takeStatements().filter(isData)).toEqual([]);
  });

  it('is rejected with a text by GET, over WebSocket and as an event stream', async () => {
    expect(await get({ query: arbitrary }, token)).toMatchObject(REFUSED);
    const repeated = `query=&query=${encodeURIComponent(arbitrary)}&documentId=${sha256(registered)}`;
    const byHash = await send(`${gateway.baseUrl}/graphql?${repeated}`, 'GET', undefined, token);
    expect(byHash).toMatchObject({
      status: 400,
      body: { errors: [{ extensions: { code: 'input.invalid' } }] },
    });
    const run = await socketOf(token);
    gateway.takeStatements();
    for (const query of [arbitrary, subscription, '{{{'])
      expect(await run({ query })).toMatchObject(REFUSED.body.errors);
    expect(await run({ query: arbitrary, extensions: hashed(registered) })).toMatchObject(
      REFUSED.body.errors,
    );
    expect(await run({ query: '' })).toMatchObject(REFUSED.body.errors);
    const stream = await post({ query: subscription }, { ...token, accept: 'text/event-stream' });
    expect(stream).toMatchObject(REFUSED);
    expect(gateway.takeStatements().filter(isData)).toEqual([]);
  });

  it('does not execute a document that a key sent with its hash', async () => {
    const query = newDocument();
    expect((await post({ query, extensions: hashed(query) }, { 'x-api-key': own.key })).body).toEqual(
      answerOf(own),
    );
    expect((await post({ extensions: hashed(query) }, token)).body).toEqual(NOT_FOUND);
    const run = await socketOf(token);
    expect(await run({ query: '', extensions: hashed(query) })).toMatchObject(NOT_FOUND.errors);
  });

  it.each([
    { method: 'GET', route: '/account/{id} of its account', path: () => `/account/${accountId}` },
    { method: 'GET', route: '/account/{id} of an unknown account', path: () => '/account/nobody' },
    { method: 'GET', route: '/session/{session_id}', path: () => `/session/${crypto.randomUUID()}` },
    {
      method: 'GET',
      route: '/account/{id}/accounts-linked',
      path: () => `/account/${accountId}/accounts-linked`,
    },
    { method: 'POST', route: '/liveness/verify-id', path: () => '/liveness/verify-id' },
    { method: 'PUT', route: '/account/{id}', path: () => `/account/${accountId}` },
  ])('is rejected by REST, $method $route, without a statement', async ({ method, path }) => {
    gateway.takeStatements();
    const body = method === 'GET' ? undefined : {};
    expect(await send(gateway.baseUrl + path(), method, body, token)).toMatchObject({
      status: 403,
      body: { code: 'operation.not_registered' },
    });
    expect(gateway.takeStatements().filter(isData)).toEqual([]);
  });

  it('does not restrict keys, pages that open sessions and apps with a secret', async () => {
    const key = { 'x-api-key': own.key };
    expect((await post({ query: arbitrary }, key)).status).toBe(200);
    const rest = (method: string, path: string, body?: Body, headers = key) =>
      send(gateway.baseUrl + path, method, body, headers);
    expect((await rest('GET', `/account/${accountId}`)).status).toBe(200);
    const opened = await send(`${gateway.baseUrl}/session`, 'POST', { project_id: own.projectId });
    expect(opened.status).toBe(200);
    const added = await send(
      `${gateway.baseUrl}/session/${opened.body.session_id}`,
      'PATCH',
      {},
      { authorization: `Bearer ${opened.body.token}` },
    );
    expect(added.status).toBe(200);
    const { sessionId, secret } = await verificationLink(own);
    const uploaded = await post(
      {
        query: `mutation { createVerificationUpload(input: { sessionId: "${sessionId}", kind: FACE_FRAME,
          contentType: IMAGE_JPEG }) { requestId } }`,
      },
      { authorization: `Bearer ${secret}` },
    );
    expect(uploaded.body.errors?.[0].extensions.code).not.toBe('operation.not_registered');
    expect(uploaded.status).toBe(200);
  });
});
