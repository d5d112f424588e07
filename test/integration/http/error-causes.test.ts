import { BUILT_IN_RULES } from '@vouchgraph/decisions';
import { EVENT_TYPES } from '@vouchgraph/events/internals/catalogue/event-type';
import { RISK_FLAGS } from '@vouchgraph/signals';
import { eventTypeValue } from '@vouchgraph/terminal/internals/words';
import { SIMULATIONS } from '@vouchgraph/verification/internals/simulation';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, send, startGateway, type TestProject } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway({ recalculatesLinks: false });
  project = await gateway.project();
});
afterAll(() => gateway.close());

const NIL = '00000000-0000-7000-8000-000000000000';
const TIMESTAMP = 'must be an ISO 8601 timestamp such as 2025-06-10T16:35:22.184Z';

async function errorOf(query: string, variables?: Record<string, unknown>, by = project) {
  const { body } = await by.rawGraphql(query, variables);
  expect(body.errors).toHaveLength(1);
  return body.errors[0];
}

describe('a GraphQL request with an invalid body', () => {
  it('does not quote the text of the parser', async () => {
    const { status, body } = await send(`${gateway.baseUrl}/graphql`, 'POST', '{bad', {
      'x-api-key': project.key,
      'content-type': 'application/json',
    });
    expect(status).toBe(400);
    expect(body.errors[0].extensions).toEqual({
      code: 'graphql.invalid',
      kind: 'invalid_input',
      status: 400,
    });
  });
});

describe('an invalid scalar in a document', () => {
  it.each<[string, string, (string | number)[], string]>([
    [
      'mutation { addAccountsToList(input: { list: "allow", accountIds: ["a"], expiresAt: "tomorrow" }) { requestId } }',
      `input.expiresAt: ${TIMESTAMP}`,
      ['input', 'expiresAt'],
      '"tomorrow"',
    ],
    [
      'mutation { addAccountsToList(input: { list: "allow", accountIds: ["a"], expiresAt: 5 }) { requestId } }',
      `input.expiresAt: ${TIMESTAMP}`,
      ['input', 'expiresAt'],
      '5',
    ],
    [
      'mutation { updateAccount(input: { accountId: "a", expectedCountries: ["FR", "Mars"] }) { requestId } }',
      'input.expectedCountries.1: must be an ISO 3166-1 alpha-2 country code',
      ['input', 'expectedCountries', 1],
      '"Mars"',
    ],
  ])('is located and named: %s', async (query, message, inputPath, value) => {
    expect(await errorOf(query)).toMatchObject({
      message,
      locations: [{ line: 1, column: query.indexOf(value) + 1 }],
      extensions: { code: 'graphql.invalid', inputPath },
    });
  });

  it('is rejected in a variable with the same text and the path of the value', async () => {
    const query =
      'mutation ($input: AddAccountsToListInput!) { addAccountsToList(input: $input) { requestId } }';
    const input = { list: 'allow', accountIds: ['a'], expiresAt: 'tomorrow' };
    expect((await errorOf(query, { input })).message).toBe(
      `Variable "$input" got invalid value "tomorrow" at "input.expiresAt"; ${TIMESTAMP}`,
    );
  });
});

describe('an unknown value of an enum', () => {
  const accepted = `Accepted values: ${EVENT_TYPES.map(eventTypeValue).sort().join(', ')}.`;
  const text = async (query: string, variables?: Record<string, unknown>, by?: TestProject) =>
    (await errorOf(query, variables, by)).message.replace(/(?<=Accepted values: )[^.]*/, (list: string) =>
      list.split(', ').sort().join(', '),
    );

  it('is rejected with the accepted values, in a document and in a variable', async () => {
    const unknown = `Value "FOO" does not exist in "EventType" enum. ${accepted}`;
    expect(await text('{ events(types: [FOO]) { edges { cursor } } }')).toBe(unknown);
    const query = 'query ($t: [EventType!]) { events(types: $t) { edges { cursor } } }';
    expect(await text(query, { t: ['FOO'] })).toBe(
      `Variable "$t" got invalid value "FOO" at "t[0]"; ${unknown}`,
    );
    expect(await text('{ events(types: ["ACCOUNT_UPDATED"]) { edges { cursor } } }')).toContain(accepted);
    expect(await text(query, { t: [5] })).toContain(accepted);
  });

  it('is rejected without them when the enum has more than 30 values', async () => {
    const query =
      'mutation { createVerificationSession(input: { kind: ID_CHECK, simulateRiskFlags: [FOO] }) { requestId } }';
    expect(await text(query)).toBe('Value "FOO" does not exist in "RiskFlag" enum.');
  });

  it('is rejected without them in a project that hides its schema', async () => {
    const production = await gateway.project({ environment: 'production' });
    const { key } = await gateway.app.projects.createKey(production.projectId, 'server');
    const closed = production.withKey(key);
    const message = 'Value "FOO" does not exist in "EventType" enum.';
    expect(await text('{ events(types: [FOO]) { edges { cursor } } }', undefined, closed)).toBe(message);
    const query = 'query ($t: [EventType!]) { events(types: $t) { edges { cursor } } }';
    expect(await text(query, { t: ['FOO'] }, closed)).toBe(
      `Variable "$t" got invalid value "FOO" at "t[0]"; ${message}`,
    );
  });
});

