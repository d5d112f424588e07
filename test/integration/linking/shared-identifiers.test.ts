import { IDENTIFIER_KINDS } from '@vouchgraph/linking';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

type Facts = Record<string, unknown>;

async function linksOf(project: TestProject, id: string): Promise<Body[]> {
  return (await project.rest('GET', `/account/${id}/accounts-linked`)).body.accounts_linked;
}

/** Accounts that share the given identifiers only. */
async function createAccounts(
  project: TestProject,
  size: number,
  account: Facts,
  facts: Facts,
): Promise<string[]> {
  const ids = Array.from({ length: size }, (_, index) => `account-${index}`);
  await project.authenticateAll(
    ids.map((id) => ({ id, ...account })),
    facts,
  );
  return ids;
}

const NAME = { first_name: 'Ada', last_name: 'Lovelace' };

describe('an identifier that many accounts share', () => {
  it('links by a device up to 50 accounts, not 51', async () => {
    const project = await gateway.project();
    const device_id = 'shop terminal';
    await createAccounts(project, 48, {}, { device_id });
    const facts = { device_id, ip_address: '90.54.1.1' };
    await project.authenticate({ id: 'ada', ...NAME }, facts);
    await project.authenticate({ id: 'bob', ...NAME }, facts);
    expect(await linksOf(project, 'bob')).toMatchObject([
      { account_id: 'ada', score: 0.5651, match_type: ['network', 'device'] },
    ]);
    await project.authenticate({ id: 'one more' }, { device_id });
    await project.authenticate({ id: 'bob' }, facts);
    expect(await linksOf(project, 'bob')).toMatchObject([
      { account_id: 'ada', score: 0.51, match_type: ['network'] },
    ]);
    expect(await linksOf(project, 'one more')).toEqual([]);
  });

  it('links by a network up to 20 accounts, not 21', async () => {
    const project = await gateway.project();
    const ip_address = '90.54.1.1';
    await createAccounts(project, 18, {}, { ip_address });
    const facts = { device_id: 'laptop', ip_address };
    await project.authenticate({ id: 'ada' }, facts);
    await project.authenticate({ id: 'bob' }, facts);
    expect(await linksOf(project, 'bob')).toMatchObject([
      { account_id: 'ada', score: 0.516, match_type: ['network', 'device'] },
    ]);
    await project.authenticate({ id: 'one more' }, { ip_address });
    await project.authenticate({ id: 'bob' }, facts);
    for (const id of ['ada', 'bob', 'one more']) expect(await linksOf(project, id)).toEqual([]);
  });

  it.each<[string, Facts, Facts]>([
    ['phone', { phone: '+14155552671' }, {}],
    ['browser', {}, { browser_id: 'one browser' }],
  ])('links a ring of 60 accounts by its %s', async (_kind, account, facts) => {
    const project = await gateway.project();
    const ids = await createAccounts(project, 60, account, facts);
    for (const id of [ids[0]!, ids[59]!]) {
      const others = ids.filter((other) => other !== id).sort();
      expect((await linksOf(project, id)).map((link) => link.account_id).sort()).toEqual(others);
    }
  });
});

describe('the number of linked accounts', () => {
  it('is the same in every response, and increases multiple_accounts', async () => {
    const project = await gateway.project();
    const phone = '+14155552671';
    const first = await project.authenticate({ id: 'ada', phone });
    expect(first).toMatchObject({ accounts_linked: 0, multiple_accounts: 0 });
    const second = await project.authenticate({ id: 'bob', phone });
    expect(second).toMatchObject({ accounts_linked: 1, multiple_accounts: 0.6 });
    const third = await project.authenticate({ id: 'cem', phone });
    expect(third).toMatchObject({ accounts_linked: 2, multiple_accounts: 0.84 });
    const scores = { accounts_linked: 2, multiple_accounts: 0.84, account_score: third.account_score };
    expect((await project.rest('PUT', '/account/ada', {})).body).toMatchObject(scores);
    expect((await project.rest('GET', '/account/ada')).body).toMatchObject(scores);
    const { account } = await project.graphql(
      '{ account(accountId: "ada") { accountsLinked multipleAccounts accountScore } }',
    );
    expect(account).toEqual({
      accountsLinked: 2,
      multipleAccounts: 0.84,
      accountScore: third.account_score,
    });
  });

  it('does not increase multiple_accounts of a main account', async () => {
    const project = await gateway.project();
    const phone = '+14155552671';
    await project.authenticate({ id: 'ada', phone });
    const main = await project.authenticate({ id: 'bob', phone, lists: ['main_account'] });
    expect(main).toMatchObject({ accounts_linked: 1, multiple_accounts: 0, account_score: 0 });
    expect((await project.rest('GET', '/account/bob')).body).toMatchObject({ multiple_accounts: 0 });
    expect((await project.rest('GET', '/account/ada')).body).toMatchObject({ multiple_accounts: 0.6 });
  });

  it('is the length of linked_accounts, sorted by score', async () => {
    const project = await gateway.project();
    await project.authenticate({ id: 'weak' }, { device_id: 'd', ip_address: '90.54.1.1' });
    await project.authenticate({ id: 'strong', phone: '+14155552671' });
    const session_id = await project.session({ device_id: 'd', ip_address: '90.54.1.1' });
    const { body } = await project.rest('POST', '/session/authenticate?accounts_linked=true', {
      session_id,
      account: { id: 'ada', phone: '+14155552671' },
    });
    expect(body.accounts_linked).toBe(2);
    expect(body.linked_accounts).toEqual(await linksOf(project, 'ada'));
    expect(body.linked_accounts.map((link: Body) => link.account_id)).toEqual(['strong', 'weak']);
  });
});

