import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

/** One text for each kind of error; a field name precedes it. */
const KINDS = {
  required: /^required$/,
  text: /^must be text$/,
  number: /^must be a number$/,
  flag: /^must be true or false$/,
  object: /^must be an object$/,
  list: /^must be a list$/,
  empty: /^must not be empty$/,
  long: /^must be at most \d+ characters$/,
  few: /^must have at least 1 entry$/,
  many: /^must have at most \d+ entries$/,
  range: /^must be (a whole number )?between -?[\d.]+ and [\d.]+$/,
  word: /^must be one of \S+(, \S+)*$/,
  timestamp: /^must be an ISO 8601 timestamp such as 2025-06-10T16:35:22\.184Z$/,
  past: /^must be later than now$/,
  characters: /^must not contain NUL characters or lone surrogates$/,
} as const;
type Kind = keyof typeof KINDS;

let gateway: Gateway;
let project: TestProject;
let session: string;
beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
  session = await project.session();
});
afterAll(() => gateway.close());

function expectKind(message: string, field: string, kind: Kind): void {
  const [, named, text] = /^([\w.[\]]+): (.*)$/s.exec(message) ?? [undefined, undefined, message];
  expect({ field: named, text }).toEqual({ field, text: expect.stringMatching(KINDS[kind]) });
}

const account = (fields: object) => ({ session_id: session, account: { id: unique('wording'), ...fields } });
const many = (count: number, entry: unknown = 'x') => Array.from({ length: count }, () => entry);

describe('a rejected value on REST', () => {
  it.each<[string, () => [method: string, path: string, body: unknown], string, Kind]>([
    ['no account', () => ['POST', '/session/authenticate', { session_id: session }], 'account', 'required'],
    [
      'no account id',
      () => ['POST', '/session/authenticate', { session_id: session, account: {} }],
      'account.id',
      'required',
    ],
    ['no session id', () => ['POST', '/session/unauthenticated', {}], 'session_id', 'required'],
    [
      'no target list',
      () => ['POST', '/list/allow/account/move', { account_ids: ['a'] }],
      'target_list',
      'required',
    ],
    [
      'a number for an email',
      () => ['POST', '/session/authenticate', account({ email: 5 })],
      'account.email',
      'text',
    ],
    [
      'a number for a session id',
      () => ['POST', '/session/unauthenticated', { session_id: 5 }],
      'session_id',
      'text',
    ],
    [
      'a number for a list',
      () => ['POST', '/session/authenticate', account({ lists: [5] })],
      'account.lists.0',
      'text',
    ],
    [
      'text for a latitude',
      () => ['POST', '/session', { location: { latitude: 'x' } }],
      'location.latitude',
      'number',
    ],
    [
      'text for a count',
      () => ['POST', '/session', { bot: { mouse_num_events: 'x' } }],
      'bot.mouse_num_events',
      'number',
    ],
    ['text for open', () => ['POST', '/session', { open: 'x' }], 'open', 'flag'],
    [
      'text for metadata',
      () => ['POST', '/session/authenticate', account({ metadata: 'x' })],
      'account.metadata',
      'object',
    ],
    ['text for the browser', () => ['POST', '/session', { browser: 'x' }], 'browser', 'object'],
    ['text for headers', () => ['POST', '/session', { headers: 'x' }], 'headers', 'object'],
    [
      'text for countries',
      () => ['POST', '/session/authenticate', account({ expected_countries: 'x' })],
      'account.expected_countries',
      'list',
    ],
    [
      'an object for languages',
      () => ['POST', '/session', { browser: { languages: {} } }],
      'browser.languages',
      'list',
    ],
    [
      'an empty account id',
      () => ['POST', '/session/authenticate', account({ id: '' })],
      'account.id',
      'empty',
    ],
    [
      'an empty list name',
      () => ['POST', '/session/authenticate', account({ lists: [''] })],
      'account.lists.0',
      'empty',
    ],
    [
      'a long phone',
      () => ['POST', '/session/authenticate', account({ phone: '1'.repeat(33) })],
      'account.phone',
      'long',
    ],
    [
      'a long account id',
      () => ['POST', '/session/authenticate', account({ id: 'x'.repeat(257) })],
      'account.id',
      'long',
    ],
    [
      'a long list name',
      () => ['POST', '/session/authenticate', account({ lists: ['x'.repeat(129)] })],
      'account.lists.0',
      'long',
    ],
    [
      'a long language',
      () => ['POST', '/session', { browser: { language: 'x'.repeat(65) } }],
      'browser.language',
      'long',
    ],
    [
      'no accounts to move',
      () => ['POST', '/list/allow/account/move', { account_ids: [], target_list: 'block' }],
      'account_ids',
      'few',
    ],
    [
      '1,001 accounts',
      () => ['POST', '/list/allow/account/move', { account_ids: many(1001), target_list: 'block' }],
      'account_ids',
      'many',
    ],
    [
      '101 lists',
      () => ['POST', '/session/authenticate', account({ lists: many(101) })],
      'account.lists',
      'many',
    ],
    [
      '251 countries',
      () => ['POST', '/session/authenticate', account({ expected_countries: many(251, 'FR') })],
      'account.expected_countries',
      'many',
    ],
    [
      '33 languages',
      () => ['POST', '/session', { browser: { languages: many(33) } }],
      'browser.languages',
      'many',
    ],
    ['latitude 91', () => ['POST', '/session', { location: { latitude: 91 } }], 'location.latitude', 'range'],
    [
      'longitude -181',
      () => ['POST', '/session', { location: { longitude: -181 } }],
      'location.longitude',
      'range',
    ],
    ['5,000 cores', () => ['POST', '/session', { device: { cpu_cores: 5000 } }], 'device.cpu_cores', 'range'],
    [
      'a battery of 2',
      () => ['POST', '/session', { mobile: { battery: { level: 2 } } }],
      'mobile.battery.level',
      'range',
    ],
    ['limit 0', () => ['GET', '/list/allow?limit=0', undefined], 'limit', 'range'],
    ['limit x', () => ['GET', '/list/allow?limit=x', undefined], 'limit', 'range'],
    ['an unknown source', () => ['POST', '/session', { source: 'fridge' }], 'source', 'word'],
    [
      'an unknown provider',
      () => ['POST', '/session', { mobile: { integrity: { provider: 'x' } } }],
      'mobile.integrity.provider',
      'word',
    ],
    ['yesterday', () => ['POST', '/session', { start_time: 'yesterday' }], 'start_time', 'timestamp'],
    [
      'a NUL in a name',
      () => ['POST', '/session/authenticate', account({ username: 'a\0' })],
      'account.username',
      'characters',
    ],
    ['a lone surrogate', () => ['PUT', '/account/x', '{"username":"\\ud800"}'], 'username', 'characters'],
  ])('%s', async (_name, request, field, kind) => {
    const { status, body } = await project.rest(...request());
    expect(status).toBe(400);
    expectKind(body.message, field, kind);
  });
});

