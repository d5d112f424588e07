import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { socketUrl } from '../../support/subscriptions.ts';
import { openSocket } from '../../support/websocket.ts';

/* Errors quote input of the client, but not completely. */
const LONG = 'x'.repeat(200_000);
const MAX_BYTES = 2000;
let gateway: Gateway;
let project: TestProject;
const opened: { close(): void }[] = [];

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});
afterAll(() => gateway.close());

const DOCUMENTS: [string, string, Record<string, unknown>?][] = [
  ['a field', `{ ${LONG} }`],
  ['an argument', `{ account(accountId: "a", ${LONG}: 1) { accountId } }`],
  ['a type', `query ($a: ${LONG}) { project { name } }`],
  ['a fragment', `{ project { ...${LONG} } }`],
  ['a directive', `{ project @${LONG} { name } }`],
  ['a value of an enum', `{ accounts(orderBy: ${LONG}) { edges { node { accountId } } } }`],
  [
    'a field of a variable',
    `mutation ($i: UpdateAccountInput!) { updateAccount(input: $i) { requestId } }`,
    { i: { [LONG]: 1 } },
  ],
  [
    'a value of a variable',
    'query ($f: Int) { accounts(first: $f) { edges { node { accountId } } } }',
    { f: LONG },
  ],
  ['a syntax error', `{ project { name } } ${LONG}`],
];

describe('an error that quotes input', () => {
  it.each(DOCUMENTS)('is short by GraphQL: %s', async (_what, query, variables = {}) => {
    const { body, text } = await project.rawGraphql(query, variables);
    expect(body.errors[0].message).toEqual(expect.any(String));
    expect(text.length).toBeLessThan(MAX_BYTES);
  });

  it.each(DOCUMENTS)('is short by WebSocket: %s', async (_what, query, variables = {}) => {
    const socket = await (await openSocket(opened, socketUrl(gateway.baseUrl))).acknowledged(project.key);
    socket.send({ id: '1', type: 'subscribe', payload: { query, variables } });
    const answer = await socket.receive();
    expect(['error', 'next']).toContain(answer.type);
    expect(JSON.stringify(answer.payload.errors ?? answer.payload)).toContain('message');
    expect(JSON.stringify(answer).length).toBeLessThan(MAX_BYTES);
  });

  it.each<[string, () => Promise<Answer>]>([
    ['a duplicate key', () => project.rest('POST', '/session', `{"${LONG}":1,"${LONG}":2}`)],
    ['a key with a NUL', () => project.rest('POST', '/session', { [`${LONG}\0`]: 1 })],
    ['an invalid enum value', () => project.rest('POST', '/list', { name: 'a', effect: LONG })],
    ['a name of a list', () => project.rest('POST', '/list', { name: LONG })],
    [
      'a session id',
      () => project.rest('POST', '/session/authenticate', { session_id: LONG, account: { id: 'a' } }),
    ],
    ['a list of an account', () => project.rest('PUT', '/account/x', { lists: [LONG] })],
    ['a country', () => project.rest('PUT', '/account/x', { expected_countries: [LONG] })],
    ['a path', () => project.rest('GET', `/account/${LONG.slice(0, 8000)}`)],
    ['a parameter', () => project.rest('GET', `/liveness/session?simulate=${LONG.slice(0, 8000)}`)],
    ['metadata', () => project.rest('PUT', '/account/x', { metadata: { [LONG]: { a: '\0' } } })],
  ])('is short by REST: %s', async (_what, ask) => {
    const { status, text } = await ask();
    expect(status).toBeGreaterThanOrEqual(400);
    expect(text.length).toBeLessThan(MAX_BYTES);
  });
});
