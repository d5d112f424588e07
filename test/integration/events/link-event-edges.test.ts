import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Body,
  type Gateway,
  send,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { browserToken, collect, headOf, overSocket } from '../../support/subscriptions.ts';

let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

const EDGE =
  'cursor key score matchTypes firstSeen lastSeen node { accountId } evidence { kind maskedValue weight }';
const GRAPH_EDGE = 'from to score matchTypes firstSeen lastSeen evidence { kind maskedValue weight }';
const LINKED = `subscription ($accountId: ID, $side: ID, $after: String) {
  accountLinked(accountId: $accountId, after: $after) {
    id: eventId cursor accountKey(accountId: $side) key(accountId: $side)
    linkedAccountEdge(accountId: $side) { ${EDGE} } graphEdge(accountId: $side) { ${GRAPH_EDGE} }
  } }`;
const LINKS = `query ($id: ID!, $after: String) {
  account(accountId: $id) { linkedAccounts(after: $after) { edges { ${EDGE} } } }
  linkGraph(accountId: $id, depth: 1) { nodes { key depth } edges { ${GRAPH_EDGE} } } }`;

type Reader = {
  graphql(query: string, variables: Record<string, unknown>): Promise<Body>;
  headers: Record<string, string>;
};

const byKey = (): Reader => ({ graphql: project.graphql, headers: { 'x-api-key': project.key } });

async function byToken(limits: Record<string, unknown>): Promise<Reader> {
  const { key } = await gateway.app.projects.createKey(project.projectId, 'operator');
  const headers = { authorization: `Bearer ${await browserToken(project.withKey(key), limits)}` };
  return {
    headers,
    graphql: async (query, variables) =>
      (await send(`${gateway.baseUrl}/graphql`, 'POST', { query, variables }, headers)).body.data,
  };
}

/** The events of the links that an account gets after a cursor, as a reader receives them. */
async function linkEvents(
  reader: Reader,
  count: number,
  variables: Record<string, unknown>,
): Promise<Body[]> {
  const client = overSocket(gateway.baseUrl, reader.headers);
  try {
    return await collect(client, LINKED, variables).until(count);
  } finally {
    await client.dispose();
  }
}

/** Accounts with one email address; the last one is linked to all others by its own authenticate. */
async function ring(): Promise<{ first: string; last: string; after: string }> {
  const email = `${unique('ring')}@example.com`;
  const [first, last] = [unique('first'), unique('last')];
  await project.authenticate({ id: first, email });
  await project.authenticate({ id: unique('second'), email });
  await gateway.app.settleEvents();
  const after = await headOf(project);
  await project.authenticate({ id: last, email });
  return { first, last, after };
}

describe('the event of a link', () => {
  it.each([
    { name: 'a key', reader: async () => byKey() },
    { name: 'a token of the project', reader: () => byToken({ project: true }) },
    { name: 'a token of the account', reader: (accountId: string) => byToken({ accountId }) },
    {
      name: 'a token of the account with LINKS and EVENTS',
      reader: (accountId: string) => byToken({ accountId, scopes: ['LINKS', 'EVENTS'] }),
    },
  ])('sends $name the edge that a new read of either account returns', async ({ reader }) => {
    const { first, last, after } = await ring();
    for (const accountId of [first, last]) {
      const as = await reader(accountId);
      const links = await linkEvents(as, accountId === first ? 1 : 2, { accountId, side: accountId, after });
      const { account, linkGraph } = await as.graphql(LINKS, { id: accountId });
      const root = linkGraph.nodes.find(({ depth }: Body) => depth === 0).key;
      for (const { accountKey, key, linkedAccountEdge, graphEdge } of links) {
        expect(accountKey).toBe(root);
        expect(linkedAccountEdge).toEqual(
          account.linkedAccounts.edges.find((edge: Body) => edge.key === key),
        );
        expect(graphEdge).toEqual(linkGraph.edges.find(({ from, to }: Body) => from === root && to === key));
        expect([linkedAccountEdge, graphEdge]).not.toContain(undefined);
      }
    }
  });

  it('has an edge whose cursor pages linkedAccounts', async () => {
    const { first, last, after } = await ring();
    const links = await linkEvents(byKey(), 2, { accountId: last, side: last, after });
    const { account } = await project.graphql(LINKS, { id: last });
    const keys = account.linkedAccounts.edges.map(({ key }: Body) => key);
    for (const { linkedAccountEdge, key } of links) {
      const { account: rest } = await project.graphql(LINKS, { id: last, after: linkedAccountEdge.cursor });
      const following = rest.linkedAccounts.edges.map((edge: Body) => edge.key);
      expect(following).toEqual(keys.slice(keys.indexOf(key) + 1));
    }
    expect(links.map(({ key }) => key)).toHaveLength(new Set(keys).size);
    expect(first).not.toBe(last);
  });

  it('has no edge after the link was removed, and none for an account that is not one of the two', async () => {
    const { first, after } = await ring();
    const [stranger] = await linkEvents(byKey(), 1, { accountId: first, side: unique('stranger'), after });
    expect(stranger).toMatchObject({ accountKey: null, key: null, linkedAccountEdge: null, graphEdge: null });
    await project.rest('PUT', `/account/${first}`, { email: `${unique('other')}@example.com` });
    const [removed] = await linkEvents(byKey(), 1, { accountId: first, side: first, after });
    expect(removed).toMatchObject({ linkedAccountEdge: null, graphEdge: null });
    expect(removed!.key).toHaveLength(22);
  });

  it('does not show a token without ACCOUNT which account it is about', async () => {
    const { first, after } = await ring();
    const as = await byToken({ project: true, scopes: ['LINKS', 'EVENTS'] });
    const client = overSocket(gateway.baseUrl, as.headers);
    const { events, errors, until } = collect(client, LINKED, { side: first, after });
    await expect(until(1)).rejects.toThrow('The argument accountId');
    expect(events[0]).toMatchObject({ accountKey: null, key: null, linkedAccountEdge: null });
    expect(errors[0]).toMatchObject({ extensions: { code: 'auth.forbidden' } });
    await client.dispose();
  });

  it('names in its removal the key of the edge that it removes', async () => {
    const { first } = await ring();
    const { account } = await project.graphql(LINKS, { id: first });
    const keys = account.linkedAccounts.edges.map(({ key }: Body) => key);
    await gateway.app.settleEvents();
    const after = await headOf(project);
    await project.rest('PUT', `/account/${first}`, { email: `${unique('other')}@example.com` });
    const client = overSocket(gateway.baseUrl, { 'x-api-key': project.key });
    const removals = await collect(
      client,
      `subscription ($accountId: ID, $after: String) {
        events(accountId: $accountId, after: $after, types: [ACCOUNT_UNLINKED]) {
          id: eventId cursor ... on AccountLinkChangedEvent { key(accountId: $accountId) } } }`,
      { accountId: first, after },
    ).until(keys.length);
    expect(removals.map(({ key }) => key).sort()).toEqual(keys.sort());
    await client.dispose();
  });
});
