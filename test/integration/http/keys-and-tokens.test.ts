import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { generateApiKey, type KeyRole } from '../../../src/domain/projects/api-key.ts';
import {
  type Gateway,
  projectClient,
  send,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs, tablesOf } from '../../support/sql.ts';

let clock: TestClock;
let gateway: Gateway;
let project: TestProject;
const known = unique('known');
let session: string;

beforeAll(async () => {
  clock = new TestClock();
  gateway = await startGateway({ clock });
  project = await gateway.project();
  session = (await project.authenticate({ id: known, email: 'ada@example.com' })).session_id;
});
afterAll(() => gateway.close());

const keyOf = async (role: KeyRole, expiresAt?: Date): Promise<TestProject> =>
  project.withKey((await gateway.app.projects.createKey(project.projectId, role, { expiresAt })).key);

const ROLE = 'This operation requires a key with the role server';

async function state() {
  const query = `query ($id: ID!) { account(accountId: $id) { updatedAt email numSessions }
    accounts { edges { node { accountId } } } sessions { edges { node { sessionId } } } }`;
  return project.graphql(query, { id: known });
}

const writes = (): [string, string, unknown?][] => [
  ['PUT', `/account/${known}`, { email: 'eve@example.com' }],
  ['POST', '/session', {}],
  ['POST', '/session/authenticate', { session_id: session, account: { id: 'new' } }],
  ['POST', '/session/unauthenticated', { session_id: session }],
  ['PATCH', `/session/${session}`, { device: { cpu_cores: 2 } }],
  ['POST', `/session/${session}/complete`],
  ['DELETE', `/account/${known}`],
];
const reads = () => [
  `/account/${known}`,
  `/account/${known}/accounts-linked`,
  `/account/${known}/sessions`,
  `/session/${session}`,
];
const mutations = () => [
  `updateAccount(input: { accountId: "${known}", email: "x" }) { requestId }`,
  `deleteAccount(input: { accountId: "${known}" }) { requestId }`,
  `authenticateSession(input: { sessionId: "${session}", account: { accountId: "new" } }) { requestId }`,
  'createSession(input: {}) { requestId }',
  `addSessionFacts(input: { sessionId: "${session}", facts: {} }) { requestId }`,
  `completeSession(input: { sessionId: "${session}" }) { requestId }`,
  'createBrowserToken(input: { scopes: [ACCOUNT], accountId: "nobody" }) { token }',
];

describe('a key with the role read', () => {
  it('reads by REST and by GraphQL', async () => {
    const reader = await keyOf('read');
    for (const path of reads()) expect((await reader.rest('GET', path)).status).toBe(200);
    const query = `{ project { name } account(accountId: "${known}") { accountId } accounts { edges { node { accountId } } } }`;
    expect((await reader.graphql(query)).account.accountId).toBe(known);
  });

  it('changes nothing, and the error names its role', async () => {
    const reader = await keyOf('read');
    const before = await state();
    for (const [method, path, body] of writes()) {
      const answer = await reader.rest(method, path, body);
      expect([path, answer.status, answer.body]).toEqual([
        path,
        403,
        { statusCode: 403, code: expect.any(String), message: ROLE },
      ]);
    }
    for (const mutation of mutations()) {
      const { body } = await reader.rawGraphql(`mutation { ${mutation} }`);
      expect(Object.values(body.data ?? {}).filter((value) => value !== null)).toEqual([]);
      expect(body.errors[0]).toMatchObject({ message: ROLE, extensions: { code: 'auth.forbidden' } });
    }
    expect(await state()).toEqual(before);
  });
});

describe('a key with the role server or operator', () => {
  it.each(['server', 'operator'] as const)('reads and writes: %s', async (role) => {
    const writer = await keyOf(role);
    const id = unique(role);
    await writer.authenticate({ id });
    expect((await writer.rest('PUT', `/account/${id}`, { email: 'a@example.com' })).status).toBe(200);
    for (const path of reads()) expect((await writer.rest('GET', path)).status).toBe(200);
    const create =
      'mutation { createBrowserToken(input: { scopes: [ACCOUNT], accountId: "nobody" }) { token } }';
    expect((await writer.graphql(create)).createBrowserToken.token).toMatch(/^vgb_/);
    expect((await writer.rest('DELETE', `/account/${id}`)).status).toBe(200);
  });
});

const KEY_AS_BEARER = 'Unauthorized: API keys are sent in x-api-key, not as Authorization: Bearer';

