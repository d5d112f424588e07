import { NIL_UUID } from '@vouchgraph/platform/ids';
import { pageAfter } from '@vouchgraph/platform/keyset';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { countAccounts, searchAccounts } from '../../../src/domain/accounts/account-search-store.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { type Body, type Gateway, startOwnGateway, type TestProject, unique } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';
import { readAccounts } from '../../support/standings.ts';
import { costOf, tripsOf } from '../../support/trips.ts';

const ACCOUNTS = `query ($first: Int, $after: String, $last: Int, $before: String, $orderBy: AccountOrder,
    $filter: AccountFilter) {
  accounts(first: $first, after: $after, last: $last, before: $before, orderBy: $orderBy, filter: $filter) {
    edges { cursor node { accountId accountScore decision } }
    pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    totalCount { value isExact }
  }
}`;
const BOT = { browser: { user_agent: 'curl/8.5.0' } };

let gateway: Gateway;
let project: TestProject;
/** All accounts as computed by reads, by the client's ids. */
let accounts: Map<string, Body>;

beforeAll(async () => {
  gateway = await startOwnGateway({ worksInBackground: false });
  project = await gateway.project();
  // Scores of all kinds, and the same score many times.
  for (let index = 0; index < 9; index += 1)
    await project.authenticate({ id: `plain-${index}` }, { ip_address: `90.54.${index}.1` });
  for (let index = 0; index < 4; index += 1)
    await project.authenticate({ id: `bot-${index}`, lists: ['watched'] }, BOT);
  for (let index = 0; index < 3; index += 1)
    await project.authenticate({ id: `same-${index}`, phone: '+14155552671' }, { ip_address: '81.10.20.30' });
  await project.authenticate({ id: 'blocked', lists: ['block', 'watched'] });
  await gateway.app.recalculateLinks(project.projectId);
  accounts = await readAccounts(project);
});
afterAll(() => gateway.close());

async function pageOf(variables: Record<string, unknown>, of = project): Promise<Body> {
  return (await of.graphql(ACCOUNTS, variables)).accounts;
}

async function readForward(variables: Record<string, unknown>): Promise<Body[]> {
  const nodes: Body[] = [];
  for (let after: string | null = null; ; ) {
    const { edges, pageInfo }: Body = await pageOf({ first: 4, after, ...variables });
    nodes.push(...edges.map(({ node }: Body) => node));
    if (!pageInfo.hasNextPage) return nodes;
    after = pageInfo.endCursor;
  }
}

async function readBackward(variables: Record<string, unknown>): Promise<Body[]> {
  const nodes: Body[] = [];
  for (let before: string | null = null; ; ) {
    const { edges, pageInfo }: Body = await pageOf({ last: 4, before, ...variables });
    nodes.unshift(...edges.map(({ node }: Body) => node));
    if (!pageInfo.hasPreviousPage) return nodes;
    before = pageInfo.startCursor;
  }
}

const idsOf = (nodes: readonly Body[]) => nodes.map(({ accountId }) => accountId);
const found = async (filter: Body, of = project) =>
  idsOf((await pageOf({ first: 100, filter }, of)).edges.map(({ node }: Body) => node)).sort();
const idsWhere = (condition: (account: Body) => boolean) =>
  [...accounts.values()]
    .filter(condition)
    .map(({ accountId }) => accountId)
    .sort();

