import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { openSocket } from '../../support/websocket.ts';

let gateway: Gateway;
let project: TestProject;
const known = unique('known');

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
  await project.authenticate({ id: known, username: 'ada' });
});
afterAll(() => gateway.close());

const AUTHENTICATE = `mutation ($input: AuthenticateSessionInput!) {
  authenticateSession(input: $input) { account { accountId } }
}`;
const UPDATE =
  'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { account { accountId } } }';
const CREATE =
  'mutation ($input: CreateSessionInput!) { createSession(input: $input) { session { sessionId } } }';

async function state() {
  return project.graphql(
    `query ($id: ID!) {
      account(accountId: $id) { updatedAt username numSessions metadata }
      accounts(first: 100) { edges { node { accountId } } }
      sessions(first: 100) { edges { node { sessionId } } }
      lists(first: 100) { edges { node { name } } }
    }`,
    { id: known },
  );
}

/** One error with this code, at the top level of the response, and no data. */
function expectError({ body }: Answer, code: string, message: RegExp): void {
  expect(Object.values(body.data ?? {}).filter((value) => value !== null)).toEqual([]);
  expect(body.errors).toHaveLength(1);
  expect(body.errors[0].extensions.code).toBe(code);
  expect(body.errors[0].message).toMatch(message);
}

const deep = (levels: number) => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);

describe('a mutation with an invalid value', () => {
  it.each<[string, Record<string, unknown>, string, RegExp]>([
    ['a phone of 33 characters', { phone: '1'.repeat(33) }, 'input.invalid', /phone: .*32/],
    ['a name of 257 characters', { firstName: 'n'.repeat(257) }, 'input.invalid', /firstName: .*256/],
    ['an email of 321 characters', { email: 'e'.repeat(321) }, 'input.invalid', /email: .*320/],
    ['a number for an email', { email: 5 }, 'graphql.invalid', /email.*String cannot represent/],
    ['the country USA', { expectedCountries: ['USA'] }, 'graphql.invalid', /expectedCountries.*use US/],
    ['the country uk', { expectedCountries: ['uk'] }, 'graphql.invalid', /expectedCountries.*use GB/],
    ['the country ZZ', { expectedCountries: ['ZZ'] }, 'graphql.invalid', /expectedCountries.*ISO 3166-1/],
    ['text for metadata', { metadata: 'x' }, 'graphql.invalid', /metadata/],
    ['a non-empty array for metadata', { metadata: [1] }, 'graphql.invalid', /metadata/],
    ['17 KB of metadata', { metadata: { a: 'm'.repeat(17_000) } }, 'input.invalid', /metadata: .*16 KB/],
    ['9 levels of metadata', { metadata: deep(9) }, 'input.invalid', /metadata: .*8 levels/],
    ['an unknown field', { shoeSize: 44 }, 'graphql.invalid', /shoeSize/],
    ['a NUL character', { username: 'a\0b' }, 'input.invalid', /NUL/],
    ['a lone surrogate', { username: 'a\ud800b' }, 'input.invalid', /surrogate/],
    ['a lone surrogate in a key', { metadata: { 'a\udc00': 1 } }, 'input.invalid', /surrogate/],
  ])('is rejected with a code and changes nothing: %s', async (_name, fields, code, message) => {
    const sessionId = await project.session();
    const before = await state();
    const account = { accountId: known, ...fields };
    expectError(await project.rawGraphql(AUTHENTICATE, { input: { sessionId, account } }), code, message);
    expectError(await project.rawGraphql(UPDATE, { input: { accountId: known, ...fields } }), code, message);
    expect(await state()).toEqual(before);
  });

  it.each<[string, Record<string, unknown>, string, RegExp]>([
    ['no account id', {}, 'graphql.invalid', /accountId/],
    ['an empty account id', { accountId: '' }, 'input.invalid', /accountId: must not be empty/],
    ['an account id of 257 characters', { accountId: 'x'.repeat(257) }, 'input.invalid', /accountId: .*256/],
    [
      'a list name with a slash',
      { accountId: 'x', lists: ['a/b'] },
      'input.invalid',
      /lists\.0: .*without \//,
    ],
    ['a list name ..', { accountId: 'x', lists: ['..'] }, 'input.invalid', /lists\.0: must not be/],
    [
      'a list name of 129 characters',
      { accountId: 'x', lists: ['l'.repeat(129)] },
      'input.invalid',
      /lists\.0: .*128/,
    ],
    ['two standard lists', { accountId: 'x', lists: ['block', 'allow'] }, 'input.invalid', /allow/],
  ])('is rejected as an account: %s', async (_name, account, code, message) => {
    const sessionId = await project.session();
    const before = await state();
    expectError(await project.rawGraphql(AUTHENTICATE, { input: { sessionId, account } }), code, message);
    expect(await state()).toEqual(before);
  });

  it.each<[string, Record<string, unknown>, string, RegExp]>([
    ['latitude 91', { facts: { location: { latitude: 91 } } }, 'input.invalid', /latitude/],
    ['longitude -181', { facts: { location: { longitude: -181 } } }, 'input.invalid', /longitude/],
    ['an invalid address', { simulated: { ipAddress: '999.1.1.1' } }, 'input.invalid', /ipAddress: .*IPv4/],
    ['an invalid start time', { simulated: { startTime: 'yesterday' } }, 'graphql.invalid', /startTime.*ISO/],
    ['an unknown source', { facts: { source: 'fridge' } }, 'graphql.invalid', /source/],
    ['an unknown field', { facts: { colour: 'red' } }, 'graphql.invalid', /colour/],
  ])('is rejected as a session: %s', async (_name, input, code, message) => {
    const before = await state();
    expectError(await project.rawGraphql(CREATE, { input }), code, message);
    expect(await state()).toEqual(before);
  });

  it('is rejected in the same way for a literal in the document', async () => {
    const before = await state();
    const update = (username: string) =>
      project.rawGraphql(
        `mutation { updateAccount(input: { accountId: "${known}", username: ${username} }) { account { accountId } } }`,
      );
    expectError(await update('"a\\u0000b"'), 'input.invalid', /NUL/);
    expectError(await update('"a\\ud800b"'), 'graphql.invalid', /Unicode/i);
    expectError(await update('7'), 'graphql.invalid', /String cannot represent/);
    expect(await state()).toEqual(before);
  });

  it('is rejected in the same way in another media type, and for a document with a NUL in metadata', async () => {
    const before = await state();
    const query = `mutation { updateAccount(input: { accountId: "${known}", metadata: { a: ["\\u0000"] } }) { account { accountId } } }`;
    for (const accept of ['application/json', 'application/graphql-response+json', 'text/event-stream']) {
      const { text } = await project.rawGraphql(query, {}, { accept });
      expect(text).toMatch(/NUL/);
    }
    expect(await state()).toEqual(before);
  });
});

