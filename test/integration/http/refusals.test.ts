import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Gateway,
  send,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;
let stranger: TestProject;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
  stranger = await gateway.project();
});
afterAll(() => gateway.close());

const countAccounts = async () =>
  (await project.graphql('{ accounts(first: 100) { edges { node { accountId } } } }')).accounts.edges.length;

const authenticate = (body: unknown) => project.rest('POST', '/session/authenticate', body);

function expectRefusal(answer: Answer, status: number, message: RegExp): void {
  expect(answer.body).toEqual({
    statusCode: status,
    code: expect.any(String),
    message: expect.stringMatching(message),
  });
  expect(answer.status).toBe(status);
  expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
}

const deep = (levels: number) => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const accountWith = (fields: string) => (session: string) =>
  `{"session_id":"${session}","account":{"id":"x",${fields}}}`;

describe('an invalid body', () => {
  it.each<[string, (session: string) => string, number, RegExp]>([
    ['not JSON', () => '{"a"', 400, /not valid JSON/],
    ['an array', () => '[]', 400, /must be a JSON object/],
    ['a string', () => '"x"', 400, /must be a JSON object/],
    ['null', () => 'null', 400, /must be a JSON object/],
    ['empty', () => ' ', 400, /must be a JSON object/],
    ['1 MB', () => `{"a":"${'x'.repeat(1_000_000)}"}`, 413, /larger than 256 KB/],
    ['10,000 levels deep', () => deep(10_000), 400, /nested deeper/],
    ['with wrong upper case', (s) => `{"Session_id":"${s}","Account":{"id":"x"}}`, 400, /required/],
    ['without an account', (s) => `{"session_id":"${s}"}`, 400, /^account: required/],
    ['without an account id', (s) => `{"session_id":"${s}","account":{}}`, 400, /^account.id: required/],
    ['with an empty account id', (s) => `{"session_id":"${s}","account":{"id":""}}`, 400, /^account.id: /],
    [
      'with a long account id',
      (s) => `{"session_id":"${s}","account":{"id":"${'x'.repeat(257)}"}}`,
      400,
      /256/,
    ],
    ['with a long phone', accountWith(`"phone":"${'1'.repeat(33)}"`), 400, /^account.phone: .*32/],
    ['with a long name', accountWith(`"first_name":"${'n'.repeat(257)}"`), 400, /^account.first_name: .*256/],
    ['with a long email', accountWith(`"email":"${'e'.repeat(321)}"`), 400, /^account.email: .*320/],
    ['with a number for an email', accountWith('"email":5'), 400, /^account.email: must be text/],
    ['with the country USA', accountWith('"expected_countries":["USA"]'), 400, /use US/],
    ['with the country uk', accountWith('"expected_countries":["uk"]'), 400, /use GB/],
    [
      'with the country ZZ',
      accountWith('"expected_countries":["ZZ"]'),
      400,
      /expected_countries.0: .*ISO 3166/,
    ],
    ['with text for metadata', accountWith('"metadata":"x"'), 400, /^account.metadata: must be an object/],
    ['with a list for metadata', accountWith('"metadata":[1]'), 400, /^account.metadata: must be an object/],
    ['with 17 KB of metadata', accountWith(`"metadata":{"a":"${'m'.repeat(17_000)}"}`), 400, /16 KB/],
    ['with 9 levels of metadata', accountWith(`"metadata":${deep(9)}`), 400, /8 levels/],
    [
      'with a duplicate key',
      accountWith('"email":"a@example.com","email":"b@example.com"'),
      400,
      /Duplicate key/,
    ],
    ['with a NUL character', accountWith('"username":"a\\u0000b"'), 400, /NUL/],
    ['with a lone surrogate', accountWith('"username":"a\\ud800b"'), 400, /surrogate/],
    ['with a list name containing /', accountWith('"lists":["a/b"]'), 400, /account.lists.0: /],
    ['with two standard lists', accountWith('"lists":["block","allow"]'), 400, /at most/],
  ])('is rejected and changes nothing: %s', async (_name, body, status, message) => {
    const session = await project.session();
    const before = await countAccounts();
    expectRefusal(await authenticate(body(session)), status, message);
    expect(await countAccounts()).toBe(before);
    expect((await project.rest('GET', `/session/${session}`)).body.account_ids).toEqual([]);
  });

  it.each([
    ['latitude 91', { location: { latitude: 91 } }, /location.latitude: /],
    ['an invalid address', { ip_address: '999.1.1.1' }, /ip_address: .*IPv4/],
    ['an invalid start time', { start_time: 'yesterday' }, /start_time: /],
    ['an unknown source', { source: 'fridge' }, /source: must be one of web, ios, android/],
  ])('is rejected as a session: %s', async (_name, body, message) => {
    expectRefusal(await project.rest('POST', '/session', body), 400, message);
  });

  it('is rejected by GraphQL with a code, including unknown fields', async () => {
    const mutation = `mutation ($input: AuthenticateSessionInput!) { authenticateSession(input: $input) { requestId } }`;
    const sessionId = await project.session();
    const input = (account: Record<string, unknown>) => ({
      input: { sessionId, account: { accountId: 'x', ...account } },
    });
    for (const account of [
      { phone: '1'.repeat(33) },
      { expectedCountries: ['USA'] },
      { email: 5 },
      { shoeSize: 44 },
    ]) {
      const { body } = await project.rawGraphql(mutation, input(account));
      expect(body.data?.authenticateSession ?? null).toBeNull();
      expect(body.errors[0].extensions.code).toMatch(/^(input|graphql)\.invalid$/);
    }
  });
});

