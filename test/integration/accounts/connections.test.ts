import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startOwnGateway, type TestProject, unique } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';
import { costOf, tripsOf } from '../../support/trips.ts';

/*
 * Nodes and connections of accounts, sessions, decisions, links and identity groups: refetched by global id, read in
 * both directions.
 */

let gateway: Gateway;
let project: TestProject;
const group = unique('ring');
const ids = Array.from({ length: 7 }, (_, index) => `${group}-${index}`);
const hub = ids[0]!;

beforeAll(async () => {
  gateway = await startOwnGateway({ worksInBackground: false });
  project = await gateway.project();
  for (const id of ids) {
    await project.authenticate({ id, group, phone: '+14155550142' }, { ip_address: '90.54.1.1' });
    await gateway.app.recalculateLinks(project.projectId);
  }
  for (let count = 0; count < 4; count += 1)
    await project.authenticate({ id: hub, group }, { ip_address: '8.8.8.8' });
});
afterAll(() => gateway.close());

const OF_HUB = {
  open: `account(accountId: "${hub}") {`,
  close: '}',
  of: (data: Body) => data.account,
};
const OF_GROUP = {
  open: `account(accountId: "${hub}") { identityGroup {`,
  close: '} }',
  of: (data: Body) => data.account.identityGroup,
};
const ROOT = { open: '', close: '', of: (data: Body) => data };

type Parent = typeof ROOT;
type Connection = { name: string; parent: Parent; args: string; node: string; total: number };

const order = (field: string, direction: string) => `orderBy: { field: ${field}, direction: ${direction} }`;
const linked = ['SCORE', 'FIRST_SEEN', 'LAST_SEEN'].flatMap((field) =>
  ['ASC', 'DESC'].map((direction) => order(field, direction)),
);
const CONNECTIONS: readonly Connection[] = [
  ...['CREATED_AT', 'LAST_SEEN', 'NUM_SESSIONS'].map((field) => ({
    name: 'accounts',
    parent: ROOT,
    args: `filter: { group: "${group}" }, ${order(field, 'DESC')}`,
    node: 'id',
    total: 7,
  })),
  { name: 'sessions', parent: ROOT, args: order('START_TIME', 'ASC'), node: 'id', total: 11 },
  { name: 'sessions', parent: ROOT, args: 'filter: { countryCode: "US" }', node: 'id', total: 4 },
  { name: 'sessions', parent: OF_HUB, args: 'filter: { source: WEB }', node: 'id', total: 5 },
  { name: 'sessions', parent: OF_HUB, args: order('START_TIME', 'ASC'), node: 'id', total: 5 },
  { name: 'decisions', parent: OF_HUB, args: '', node: 'id', total: 5 },
  ...linked.map((args) => ({ name: 'linkedAccounts', parent: OF_HUB, args, node: 'id', total: 6 })),
  {
    name: 'linkedAccounts',
    parent: OF_HUB,
    args: 'matchTypes: [PHONE], minScore: 0.9',
    node: 'id',
    total: 6,
  },
  { name: 'linkedAccounts', parent: OF_HUB, args: 'matchTypes: [FACE]', node: 'id', total: 0 },
  { name: 'accounts', parent: OF_GROUP, args: '', node: 'id', total: 7 },
  { name: 'history', parent: OF_GROUP, args: '', node: 'at action size', total: 6 },
];

async function pageOf({ name, parent, args, node }: Connection, page: string): Promise<Body> {
  const given = [args, page].filter((each) => each !== '').join(', ');
  const data = await project.graphql(`{ ${parent.open} ${name}(${given}) {
    totalCount { value isExact } edges { cursor node { ${node} } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } ${parent.close} }`);
  return parent.of(data)[name];
}

const nodesOf = ({ edges }: Body): string[] => edges.map(({ node }: Body) => JSON.stringify(node));

/** All nodes in the order of the connection, by pages from its start. */
async function forward(connection: Connection, betweenPages = async () => {}): Promise<string[]> {
  const nodes: string[] = [];
  for (let after = ''; ; await betweenPages()) {
    const page = await pageOf(connection, `first: 2${after}`);
    nodes.push(...nodesOf(page));
    if (!page.pageInfo.hasNextPage) return nodes;
    after = `, after: "${page.pageInfo.endCursor}"`;
  }
}