describe('an invalid key', () => {
  it('has the same response on REST, with a code that needs no lookup', async () => {
    const revoked = await gateway.app.projects.createKey(project.projectId, 'operator');
    await gateway.app.projects.revokeKey(project.projectId, revoked.keyId);
    const expired = await gateway.app.projects.createKey(project.projectId, 'operator', {
      expiresAt: new Date(clock.now().getTime() + 1),
    });
    clock.advance(1);
    const { key } = project;
    const headers: Record<string, string>[] = [
      {},
      { 'x-api-key': '' },
      { 'x-api-key': 'nonsense' },
      { 'x-api-key': key.slice(0, -1) },
      { 'x-api-key': `${key}0` },
      { 'x-api-key': key.toUpperCase() },
      { 'x-api-key': key.replace('vg_test_', 'vg_live_') },
      { 'x-api-key': `${key}, ${key}` },
      { 'x-api-key': generateApiKey(project.projectId, 'sandbox') },
      { 'x-api-key': generateApiKey('01975a8e-3b18-7c11-9d0e-5f2a8c4b7e61', 'sandbox') },
      { 'x-api-key': revoked.key },
      { 'x-api-key': expired.key },
      { authorization: 'Bearer nonsense' },
      ...[key, `${key}0`, revoked.key, expired.key].map((given) => ({ authorization: `Bearer ${given}` })),
      { authorization: `Basic ${Buffer.from(`${key}:`).toString('base64')}` },
    ];
    for (const given of headers) {
      const message = given.authorization?.startsWith('Bearer vg_') ? KEY_AS_BEARER : 'Unauthorized';
      const rest = await send(`${gateway.baseUrl}/account/${known}`, 'GET', undefined, given);
      expect([given, rest.status, rest.body]).toEqual([
        given,
        401,
        {
          statusCode: 401,
          code: expect.stringMatching(/^auth\.(unauthenticated|missing|malformed|key_as_token)$/),
          message,
        },
      ]);
      const query = { query: '{ project { name } }' };
      const graphql = await send(`${gateway.baseUrl}/graphql`, 'POST', query, given);
      expect([given, graphql.status]).toEqual([given, 401]);
      expect(graphql.body).toMatchObject({
        errors: [{ message: expect.stringContaining(message), extensions: { code: rest.body.code } }],
      });
    }
  });

  it('can be an expired one, to the millisecond', async () => {
    const short = await keyOf('read', new Date(clock.now().getTime() + 60_000));
    expect((await short.rest('GET', `/account/${known}`)).status).toBe(200);
    clock.advance(59_999);
    expect((await short.rest('GET', `/account/${known}`)).status).toBe(200);
    clock.advance(1);
    expect((await short.rest('GET', `/account/${known}`)).status).toBe(401);
  });

  it('can be a revoked one, a second later, in every gateway on the database, while others remain valid', async () => {
    const masterKey = generateMasterKey();
    const first = await startGateway({ masterKey });
    const second = await startGateway({ masterKey, database: first.database });
    const { projectId, key: kept } = await first.project();
    const { key, keyId } = await first.app.projects.createKey(projectId, 'server');
    const clients = [first, second].map(({ baseUrl }) => projectClient(baseUrl, projectId, key));
    for (const client of clients) expect((await client.rest('GET', '/account/x')).status).toBe(400);
    await first.app.projects.revokeKey(projectId, keyId);
    const deadline = performance.now() + 1000;
    const lastStatus = async (client: TestProject): Promise<number> => {
      for (;;) {
        const isLast = performance.now() >= deadline;
        const { status } = await client.rest('GET', '/account/x');
        if (status === 401 || isLast) return status;
      }
    };
    expect(await Promise.all(clients.map(lastStatus))).toEqual([401, 401]);
    for (const client of clients) {
      expect((await client.withKey(kept).rest('GET', '/account/x')).status).toBe(400);
      expect((await client.rawGraphql('{ project { name } }')).status).toBe(401);
    }
    await second.close();
    await first.close();
  });
});

describe('stored data of a key', () => {
  it('contains no raw key in any table', async () => {
    const keys = [project.key, (await keyOf('read')).key];
    const client = await connectAs(gateway.database, 'vouchgraph_system');
    let rows = 0;
    for (const table of await tablesOf(client)) {
      const dump = await client.query(`select t::text as row from "${table}" t`);
      rows += dump.rows.length;
      const text = dump.rows.map(({ row }) => row).join('\n');
      for (const key of keys) {
        const secret = key.slice(key.lastIndexOf('_') + 1);
        for (const form of [secret, secret.slice(0, 8), secret.slice(-8)]) {
          expect(text).not.toContain(form);
          expect(text).not.toContain(Buffer.from(form).toString('hex'));
        }
        expect(text).not.toContain(Buffer.from(key).toString('base64').slice(0, -4));
      }
    }
    await client.end();
    expect(rows).toBeGreaterThan(3);
  });

  it('contains its last use', async () => {
    const { key, keyId } = await gateway.app.projects.createKey(project.projectId, 'read');
    const lastUse = async () =>
      (await gateway.app.projects.keysOf(project.projectId)).find((row) => row.key_id === keyId)!
        .last_used_at;
    expect(await lastUse()).toBeNull();
    await project.withKey(key).rest('GET', `/account/${known}`);
    await expect.poll(lastUse).toEqual(clock.now());
  });
});
