import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Gateway,
  projectClient,
  send,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';

let clock: TestClock;
let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  clock = new TestClock();
  gateway = await startGateway({ clock });
  project = await gateway.project();
});
afterAll(() => gateway.close());

const keyOf = async (role: 'read' | 'server' | 'operator', expiresAt?: Date) =>
  project.withKey((await gateway.app.projects.createKey(project.projectId, role, { expiresAt })).key);

const TOKEN = `mutation ($input: CreateBrowserTokenInput!) { createBrowserToken(input: $input) { token expiresAt } }`;

async function browserToken(input: Record<string, unknown>): Promise<string> {
  return (await project.graphql(TOKEN, { input: { scopes: ['ACCOUNT'], ...input } })).createBrowserToken
    .token;
}

const withToken = (token: string, query: string, variables: Record<string, unknown> = {}) =>
  send(`${gateway.baseUrl}/graphql`, 'POST', { query, variables }, { authorization: `Bearer ${token}` });

describe('a key', () => {
  it('with the role read reads, and changes nothing', async () => {
    const reader = await keyOf('read');
    const id = unique('read');
    await project.authenticate({ id });
    expect((await reader.rest('GET', `/account/${id}`)).status).toBe(200);
    for (const answer of [
      await reader.rest('PUT', `/account/${id}`, { email: 'x@example.com' }),
      await reader.rest('DELETE', `/account/${id}`),
      await reader.rest('POST', '/session', {}),
      await reader.rest('POST', '/session/authenticate', {
        session_id: await project.session(),
        account: { id },
      }),
    ]) {
      expect(answer.status).toBe(403);
      expect(answer.body.message).toMatch(/role/);
    }
    const { body } = await reader.rawGraphql(TOKEN, { input: { scopes: ['ACCOUNT'], accountId: id } });
    expect(body.errors[0].extensions.code).toBe('auth.forbidden');
    expect((await project.rest('GET', `/account/${id}`)).body.account.email).toBe('');
  });

  it('expires at its time', async () => {
    const shortLived = await keyOf('server', new Date(clock.now().getTime() + 60_000));
    expect((await shortLived.rest('GET', '/account/nobody')).status).toBe(400);
    clock.advance(60_000);
    expect((await shortLived.rest('GET', '/account/nobody')).status).toBe(401);
  });

  it('is rejected by every gateway within a second after it is revoked', async () => {
    const masterKey = generateMasterKey();
    const first = await startGateway({ masterKey });
    const second = await startGateway({ masterKey, database: first.database });
    const { projectId } = await first.project();
    const { key, keyId } = await first.app.projects.createKey(projectId, 'server');
    const clients = [first, second].map(({ baseUrl }) => projectClient(baseUrl, projectId, key));
    for (const client of clients) expect((await client.rest('GET', '/account/x')).status).toBe(400);
    await first.app.projects.revokeKey(projectId, keyId);
    const deadline = Date.now() + 1000;
    for (const client of clients) {
      let { status } = await client.rest('GET', '/account/x');
      while (status !== 401 && Date.now() < deadline) ({ status } = await client.rest('GET', '/account/x'));
      expect(status).toBe(401);
    }
    await second.close();
    await first.close();
  });

  it('is stored as a hash with only a visible prefix', async () => {
    const rows = await gateway.app.database.system.query(
      { name: 'test.keys', text: 'select k::text as row from api_keys k' },
      [],
    );
    const secret = project.key.slice(project.key.lastIndexOf('_') + 1);
    for (const { row } of rows) {
      expect(row).not.toContain(secret);
      expect(row).not.toContain(Buffer.from(project.key).toString('hex'));
    }
  });
});

describe('a browser token', () => {
  it('of an account reads only that account', async () => {
    const [id, other] = [unique('mine'), unique('other')];
    const phone = '+14155550177';
    const { session } = await project.authenticate({ id, phone });
    const { session: foreign } = await project.authenticate({ id: other, phone });
    const token = await browserToken({ accountId: id, ttlSeconds: 60 });
    const node = (await project.graphql('query ($id: ID!) { account(accountId: $id) { id } }', { id: other }))
      .account.id;
    const { body } = await withToken(
      token,
      `query ($id: ID!, $other: ID!, $node: ID!, $session: ID!, $foreign: ID!) {
        account(accountId: $id) { accountId phone } other: account(accountId: $other) { accountId } node(id: $node) { id }
        session(sessionId: $session) { sessionId } foreign: session(sessionId: $foreign) { sessionId }
      }`,
      { id, other, node, session: session.session_id, foreign: foreign.session_id },
    );
    expect(body.data).toEqual({
      account: { accountId: id, phone },
      session: { sessionId: session.session_id },
      ...{ other: null, node: null, foreign: null },
    });
    for (const query of [
      `{ account(accountId: "${id}") { linkedAccounts { edges { score } } } }`,
      '{ accounts { edges { node { accountId } } } }',
      '{ sessions { edges { node { sessionId } } } }',
      `mutation { deleteAccount(input: { accountId: "${id}" }) { accountId } }`,
    ]) {
      expect((await withToken(token, query)).body.errors[0].extensions.code).toBe('auth.forbidden');
    }
  });

  it('of a session reads that session and no account', async () => {
    const [mine, other] = [await project.session(), await project.session()];
    const token = await browserToken({ sessionId: mine });
    const { body } = await withToken(
      token,
      'query ($mine: ID!, $other: ID!) { mine: session(sessionId: $mine) { sessionId } other: session(sessionId: $other) { sessionId } }',
      { mine, other },
    );
    expect(body.data).toEqual({ mine: { sessionId: mine }, other: null });
  });

  it('expires, cannot be modified, and is valid for at most an hour', async () => {
    const token = await browserToken({ accountId: 'nobody', ttlSeconds: 30 });
    const query = '{ project { name } }';
    expect((await withToken(token, query)).status).toBe(200);
    expect((await withToken(`${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`, query)).status).toBe(
      401,
    );
    clock.advance(30_000);
    expect((await withToken(token, query)).status).toBe(401);
    for (const ttlSeconds of [0, 3601]) {
      expect(
        (await project.rawGraphql(TOKEN, { input: { scopes: ['ACCOUNT'], accountId: 'nobody', ttlSeconds } }))
          .body.errors[0].extensions.code,
      ).toBe('input.invalid');
    }
  });
});

