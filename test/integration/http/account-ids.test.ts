import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { accountOfRecord } from '../../../src/domain/accounts/import/account-record.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { openCommandWorld } from '../commands/support.ts';

/* Ids that URL libraries remove from a path: an account of such an id could be neither read nor erased. */
let gateway: Gateway;
let project: TestProject;
let session: string;

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
  session = await project.session();
});
afterAll(() => gateway.close());

const REFUSED = 'must not be . or ..';
const IDS = ['.', '..'];
const OTHERS = ['...', '.a', 'a.', '..a', '%2e', '%2e%2e', '．', './x'];

/** A request whose path is sent unchanged: fetch would resolve dots. */
function raw(method: string, path: string, body = ''): Promise<{ status: number; body: Body }> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(gateway.baseUrl);
    const headers = { 'x-api-key': project.key, 'content-type': 'application/json' };
    const sent = request({ hostname, port, method, path, headers }, (response) => {
      let text = '';
      response.on('data', (part) => {
        text += part;
      });
      response.on('end', () => resolve({ status: response.statusCode!, body: JSON.parse(text) }));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

const identity = (accountId: string) => ({ session_id: session, account_id: accountId });

/** Requests of REST with an account id in the query or in the body, with the name of the field. */
const REST: [string, (id: string) => [method: string, path: string, body?: Body], string][] = [
  [
    'authenticate',
    (id) => ['POST', '/session/authenticate', { session_id: session, account: { id } }],
    'account.id',
  ],
  ['a check', (id) => ['GET', `/liveness/session?account_id=${encodeURIComponent(id)}`], 'account_id'],
  ['enroll', (id) => ['POST', '/liveness/enroll', identity(id)], 'account_id'],
  ['verify-identity', (id) => ['POST', '/liveness/verify-identity', identity(id)], 'account_id'],
  [
    'move',
    (id) => ['POST', '/list/block/account/move', { account_ids: ['x', id], target_list: 'allow' }],
    'account_ids.1',
  ],
  ['the body of an update', (id) => ['PUT', '/account/x', { id }], 'id'],
];

describe.each(IDS)('the account id %s is refused', (id) => {
  it.each(REST)('by REST: %s', async (_what, call, field) => {
    const [method, path, body] = call(id);
    const answer = await project.rest(method, path, body);
    expect([answer.status, answer.body.message]).toEqual([400, `${field}: ${REFUSED}`]);
  });

  it.each([
    ['GET', '/account/{id}'],
    ['PUT', '/account/{id}'],
    ['DELETE', '/account/{id}'],
    ['GET', '/account/{id}/accounts-linked'],
    ['GET', '/account/{id}/sessions'],
    ['POST', '/list/block/account/{id}'],
    ['DELETE', '/list/block/account/{id}'],
  ])('by REST in the path: %s %s', async (method, path) => {
    for (const form of [id, id.replaceAll('.', '%2e'), id.replaceAll('.', '%2E')]) {
      const answer = await raw(method, path.replace('{id}', form), method === 'PUT' ? '{}' : '');
      expect(answer, form).toEqual({
        status: 400,
        body: { statusCode: 400, message: `account_id: ${REFUSED}`, code: 'input.invalid' },
      });
    }
  });

  it.each([
    [
      'authenticateSession',
      (): Body => ({ sessionId: session, account: { accountId: id } }),
      'account.accountId',
    ],
    ['updateAccount', (): Body => ({ accountId: id }), 'accountId'],
    ['deleteAccount', (): Body => ({ accountId: id }), 'accountId'],
    ['blockAccount', (): Body => ({ accountId: id }), 'accountId'],
    ['allowAccount', (): Body => ({ accountId: id }), 'accountId'],
    ['clearAccount', (): Body => ({ accountId: id }), 'accountId'],
    ['addAccountsToList', (): Body => ({ list: 'block', accountIds: [id] }), 'accountIds.0'],
    ['removeAccountsFromList', (): Body => ({ list: 'block', accountIds: [id] }), 'accountIds.0'],
    ['liftKeepOff', (): Body => ({ list: 'block', accountIds: [id] }), 'accountIds.0'],
    [
      'moveAccounts',
      (): Body => ({ sourceList: 'block', targetList: 'allow', accountIds: [id] }),
      'accountIds.0',
    ],
    ['createVerificationSession', (): Body => ({ kind: 'FACE_CHECK', accountId: id }), 'accountId'],
    ['enrollFace', (): Body => ({ sessionId: session, accountId: id }), 'accountId'],
    [
      'reportOutcome',
      (): Body => ({ accountId: id, outcome: 'FRAUD', at: '2025-01-01T00:00:00Z' }),
      'accountId',
    ],
    ['createBrowserToken', (): Body => ({ scopes: ['EVENTS'], accountId: id }), 'accountId'],
  ])('by GraphQL: %s', async (field, input, place) => {
    const type = `${field[0]!.toUpperCase()}${field.slice(1)}Input`;
    const query = `mutation ($input: ${type}!) { ${field}(input: $input) { __typename } }`;
    const { body } = await project.rawGraphql(query, { input: input() });
    expect(body.errors[0]).toMatchObject({
      message: expect.stringMatching(new RegExp(`^(input\\.)?${place}: ${REFUSED}$`)),
      extensions: { code: 'input.invalid' },
    });
  });

  it('by an import, as CSV and as NDJSON', () => {
    for (const format of ['csv', 'ndjson'] as const)
      expect(accountOfRecord({ id }, format)).toEqual({ problem: `id: ${REFUSED}` });
  });

  it('names nobody when it is read', async () => {
    const query = 'query ($id: ID!) { account(accountId: $id) { accountId } }';
    expect(await project.graphql(query, { id })).toEqual({ account: null });
  });
});

it('on the command line too', async () => {
  const world = await openCommandWorld();
  try {
    for (const args of [
      ['list', 'add', 'block', '..'],
      ['account', 'block', '..'],
      ['account', 'label', '..', 'fraud'],
    ] as const) {
      const [group, command, ...rest] = args;
      const { code, errors } = await world.local.call(group, command, ...rest);
      expect(code, args.join(' ')).not.toBe(0);
      expect(errors, args.join(' ')).toContain(REFUSED);
    }
  } finally {
    await world.close();
  }
});

it.each(OTHERS)('other ids with dots are those of accounts like any other: %s', async (id) => {
  const path = `/account/${encodeURIComponent(id)}`;
  await project.authenticate({ id, lists: ['watched'] });
  expect((await raw('GET', path)).body.account.id).toBe(id);
  expect((await raw('DELETE', `/list/watched${path}`)).status).toBe(200);
  expect((await raw('DELETE', path)).status).toBe(200);
});

it('a token for a page names an account that can exist', async () => {
  const query =
    'mutation ($id: ID!) { createBrowserToken(input: { scopes: [EVENTS], accountId: $id }) { token } }';
  for (const [id, message] of [
    ['', 'accountId: must not be empty'],
    ['x'.repeat(257), 'accountId: must be at most 256 characters'],
  ]) {
    const { body } = await project.rawGraphql(query, { id });
    expect(body.errors[0].message).toBe(message);
  }
  expect((await project.graphql(query, { id: unique('later') })).createBrowserToken.token).toMatch(/\S/);
});