describe('the time of a link', () => {
  const phone = '+14155552671';
  const on = (day: number) => ({ start_time: `2026-01-0${day}T10:00:00.125Z` });

  it('starts at the first use by the second account, and ends at the last use by either', async () => {
    const project = await gateway.project();
    await project.authenticate({ id: 'ada', phone }, on(1));
    await project.authenticate({ id: 'bob', phone }, on(3));
    expect(await linksOf(project, 'ada')).toMatchObject([
      { first_seen: '2026-01-03T10:00:00.125Z', last_seen: '2026-01-03T10:00:00.125Z' },
    ]);
    await project.authenticate({ id: 'ada', phone }, on(5));
    for (const id of ['ada', 'bob']) {
      expect(await linksOf(project, id)).toMatchObject([
        { first_seen: '2026-01-03T10:00:00.125Z', last_seen: '2026-01-05T10:00:00.125Z' },
      ]);
    }
  });

  it('does not depend on the order in which sessions are authenticated', async () => {
    const project = await gateway.project();
    await project.authenticate({ id: 'ada', phone }, on(5));
    await project.authenticate({ id: 'bob', phone }, on(3));
    await project.authenticate({ id: 'ada', phone }, on(1));
    expect(await linksOf(project, 'bob')).toMatchObject([
      { first_seen: '2026-01-03T10:00:00.125Z', last_seen: '2026-01-05T10:00:00.125Z' },
    ]);
  });
});

it('known accounts with an address over its sharing limit do not wait for each other', async () => {
  const project = await gateway.project();
  const facts = { ip_address: '90.54.1.1' };
  const [first] = await createAccounts(project, 30, {}, facts);
  await gateway.app.recalculateLinks(project.projectId);
  const other = await connectAs(gateway.database, 'vouchgraph_system');
  try {
    // The shared lock of another request that changes an account with the address.
    await other.query('begin');
    const { rows } = await other.query(
      `select pg_advisory_xact_lock_shared(('x' || encode(substr(value_hash, 1, 8), 'hex'))::bit(64)::bigint) as held
       from (select distinct value_hash from identifiers where project_id = $1 and kind = any($2)) shared`,
      [project.projectId, [IDENTIFIER_KINDS.network, IDENTIFIER_KINDS.subnet]],
    );
    expect(rows).toHaveLength(2);
    const { account_id } = await project.authenticate({ id: first! }, facts);
    expect(account_id).toBe(first);
    const group = await project.authenticate({ id: first!, group: '' }, facts);
    expect(group.account_id).toBe(first);
  } finally {
    await other.end();
  }
});

describe('when the number of accounts of a shared identifier changes, links between its other accounts', () => {
  it('end when an account exceeds the sharing limit, and return when it leaves', async () => {
    const project = await gateway.project();
    const ip_address = '90.54.1.1';
    await createAccounts(project, 18, {}, { ip_address });
    const facts = { device_id: 'laptop', ip_address };
    await project.authenticate({ id: 'ada' }, facts);
    await project.authenticate({ id: 'bob' }, facts);
    await project.authenticate({ id: 'one more' }, { ip_address });
    await gateway.app.recalculateLinks(project.projectId);
    expect(await linksOf(project, 'ada')).toEqual([]);
    await project.rest('DELETE', '/account/one more');
    await gateway.app.recalculateLinks(project.projectId);
    expect(await linksOf(project, 'ada')).toMatchObject([{ account_id: 'bob', score: 0.516 }]);
  });

  it('change in the same transaction when they are few', async () => {
    const project = await gateway.project();
    const facts = { device_id: 'tablet', ip_address: '90.54.1.1' };
    for (const id of ['a', 'b', 'c']) await project.authenticate({ id }, facts);
    expect(await linksOf(project, 'a')).toMatchObject([{ score: 0.615 }, { score: 0.615 }]);
    // The recalculation of scores in the background locks accounts, whose links would then be left to it.
    await gateway.app.recalculateLinks(project.projectId);
    await project.authenticate({ id: 'd' }, { device_id: 'tablet' });
    expect(await linksOf(project, 'a')).toMatchObject([{ score: 0.552 }, { score: 0.552 }]);
  });

  it('are recalculated in both groups when an account changes its group', async () => {
    const project = await gateway.project();
    const facts = { device_id: 'tablet', ip_address: '90.54.1.1' };
    for (const id of ['a', 'b', 'c', 'd']) await project.authenticate({ id }, facts);
    expect(await linksOf(project, 'a')).toHaveLength(3);
    await project.rest('PUT', '/account/d', { group: 'eu' });
    await gateway.app.recalculateLinks(project.projectId);
    expect(await linksOf(project, 'd')).toEqual([]);
    expect(await linksOf(project, 'a')).toMatchObject([{ score: 0.615 }, { score: 0.615 }]);
    await project.rest('PUT', '/account/d', { group: '' });
    await gateway.app.recalculateLinks(project.projectId);
    expect(await linksOf(project, 'a')).toHaveLength(3);
    expect((await linksOf(project, 'b'))[0]?.score).toBeLessThan(0.615);
  });
});
