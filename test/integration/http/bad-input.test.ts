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
const known = unique('known');

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
  await project.authenticate({ id: known, email: 'ada@example.com', metadata: { plan: 'free' } });
});
afterAll(() => gateway.close());

/** State that a rejected request must not change: the account, the session, and the number of accounts and lists. */
async function stateWith(session: string) {
  const { accounts, lists } = await project.graphql(
    '{ accounts(first: 100) { edges { node { accountId updatedAt } } } lists(first: 100) { edges { node { name } } } }',
  );
  const { request_id: _, ...record } = (await project.rest('GET', `/account/${known}`)).body;
  const { account_ids } = (await project.rest('GET', `/session/${session}`)).body;
  return { accounts, lists, record, account_ids };
}

function expectRefusal(answer: Answer, status: number, message: RegExp): void {
  expect(answer.body).toEqual({
    statusCode: status,
    code: expect.any(String),
    message: expect.stringMatching(message),
  });
  expect(answer.status).toBe(status);
}

const deep = (levels: number, open = '{"a":', close = '}') =>
  `${open.repeat(levels)}1${close.repeat(levels)}`;
const NUL_OR_SURROGATE = /NUL characters or lone surrogates/;

describe('a body that is not an object', () => {
  const bodies: [string, string, number, RegExp][] = [
    ['not JSON', '{"a"', 400, /^Body is not valid JSON$/],
    ['an array', '[{}]', 400, /^Body must be a JSON object$/],
    ['a string', '"x"', 400, /^Body must be a JSON object$/],
    ['a number', '1', 400, /^Body must be a JSON object$/],
    ['null', 'null', 400, /^Body must be a JSON object$/],
    ['true', 'true', 400, /^Body must be a JSON object$/],
    ['empty', '', 400, /^Body must be a JSON object$/],
    ['blank', ' \n', 400, /^Body must be a JSON object$/],
    ['1 MB', `{"a":"${'x'.repeat(1_000_000)}"}`, 413, /^Body is larger than 256 KB$/],
    ['objects 10,000 levels deep', deep(10_000), 400, /^JSON is nested deeper than 64 levels$/],
    ['arrays 10,000 levels deep', deep(10_000, '[', ']'), 400, /^JSON is nested deeper than 64 levels$/],
  ];

  it.each(bodies)(
    'is rejected by every route that reads a body: %s',
    async (_name, body, status, message) => {
      const session = await project.session({ open: true });
      const before = await stateWith(session);
      for (const [method, path] of [
        ['POST', '/session/authenticate'],
        ['POST', '/session/unauthenticated'],
        ['PUT', `/account/${known}`],
        ['POST', '/session'],
        ['PATCH', `/session/${session}`],
      ] as const) {
        expectRefusal(await project.rest(method, path, body), status, message);
      }
      expect(await stateWith(session)).toEqual(before);
    },
  );

  it('is rejected when it is not UTF-8', async () => {
    const url = `${gateway.baseUrl}/account/${known}`;
    const headers = { 'x-api-key': project.key, 'content-type': 'application/json' };
    const body = Buffer.from('{"username":"\xff"}', 'latin1');
    const response = await fetch(url, { method: 'PUT', headers, body });
    expect(response.status).toBe(400);
    expect(await response.json()).toEqual({
      statusCode: 400,
      code: expect.any(String),
      message: 'Body must be UTF-8',
    });
  });
});