describe('an invalid GraphQL body', () => {
  it.each<[string, string, number, RegExp, string]>([
    ['not JSON', '{"query"', 400, /JSON/, 'graphql.invalid'],
    ['an array', '[]', 400, /./, 'graphql.invalid'],
    ['a string', '"x"', 400, /./, 'graphql.invalid'],
    ['null', 'null', 400, /./, 'graphql.invalid'],
    ['a number', '1', 400, /./, 'graphql.invalid'],
    ['empty', '', 400, /./, 'graphql.invalid'],
    ['without a query', '{"variables":{}}', 400, /query/, 'graphql.invalid'],
    ['1 MB', `{"query":"${'x'.repeat(1_000_000)}"}`, 413, /256 KB/, 'http.too_large'],
    [
      '10,000 levels deep',
      `{"query":"{__typename}","variables":${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}}`,
      400,
      /nested deeper/,
      'input.invalid',
    ],
    [
      'with a duplicate key',
      '{"query":"{__typename}","query":"{project{name}}"}',
      400,
      /Duplicate key "query"/,
      'input.invalid',
    ],
    [
      'with a duplicate variable',
      '{"query":"{__typename}","variables":{"a":1,"a":2}}',
      400,
      /Duplicate key "a"/,
      'input.invalid',
    ],
  ])('is rejected at the top level with a code: %s', async (_name, body, status, message, code) => {
    const answer = await project.rest('POST', '/graphql', body);
    expect(answer.status).toBe(status);
    expect(answer.body.errors[0].message).toMatch(message);
    expect(answer.body.errors[0].extensions.code).toBe(code);
    expect(answer.body.data ?? null).toBeNull();
  });
});

describe('variables over a WebSocket', () => {
  it.each<[string, unknown, RegExp]>([
    ['a NUL character', { username: 'a\0b' }, /NUL/],
    ['a lone surrogate', { metadata: { 'a\udc00': 1 } }, /surrogate/],
    ['1,000 levels', { metadata: deep(1_000) }, /nested deeper than 64 levels/],
  ])('are rejected as in a body: %s', async (_name, fields, message) => {
    const before = await state();
    const opened: { close(): void }[] = [];
    const client = await openSocket(opened, `${gateway.baseUrl.replace('http', 'ws')}/graphql`);
    await client.acknowledged(project.key);
    const variables = { input: { accountId: known, ...(fields as object) } };
    client.send({ id: '1', type: 'subscribe', payload: { query: UPDATE, variables } });
    expect(await client.receive()).toMatchObject({
      type: 'error',
      payload: [{ message: expect.stringMatching(message), extensions: { code: 'input.invalid' } }],
    });
    for (const socket of opened) socket.close();
    expect(await state()).toEqual(before);
  });
});
