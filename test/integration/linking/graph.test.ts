import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;

/** a - b - c - d by phone and email, each one hop; e by device and network to a; f has no links. */
beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
  const facts = { device_id: 'tablet', ip_address: '90.54.1.1' };
  await project.authenticate(
    { id: 'a', phone: '+14155552671', first_name: 'Ada', last_name: 'Lovelace' },
    facts,
  );
  await project.authenticate({ id: 'b', phone: '+14155552671', email: 'ada.lovelace@example.com' });
  await project.authenticate({ id: 'c', email: 'Ada.Lovelace@example.com', username: 'adal' });
  await project.authenticate({ id: 'd', username: 'adal' });
  await project.authenticate({ id: 'e' }, facts);
  await project.authenticate({ id: 'f', first_name: 'Ada', last_name: 'Lovelace' });
});
afterAll(() => gateway.close());

const GRAPH = `query ($id: ID!, $depth: Int, $maxNodes: Int, $minScore: Float) {
  linkGraph(accountId: $id, depth: $depth, maxNodes: $maxNodes, minScore: $minScore) {
    nodes { key depth account { accountId } }
    edges { from to score matchTypes firstSeen lastSeen evidence { kind maskedValue sharedBy weight capped firstSeen lastSeen } }
    truncated
  } }`;

async function graph(variables: Record<string, unknown>): Promise<Body> {
  return named((await project.graphql(GRAPH, variables)).linkGraph);
}

/** Edges and hops with the ids of accounts in place of the keys of their nodes. */
function named(answer: Body): Body {
  const ids = new Map(answer.nodes.map(({ key, account }: Body) => [key, account.accountId]));
  for (const link of answer.edges ?? answer.hops) {
    expect([ids.has(link.from), ids.has(link.to)]).toEqual([true, true]);
    Object.assign(link, { from: ids.get(link.from), to: ids.get(link.to) });
  }
  return answer;
}

const nodesOf = ({ nodes }: Body) =>
  nodes.map((node: Body) => `${node.account.accountId}${node.depth}`).sort();
const edgesOf = ({ edges }: Body) => edges.map(({ from, to }: Body) => [from, to].sort().join('')).sort();

describe('linkGraph', () => {
  it('searches breadth first, with each link once', async () => {
    expect(nodesOf(await graph({ id: 'a', depth: 1 }))).toEqual(['a0', 'b1', 'e1']);
    expect(nodesOf(await graph({ id: 'a', depth: 2 }))).toEqual(['a0', 'b1', 'c2', 'e1']);
    const whole = await graph({ id: 'a', depth: 4 });
    expect(nodesOf(whole)).toEqual(['a0', 'b1', 'c2', 'd3', 'e1']);
    expect(edgesOf(whole)).toEqual(['ab', 'ae', 'bc', 'cd']);
    expect(whole.truncated).toBe(false);
  });

  it('explains every link', async () => {
    const { edges } = await graph({ id: 'a', depth: 1 });
    const byPhone = edges.find(({ to }: Body) => to === 'b');
    expect(byPhone).toMatchObject({ score: 1, matchTypes: ['PHONE'] });
    expect(byPhone.evidence).toMatchObject([
      { kind: 'PHONE', maskedValue: '+14…71', sharedBy: 2, weight: 1, capped: false },
    ]);
    const byDevice = edges.find(({ to }: Body) => to === 'e');
    expect(byDevice.matchTypes).toEqual(['NETWORK', 'DEVICE']);
    expect(byDevice.evidence).toMatchObject([
      { kind: 'DEVICE', maskedValue: expect.stringMatching(/^[0-9a-f]{8}$/), sharedBy: 2, weight: 0.45 },
      { kind: 'NETWORK', weight: 0.3 },
      { kind: 'NEIGHBOURHOOD', weight: 0 },
    ]);
  });

  it('omits links below minScore, and reports truncation at maxNodes', async () => {
    expect(nodesOf(await graph({ id: 'a', depth: 4, minScore: 0.9 }))).toEqual(['a0', 'b1', 'c2', 'd3']);
    const small = await graph({ id: 'a', depth: 4, maxNodes: 2 });
    expect(nodesOf(small)).toEqual(['a0', 'b1']);
    expect(small.truncated).toBe(true);
    expect(edgesOf(small)).toEqual(['ab']);
  });

  it('includes links among the accounts of its last level', async () => {
    const ring = await gateway.project();
    for (const id of ['x', 'y', 'z']) await ring.authenticate({ id, phone: '+14155552671' });
    const { linkGraph } = await ring.graphql(GRAPH, { id: 'x', depth: 1 });
    expect(edgesOf(named(linkGraph))).toEqual(['xy', 'xz', 'yz']);
  });

  it('contains only the account when it has no links; an unknown account is an error', async () => {
    expect(nodesOf(await graph({ id: 'f' }))).toEqual(['f0']);
    const { body } = await project.rawGraphql(GRAPH, { id: 'nobody' });
    expect(body.errors[0].extensions.code).toBe('account.not_found');
  });
});