describe('an unknown object of an input', () => {
  const lists = (list: string) => `List not found: "${list}"`;
  it.each<[string, string, string, (string | number)[]]>([
    ['addAccountsToList', '{ list: "none", accountIds: ["a"] }', lists('none'), ['input', 'list']],
    ['removeAccountsFromList', '{ list: "none", accountIds: ["a"] }', lists('none'), ['input', 'list']],
    ['updateList', '{ name: "none" }', lists('none'), ['input', 'name']],
    ['deleteList', '{ name: "none" }', lists('none'), ['input', 'name']],
    [
      'moveAccounts',
      '{ sourceList: "none", targetList: "allow", accountIds: ["a"] }',
      lists('none'),
      ['input', 'sourceList'],
    ],
    [
      'moveAccounts',
      '{ sourceList: "allow", targetList: "none", accountIds: ["a"] }',
      'Target list not found: "none"',
      ['input', 'targetList'],
    ],
    [
      'createRule',
      '{ name: "r", trigger: ANY_SESSION, expression: "account.account_score > 0.5", actions: [{ addToList: "none" }] }',
      lists('none'),
      ['input', 'actions', 0, 'addToList'],
    ],
    [
      'sendTestWebhook',
      `{ endpointId: "${NIL}", type: ACCOUNT_UPDATED }`,
      'Webhook endpoint not found',
      ['input', 'endpointId'],
    ],
    ['updateWebhookEndpoint', `{ id: "${NIL}" }`, 'Webhook endpoint not found', ['input', 'id']],
    ['deleteWebhookEndpoint', `{ id: "${NIL}" }`, 'Webhook endpoint not found', ['input', 'id']],
    ['rotateWebhookSecret', `{ id: "${NIL}" }`, 'Webhook endpoint not found', ['input', 'id']],
    [
      'resendWebhooksSince',
      `{ endpointId: "${NIL}", since: "2025-06-10T16:35:22.184Z" }`,
      'Webhook endpoint not found',
      ['input', 'endpointId'],
    ],
    [
      'addBuiltInRule',
      '{ key: "none" }',
      `Built-in rule not found: key must be one of ${BUILT_IN_RULES.map(({ key }) => key).join(', ')}`,
      ['input', 'key'],
    ],
  ])('has a path and a text: %s %s', async (field, input, message, inputPath) => {
    expect(await errorOf(`mutation { ${field}(input: ${input}) { requestId } }`)).toMatchObject({
      message,
      extensions: { inputPath, kind: 'not_found' },
    });
  });
});

describe('an invalid parameter of REST', () => {
  it.each<[string, string, unknown, string, string]>([
    [
      'GET',
      '/liveness/session?simulate=foo',
      undefined,
      'verification.invalid_simulated_session',
      `simulate: must be one of ${SIMULATIONS.join(', ')}`,
    ],
    [
      'GET',
      '/liveness/session?simulate=success&simulate_risk_flags=repeat_face,foo',
      undefined,
      'verification.invalid_simulated_session',
      `simulate_risk_flags: must contain only ${RISK_FLAGS.join(', ')}`,
    ],
    [
      'GET',
      '/liveness/session?simulate_decision=Real',
      undefined,
      'verification.invalid_simulated_session',
      'simulate: must be success if a simulated decision, risk score or risk flags are sent',
    ],
    ['POST', '/list', {}, 'http.method_not_allowed', 'Method Not Allowed: must be one of GET, HEAD, OPTIONS'],
  ])('is named with the accepted values: %s %s %j', async (method, path, body, code, message) => {
    const { body: refusal } = await project.rest(method, path, body);
    expect(refusal).toMatchObject({ code, message });
  });

  it('that simulates is rejected in production', async () => {
    const production = await gateway.project({ environment: 'production' });
    const { body } = await production.rest('GET', '/liveness/session?simulate=success');
    expect(body).toMatchObject({
      code: 'verification.invalid_simulated_session',
      message: 'simulate: requires a sandbox project',
    });
  });
});
