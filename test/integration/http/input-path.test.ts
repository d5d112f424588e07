import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, send, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { openSocket } from '../../support/websocket.ts';

let gateway: Gateway;
let project: TestProject;
const open: { close(): void }[] = [];

beforeAll(async () => {
  gateway = await startGateway({ recalculatesLinks: false });
  project = await gateway.project();
});
afterAll(async () => {
  for (const socket of open) socket.close();
  await gateway.close();
});

type Path = (string | number)[];
const NIL = '00000000-0000-7000-8000-000000000000';
const mutation = (name: string, selection = 'requestId') => {
  const type = `${name[0]!.toUpperCase()}${name.slice(1)}Input!`;
  return `mutation ($input: ${type}) { ${name}(input: $input) { ${selection} } }`;
};
const rule = (changes: object) => ({
  name: unique('rule'),
  trigger: 'ANY_SESSION',
  expression: 'account.account_score > 0.5',
  ...changes,
});

/** Values that resolvers and services reject. */
const REFUSED: [string, object, Path][] = [
  ['authenticateSession', { sessionId: NIL, account: { accountId: '' } }, ['input', 'account', 'accountId']],
  [
    'authenticateSession',
    { sessionId: NIL, account: { accountId: 'a', lists: ['b', 'a/b'] } },
    ['input', 'account', 'lists', 1],
  ],
  [
    'authenticateSession',
    { sessionId: NIL, account: { accountId: 'a', metadata: { a: 'm'.repeat(17_000) } } },
    ['input', 'account', 'metadata'],
  ],
  ['updateAccount', { accountId: 'a', phone: '1'.repeat(33) }, ['input', 'phone']],
  ['createSession', { facts: { sourceVersion: 'x'.repeat(3000) } }, ['input', 'facts', 'sourceVersion']],
  ['checkEmails', { emails: [] }, ['input', 'emails']],
  [
    'checkEmails',
    { emails: [{ email: 'a@example.com' }, { email: 'e'.repeat(400) }] },
    ['input', 'emails', 1, 'email'],
  ],
  ['createRule', rule({ expression: 'account.' }), ['input', 'expression']],
  ['createRule', rule({ actions: [{ raiseFlag: '' }] }), ['input', 'actions', 0, 'raiseFlag']],
  ['createRule', rule({ actions: [{ addToList: 'not-there' }] }), ['input', 'actions', 0, 'addToList']],
  ['createBrowserToken', { scopes: [], accountId: 'a' }, ['input', 'scopes']],
  ['createBrowserToken', { scopes: ['ACCOUNT'], accountId: 'a', ttlSeconds: 0 }, ['input', 'ttlSeconds']],
  ['updateProjectSettings', { seenFaceDays: 0 }, ['input', 'seenFaceDays']],
  [
    'updateProjectSettings',
    { allowedOrigins: ['https://a.example', 'nothing'] },
    ['input', 'allowedOrigins', 1],
  ],
  ['updateEmailDomains', { addTrusted: ['mail.example.com', '-'] }, ['input', 'addTrusted', 1]],
  [
    'registerOperations',
    { documents: [{ text: '{ project { nothing } }' }] },
    ['input', 'documents', 0, 'text'],
  ],
  ['deleteOperations', { sha256Hashes: ['x'] }, ['input', 'sha256Hashes', 0]],
  ['createWebhookEndpoint', { url: 'http://a.example' }, ['input', 'url']],
  ['addAccountsToList', { list: 'allow', accountIds: ['a', ''] }, ['input', 'accountIds', 1]],
  [
    'addAccountsToList',
    { list: 'allow', accountIds: ['a'], expiresAt: '2001-01-01T00:00:00Z' },
    ['input', 'expiresAt'],
  ],
  [
    'createVerificationSession',
    { kind: 'ID_CHECK', simulate: 'SUCCESS', simulateRiskScore: 2 },
    ['input', 'simulateRiskScore'],
  ],
  ['createVerificationSession', { kind: 'ID_CHECK', simulateRiskScore: 1 }, ['input', 'simulate']],
  [
    'createVerificationSession',
    { kind: 'ID_CHECK', referringSessionId: NIL },
    ['input', 'referringSessionId'],
  ],
  ['deleteList', { name: 'allow' }, ['input', 'name']],
  ['eraseEmail', { email: ' ' }, ['input', 'email']],
  ['updateList', { name: 'allow', effect: 'BLOCK' }, ['input', 'effect']],
  [
    'createVerificationSession',
    { kind: 'ID_CHECK', redirectUrl: 'javascript:alert(1)' },
    ['input', 'redirectUrl'],
  ],
];