describe('linkPath', () => {
  const PATH = `query ($from: ID!, $to: ID!, $maxDepth: Int) { linkPath(from: $from, to: $to, maxDepth: $maxDepth) {
    nodes { key depth account { accountId } }
    hops { from to score matchTypes evidence { kind } } } }`;
  const path = async (from: string, to: string, maxDepth?: number) => {
    const { linkPath } = await project.graphql(PATH, { from, to, maxDepth });
    return linkPath && named(linkPath);
  };

  it('is a shortest path, with the evidence of each link, in both directions', async () => {
    const { hops, nodes } = await path('e', 'd');
    expect(nodesOf({ nodes })).toEqual(['a1', 'b2', 'c3', 'd4', 'e0']);
    expect(hops.map(({ from, to }: Body) => from + to)).toEqual(['ea', 'ab', 'bc', 'cd']);
    expect(hops.map(({ evidence }: Body) => evidence[0].kind)).toEqual([
      'DEVICE',
      'PHONE',
      'EMAIL',
      'USERNAME',
    ]);
    const back = await path('d', 'e');
    expect(back.hops.map(({ from, to }: Body) => from + to)).toEqual(['dc', 'cb', 'ba', 'ae']);
    expect((await path('a', 'b')).hops).toHaveLength(1);
  });

  it('accepts the key of an account in the graph of the first account', async () => {
    const TO_KEY = `query ($from: ID!, $toKey: String, $to: ID) { linkPath(from: $from, to: $to, toKey: $toKey) {
      nodes { key account { accountId } } } }`;
    const { nodes } = (await project.graphql(GRAPH, { id: 'a', depth: 3 })).linkGraph;
    const keyOf = (id: string) => nodes.find(({ account }: Body) => account.accountId === id).key;
    const { linkPath } = await project.graphql(TO_KEY, { from: 'a', toKey: keyOf('d') });
    expect(linkPath.nodes.map(({ account }: Body) => account.accountId)).toEqual(['a', 'b', 'c', 'd']);
    expect(linkPath.nodes.map(({ key }: Body) => key)).toEqual(['a', 'b', 'c', 'd'].map(keyOf));
    for (const [variables, code] of [
      [{ from: 'b', toKey: keyOf('d') }, 'account.not_found'],
      [{ from: 'a', toKey: `${keyOf('d')}x` }, 'account.not_found'],
      [{ from: 'a', toKey: keyOf('a') }, 'input.invalid'],
      [{ from: 'a', toKey: keyOf('d'), to: 'd' }, 'input.invalid'],
      [{ from: 'a' }, 'input.invalid'],
    ] as const) {
      const { body } = await project.rawGraphql(TO_KEY, variables);
      expect([variables, body.errors[0].extensions.code]).toEqual([variables, code]);
    }
  });

  it('is null without a path of at most maxDepth links', async () => {
    expect(await path('a', 'f')).toBeNull();
    expect(await path('e', 'd', 3)).toBeNull();
    expect(await path('e', 'd', 4)).not.toBeNull();
  });
});