const QUERY = {
  graph: (args: string) => `{ linkGraph(accountId: "x", ${args}) { truncated } }`,
  links: (args: string) => `{ accounts { edges { node { linkedAccounts(${args}) { edges { score } } } } } }`,
};

describe('a rejected value in GraphQL', () => {
  beforeAll(() => project.authenticate({ id: unique('linked') }));
  it.each<[string, string, Record<string, unknown> | undefined, string, Kind]>([
    ['first: -1', '{ accounts(first: -1) { edges { cursor } } }', undefined, 'first', 'range'],
    ['first: 101', '{ accounts(first: 101) { edges { cursor } } }', undefined, 'first', 'range'],
    ['101 ids', 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: many(101) }, 'ids', 'many'],
    ['depth: 0', QUERY.graph('depth: 0'), undefined, 'depth', 'range'],
    ['maxNodes: 501', QUERY.graph('maxNodes: 501'), undefined, 'maxNodes', 'range'],
    ['minScore: 2 of a graph', QUERY.graph('minScore: 2'), undefined, 'minScore', 'range'],
    ['minScore: 2 of links', QUERY.links('minScore: 2'), undefined, 'minScore', 'range'],
    ['no match types', QUERY.links('matchTypes: []'), undefined, 'matchTypes', 'few'],
    ['no event types', '{ events(types: []) { edges { cursor } } }', undefined, 'types', 'few'],
    [
      'fakeFrom: 2',
      'mutation { updateProjectSettings(input: { fakeFrom: 2 }) { requestId } }',
      undefined,
      'fakeFrom',
      'range',
    ],
    [
      'seenFaceDays: 0',
      'mutation { updateProjectSettings(input: { seenFaceDays: 0 }) { requestId } }',
      undefined,
      'seenFaceDays',
      'range',
    ],
    [
      '101 origins',
      'mutation ($o: [String!]!) { updateProjectSettings(input: { allowedOrigins: $o }) { requestId } }',
      { o: many(101) },
      'allowedOrigins',
      'many',
    ],
    [
      '1,001 domains',
      'mutation ($d: [String!]!) { updateEmailDomains(input: { addTrusted: $d }) { requestId } }',
      { d: Array.from({ length: 1001 }, (_, index) => `d${index}.com`) },
      'addTrusted',
      'many',
    ],
    [
      'ttlSeconds: 0',
      'mutation { createBrowserToken(input: { scopes: [ACCOUNT], accountId: "a", ttlSeconds: 0 }) { requestId } }',
      undefined,
      'ttlSeconds',
      'range',
    ],
    [
      'an empty account id',
      'mutation ($s: ID!) { authenticateSession(input: { sessionId: $s, account: { accountId: "" } }) { requestId } }',
      { s: 'x' },
      'input.account.accountId',
      'empty',
    ],
    [
      'a long list name',
      'mutation ($n: String!) { createList(input: { name: $n }) { requestId } }',
      { n: 'x'.repeat(129) },
      'input.name',
      'long',
    ],
    [
      'latitude 91',
      'mutation { createSession(input: { facts: { location: { latitude: 91 } } }) { requestId } }',
      undefined,
      'input.facts.location.latitude',
      'range',
    ],
    [
      'no accounts',
      'mutation { addAccountsToList(input: { list: "allow", accountIds: [] }) { requestId } }',
      undefined,
      'input.accountIds',
      'few',
    ],
    [
      '1,001 accounts',
      'mutation ($a: [ID!]!) { addAccountsToList(input: { list: "allow", accountIds: $a }) { requestId } }',
      { a: many(1001) },
      'input.accountIds',
      'many',
    ],
    [
      'a member that expired',
      'mutation { addAccountsToList(input: { list: "allow", accountIds: ["x"], expiresAt: "2020-01-01T00:00:00Z" }) { requestId } }',
      undefined,
      'expiresAt',
      'past',
    ],
    [
      '101 event types',
      'mutation ($t: [EventType!]!) { createWebhookEndpoint(input: { url: "https://example.com/", eventTypes: $t }) { requestId } }',
      { t: many(101, 'ACCOUNT_UPDATED') },
      'input.eventTypes',
      'many',
    ],
    [
      'ratePerMinute: -1',
      'mutation { createWebhookEndpoint(input: { url: "https://example.com/", ratePerMinute: -1 }) { requestId } }',
      undefined,
      'input.ratePerMinute',
      'range',
    ],
    [
      'a NUL',
      'mutation ($u: String!) { updateAccount(input: { accountId: "x", username: $u }) { requestId } }',
      { u: 'a\0' },
      'variables.u',
      'characters',
    ],
  ])('%s', async (_name, query, variables, field, kind) => {
    const { body } = await project.rawGraphql(query, variables);
    expect(body.errors?.[0]?.extensions.code).toBe('input.invalid');
    expectKind(body.errors[0].message, field, kind);
  });
});