describe('an error of the input', () => {
  it.each(REFUSED)(
    'has the location in the document and the input path: %s %j',
    async (name, input, inputPath) => {
      const { body } = await project.rawGraphql(mutation(name), { input });
      expect(body.errors).toHaveLength(1);
      expect(body.errors[0]).toMatchObject({
        path: [name],
        locations: [{ line: 1, column: expect.any(Number) }],
        extensions: { inputPath },
      });
    },
  );

  it.each<[string, Record<string, unknown>, Path, Path]>([
    ['{ accounts(first: 1000) { edges { cursor } } }', {}, ['accounts'], ['first']],
    ['{ a: accounts(first: 2, after: "x") { edges { cursor } } }', {}, ['a'], ['after']],
    ['query ($n: Int) { lists(last: $n) { edges { cursor } } }', { n: -1 }, ['lists'], ['last']],
    [
      'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }',
      { ids: Array.from({ length: 101 }, () => 'x') },
      ['nodes'],
      ['ids'],
    ],
    [
      '{ project { persistedOperations: settings { seenFaceDays } } events(types: []) { edges { cursor } } }',
      {},
      ['events'],
      ['types'],
    ],
    [
      '{ list(name: "allow") { members(first: -1) { edges { cursor } } } }',
      {},
      ['list', 'members'],
      ['first'],
    ],
  ])('has the location of an argument of a query: %s', async (query, variables, path, inputPath) => {
    const { body } = await project.rawGraphql(query, variables);
    expect(body.errors[0]).toMatchObject({ path, extensions: { inputPath } });
    expect(body.errors[0].locations).toHaveLength(1);
  });

  it.each<[string, Record<string, unknown>, Path]>([
    [mutation('updateAccount'), { input: { accountId: 'a', email: 5 } }, ['input', 'email']],
    [
      'mutation ($all: CheckEmailsInput!) { checkEmails(input: $all) { requestId } }',
      { all: { emails: [{ email: 'a@example.com' }, { email: 5 }] } },
      ['input', 'emails', 1, 'email'],
    ],
    [
      `mutation ($facts: SessionFactsInput) { createSession(input: { facts: $facts }) { requestId } }`,
      { facts: { browser: { name: 5 } } },
      ['input', 'facts', 'browser', 'name'],
    ],
    [
      'mutation ($one: ID!) { addAccountsToList(input: { list: "allow", accountIds: ["a", $one] }) { requestId } }',
      {},
      ['input', 'accountIds', 1],
    ],
    [mutation('updateAccount'), { input: {} }, ['input', 'accountId']],
    [mutation('updateAccount'), { input: { accountId: 'a', shoeSize: 44 } }, ['input', 'shoeSize']],
    ['query ($n: Int) { lists(first: $n) { edges { cursor } } }', { n: 'x' }, ['first']],
  ])('has the location of a variable: %s %j', async (query, variables, inputPath) => {
    const { body } = await project.rawGraphql(query, variables);
    expect(body.errors[0]).toMatchObject({ extensions: { code: 'graphql.invalid', inputPath } });
    expect(body.errors[0].locations).toHaveLength(1);
  });

  it.each<[string, Path]>([
    ['{ lists(first: "x") { edges { cursor } } }', ['first']],
    ['{ account { accountId } }', ['accountId']],
    ['{ account(accountId: "a", at: 1) { accountId } }', ['at']],
    ['mutation { updateAccount(input: { accountId: true }) { requestId } }', ['input', 'accountId']],
    ['mutation { updateAccount(input: { }) { requestId } }', ['input', 'accountId']],
    [
      'mutation { checkEmails(input: { emails: [{ email: "a" }, { email: 5 }] }) { requestId } }',
      ['input', 'emails', 1, 'email'],
    ],
  ])('has the location of a value in the document: %s', async (query, inputPath) => {
    const { body } = await project.rawGraphql(query);
    expect(body.errors[0]).toMatchObject({ extensions: { code: 'graphql.invalid', inputPath } });
    expect(body.errors[0].locations.length).toBeGreaterThan(0);
  });

  it.each<[string, unknown]>([
    ['an unknown field', { accountId: 'bob', email: 'planted.person@example.com', unknown: 1 }],
    ['an object in place of text', { accountId: 'bob', email: { address: 'planted.person@example.com' } }],
    ['a list in place of an object', ['planted.person@example.com']],
  ])('does not quote the text beside %s', async (_, input) => {
    const mutation = 'mutation ($input: UpdateAccountInput!) { updateAccount(input: $input) { requestId } }';
    const { text } = await project.rawGraphql(mutation, { input });
    expect(text).toContain('graphql.invalid');
    expect(text).not.toContain('planted');
  });

  it('has the location for GET, over a WebSocket and for a subscription', async () => {
    const query = 'subscription { events(after: "x") { id } }';
    const socket = await openSocket(open, `${gateway.baseUrl.replace('http', 'ws')}/graphql`);
    await socket.acknowledged(project.key);
    socket.send({ id: '1', type: 'subscribe', payload: { query } });
    expect(await socket.receive()).toMatchObject({
      payload: [{ path: ['events'], locations: [{ line: 1 }], extensions: { inputPath: ['after'] } }],
    });
    const url = `${gateway.baseUrl}/graphql?query=${encodeURIComponent('{ lists(first: -1) { edges { cursor } } }')}`;
    const { body } = await send(url, 'GET', undefined, { 'x-api-key': project.key });
    expect(body.errors[0]).toMatchObject({
      path: ['lists'],
      locations: [{ line: 1 }],
      extensions: { inputPath: ['first'] },
    });
  });
});