describe('a body without session and account', () => {
  it.each<[string, (session: string) => string, RegExp]>([
    [
      'Session_id and Account in capitals',
      (s) => `{"Session_id":"${s}","Account":{"id":"x"}}`,
      /^session_id: required$/,
    ],
    ['Account in capitals', (s) => `{"session_id":"${s}","Account":{"id":"x"}}`, /^account: required$/],
    ['Session_id in capitals', (s) => `{"Session_id":"${s}","account":{"id":"x"}}`, /^session_id: required$/],
    ['no account', (s) => `{"session_id":"${s}"}`, /^account: required$/],
    ['null for an account', (s) => `{"session_id":"${s}","account":null}`, /^account: must be an object$/],
    ['a list for an account', (s) => `{"session_id":"${s}","account":[]}`, /^account: must be an object$/],
    ['text for an account', (s) => `{"session_id":"${s}","account":"x"}`, /^account: must be an object$/],
    ['no account id', (s) => `{"session_id":"${s}","account":{}}`, /^account\.id: required$/],
    [
      'an empty account id',
      (s) => `{"session_id":"${s}","account":{"id":""}}`,
      /^account\.id: must not be empty$/,
    ],
    [
      'a number for an account id',
      (s) => `{"session_id":"${s}","account":{"id":7}}`,
      /^account\.id: must be text$/,
    ],
    [
      'an account id of 257 characters',
      (s) => `{"session_id":"${s}","account":{"id":"${'x'.repeat(257)}"}}`,
      /^account\.id: must be at most 256 characters$/,
    ],
    ['no session id', () => '{"account":{"id":"x"}}', /^session_id: required$/],
    [
      'a number for a session id',
      () => '{"session_id":1,"account":{"id":"x"}}',
      /^session_id: must be text$/,
    ],
  ])('is rejected and changes nothing: %s', async (_name, body, message) => {
    const session = await project.session();
    const before = await stateWith(session);
    expectRefusal(await project.rest('POST', '/session/authenticate', body(session)), 400, message);
    expect(await stateWith(session)).toEqual(before);
  });
});