describe('a request with an Idempotency-Key', () => {
  const body = () => ({ ip_address: '8.8.8.8', device_id: unique('device') });
  const post = (client: TestProject, key: string, sent: unknown, path = '/session') =>
    client.rest('POST', path, sent, { 'idempotency-key': key });

  it('runs once for any number of concurrent repetitions', async () => {
    const [key, sent] = [unique('key'), body()];
    const answers = await Promise.all(Array.from({ length: 20 }, () => post(project, key, sent)));
    const done = answers.filter(({ status }) => status === 200);
    expect(answers.every(({ status }) => status === 200 || status === 409)).toBe(true);
    expect(new Set(done.map(({ text }) => text)).size).toBe(1);
    expect((await post(project, key, sent)).text).toBe(done[0]!.text);
  });

  it('is rejected with another body, and is independent of other projects and paths', async () => {
    const [key, sent] = [unique('key'), body()];
    const first = await post(project, key, sent);
    expect(await post(project, key, { ...sent, ip_address: '9.9.9.9' })).toMatchObject({
      status: 422,
      body: { statusCode: 422, code: expect.any(String), message: expect.stringMatching(/another body/) },
    });
    const other = await gateway.project();
    expect((await post(other, key, sent)).text).not.toBe(first.text);
    expect(
      (await post(project, key, { session_id: first.body.session_id }, '/session/unauthenticated')).status,
    ).toBe(200);
  });

  it('stores client errors too, and expires after 24 hours', async () => {
    const key = unique('key');
    const sent = { session_id: 'not-there' };
    const refused = await post(project, key, sent, '/session/unauthenticated');
    expect(refused.status).toBe(400);
    expect((await post(project, key, sent, '/session/unauthenticated')).text).toBe(refused.text);
    const opened = await post(project, `${key}-2`, body());
    clock.advance(24 * 3_600_000);
    expect((await post(project, `${key}-2`, body())).body.session_id).not.toBe(opened.body.session_id);
  });

  it('runs again when the gateway of the first request crashed', async () => {
    const [key, sent] = [unique('key'), body()];
    const first = await post(project, key, sent);
    await gateway.app.database.system.query(
      {
        name: 'test.crash',
        text: `update idempotency_keys set state = 'running', status = null, body = null, locked_until = $2 where project_id = $1`,
      },
      [project.projectId, clock.now()],
    );
    const second = await post(project, key, sent);
    expect(second.status).toBe(200);
    expect(second.body.session_id).not.toBe(first.body.session_id);
  });

  it('runs once by GraphQL too', async () => {
    const key = unique('key');
    const query = 'mutation { createSession(input: {}) { session { sessionId } } }';
    const ask = () => project.rawGraphql(query, undefined, { 'idempotency-key': key });
    expect((await ask()).text).toBe((await ask()).text);
  });
});

describe('the rate limit', () => {
  it('allows exactly its limit, returns a retry time for the others, and counts keys separately', async () => {
    const limited = await startGateway({
      settings: { RATE_LIMIT_PER_MINUTE: '5', COLLECTOR_LIMIT_PER_MINUTE: '2' },
    });
    const [one, two] = [await limited.project(), await limited.project()];
    const answers = await Promise.all(Array.from({ length: 12 }, () => one.rest('GET', '/account/x')));
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(7);
    expect(refused[0]!.body).toEqual({
      statusCode: 429,
      code: expect.any(String),
      message: 'Too Many Requests',
    });
    expect(Number(refused[0]!.headers.get('retry-after'))).toBeGreaterThan(0);
    expect(refused[0]!.headers.get('ratelimit')).toMatch(/^"default";r=0;t=\d+$/);
    expect(refused[0]!.headers.get('ratelimit-policy')).toBe('"default";q=5;w=60');
    expect((await one.rawGraphql('{ project { name } }')).status).toBe(429);
    expect((await two.rest('GET', '/account/x')).status).toBe(400);
    const open = () => send(`${limited.baseUrl}/session`, 'POST', { project_id: one.projectId });
    expect((await Promise.all([open(), open(), open()])).map(({ status }) => status).sort()).toEqual([
      200, 200, 429,
    ]);
    await limited.close();
  });
});

describe('pages of other origins', () => {
  it('may read a sandbox, not a production project, and never use its key', async () => {
    const origin = { origin: 'https://shop.example' };
    const sandbox = await project.rest('GET', '/account/x', undefined, origin);
    expect(sandbox.headers.get('access-control-allow-origin')).toBe('https://shop.example');
    const production = await gateway.project({ environment: 'production' });
    const refused = await production.rest('GET', '/account/x', undefined, origin);
    expect(refused.status).toBe(403);
    expect(refused.headers.get('access-control-allow-origin')).toBeNull();
    expect((await production.rest('POST', '/session', { ip_address: '8.8.8.8' })).status).toBe(403);
  });
});
