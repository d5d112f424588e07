import { GraphQLObjectType, getNamedType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { schema } from '../../../src/graphql/schema.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { playedVerification } from '../../support/verification.ts';

/* A page of no objects, of every connection of the schema: it has pageInfo and totalCount like any other. */
let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway({ settings: { WEBHOOK_ALLOW_LOOPBACK: '1' } });
  project = await gateway.project();
  await fill();
});
afterAll(() => gateway.close());

/** Objects of most connections. */
async function fill(): Promise<void> {
  const phone = '+14155550142';
  const send = (field: string, input: Body, selection = 'requestId') =>
    project.graphql(
      `mutation ($input: ${field[0]!.toUpperCase()}${field.slice(1)}Input!) { ${field}(input: $input) { ${selection} } }`,
      { input },
    );
  const actions = [{ raiseFlag: 'is_known' }];
  const rule = { name: 'known', trigger: 'ANY_SESSION', expression: 'account.id IS PRESENT', actions };
  await send('createRule', { ...rule, state: 'ENABLED' });
  await send('createWebhookEndpoint', { url: 'http://127.0.0.1:9/none' });
  for (const id of ['ada', 'grace', 'joan']) await project.authenticate({ id, phone, lists: ['watched'] });
  await project.authenticate({ id: 'ada', phone });
  await send('reportOutcome', { accountId: 'ada', outcome: 'FRAUD', at: '2025-01-01T00:00:00Z' });
  await send('blockAccount', { accountId: unique('later') });
  await playedVerification(gateway, project, { simulate: 'success', account_id: 'ada' });
  await send('checkEmails', { emails: [{ email: 'ada@example.com' }, { email: 'joan@example.com' }] });
  const csv = { 'content-type': 'text/csv' };
  await project.rest('POST', '/email/imports', 'email\nada@example.com\nno address\n', csv);
  await send('backtestRule', {
    expression: 'account.id IS PRESENT',
    trigger: 'ANY_SESSION',
    since: '2025-01-01T00:00:00Z',
  });
  await gateway.app.settleEmailChecks(project.projectId);
  await gateway.app.recalculateLinks(project.projectId);
  await gateway.app.settleBacktests(project.projectId);
  await gateway.app.settleEvents();
}

type Field = { parent: string; name: string; node: string };

const CONNECTIONS: readonly Field[] = Object.values(schema.getTypeMap())
  .filter((type) => type instanceof GraphQLObjectType)
  .flatMap((type) =>
    Object.values(type.getFields()).flatMap((field) => {
      const named = getNamedType(field.type);
      if (!(named instanceof GraphQLObjectType) || !named.name.endsWith('Connection')) return [];
      const edge = getNamedType(named.getFields().edges!.type) as GraphQLObjectType;
      return [{ parent: type.name, name: field.name, node: getNamedType(edge.getFields().node!.type).name }];
    }),
  );

/** Fields around a connection: those of the first objects of a connection of the root. */
function around(parent: string): [open: string, close: string] {
  if (parent === 'Query') return ['', ''];
  if (parent === 'IdentityGroup') return ['accounts(first: 9) { edges { node { identityGroup {', '} } } }'];
  const root = CONNECTIONS.find((each) => each.parent === 'Query' && each.node === parent);
  if (!root) throw new Error(`No connection of the root has objects of the type ${parent}`);
  return [`${root.name}(first: 9) { edges { node {`, '} } }'];
}

const PAGE =
  'edges { cursor } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount { value isExact }';

/** Every object that has the aliases of a query, at any depth. */
function parentsOf(data: Body): Body[] {
  if (data === null || typeof data !== 'object') return [];
  return 'none' in data ? [data] : Object.values(data).flatMap(parentsOf);
}

const counted: string[] = [];

describe.each(CONNECTIONS)('$parent $name', ({ parent, name }) => {
  it('answers an empty page', async () => {
    const [open, close] = around(parent);
    const data = await project.graphql(
      `{ ${open} all: ${name}(first: 40) { ${PAGE} } none: ${name}(first: 0) { ${PAGE} }
        noneOfLast: ${name}(last: 0) { ${PAGE} } ${close} }`,
    );
    const parents = parentsOf(data);
    expect(parents.length, JSON.stringify(data)).toBeGreaterThan(0);
    for (const { all, none, noneOfLast } of parents) {
      const hasObjects = all.edges.length > 0;
      const noCursors = { startCursor: null, endCursor: null };
      const { totalCount } = all;
      const info = { hasNextPage: hasObjects, hasPreviousPage: false, ...noCursors };
      expect(none).toEqual({ edges: [], pageInfo: info, totalCount });
      const ofLast = { hasNextPage: false, hasPreviousPage: hasObjects, ...noCursors };
      expect(noneOfLast).toEqual({ edges: [], pageInfo: ofLast, totalCount });
      if (hasObjects) counted.push(`${parent}.${name}`);
    }
  });

  it('rejects a negative number', async () => {
    const [open, close] = around(parent);
    for (const argument of ['first', 'last']) {
      const { body } = await project.rawGraphql(
        `{ ${open} ${name}(${argument}: -1) { edges { cursor } } ${close} }`,
      );
      expect(body.errors[0].message).toBe(`${argument}: must be between 0 and 100`);
    }
  });
});

it('nearly every connection had objects', () => {
  expect(CONNECTIONS.length).toBeGreaterThan(30);
  const without = CONNECTIONS.map(({ parent, name }) => `${parent}.${name}`).filter(
    (field) => !counted.includes(field),
  );
  expect(without).toEqual(EMPTY);
});

/** Objects of these take more than a request to create. */
const EMPTY: readonly string[] = [
  'EmailImport.problems',
  'Query.calibrations',
  'Query.persistedOperations',
  'Verification.reviews',
];

it('an empty page after a cursor says what is before and after it', async () => {
  const page = `edges { cursor } ${PAGE}`;
  const { accounts } = await project.graphql(`{ accounts(first: 40) { ${page} } }`);
  const cursors: string[] = accounts.edges.map(({ cursor }: Body) => cursor);
  const empty = `query ($after: String) { accounts(first: 0, after: $after) { ${page} } }`;
  for (const [index, after] of cursors.entries()) {
    const { pageInfo, edges } = (await project.graphql(empty, { after })).accounts;
    expect(edges).toEqual([]);
    expect(pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: index < cursors.length - 1 });
  }
});

it('linked accounts of a scored session can be left out', async () => {
  const id = await project.session();
  const query = 'query ($id: ID!) { scoreSession(sessionId: $id) { linkedAccounts(first: 0) { score } } }';
  expect((await project.graphql(query, { id })).scoreSession.linkedAccounts).toEqual([]);
});