describe('an unknown enum value in GraphQL', () => {
  it.each([
    {
      type: 'CreateSessionInput',
      field: 'createSession',
      input: { facts: { mobile: { integrity: { provider: 'X' } } } },
      place: 'facts.mobile.integrity.provider',
      enumName: 'IntegrityProvider',
    },
    {
      type: 'CreateWebhookEndpointInput',
      field: 'createWebhookEndpoint',
      input: { url: 'https://example.com/', eventTypes: ['X'] },
      place: 'eventTypes[0]',
      enumName: 'EventType',
    },
  ])('$place', async ({ type, field, input, place, enumName }) => {
    const query = `mutation ($input: ${type}!) { ${field}(input: $input) { requestId } }`;
    const { body } = await project.rawGraphql(query, { input });
    expect(body.errors).toMatchObject([
      {
        message: expect.stringMatching(
          new RegExp(
            `^Variable "\\$input" got invalid value "X" at "input\\.${RegExp.escape(place)}"; ` +
              `Value "X" does not exist in "${enumName}" enum\\. Accepted values: \\w+(, \\w+)*\\.$`,
          ),
        ),
        extensions: { code: 'graphql.invalid' },
      },
    ]);
  });
});

describe('unknown objects of a project are "… not found"', () => {
  const missing = '01975a8e-3b18-7c11-9d0e-5f2a8c4b7e61';
  it.each([
    ['updateAccount(input: { accountId: "x" }) { requestId }', 'Account not found'],
    [`completeSession(input: { sessionId: "${missing}" }) { requestId }`, 'Session ID not found'],
    [`updateList(input: { name: "x" }) { requestId }`, 'List not found: "x"'],
    [`deleteWebhookEndpoint(input: { id: "${missing}" }) { requestId }`, 'Webhook endpoint not found'],
    [`resendWebhookDelivery(input: { id: "${missing}" }) { requestId }`, 'Webhook delivery not found'],
  ])('%s', async (mutation, message) => {
    const { body } = await project.rawGraphql(`mutation { ${mutation} }`);
    expect([body.errors?.[0]?.message, body.errors?.[0]?.extensions.kind]).toEqual([message, 'not_found']);
  });
});

describe('a key with an insufficient role', () => {
  it.each([
    ['read', 'updateAccount(input: { accountId: "x" }) { requestId }', 'server'],
    ['read', 'updateProjectSettings(input: {}) { requestId }', 'operator'],
    ['server', 'updateProjectSettings(input: {}) { requestId }', 'operator'],
    ['read', 'createSession(input: {}) { requestId }', 'server'],
  ] as const)('%s: %s needs %s', async (role, mutation, needed) => {
    const { key } = await gateway.app.projects.createKey(project.projectId, role);
    const { body } = await project.withKey(key).rawGraphql(`mutation { ${mutation} }`);
    expect(body.errors[0]).toMatchObject({
      message: `This operation requires a key with the role ${needed}`,
      extensions: { code: 'auth.forbidden' },
    });
  });
});
