import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject } from '../support/gateway.ts';
import { openSocket } from '../support/websocket.ts';

/* Conditional root fields of subscriptions, and empty names of operations, over every transport. */
let gateway: Gateway;
let project: TestProject;
const open: { close(): void }[] = [];

beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterEach(() => {
  for (const one of open.splice(0)) one.close();
});
afterAll(() => gateway.close());

/** The first message for an operation over a new socket. */
async function overSocket(payload: Body): Promise<Body> {
  const socket = await openSocket(open, `${gateway.baseUrl.replace('http', 'ws')}/graphql`);
  await socket.acknowledged(project.key);
  socket.send({ id: '1', type: 'subscribe', payload });
  return socket.receive();
}

/** Position behind which all later events are. */
const head = async () => (await project.graphql('{ events(first: 0) { headCursor } }')).events.headCursor;

const overHttp = (payload: Body, accept: string) =>
  project.rest('POST', '/graphql', payload, { accept, 'content-type': 'application/json' });

const F = 'fragment F on Subscription { events { cursor } }';
const CONDITIONAL: [string, Body?][] = [
  ['subscription { events @skip(if: true) { cursor } }'],
  ['subscription { events @include(if: true) { cursor } }'],
  ['subscription ($x: Boolean!) { events @include(if: $x) { cursor } }', { x: false }],
  ['subscription ($x: Boolean!) { events @skip(if: $x) { cursor } }', { x: false }],
  [`subscription { ...F @skip(if: true) } ${F}`],
  ['subscription { ... @include(if: false) { events { cursor } } }'],
  ['subscription { ...G } fragment G on Subscription { ...F @include(if: true) } ' + F],
  ['subscription { events @skip(if: true) { cursor } more: events { cursor } }'],
];
const MESSAGE = '@skip and @include are not allowed on root fields of a subscription';

describe.each(CONDITIONAL)('%s', (query, variables) => {
  it('is refused when the document is checked, over every transport', async () => {
    const payload = { query, variables };
    const message = await overSocket(payload);
    expect(message.type).toBe('error');
    const answers = [
      { errors: message.payload },
      (await overHttp(payload, 'application/json')).body,
      (await overHttp(payload, 'application/graphql-response+json')).body,
    ];
    for (const { errors } of answers) {
      const found = errors.filter((error: Body) => error.message === MESSAGE);
      expect(found, JSON.stringify(errors)).toHaveLength(1);
      expect(found[0].extensions.code).toBe('graphql.invalid');
    }
    const stream = await overHttp(payload, 'text/event-stream');
    expect(stream.text).toContain(MESSAGE);
  });
});

it('fields below the root can be conditional', async () => {
  const query = `subscription ($x: Boolean!, $after: String) {
    events(after: $after) { cursor type @include(if: $x) data @skip(if: true) } }`;
  const after = await head();
  const socket = await openSocket(open, `${gateway.baseUrl.replace('http', 'ws')}/graphql`);
  await socket.acknowledged(project.key);
  socket.send({ id: '1', type: 'subscribe', payload: { query, variables: { x: true, after } } });
  await project.authenticate({ id: 'below' });
  const { type, payload } = await socket.receive();
  expect([type, Object.keys(payload.data.events)]).toEqual(['next', ['cursor', 'type']]);
});

describe('an empty operationName is none', () => {
  const ONE = 'query One { project { projectId } }';
  const data = () => ({ project: { projectId: project.projectId } });

  it.each(['application/json', 'application/graphql-response+json', 'multipart/mixed, application/json'])(
    'over HTTP, with Accept: %s',
    async (accept) => {
      for (const query of [ONE, '{ project { projectId } }'])
        expect((await overHttp({ query, operationName: '' }, accept)).body).toEqual({ data: data() });
      const { body } = await overHttp(
        { query: `${ONE} query Two { __typename }`, operationName: '' },
        accept,
      );
      expect(body.errors[0].message).toMatch(/^Must provide operation name/);
    },
  );

  it('with GET', async () => {
    const query = new URLSearchParams({ query: ONE, operationName: '' });
    expect((await project.rest('GET', `/graphql?${query}`)).body).toEqual({ data: data() });
  });

  it('over a WebSocket, for queries and subscriptions', async () => {
    const message = await overSocket({ query: ONE, operationName: '' });
    expect([message.type, message.payload]).toEqual(['next', { data: data() }]);
    const socket = await openSocket(open, `${gateway.baseUrl.replace('http', 'ws')}/graphql`);
    await socket.acknowledged(project.key);
    const query = 'subscription Named ($after: String) { events(after: $after) { type } }';
    const variables = { after: await head() };
    socket.send({ id: '1', type: 'subscribe', payload: { query, variables, operationName: '' } });
    await project.authenticate({ id: 'named' });
    expect((await socket.receive()).type).toBe('next');
  });

  it('with an Idempotency-Key', async () => {
    const query = 'mutation { createList(input: { name: "keyed" }) { list { name } } }';
    const headers = { 'idempotency-key': 'empty-name', 'content-type': 'application/json' };
    for (let time = 0; time < 2; time += 1) {
      const { body } = await project.rest('POST', '/graphql', { query, operationName: '' }, headers);
      expect(body).toEqual({ data: { createList: { list: { name: 'keyed' } } } });
    }
  });
});