describe('input of older clients', () => {
  it('is accepted: null and unknown keys as absent ones, an empty list for metadata, "" to clear', async () => {
    const id = unique('lenient');
    await project.authenticate({
      id,
      email: 'a@example.com',
      phone: '+14155550000',
      metadata: { a: 1 },
      shoe: 44,
    });
    await project.rest('PUT', `/account/${id}`, {
      email: null,
      phone: '',
      metadata: [],
      expected_countries: [],
    });
    const { account } = (await project.rest('GET', `/account/${id}`)).body;
    expect(account).toMatchObject({ email: 'a@example.com', phone: '', metadata: { a: 1 } });
  });

  it('is described instead of rejected: an email without @', async () => {
    const { account } = await project.authenticate({ id: unique('odd'), email: 'nobody' });
    expect(account.email).toMatchObject({ email: 'nobody', valid: false });
  });

  it('is read as absent: an empty query value', async () => {
    const session_id = await project.session();
    const body = { session_id, account: { id: unique('empty') } };
    const off = await project.rest('POST', '/session/authenticate?accounts_linked=', body);
    const on = await project.rest('POST', '/session/authenticate?accounts_linked=1', body);
    expect(off.body).not.toHaveProperty('linked_accounts');
    expect(on.body.linked_accounts).toEqual([]);
  });
});

describe('an unknown object', () => {
  it('has the same response for unknown, malformed and foreign sessions', async () => {
    const foreign = await stranger.session();
    for (const session_id of [foreign, '00000000-0000-7000-8000-000000000000', 'not-a-uuid']) {
      const account = { id: unique('nobody') };
      expectRefusal(await project.rest('GET', `/session/${session_id}`), 400, /^Session ID not found$/);
      expectRefusal(await authenticate({ session_id, account }), 400, /^Session ID not found$/);
      expectRefusal(
        await project.rest('POST', '/session/unauthenticated', { session_id }),
        400,
        /^Session ID not found$/,
      );
      expectRefusal(await project.rest('GET', `/account/${account.id}`), 400, /^Account not found$/);
    }
  });

  it('has the same response for unknown and foreign accounts', async () => {
    const foreign = unique('foreign');
    await stranger.authenticate({ id: foreign });
    for (const id of [foreign, unique('unknown'), 'x'.repeat(257), '%00']) {
      const path = `/account/${id}`;
      const message = id === '%00' ? /NUL|not found/ : /^Account not found$/;
      expectRefusal(await project.rest('GET', path), 400, message);
      expectRefusal(await project.rest('PUT', path, {}), 400, message);
      expectRefusal(await project.rest('DELETE', path), 400, message);
      expectRefusal(await project.rest('GET', `${path}/accounts-linked`), 400, message);
      expectRefusal(await project.rest('GET', `${path}/sessions`), 400, message);
    }
  });
});

describe('a request without a valid key', () => {
  it.each<Record<string, string>>([
    {},
    { 'x-api-key': '' },
    { 'x-api-key': 'nonsense' },
    { authorization: 'Bearer nonsense' },
  ])('is unauthorized: %o', async (headers) => {
    expectRefusal(
      await send(`${gateway.baseUrl}/account/x`, 'GET', undefined, headers),
      401,
      /^Unauthorized$/,
    );
    const graphql = await send(
      `${gateway.baseUrl}/graphql`,
      'POST',
      { query: '{ project { name } }' },
      headers,
    );
    expect(graphql.status).toBe(401);
    expect(graphql.body.errors[0].extensions.code).toMatch(/^auth\.(missing|malformed|unauthenticated)$/);
  });

  it('is unauthorized when the key was revoked, or has another secret', async () => {
    const { key, keyId } = await gateway.app.projects.createKey(project.projectId, 'server');
    await gateway.app.projects.revokeKey(project.projectId, keyId);
    expectRefusal(await project.withKey(key).rest('GET', '/account/x'), 401, /^Unauthorized$/);
  });
});

describe('a request that HTTP rejects', () => {
  it('has the status of its cause', async () => {
    expectRefusal(await project.rest('GET', '/nowhere'), 404, /^Not Found$/);
    const wrongMethod = await project.rest('PATCH', '/account/x', {});
    expectRefusal(wrongMethod, 405, /^Method Not Allowed: must be one of DELETE, GET, HEAD, OPTIONS, PUT$/);
    expect(wrongMethod.headers.get('allow')).toBe('DELETE, GET, HEAD, OPTIONS, PUT');
    expectRefusal(
      await project.rest('POST', '/session/authenticate', '{}', { 'content-type': 'text/plain' }),
      415,
      /application\/json/,
    );
  });
});

describe('the address of a client', () => {
  it('is not read from X-Forwarded-For of an untrusted peer', async () => {
    const headers = { 'x-forwarded-for': '8.8.8.8' };
    const opened = await send(
      `${gateway.baseUrl}/session`,
      'POST',
      { project_id: project.projectId },
      headers,
    );
    const { body } = await project.rest('GET', `/session/${opened.body.session_id}`);
    expect(body.network.ip_address).toBe('127.0.0.1');
  });
});
