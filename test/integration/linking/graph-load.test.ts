import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startOwnGateway, type TestProject } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;

/** A ring of 40 accounts with one phone, so that there are 780 links among them. */
const RING = 40;

beforeAll(async () => {
  gateway = await startOwnGateway({ worksInBackground: false });
  project = await gateway.project();
  const ids = Array.from({ length: RING }, (_, index) => `r${index}`);
  for (const id of ids) await project.authenticate({ id, phone: '+14155552671' });
});
afterAll(() => gateway.close());

/** One document with `count` fields of the same kind. */
function aliased(count: number, field: (index: number) => string): string {
  return `{ ${Array.from({ length: count }, (_, index) => `f${index}: ${field(index)}`).join(' ')} }`;
}

const path = (maxDepth: number) => (index: number) =>
  `linkPath(from: "r0", to: "r${index + 1}", maxDepth: ${maxDepth}) { hops { from to } }`;

describe('the cost of a search of the link graph', () => {
  it.each([
    ['15 paths of 4 links', aliased(15, path(4))],
    [
      '15 paths of the default length',
      aliased(15, (index) => `linkPath(from: "r0", to: "r${index + 1}") { hops { from } }`),
    ],
    ['5 paths of 6 links', aliased(5, path(6))],
    [
      '15 graphs of 4 levels and 500 accounts',
      aliased(15, () => 'linkGraph(accountId: "r0", depth: 4, maxNodes: 500) { truncated }'),
    ],
    [
      'all links of a graph of 500 accounts, with their evidence',
      '{ linkGraph(accountId: "r0", maxNodes: 500) { edges { from to score firstSeen lastSeen evidence { kind weight } } } }',
    ],
  ])('exceeds the limit for %s, and no row is read', async (_what, query) => {
    gateway.takeStatements();
    const { body } = await project.rawGraphql(query);
    expect(body.errors[0].message).toMatch(
      /^The query is too expensive: it costs \d+, the limit is 20000\. /,
    );
    expect(body.errors[0].extensions.code).toBe('graphql.too_expensive');
    expect(gateway.takeStatements().filter((name) => name.startsWith('graph.'))).toEqual([]);
  });

  it.each([
    [
      'a page of graphs',
      aliased(
        10,
        (index) =>
          `linkGraph(accountId: "r${index}", depth: 1, maxNodes: 50) { nodes { account { accountId } depth } edges { from to score } truncated }`,
      ),
    ],
    ['five paths', aliased(5, path(4))],
    [
      'a graph of 100 accounts with its evidence',
      '{ linkGraph(accountId: "r0") { nodes { depth account { accountId decision } } edges { from to score matchTypes firstSeen lastSeen evidence { kind maskedValue } } truncated } }',
    ],
  ])('is within the limit for %s', async (_what, query) => {
    const { body } = await project.rawGraphql(query);
    expect(body.errors).toBeUndefined();
  });
});

describe('a graph with more links than the maximum', () => {
  it('contains the strongest links, ten per account of maxNodes, and is truncated', async () => {
    const query = `query ($maxNodes: Int) { linkGraph(accountId: "r0", depth: 1, maxNodes: $maxNodes) {
      nodes { account { accountId } } edges { from to score } truncated } }`;
    const graphOf = async (maxNodes: number): Promise<Body> =>
      (await project.graphql(query, { maxNodes })).linkGraph;
    const dense = await graphOf(RING);
    expect(dense.nodes).toHaveLength(RING);
    expect(dense.edges).toHaveLength(10 * RING);
    expect(dense.truncated).toBe(true);
    const whole = await graphOf(100);
    expect(whole.edges).toHaveLength((RING * (RING - 1)) / 2);
    expect(new Set(whole.edges.map(({ from, to }: Body) => [from, to].sort().join())).size).toBe(
      whole.edges.length,
    );
    expect(whole.truncated).toBe(false);
    expect(whole.nodes[0].account.accountId).toBe('r0');
  });
});

describe('many concurrent searches', () => {
  it('run one at a time per project, leave connections to other requests, and are rejected after a timeout', async () => {
    const other = await gateway.project();
    await other.authenticate({ id: 'alone' });
    const locker = new pg.Client({ connectionString: gateway.database.ownerUrl });
    await locker.connect();
    try {
      // The searches wait for a lock on the table, so that all of them are pending at once.
      await locker.query('begin');
      await locker.query('lock table links in access exclusive mode');
      const requests = Array.from({ length: 30 }, () => project.rawGraphql(aliased(5, path(4))));
      const waiting = async () => {
        const { rows } = await locker.query(
          `select count(*)::int as searches from pg_locks where relation = 'links'::regclass and not granted
             and database = (select oid from pg_database where datname = current_database())`,
        );
        return rows[0].searches as number;
      };
      while ((await waiting()) < 1);
      // A search that waits longer than five seconds is rejected.
      const refused = await Promise.race(requests);
      expect(refused.body.errors[0].extensions.code).toBe('link.too_many_searches');
      expect((await project.rest('GET', '/list')).status).toBe(200);
      expect((await other.rest('GET', '/list')).status).toBe(200);
      expect(await waiting()).toBe(1);
      const late = project.rawGraphql(aliased(5, path(4)));
      const elsewhere = other.rawGraphql('{ linkGraph(accountId: "alone") { nodes { depth } } }');
      while ((await waiting()) < 2);
      await locker.query('rollback');
      for (const answer of [late, elsewhere]) expect((await answer).body.errors).toBeUndefined();
      const answers = await Promise.all(requests);
      const codes = answers.flatMap(({ body }) =>
        (body.errors ?? []).map((error: Body) => error.extensions.code),
      );
      expect([...new Set(codes)]).toEqual(['link.too_many_searches']);
    } finally {
      await locker.end();
    }
  });
});
