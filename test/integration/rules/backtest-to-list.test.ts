import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import {
  type Body,
  type Gateway,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

const DAY = 86_400_000;
const clock = new TestClock();
let gateway: Gateway;
let system: pg.Client;
beforeAll(async () => {
  gateway = await startGateway({ worksInBackground: false, clock });
  system = await connectAs(gateway.database, 'vouchgraph_system');
});
afterAll(async () => {
  await system.end();
  await gateway.close();
});

type Input = Record<string, unknown>;

const START = `mutation ($input: BacktestRuleInput!) { backtestRule(input: $input) { backtest { id backtestId } } }`;
const ADD = `mutation ($input: AddBacktestMatchesToListInput!) { addBacktestMatchesToList(input: $input) {
  requestId added alreadyMember remaining total list { name memberCount } } }`;

async function start(project: TestProject, expression: string): Promise<Body> {
  const input = { expression, since: '2020-01-01T00:00:00.000Z' };
  // The end of a backtest is its start: a decision at the same time is excluded.
  clock.advance(1000);
  return (await project.graphql(START, { input })).backtestRule.backtest;
}

async function run(project: TestProject, expression: string): Promise<Body> {
  const backtest = await start(project, expression);
  await gateway.app.settleBacktests(project.projectId);
  return backtest;
}

async function add(project: TestProject, input: Input): Promise<Body> {
  const { requestId: _, ...counts } = (await project.graphql(ADD, { input })).addBacktestMatchesToList;
  return counts;
}

async function refusal(project: TestProject, input: Input) {
  const { body } = await project.rawGraphql(ADD, { input });
  expect(body.errors, JSON.stringify(body)).toHaveLength(1);
  return body.errors[0].extensions.code;
}

const MEMBERS = `query ($name: String!) { list(name: $name) {
  members(first: 100) { edges { node { accountId } reason actor source expiresAt } } } }`;

async function membersOf(project: TestProject, name: string): Promise<Body[]> {
  const { list } = await project.graphql(MEMBERS, { name });
  return list.members.edges
    .map(({ node, ...edge }: Body) => ({ accountId: node.accountId, ...edge }))
    .sort((a: Body, b: Body) => (a.accountId < b.accountId ? -1 : 1));
}

/** A project with accounts of two sessions each, and a list. */
async function filled(...ids: string[]) {
  const project = await gateway.project();
  for (const id of [...ids, ...ids]) await project.authenticate({ id });
  const list = unique('list');
  await project.rest('POST', `/list/${list}`, {});
  return { project, list };
}

const auditOf = async (project: TestProject, list: string) =>
  (
    await system.query(
      `select actor, after from audit_log where project_id = $1 and target = $2 and action = 'list.add_accounts' order by audit_id`,
      [project.projectId, `list:${list}`],
    )
  ).rows;

describe('addBacktestMatchesToList', () => {
  it('adds every matched account once, with reason, expiry, audit entry and events', async () => {
    const { project, list } = await filled('a', 'b', 'c');
    const { id, backtestId } = await run(project, 'account.id != "c"');
    const expiresAt = new Date(clock.now().getTime() + DAY).toISOString();
    const counts = {
      added: 2,
      alreadyMember: 0,
      remaining: 0,
      total: 2,
      list: { name: list, memberCount: 2 },
    };
    expect(await add(project, { backtestId: id, list, reason: 'ring', expiresAt })).toEqual(counts);
    const member = { reason: 'ring', actor: expect.stringMatching(/^vg_/), source: 'API', expiresAt };
    expect(await membersOf(project, list)).toEqual([
      { accountId: 'a', ...member },
      { accountId: 'b', ...member },
    ]);
    expect(await auditOf(project, list)).toEqual([
      {
        actor: expect.stringMatching(/^vg_/),
        after: { accounts: [expect.any(String), expect.any(String)], backtest: backtestId, expiresAt },
      },
    ]);
    await gateway.app.settleEvents();
    const { events } = await project.graphql(
      '{ events(first: 100, types: [LIST_ACCOUNT_ADDED]) { edges { node { accountId } } } }',
    );
    expect(events.edges.map(({ node }: Body) => node.accountId).sort()).toEqual(['a', 'b']);
  });

  it('changes nothing for accounts that are on the list, and nothing when it is repeated', async () => {
    const { project, list } = await filled('a', 'b');
    await project.rest('POST', `/list/${list}/account/a`);
    const { id, backtestId } = await run(project, 'session.bot >= 0');
    expect(await add(project, { backtestId: id, list, reason: 'new' })).toMatchObject({
      added: 1,
      alreadyMember: 1,
      total: 2,
    });
    const members = await membersOf(project, list);
    expect(members.map(({ reason }) => reason)).toEqual([null, 'new']);
    const audit = await auditOf(project, list);
    const again = await add(project, { backtestId, list, reason: 'another' });
    expect(again).toMatchObject({ added: 0, alreadyMember: 2, remaining: 0, total: 2 });
    expect(await membersOf(project, list)).toEqual(members);
    expect(await auditOf(project, list)).toEqual(audit);
  });

  it('adds accounts with expired memberships again', async () => {
    const { project, list } = await filled('a');
    const { id } = await run(project, 'session.bot >= 0');
    const expiresAt = new Date(clock.now().getTime() + DAY).toISOString();
    await add(project, { backtestId: id, list, expiresAt });
    clock.advance(2 * DAY);
    expect(await add(project, { backtestId: id, list })).toMatchObject({ added: 1, alreadyMember: 0 });
    expect(await membersOf(project, list)).toMatchObject([{ accountId: 'a', expiresAt: null }]);
  });

  it('removes accounts from other standard lists, and clears keepOff', async () => {
    const { project } = await filled('a', 'b');
    await project.rest('POST', '/list/allow/account/a');
    await project.graphql(
      'mutation { removeAccountsFromList(input: { list: "block", accountIds: ["b"], keepOff: true }) { requestId } }',
    );
    const { id } = await run(project, 'session.bot >= 0');
    expect(await add(project, { backtestId: id, list: 'block' })).toMatchObject({ added: 2 });
    expect(await membersOf(project, 'allow')).toEqual([]);
    const { account } = await project.graphql(
      '{ account(accountId: "b") { decision keptOffLists { list { name } } } }',
    );
    expect(account.keptOffLists).toEqual([]);
  });

  it('omits erased accounts', async () => {
    const { project, list } = await filled('a', 'b');
    const { id } = await run(project, 'session.bot >= 0');
    await project.rest('DELETE', '/account/a');
    expect(await add(project, { backtestId: id, list })).toMatchObject({ added: 1, total: 1 });
    expect((await membersOf(project, list)).map(({ accountId }) => accountId)).toEqual(['b']);
  });

  it('adds thousands in batches of 500, each account once for two concurrent callers', async () => {
    const { project, list } = await filled('a');
    const { id, backtestId } = await run(project, 'session.bot >= 0');
    await system.query(
      `with copies as (
         insert into accounts (project_id, id, account_id, personal, expected_countries, countries, match_key_version)
         select project_id, gen_random_uuid(), 'copy ' || n, personal, '{}', '{}', 1
         from accounts, generate_series(1, 2600) n where project_id = $1 and account_id = 'a' returning id
       ), decided as (
         insert into decisions (project_id, decision_id, account_id, session_id, request_id, at, first_session, decision,
           account_score, versions, inputs)
         select $1, gen_random_uuid(), copies.id, gen_random_uuid(), gen_random_uuid(), now(), false, 'Real', 0, '{}', ''
         from copies cross join generate_series(1, 2) returning decision_id
       )
       insert into backtest_matches (project_id, backtest_id, decision_id) select $1, $2, decision_id from decided`,
      [project.projectId, backtestId],
    );
    gateway.takeStatements();
    const answers = await Promise.all([1, 2].map(() => add(project, { backtestId: id, list })));
    expect(answers.map(({ total, remaining }) => ({ total, remaining }))).toEqual([
      { total: 2601, remaining: 0 },
      { total: 2601, remaining: 0 },
    ]);
    expect(answers.reduce((sum, { added }) => sum + added, 0)).toBe(2601);
    const sent = gateway.takeStatements();
    // Two parts of the 5,202 matches for each caller, and six batches.
    expect(sent.filter((name) => name === 'backtest.matched_accounts')).toHaveLength(4);
    expect(sent.filter((name) => name === 'backtest.accounts_on_list')).toHaveLength(12);
    const audited = (await auditOf(project, list)).flatMap(({ after }: Body) => after.accounts);
    expect(new Set(audited).size).toBe(2601);
    expect(audited).toHaveLength(2601);
    const { rows } = await system.query(
      `select count(*)::int as members from list_members where project_id = $1`,
      [project.projectId],
    );
    expect(rows[0].members).toBe(2601);
  });

  it('continues after a call that ended between two batches', async () => {
    const { project, list } = await filled('a', 'b', 'c');
    const { id } = await run(project, 'session.bot >= 0');
    // What such a call leaves: some accounts are on the list.
    await project.graphql(
      'mutation ($list: String!) { addAccountsToList(input: { list: $list, accountIds: ["a", "b"] }) { requestId } }',
      { list },
    );
    expect(await add(project, { backtestId: id, list })).toMatchObject({
      added: 1,
      alreadyMember: 2,
      total: 3,
    });
  });

  it('is rejected for an unknown object, a running backtest, and a final state', async () => {
    const { project, list } = await filled('a');
    const theirs = await filled('a');
    const { id, backtestId } = await run(project, 'session.bot >= 0');
    const missing = [
      globalIdOf('Backtest', randomUUID()),
      randomUUID(),
      'nonsense',
      globalIdOf('Rule', backtestId),
    ];
    for (const other of missing)
      expect(await refusal(project, { backtestId: other, list })).toBe('backtest.not_found');
    expect(await refusal(theirs.project, { backtestId: id, list: theirs.list })).toBe('backtest.not_found');
    expect(await refusal(project, { backtestId: id, list: unique('none') })).toBe('list.not_found');
    expect(await refusal(project, { backtestId: id, list: theirs.list })).toBe('list.not_found');
    const past = new Date(clock.now().getTime() - 1000).toISOString();
    expect(await refusal(project, { backtestId: id, list, expiresAt: past })).toBe('input.invalid');
    expect(await refusal(project, { backtestId: id, list, reason: 'x'.repeat(1025) })).toBe('input.invalid');
    expect(await refusal(project, { backtestId: id, list: 'a/b' })).toBe('input.invalid');
    const set = (column: string, value: unknown) =>
      system.query(`update backtests set ${column} = $3 where project_id = $1 and backtest_id = $2`, [
        project.projectId,
        backtestId,
        value,
      ]);
    for (const state of ['waiting', 'running', 'cancelled', 'failed']) {
      await set('state', state);
      await set('claimable_at', new Date(clock.now().getTime() + DAY));
      expect(await refusal(project, { backtestId: id, list }), state).toBe('backtest.not_done');
      await set('state', 'done');
    }
    await set('accounts', 100_001);
    expect(await refusal(project, { backtestId: id, list })).toBe('backtest.too_many_accounts');
    await set('accounts', 1);
    clock.advance(30 * DAY);
    expect(await refusal(project, { backtestId: id, list })).toBe('backtest.matches_expired');
    expect(await membersOf(project, list)).toEqual([]);
  });

  it('requires the role operator', async () => {
    const { project, list } = await filled('a');
    const { id } = await run(project, 'session.bot >= 0');
    const { key } = await gateway.app.projects.createKey(project.projectId, 'server');
    expect(await refusal(project.withKey(key), { backtestId: id, list })).toBe('auth.forbidden');
  });
});