/** The same by pages from its end. */
async function backward(connection: Connection, betweenPages = async () => {}): Promise<string[]> {
  const nodes: string[] = [];
  for (let before = ''; ; await betweenPages()) {
    const page = await pageOf(connection, `last: 2${before}`);
    nodes.unshift(...nodesOf(page));
    if (!page.pageInfo.hasPreviousPage) return nodes;
    before = `, before: "${page.pageInfo.startCursor}"`;
  }
}

describe('a connection', () => {
  it.each(CONNECTIONS.map((connection) => [`${connection.name}(${connection.args})`, connection] as const))(
    'has the same objects from both ends, each once: %s',
    async (_name, connection) => {
      const [ahead, back] = [await forward(connection), await backward(connection)];
      expect(ahead).toHaveLength(connection.total);
      expect(new Set(ahead).size).toBe(connection.total);
      expect(back).toEqual(ahead);
      const { totalCount } = await pageOf(connection, 'first: 1');
      expect(totalCount).toEqual({ value: connection.total, isExact: true });
    },
  );

  it('has a page between two cursors', async () => {
    const accounts = CONNECTIONS[0]!;
    const all = await pageOf(accounts, 'first: 7');
    const [after, before] = [all.edges[1].cursor, all.edges[5].cursor];
    const between = await pageOf(accounts, `first: 9, after: "${after}", before: "${before}"`);
    expect(nodesOf(between)).toEqual(nodesOf(all).slice(2, 5));
    const end = await pageOf(accounts, `last: 2, after: "${after}", before: "${before}"`);
    expect(nodesOf(end)).toEqual(nodesOf(all).slice(3, 5));
  });

  it.each([['forward', forward] as const, ['backward', backward] as const])(
    'shows the objects that existed at its first page once while objects are added: %s',
    async (_direction, read) => {
      const own = unique('growing');
      const existing = [1, 2, 3, 4, 5].map((index) => `${own}-${index}`);
      for (const id of existing) await project.authenticate({ id, group: own });
      const connection = {
        ...{ name: 'accounts', parent: ROOT, node: 'accountId', total: 5 },
        args: `filter: { group: "${own}" }`,
      };
      const seen = await read(connection, async () => {
        await project.authenticate({ id: unique('late'), group: own });
      });
      const shown = seen.map((node) => JSON.parse(node).accountId as string);
      expect(shown.filter((id) => existing.includes(id))).toEqual([...existing].reverse());
      expect(new Set(shown).size).toBe(shown.length);
    },
  );

  it('counts up to 10,000 objects', async () => {
    const sql = await connectAs(gateway.database, 'vouchgraph_system');
    const { identityGroup } = (
      await project.graphql(`{ account(accountId: "${hub}") { identityGroup { groupId } } }`)
    ).account;
    const values = [project.projectId, identityGroup.groupId];
    await sql.query(
      `insert into identity_changes (project_id, change_id, at, group_id, action, other_group_id, size)
       select $1, gen_random_uuid(), '2020-01-01', $2, 'grown', null, 7 from generate_series(1, 9995)`,
      values,
    );
    const history = CONNECTIONS.at(-1)!;
    expect((await pageOf(history, 'first: 1')).totalCount).toEqual({ value: 10_000, isExact: false });
    await sql.query(
      `delete from identity_changes where project_id = $1 and group_id = $2 and at = '2020-01-01'`,
      values,
    );
    await sql.end();
    expect((await pageOf(history, 'first: 1')).totalCount).toEqual({ value: 6, isExact: true });
  });

  it('reads the pages and totals of all parents with one statement each', async () => {
    const page = 'totalCount { value } edges { cursor }';
    const query = (
      first: number,
    ) => `{ accounts(first: ${first}, filter: { group: "${group}" }) { edges { node {
      sessions(last: 2) { ${page} } decisions(first: 2) { ${page} } linkedAccounts(first: 2) { ${page} }
      identityGroup { accounts(last: 2) { ${page} } history(first: 2) { ${page} } } } } } }`;
    for (const first of [1, 7]) {
      const { statements } = costOf(await tripsOf(gateway, () => project.graphql(query(first))));
      // The accounts, their groups, and two statements for each of five connections.
      expect(statements).toBe(12);
    }
  });
});