describe('accounts in the order of scores', () => {
  it.each(['DESC', 'ASC'])(
    'contain each account once forwards and backwards, including equal scores: %s',
    async (direction) => {
      const orderBy = { field: 'SCORE', direction };
      const nodes = await readForward({ orderBy });
      const scores = nodes.map(({ accountScore }) => accountScore);
      const sign = direction === 'ASC' ? 1 : -1;
      expect(scores).toEqual(scores.toSorted((a, b) => sign * (a - b)));
      expect(new Set(scores).size).toBeGreaterThan(2);
      expect(idsOf(nodes).sort()).toEqual([...accounts.keys()].sort());
      expect(idsOf(await readBackward({ orderBy }))).toEqual(idsOf(nodes));
      for (const { accountId, accountScore, decision } of nodes)
        expect(accounts.get(accountId)).toMatchObject({ accountScore, decision });
    },
  );

  it('need one statement per page, and one more for scores', async () => {
    const variables = { first: 4, orderBy: { field: 'SCORE', direction: 'DESC' } };
    const scored = ACCOUNTS.replace('totalCount { value isExact }', '');
    for (const [query, cost] of [
      [scored.replace('accountScore decision', ''), 1],
      [scored, 2],
    ] as const) {
      const request = () => project.graphql(query, variables);
      await request();
      expect(costOf(await tripsOf(gateway, request))).toEqual({ trips: cost, statements: cost });
    }
  });

  it.each(['SCORE', 'LAST_SEEN', 'CREATED_AT', 'NUM_SESSIONS'])('use an index: %s', async (field) => {
    const sql = await connectAs(gateway.database, 'vouchgraph_system');
    try {
      // With so few rows this only shows that an index has the order.
      await sql.query('set enable_seqscan = off; set enable_bitmapscan = off; set enable_sort = off');
      const column = { SCORE: 'account_score', LAST_SEEN: 'last_seen', CREATED_AT: 'created_at' }[field];
      const by = column ?? 'num_sessions';
      const { rows } = await sql.query(
        `explain select account_id from account_standing
         where project_id = '${project.projectId}' and ${by} is not null
         order by ${by} desc, account_id desc limit 20`,
      );
      const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
      expect(plan).toContain(`Index`);
      expect(plan).not.toMatch(/Sort|Seq Scan/i);
    } finally {
      await sql.end();
    }
  });
});

describe('filters of accounts', () => {
  it('select by decision', async () => {
    for (const decision of ['REAL', 'SUSPICIOUS', 'FAKE']) {
      const ids = idsWhere((account) => account.decision === decision);
      expect(ids.length).toBeGreaterThan(0);
      expect(await found({ decision })).toEqual(ids);
    }
  });

  it('select by score, with inclusive limits', async () => {
    const scores = [...new Set([...accounts.values()].map(({ accountScore }) => accountScore))];
    for (const score of scores) {
      const least = await found({ minScore: score });
      expect(least).toEqual(idsWhere(({ accountScore }) => accountScore >= score));
      expect(await found({ maxScore: score })).toEqual(idsWhere(({ accountScore }) => accountScore <= score));
      expect(await found({ minScore: score, maxScore: score })).toEqual(
        idsWhere(({ accountScore }) => accountScore === score),
      );
    }
  });

  it('apply together, in every order', async () => {
    const filter = {
      list: 'watched',
      decision: 'FAKE',
      minScore: 0.1,
      lastSeenAfter: '2020-01-01T00:00:00Z',
    };
    const expected = idsWhere(
      ({ accountId, decision, accountScore }) =>
        /^(bot|blocked)/.test(accountId) && decision === 'FAKE' && accountScore >= 0.1,
    );
    expect(expected.length).toBeGreaterThan(1);
    for (const field of ['SCORE', 'LAST_SEEN', 'CREATED_AT', 'NUM_SESSIONS'])
      for (const direction of ['ASC', 'DESC']) {
        const nodes = await readForward({ filter, orderBy: { field, direction }, first: 2 });
        expect(idsOf(nodes).sort()).toEqual(expected);
      }
    expect((await pageOf({ first: 1, filter })).totalCount).toEqual({
      value: expected.length,
      isExact: true,
    });
    expect(await found({ ...filter, lastSeenAfter: '2100-01-01T00:00:00Z' })).toEqual([]);
    expect(await found({ ...filter, list: unique('none') })).toEqual([]);
  });

  it('with invalid values are rejected', async () => {
    for (const filter of [{ minScore: -0.1 }, { minScore: 1.1 }, { maxScore: 2 }]) {
      const { body } = await project.rawGraphql(ACCOUNTS, { first: 1, filter });
      expect(body.errors[0].extensions.code).toBe('input.invalid');
      expect(body.errors[0].message).toContain(Object.keys(filter)[0]);
    }
    for (const variables of [{ filter: { decision: 'Fake' } }, { orderBy: { field: 'RISK' } }]) {
      const { body } = await project.rawGraphql(ACCOUNTS, { first: 1, ...variables });
      expect(body.errors.length).toBeGreaterThan(0);
      expect(body.data).toBeUndefined();
    }
  });
});