describe('whyNotLinked', () => {
  const WHY = `query ($a: ID!, $b: ID!) { whyNotLinked(a: $a, b: $b) {
    linked score threshold sameGroup reasons evidence { kind maskedValue sharedBy weight capped } } }`;
  const why = async (a: string, b: string) => (await project.graphql(WHY, { a, b })).whyNotLinked;

  it('returns the shared evidence and the reasons', async () => {
    expect(await why('a', 'f')).toEqual({
      linked: false,
      score: 0,
      threshold: 0.5,
      sameGroup: true,
      evidence: [{ kind: 'NAME', maskedValue: 'A… L…', sharedBy: 2, weight: 0, capped: false }],
      reasons: [
        'The name only supports a device, a network, an email or a date of birth, of which they share none.',
      ],
    });
    expect((await why('d', 'f')).reasons).toEqual(['They share nothing.']);
    expect(await why('a', 'b')).toMatchObject({ linked: true, score: 1, reasons: [] });
  });

  it('reports different groups and identifiers over their sharing limit', async () => {
    await project.authenticate({ id: 'elsewhere', phone: '+14155552671' });
    await project.rest('PUT', '/account/elsewhere', { group: 'eu' });
    expect(await why('a', 'elsewhere')).toMatchObject({
      linked: false,
      sameGroup: false,
      score: 0,
      evidence: [],
    });
    const facts = { ip_address: '88.120.1.1' };
    await Promise.all(
      Array.from({ length: 21 }, (_, index) => project.authenticate({ id: `n${index}` }, facts)),
    );
    const overLimit = await why('n0', 'n1');
    expect(overLimit.evidence).toContainEqual(
      expect.objectContaining({ kind: 'NETWORK', sharedBy: 21, weight: 0, capped: true }),
    );
    expect(overLimit.reasons[0]).toMatch(/21 accounts share the network, too many/);
  });
});

describe('linkedAccounts', () => {
  const LINKED = `query ($first: Int, $after: String, $matchTypes: [MatchType!], $minScore: Float, $orderBy: LinkedAccountOrder) {
    account(accountId: "a") { linkedAccounts(first: $first, after: $after, matchTypes: $matchTypes, minScore: $minScore, orderBy: $orderBy) {
      edges { cursor score matchTypes node { accountId } evidence { kind weight } } pageInfo { hasNextPage endCursor } } } }`;
  const linked = async (variables: Record<string, unknown>) =>
    (await project.graphql(LINKED, variables)).account.linkedAccounts;
  const idsOf = ({ edges }: Body) => edges.map(({ node }: Body) => node.accountId);

  it('can be filtered by kind and score, and sorted', async () => {
    expect(idsOf(await linked({}))).toEqual(['b', 'e']);
    expect(idsOf(await linked({ matchTypes: ['PHONE'] }))).toEqual(['b']);
    expect(idsOf(await linked({ matchTypes: ['NETWORK', 'USERNAME'] }))).toEqual(['e']);
    expect(idsOf(await linked({ minScore: 0.7 }))).toEqual(['b']);
    expect(idsOf(await linked({ orderBy: { field: 'LAST_SEEN', direction: 'DESC' } }))).toEqual(['e', 'b']);
    expect((await linked({})).edges[0].evidence).toEqual([{ kind: 'PHONE', weight: 1 }]);
  });

  it.each(['SCORE', 'FIRST_SEEN', 'LAST_SEEN'])('pages by %s', async (field) => {
    const orderBy = { field, direction: 'DESC' };
    const all = idsOf(await linked({ orderBy }));
    const first = await linked({ first: 1, orderBy });
    const second = await linked({ first: 1, orderBy, after: first.pageInfo.endCursor });
    expect([...idsOf(first), ...idsOf(second)]).toEqual(all);
    expect(second.pageInfo.hasNextPage).toBe(false);
  });

  it('rejects a cursor of another query, and a modified cursor', async () => {
    const { pageInfo } = await linked({ first: 1 });
    for (const variables of [
      { after: pageInfo.endCursor, minScore: 0.7 },
      { after: pageInfo.endCursor, orderBy: { field: 'LAST_SEEN', direction: 'DESC' } },
      { after: `x${pageInfo.endCursor}` },
      { matchTypes: [] },
      { minScore: -1 },
      { first: 101 },
      { first: -1 },
      { first: -1 },
    ]) {
      const { body } = await project.rawGraphql(LINKED, variables);
      expect(body.errors?.[0].extensions.code, JSON.stringify(variables)).toBe('input.invalid');
    }
  });
});
