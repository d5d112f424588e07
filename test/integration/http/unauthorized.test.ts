import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { generateApiKey } from '../../../src/domain/projects/api-key.ts';
import { type Gateway, send, startGateway, TestClock, type TestProject } from '../../support/gateway.ts';
import { openSocket } from '../../support/websocket.ts';

let gateway: Gateway;
let project: TestProject;
const secrets: Record<string, string> = {};
const open: { close(): void }[] = [];

async function tokenOf(of: TestProject, ttlSeconds: number): Promise<string> {
  const { createBrowserToken } = await of.graphql(
    `mutation ($input: CreateBrowserTokenInput!) { createBrowserToken(input: $input) { token } }`,
    { input: { scopes: ['ACCOUNT'], accountId: 'a', ttlSeconds } },
  );
  return createBrowserToken.token;
}

beforeAll(async () => {
  const clock = new TestClock();
  gateway = await startGateway({ recalculatesLinks: false, clock });
  project = await gateway.project();
  const { projects } = gateway.app;
  const revoked = await projects.createKey(project.projectId, 'operator');
  const token = await tokenOf(project, 600);
  Object.assign(secrets, {
    key: project.key,
    token,
    'an expired token': await tokenOf(project, 1),
    'a forged token': token.replace(/.{3}$/, (end) => (end === 'AAA' ? 'BBB' : 'AAA')),
    'a token of a revoked key': await tokenOf(project.withKey(revoked.key), 600),
    'a revoked key': revoked.key,
    'an unknown key': generateApiKey(project.projectId, 'sandbox'),
    'an expired key': (
      await projects.createKey(project.projectId, 'read', {
        expiresAt: new Date(clock.now().getTime() + 1000),
      })
    ).key,
    'a mistyped key': project.key.replace(/.$/, (end) => (end === 'A' ? 'B' : 'A')),
    'an incomplete key': project.key.slice(0, -1),
    nonsense: 'nonsense',
  });
  await projects.revokeKey(project.projectId, revoked.keyId);
  clock.advance(2000);
  // A gateway keeps a key for less than a second.
  const isRevoked = async () =>
    expect((await project.withKey(revoked.key).rest('GET', '/list')).status).toBe(401);
  await vi.waitFor(isRevoked, { timeout: 50_000 });
});
afterAll(async () => {
  for (const socket of open) socket.close();
  await gateway.close();
});

const UNKNOWN = ['auth.unauthenticated', 'Unauthorized: unknown, expired or revoked key or token'] as const;
const MALFORMED_KEY = [
  'auth.malformed',
  'Unauthorized: x-api-key must be an API key, which begins with vg_test_ or vg_live_',
] as const;
const MISTYPED_KEY = [
  'auth.malformed',
  'Unauthorized: the key in x-api-key has wrong or missing characters',
] as const;
const MALFORMED_TOKEN = [
  'auth.malformed',
  'Unauthorized: Authorization must be Bearer and a browser token or session secret',
] as const;
const EXPIRED = ['auth.token_expired', 'Unauthorized: the browser token has expired'] as const;
const MISSING = ['auth.missing', 'Unauthorized: x-api-key or Authorization: Bearer is required'] as const;
const TOKEN_AS_KEY = [
  'auth.token_as_key',
  'Unauthorized: tokens are sent as Authorization: Bearer, not in x-api-key',
] as const;
const KEY_AS_TOKEN = [
  'auth.key_as_token',
  'Unauthorized: API keys are sent in x-api-key, not as Authorization: Bearer',
] as const;

type Place = 'x-api-key' | 'Bearer' | 'none';
const CASES: [Place, string, readonly [string, string]][] = [
  ['none', '', MISSING],
  ['x-api-key', 'nonsense', MALFORMED_KEY],
  ['x-api-key', 'a mistyped key', MISTYPED_KEY],
  ['x-api-key', 'an incomplete key', MISTYPED_KEY],
  ['x-api-key', 'token', TOKEN_AS_KEY],
  ['x-api-key', 'an expired token', TOKEN_AS_KEY],
  ['x-api-key', 'an unknown key', UNKNOWN],
  ['x-api-key', 'a revoked key', UNKNOWN],
  ['x-api-key', 'an expired key', UNKNOWN],
  ['Bearer', 'key', KEY_AS_TOKEN],
  ['Bearer', 'nonsense', MALFORMED_TOKEN],
  ['Bearer', 'an expired token', EXPIRED],
  ['Bearer', 'a forged token', UNKNOWN],
  ['Bearer', 'a token of a revoked key', UNKNOWN],
];

const headersOf = (place: Place, name: string): Record<string, string> => {
  if (place === 'none') return {};
  const secret = secrets[name]!;
  return place === 'Bearer' ? { authorization: `Bearer ${secret}` } : { 'x-api-key': secret };
};

describe('a request that is not authenticated', () => {
  it.each(CASES)('has a code for its cause: %s %s', async (place, name, [code, message]) => {
    const headers = headersOf(place, name);
    const query = { query: '{ project { name } }' };
    const graphql = await send(`${gateway.baseUrl}/graphql`, 'POST', query, headers);
    expect(graphql).toMatchObject({
      status: 401,
      body: { errors: [{ message, extensions: { code, kind: 'unauthenticated', status: 401 } }] },
    });
    const rest = await send(`${gateway.baseUrl}/account/a`, 'GET', undefined, headers);
    const documented = code === 'auth.key_as_token' ? message : 'Unauthorized';
    expect(rest.status).toBe(401);
    expect(rest.text).toBe(JSON.stringify({ statusCode: 401, message: documented, code }));
  });

  it.each(CASES)('closes a WebSocket with the reason: %s %s', async (place, name, [, message]) => {
    const socket = await openSocket(open, `${gateway.baseUrl.replace('http', 'ws')}/graphql`);
    socket.send({ type: 'connection_init', payload: headersOf(place, name) });
    expect(await socket.closed).toEqual({ code: 4403, reason: message });
    expect(Buffer.byteLength(message)).toBeLessThanOrEqual(123);
  });

  it('closes a WebSocket with the reason when its key is revoked', async () => {
    const { key, keyId } = await gateway.app.projects.createKey(project.projectId, 'read');
    const socket = await openSocket(open, `${gateway.baseUrl.replace('http', 'ws')}/graphql`);
    await socket.acknowledged(key);
    await gateway.app.projects.revokeKey(project.projectId, keyId);
    expect(await socket.closed).toEqual({ code: 4403, reason: UNKNOWN[1] });
  });

  it('closes a WebSocket of a page with a production key with the reason', async () => {
    const production = await gateway.project({ environment: 'production' });
    const url = `${gateway.baseUrl.replace('http', 'ws')}/graphql`;
    const socket = await openSocket(open, url, undefined, { headers: { origin: 'https://a.example' } });
    socket.send({ type: 'connection_init', payload: { 'x-api-key': production.key } });
    expect(await socket.closed).toEqual({
      code: 4403,
      reason: 'API keys of production projects must not be used from web pages',
    });
  });
});