describe('accounts of a list', () => {
  /** Accounts `long-1` to `long-N` on a list, several of which share each score. */
  async function addMembers(of: TestProject, list: string, count: number): Promise<void> {
    const create = 'mutation ($input: CreateListInput!) { createList(input: $input) { requestId } }';
    await of.graphql(create, { input: { name: list } });
    const system = await connectAs(gateway.database, 'vouchgraph_system');
    try {
      await system.query(
        `with account as (
           insert into accounts (project_id, id, account_id, personal, expected_countries, countries, match_key_version)
           select $1, gen_random_uuid(), 'long-' || n, '', '{}', '{}', 1 from generate_series(1, $3::int) n
           returning id, account_id
         ), standing as (
           insert into account_standing (project_id, account_id, account_score, decision)
           select $1, id, (length(account_id) + ascii(right(account_id, 1)) % 7) / 100.0, 'Real' from account
         )
         insert into list_members (project_id, list_id, account_id)
         select $1, l.list_id, a.id from account a join lists l on l.project_id = $1 and l.name = $2`,
        [of.projectId, list, count],
      );
    } finally {
      await system.end();
    }
  }
  const PAGE = `query ($filter: AccountFilter, $after: String, $direction: OrderDirection!) {
    accounts(first: 100, after: $after, filter: $filter, orderBy: { field: SCORE, direction: $direction }) {
      edges { node { accountId } } pageInfo { hasNextPage endCursor } totalCount { value }
    }
  }`;

  // Lists of up to 5,000 accounts are read from their members, longer ones from the order.
  it.each([5000, 5001])('contain each of %i accounts once, equal in both directions', async (count) => {
    const of = await gateway.project();
    const list = unique('long');
    await of.authenticate({ id: 'not on it' });
    await addMembers(of, list, count);
    const read = async (direction: string) => {
      const ids: string[] = [];
      for (let after: string | null = null; ; ) {
        const { accounts: page } = await of.graphql(PAGE, { filter: { list }, after, direction });
        expect(page.totalCount.value).toBe(count);
        ids.push(...idsOf(page.edges.map(({ node }: Body) => node)));
        if (!page.pageInfo.hasNextPage) return ids;
        after = page.pageInfo.endCursor;
      }
    };
    const countWith = async (decision: string) =>
      (await of.graphql(PAGE, { filter: { list, decision }, direction: 'ASC' })).accounts.totalCount.value;
    expect([await countWith('REAL'), await countWith('FAKE')]).toEqual([count, 0]);
    const falling = await read('DESC');
    expect(new Set(falling).size).toBe(count);
    expect(falling).not.toContain('not on it');
    const rising = await read('ASC');
    expect(rising).toEqual(falling.toReversed());
    const scoreOf = (id: string) => id.length + (id.charCodeAt(id.length - 1) % 7);
    const scores = rising.map(scoreOf);
    expect(scores).toEqual(scores.toSorted((a, b) => a - b));
  });

  it('are looked up by their keys with a plan that was made while the tables were small', async () => {
    const of = await gateway.project();
    const list = unique('grows');
    await of.authenticate({ id: 'first', lists: [list] });
    const owner = await connectAs(gateway.database, 'owner');
    // One connection, which keeps the plans of its prepared statements.
    const database = openDatabase({ connectionString: gateway.database.ownerUrl, poolSize: 1 });
    try {
      for (const table of ['accounts', 'account_standing', 'lists', 'list_members'])
        await owner.query(`vacuum analyze ${table}`);
      const connection = database.forProject(of.projectId);
      await connection.query({ name: 'test.plans', text: 'set plan_cache_mode = force_generic_plan' }, []);
      const filter = { identifiers: [], list, order: 'SCORE' } as const;
      const page = pageAfter([0, NIL_UUID], 101);
      expect(await countAccounts(connection, filter, 10_001)).toBe(1);
      expect(await searchAccounts(connection, { ...filter, direction: 'ASC', page })).toHaveLength(1);
      const prepared = await connection.query<{ name: string; types: number }>(
        {
          name: 'test.prepared',
          text: `select name, cardinality(parameter_types) as types from pg_prepared_statements
                 where name like 'account.%:%' order by 1`,
        },
        [],
      );
      expect(prepared).toHaveLength(2);
      for (const { name } of prepared) {
        const values = name.startsWith('account.count') ? [list, 10_001] : [list, 0, NIL_UUID, 101];
        const text = `explain execute "${name}"(${[of.projectId, ...values].map((value) => `'${value}'`)})`;
        const rows = await connection.query<Record<string, string>>({ name: `test.${name}`, text }, []);
        const plan = rows.map((row) => row['QUERY PLAN']).join('\n');
        expect(plan).toMatch(/account_standing_pkey/);
        expect(plan).not.toMatch(/Seq Scan on|Join Filter: \(s\.account_id/);
      }
    } finally {
      await database.close();
      await owner.end();
    }
  });
});

describe('a search for accounts', () => {
  it('finds accounts by an equal identifier, id or name, not by parts', async () => {
    const id = unique('Found-Me');
    const name = unique('zoe').replaceAll('-', '');
    const account = {
      id,
      email: `${name}.smith@gmail.com`,
      phone: '+44 7911 123456',
      username: `${name}_user`,
      first_name: `Zoë${name}`,
      last_name: 'Brontë',
    };
    await project.authenticate(account);
    const bare = `${name}smith@googlemail.com`;
    for (const search of [
      id,
      ` ${id} `,
      account.email.toUpperCase(),
      bare,
      '+447911123456',
      `${name}_USER`,
      `Zoë${name} Brontë`,
      `brontë zoë${name}`,
    ])
      expect([search, await found({ search })]).toEqual([search, [id]]);
    for (const search of [id.slice(0, -1), name, 'Brontë', `${name}@gmail.com`, '7911123456'])
      expect([search, await found({ search })]).toEqual([search, []]);
    expect((await found({ search: '  ' })).length).toBe((await readAccounts(project)).size);
    expect(await found({ search: id, decision: 'FAKE' })).toEqual([]);
  });

  it('finds no account of another project, and rejects its cursors', async () => {
    const other = await gateway.project();
    const [id, theirs] = [unique('own'), unique('theirs')];
    const shared = { username: unique('twin'), email: `${unique('twin')}@example.org` };
    await project.authenticate({ id, ...shared });
    await other.authenticate({ id: theirs, ...shared });
    await other.authenticate({ id: unique('second') });
    for (const search of Object.values(shared)) {
      expect(await found({ search })).toEqual([id]);
      expect(await found({ search }, other)).toEqual([theirs]);
    }
    expect(await found({ search: theirs })).toEqual([]);
    expect((await found({}, other)).length).toBe(2);
    const orderBy = { field: 'SCORE', direction: 'DESC' };
    const { endCursor } = (await pageOf({ first: 1, orderBy }, other)).pageInfo;
    const { body } = await project.rawGraphql(ACCOUNTS, { first: 1, after: endCursor, orderBy });
    expect(body.errors[0].extensions.code).toBe('input.invalid');
  });
});
