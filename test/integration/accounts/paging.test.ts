import { randomUUID } from 'node:crypto';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startOwnGateway, type TestProject, unique } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;
let owner: pg.Client;

beforeAll(async () => {
  gateway = await startOwnGateway();
  project = await gateway.project();
  const url = new URL(gateway.database.ownerUrl);
  url.searchParams.set('options', '-c role=vouchgraph_system');
  owner = new pg.Client({ connectionString: url.toString() });
  await owner.connect();
});
afterAll(async () => {
  await owner.end();
  await gateway.close();
});

const ACCOUNTS = `query ($first: Int, $after: String, $orderBy: AccountOrder, $filter: AccountFilter) {
  accounts(first: $first, after: $after, orderBy: $orderBy, filter: $filter) {
    edges { node { accountId } } pageInfo { hasNextPage hasPreviousPage endCursor }
  }
}`;

async function readAll(
  variables: Record<string, unknown>,
  betweenPages: (page: number) => Promise<unknown>,
): Promise<string[]> {
  const ids: string[] = [];
  let after: string | null = null;
  for (let page = 0; ; page += 1) {
    const { accounts }: Body = await project.graphql(ACCOUNTS, { ...variables, after });
    ids.push(...accounts.edges.map(({ node }: Body) => node.accountId));
    if (!accounts.pageInfo.hasNextPage) return ids;
    after = accounts.pageInfo.endCursor;
    await betweenPages(page);
  }
}

describe('pages of accounts', () => {
  it('contain each account once in every order, while others are created and erased', async () => {
    const group = unique('group');
    const ids = Array.from({ length: 40 }, (_, index) => `${group}-${index}`);
    await project.authenticateAll(ids.map((id) => ({ id, group })));
    for (const field of ['CREATED_AT', 'LAST_SEEN', 'NUM_SESSIONS']) {
      for (const direction of ['ASC', 'DESC']) {
        const seen = await readAll(
          { first: 7, orderBy: { field, direction }, filter: { group } },
          async (page) => {
            const passing = unique('passing');
            await project.authenticate({ id: passing, group });
            if (page % 2) await project.rest('DELETE', `/account/${passing}`);
          },
        );
        expect(seen.filter((id) => ids.includes(id)).sort()).toEqual([...ids].sort());
      }
    }
  });

  it('continue when the row of the cursor was deleted', async () => {
    const group = unique('gone');
    for (let index = 0; index < 5; index += 1) await project.authenticate({ id: `${group}-${index}`, group });
    const first = (await project.graphql(ACCOUNTS, { first: 2, filter: { group } })).accounts;
    await project.rest('DELETE', `/account/${first.edges[1].node.accountId}`);
    const { endCursor: after } = first.pageInfo;
    const second = (await project.graphql(ACCOUNTS, { first: 9, after, filter: { group } })).accounts;
    expect(second.edges.map(({ node }: Body) => node.accountId)).toEqual(
      [2, 1, 0].map((index) => `${group}-${index}`),
    );
    expect(second.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
  });

  it('reject modified cursors, cursors of another query, and sizes over 100', async () => {
    const group = unique('cursor');
    for (let index = 0; index < 3; index += 1) await project.authenticate({ id: `${group}-${index}`, group });
    const { endCursor } = (await project.graphql(ACCOUNTS, { first: 1, filter: { group } })).accounts
      .pageInfo;
    for (const variables of [
      { after: `${endCursor.startsWith('A') ? 'B' : 'A'}${endCursor.slice(1)}`, filter: { group } },
      { after: endCursor },
      { after: '', filter: { group } },
      { first: 101 },
      { first: -1 },
    ]) {
      const { body } = await project.rawGraphql(ACCOUNTS, { first: 1, ...variables });
      expect(body.errors[0].extensions.code).toBe('input.invalid');
    }
  });

  it('are filtered by identifiers', async () => {
    const name = unique('filter').replaceAll('-', '');
    await project.authenticate(
      {
        id: name,
        email: `${name}+x@gmail.com`,
        phone: '+44 7911 123456',
        username: name,
        lists: [name],
        group: name,
      },
      { ip_address: '90.54.1.1' },
    );
    const find = async (filter: Record<string, unknown>) =>
      (await project.graphql(ACCOUNTS, { first: 5, filter })).accounts.edges.map(
        ({ node }: Body) => node.accountId,
      );
    for (const filter of [
      { email: `${name}@googlemail.com` },
      { phone: '+447911123456' },
      { username: name.toUpperCase() },
      { list: name },
      { group: name },
      { countryCode: 'FR', group: name },
      { lastSeenAfter: new Date(Date.now() - 60_000).toISOString(), group: name },
    ]) {
      expect(await find(filter), JSON.stringify(filter)).toEqual([name]);
    }
    expect(await find({ email: `${name}@example.com` })).toEqual([]);
    expect(await find({ countryCode: 'DE', group: name })).toEqual([]);
    expect(await find({ lastSeenBefore: '2020-01-01T00:00:00Z', group: name })).toEqual([]);
  });
});

const LINKS = `query ($id: ID!, $after: String) {
  account(accountId: $id) { linkedAccounts(first: 50, after: $after) { edges { score node { id } } pageInfo { hasNextPage endCursor } } }
}`;

describe('a hub of 5,000 links', () => {
  it('reads only the links of the page, on every page', async () => {
    const id = unique('hub');
    await project.authenticate({ id });
    await insertLinks(id, 5000);
    const firstPage = (await project.graphql(LINKS, { id })).account.linkedAccounts;
    const before = await linksRead();
    const { edges } = (await project.graphql(LINKS, { id, after: firstPage.pageInfo.endCursor })).account
      .linkedAccounts;
    expect(edges).toHaveLength(50);
    const scores = [...firstPage.edges, ...edges].map(({ score }: Body) => score);
    expect(scores).toEqual([...scores].sort((a, b) => b - a));
    const ids = new Set([...firstPage.edges, ...edges].map(({ node }: Body) => node.id));
    expect(ids.size).toBe(100);
    const read = (await linksRead()) - before;
    expect(read).toBeGreaterThanOrEqual(51);
    expect(read).toBeLessThanOrEqual(60);
  });
});

async function insertLinks(accountId: string, count: number): Promise<void> {
  const { rows } = await owner.query(
    'select id, personal from accounts where project_id = $1 and account_id = $2',
    [project.projectId, accountId],
  );
  const others = Array.from({ length: count }, () => randomUUID());
  await owner.query(
    `insert into accounts (project_id, id, account_id, personal, expected_countries, countries, match_key_version)
     select $1, o.id, o.id::text, $2, '{}', '{}', 1 from unnest($3::uuid[]) as o (id)`,
    [project.projectId, rows[0].personal, others],
  );
  await owner.query(
    `insert into links (project_id, account_id, linked_account_id, score, kinds, first_seen, last_seen)
     select $1, $2, o.id, 0.5 + (o.n % 40) / 100.0, 64, now(), now() from unnest($3::uuid[]) with ordinality as o (id, n)`,
    [project.projectId, rows[0].id, others],
  );
  await owner.query('analyze links');
}

/** Number of entries read from the index of links by strength. */
async function linksRead(): Promise<number> {
  // The server updates its statistics when a connection is idle; this call forces an update.
  await gateway.app.database
    .forProject(project.projectId)
    .query({ name: 'flush', text: 'select pg_stat_force_next_flush()' }, []);
  const { rows } = await owner.query(
    `select sum(idx_tup_read)::int as read from pg_stat_user_indexes where relname = 'links'`,
  );
  return rows[0].read;
}