describe('a node', () => {
  const READ = `{ account(accountId: "${hub}") { id decisions(first: 1) { edges { node { id decisionId } } }
    lastSession { id sessionId } identityGroup { id groupId } } }`;
  const REFETCH = `query ($ids: [ID!]!) { nodes(ids: $ids) { __typename id
    ... on Account { accountId } ... on Session { sessionId } ... on Decision { decisionId account { accountId } session { sessionId } }
    ... on IdentityGroup { groupId accounts(first: 1) { totalCount { value } } } } }`;
  const read = async () => {
    const { id, decisions, lastSession, identityGroup } = (await project.graphql(READ)).account;
    return { account: id, decision: decisions.edges[0].node, session: lastSession, identityGroup };
  };

  it('is refetched by its global id, which contains no project', async () => {
    const { account, decision, session, identityGroup } = await read();
    const globalIds = [account, decision.id, session.id, identityGroup.id];
    for (const id of globalIds) expect(Buffer.from(id, 'base64').toString()).not.toContain(project.projectId);
    const { nodes } = await project.graphql(REFETCH, { ids: globalIds });
    expect(nodes).toEqual([
      { __typename: 'Account', id: account, accountId: hub },
      {
        ...{ __typename: 'Decision', id: decision.id, decisionId: decision.decisionId },
        ...{ account: { accountId: hub }, session: { sessionId: session.sessionId } },
      },
      { __typename: 'Session', id: session.id, sessionId: session.sessionId },
      {
        ...{ __typename: 'IdentityGroup', id: identityGroup.id, groupId: identityGroup.groupId },
        accounts: { totalCount: { value: 7 } },
      },
    ]);
    for (const id of globalIds)
      expect(await project.graphql('query ($id: ID!) { node(id: $id) { id } }', { id })).toEqual({
        node: { id },
      });
  });

  it('is null for a foreign, unknown, malformed and forbidden id', async () => {
    const { account, decision, session, identityGroup } = await read();
    const globalIds = [account, decision.id, session.id, identityGroup.id];
    const stranger = await gateway.project();
    const none = [null, null, null, null];
    expect(await stranger.graphql(REFETCH, { ids: globalIds })).toEqual({ nodes: none });
    const types = ['Account', 'Decision', 'Session', 'IdentityGroup'];
    const idOf = (type: string, key: string) => Buffer.from(`${type}:${key}`).toString('base64');
    for (const key of [randomUUID(), 'not-a-uuid', '', `${decision.decisionId}:1`])
      expect(await project.graphql(REFETCH, { ids: types.map((type) => idOf(type, key)) })).toEqual({
        nodes: none,
      });
    const others = [idOf('Account', session.sessionId), decision.decisionId, 'made up', `${session.id}x`];
    expect(await project.graphql(REFETCH, { ids: others })).toEqual({ nodes: none });
    const findBy = (of: TestProject, field: string, id: string) =>
      of.graphql(`query ($id: ID!) { it: ${field}(id: $id) { id } }`, { id });
    for (const field of ['decision', 'identityGroup'])
      for (const id of ['', randomUUID(), session.id, idOf('Decision', randomUUID())])
        expect(await findBy(project, field, id)).toEqual({ it: null });
    // A field of one type also takes its UUID, in its project only.
    expect(await findBy(project, 'decision', decision.decisionId)).toEqual({ it: { id: decision.id } });
    expect(await findBy(stranger, 'decision', decision.decisionId)).toEqual({ it: null });
  });
});

describe('linked accounts for a token that reads pseudonyms', () => {
  it('have cursors that contain no id of an account', async () => {
    const { createBrowserToken } = await project.graphql(
      'mutation ($input: CreateBrowserTokenInput!) { createBrowserToken(input: $input) { token } }',
      { input: { scopes: ['LINKS'], accountId: hub } },
    );
    const headers = { 'x-api-key': '', authorization: `Bearer ${createBrowserToken.token}` };
    const page = async (args: string) => {
      const query = `{ account(accountId: "${hub}") { linkedAccounts(${args}) {
        edges { cursor key } pageInfo { endCursor hasNextPage } } } }`;
      return (await project.rawGraphql(query, {}, headers)).body.data.account.linkedAccounts;
    };
    const all = await page('first: 6');
    expect(all.edges).toHaveLength(6);
    for (const { cursor } of all.edges)
      expect(Buffer.from(cursor.split('.')[0], 'base64url').toString()).not.toMatch(
        /[0-9a-f]{8}-[0-9a-f]{4}-/,
      );
    const rest = await page(`first: 9, after: "${all.edges[1].cursor}"`);
    expect(rest.edges.map(({ key }: Body) => key)).toEqual(all.edges.slice(2).map(({ key }: Body) => key));
  });
});