describe('a field of an account', () => {
  it.each<[string, string, string, RegExp]>([
    ['a phone of 33 characters', `"phone":"${'1'.repeat(33)}"`, 'phone', /at most 32 characters/],
    ['a number for a phone', '"phone":14155552671', 'phone', /must be text/],
    [
      'a first name of 257 characters',
      `"first_name":"${'n'.repeat(257)}"`,
      'first_name',
      /at most 256 characters/,
    ],
    [
      'a last name of 257 characters',
      `"last_name":"${'n'.repeat(257)}"`,
      'last_name',
      /at most 256 characters/,
    ],
    ['a username of 257 characters', `"username":"${'n'.repeat(257)}"`, 'username', /at most 256 characters/],
    ['a list for a username', '"username":["x"]', 'username', /must be text/],
    ['a group of 257 characters', `"group":"${'g'.repeat(257)}"`, 'group', /at most 256 characters/],
    [
      'an email of 321 characters',
      `"email":"${'e'.repeat(309)}@example.com"`,
      'email',
      /at most 320 characters/,
    ],
    ['a number for an email', '"email":5', 'email', /must be text/],
    ['the country USA', '"expected_countries":["FR","USA"]', 'expected_countries\\.1', /use US/],
    ['the country uk', '"expected_countries":["uk"]', 'expected_countries\\.0', /use GB/],
    ['the country ZZ', '"expected_countries":["ZZ"]', 'expected_countries\\.0', /ISO 3166-1 alpha-2/],
    ['text for countries', '"expected_countries":"US"', 'expected_countries', /must be a list/],
    ['text for metadata', '"metadata":"x"', 'metadata', /must be an object/],
    ['a non-empty array for metadata', '"metadata":[1]', 'metadata', /must be an object/],
    ['17 KB of metadata', `"metadata":{"a":"${'m'.repeat(17_000)}"}`, 'metadata', /at most 16 KB/],
    ['metadata of 17 KB in UTF-8', `"metadata":{"a":"${'é'.repeat(8_500)}"}`, 'metadata', /at most 16 KB/],
    ['9 levels of metadata', `"metadata":${deep(9)}`, 'metadata', /deeper than 8 levels/],
  ])(
    'is rejected under the name that was sent, and changes nothing: %s',
    async (_name, json, field, message) => {
      const session = await project.session();
      const before = await stateWith(session);
      const authenticate = `{"session_id":"${session}","account":{"id":"${known}",${json}}}`;
      const reported = (path: string) => new RegExp(`^${path}: .*${message.source}`);
      expectRefusal(
        await project.rest('POST', '/session/authenticate', authenticate),
        400,
        reported(`account\\.${field}`),
      );
      expectRefusal(await project.rest('PUT', `/account/${known}`, `{${json}}`), 400, reported(field));
      expect(await stateWith(session)).toEqual(before);
    },
  );

  it.each<[string, string, RegExp]>([
    ['twice', '"email":"a@example.com","email":"b@example.com"', /Duplicate key "email"/],
    ['duplicate, once escaped', '"email":"a","\\u0065mail":"b"', /Duplicate key "email"/],
    ['duplicate in metadata', '"metadata":{"a":{"b":1,"b":2}}', /Duplicate key "b"/],
    ['with a NUL character', '"username":"a\\u0000b"', NUL_OR_SURROGATE],
    ['with a NUL character in a key', '"metadata":{"a\\u0000":1}', NUL_OR_SURROGATE],
    ['with a lone surrogate', '"username":"a\\ud800b"', NUL_OR_SURROGATE],
    ['with a lone surrogate in a key', '"metadata":{"x":[{"\\udc00":1}]}', NUL_OR_SURROGATE],
  ])('is rejected as ambiguous or too large: %s', async (_name, json, message) => {
    const session = await project.session();
    const before = await stateWith(session);
    const authenticate = `{"session_id":"${session}","account":{"id":"${known}",${json}}}`;
    expectRefusal(await project.rest('POST', '/session/authenticate', authenticate), 400, message);
    expectRefusal(await project.rest('PUT', `/account/${known}`, `{${json}}`), 400, message);
    expect(await stateWith(session)).toEqual(before);
  });

  it.each<[string, string[], RegExp]>([
    ['an empty name', [''], /^account\.lists\.0: must not be empty$/],
    ['129 characters', ['fine', 'l'.repeat(129)], /^account\.lists\.1: must be at most 128 characters$/],
    [
      'a slash',
      ['a/b'],
      /^account\.lists\.0: must be printable characters without \/, not \/ at position 2$/,
    ],
    ['a line break', ['a\nb'], /^account\.lists\.0: must be printable characters/],
    ['..', ['..'], /^account\.lists\.0: must not be \. or \.\.$/],
    ['two standard lists', ['allow', 'block'], /^account\.lists: must have at most one of allow, block$/],
  ])('is rejected as a list, and no list is created: %s', async (_name, lists, message) => {
    const session_id = await project.session();
    const before = await stateWith(session_id);
    const body = { session_id, account: { id: known, lists } };
    expectRefusal(await project.rest('POST', '/session/authenticate', body), 400, message);
    expect(await stateWith(session_id)).toEqual(before);
  });

  it('is rejected when stored and added values exceed 16 KB together', async () => {
    const id = unique('full');
    await project.authenticate({ id, metadata: { a: 'a'.repeat(9_000) } });
    const metadata = { b: 'b'.repeat(9_000) };
    expectRefusal(await project.rest('PUT', `/account/${id}`, { metadata }), 400, /^metadata\b.* 16 KB/);
    const session_id = await project.session();
    const body = { session_id, account: { id, metadata } };
    expectRefusal(await project.rest('POST', '/session/authenticate', body), 400, /^metadata\b.* 16 KB/);
    const { account, num_sessions } = (await project.rest('GET', `/account/${id}`)).body;
    expect(Object.keys(account.metadata)).toEqual(['a']);
    expect(num_sessions).toBe(1);
  });

  it('may repeat the id of the path, and must not differ from it', async () => {
    const before = await stateWith(await project.session());
    const differing = await project.rest('PUT', `/account/${known}`, { id: 'other', username: 'x' });
    expectRefusal(differing, 400, /^id: must repeat the account id of the path$/);
    expect((await stateWith(await project.session())).record).toEqual(before.record);
    expect((await project.rest('PUT', `/account/${known}`, { id: known })).status).toBe(200);
  });
});

describe('a request without a key', () => {
  it('is rejected before its body is parsed', async () => {
    const answer = await send(`${gateway.baseUrl}/session/authenticate`, 'POST', '{"a"');
    expectRefusal(answer, 401, /^Unauthorized$/);
  });
});
