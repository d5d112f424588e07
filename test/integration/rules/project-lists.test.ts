import { randomUUID } from 'node:crypto';
import { newId } from '@vouchgraph/platform/ids';
import { pageAfter } from '@vouchgraph/platform/keyset';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findMatches } from '../../../src/domain/decisions/backtests/backtest-match-store.ts';
import {
  countFoundDecisions,
  type DecisionFilter,
  searchDecisions,
} from '../../../src/domain/decisions/decision-search-store.ts';
import { findDecisionsOfAccounts } from '../../../src/domain/decisions/decision-store.ts';
import { findLastOutcomes, findOutcomesOfAccounts } from '../../../src/domain/outcomes/outcome-store.ts';
import { type RuleMatchFilter, searchRuleMatches } from '../../../src/domain/rules/rule-history-store.ts';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import type { ProjectDatabase } from '../../../src/storage/database.ts';
import { type Body, type Gateway, startGateway, TestClock, type TestProject } from '../../support/gateway.ts';
import { planOf } from '../../support/plans.ts';
import { connectAs } from '../../support/sql.ts';
import { costOf, tripsOf } from '../../support/trips.ts';

const clock = new TestClock();
let gateway: Gateway;
let system: pg.Client;
let app: pg.Client;
beforeAll(async () => {
  gateway = await startGateway({ worksInBackground: false, clock });
  system = await connectAs(gateway.database, 'vouchgraph_system');
  app = await connectAs(gateway.database, 'vouchgraph_app');
});
afterAll(async () => {
  await Promise.all([system.end(), app.end()]);
  await gateway.close();
});

type Filter = Record<string, unknown>;

const PAGE = 'pageInfo { hasNextPage hasPreviousPage startCursor endCursor } totalCount { value isExact }';
const ARGS = '$first: Int, $after: String, $last: Int, $before: String';
const PASSED = 'first: $first, after: $after, last: $last, before: $before';
const DECISIONS = `query ($filter: DecisionFilter, ${ARGS}) { decisions(filter: $filter, ${PASSED}) {
  edges { node { decisionId accountId decision accountScore at } } ${PAGE} } }`;
const MATCHES = `query ($filter: RuleMatchFilter, ${ARGS}) { ruleMatches(filter: $filter, ${PASSED}) {
  edges { node { matchId accountId shadow rule { name } at } } ${PAGE} } }`;

const decisions = async (
  project: TestProject,
  filter: Filter | null = null,
  page: Filter = {},
): Promise<Body> => (await project.graphql(DECISIONS, { filter, ...page })).decisions;
const matches = async (
  project: TestProject,
  filter: Filter | null = null,
  page: Filter = {},
): Promise<Body> => (await project.graphql(MATCHES, { filter, ...page })).ruleMatches;
const nodesIn = ({ edges }: Body): Body[] => edges.map(({ node }: Body) => node);
const accountsIn = (page: Body): string[] => nodesIn(page).map(({ accountId }) => accountId);

/** The accounts of what a filter finds, the newest first; the count is theirs. */
function counted(page: Body): string[] {
  const accounts = accountsIn(page);
  expect(page.totalCount).toEqual({ value: accounts.length, isExact: true });
  return accounts;
}

async function refusal(project: TestProject, query: string, filter: Filter) {
  const { body } = await project.rawGraphql(query, { filter });
  expect(body.errors, JSON.stringify(body)).toHaveLength(1);
  return { message: body.errors[0].message, code: body.errors[0].extensions.code };
}

const at = () => clock.now().toISOString();
const wait = () => clock.advance(1000);

/** Accounts a, b, c and a again, a second apart: b is on the block list. */
async function decided() {
  const project = await gateway.project();
  const times: string[] = [];
  for (const account of [{ id: 'a' }, { id: 'b', lists: ['block'] }, { id: 'c' }, { id: 'a' }]) {
    wait();
    times.push(at());
    await project.authenticate(account);
  }
  return { project, times };
}

/** Sets the score of decisions on an account, which otherwise depends on the signals. */
const score = (project: TestProject, accountId: string, value: number) =>
  system.query(
    `update decisions d set account_score = $3 from accounts a
     where d.project_id = $1 and a.project_id = $1 and a.account_id = $2 and a.id = d.account_id`,
    [project.projectId, accountId, value],
  );

describe('decisions of a project', () => {
  it('are all returned, the newest first, or filtered by a condition', async () => {
    const { project, times } = await decided();
    expect(counted(await decisions(project))).toEqual(['a', 'c', 'b', 'a']);
    expect(counted(await decisions(project, { decision: 'FAKE' }))).toEqual(['b']);
    expect(counted(await decisions(project, { decision: 'REAL' }))).toEqual(['a', 'c', 'a']);
    expect(counted(await decisions(project, { decision: 'SUSPICIOUS' }))).toEqual([]);
    expect(counted(await decisions(project, { accountId: 'a' }))).toEqual(['a', 'a']);
    expect(counted(await decisions(project, { accountId: 'nobody' }))).toEqual([]);
    expect(counted(await decisions(project, { since: times[2] }))).toEqual(['a', 'c']);
    expect(counted(await decisions(project, { until: times[2] }))).toEqual(['b', 'a']);
    const all = { decision: 'REAL', accountId: 'a', since: times[1], minScore: 0 };
    expect(counted(await decisions(project, all))).toEqual(['a']);
    expect(counted(await decisions(project, { ...all, decision: 'FAKE' }))).toEqual([]);
  });

  it('are found by a minimum score, at every tenth and between two', async () => {
    const { project } = await decided();
    await score(project, 'a', 0.7);
    await score(project, 'b', 0.75);
    await score(project, 'c', 1);
    for (const [minScore, accounts] of [
      [0, ['a', 'c', 'b', 'a']],
      [0.7, ['a', 'c', 'b', 'a']],
      [0.71, ['c', 'b']],
      [0.75, ['c', 'b']],
      [0.8, ['c']],
      [1, ['c']],
    ] as const)
      expect(counted(await decisions(project, { minScore })), String(minScore)).toEqual(accounts);
    expect(counted(await decisions(project, { minScore: 0.7, decision: 'REAL' }))).toEqual(['a', 'c', 'a']);
    await score(project, 'c', 0.3);
    expect(counted(await decisions(project, { minScore: 0.3 }))).toEqual(['a', 'c', 'b', 'a']);
    expect(counted(await decisions(project, { minScore: 0.31 }))).toEqual(['a', 'b', 'a']);
  });

  it('are paged in both directions', async () => {
    const { project } = await decided();
    for (const filter of [null, { minScore: 0 }]) {
      const first = await decisions(project, filter, { first: 3 });
      expect(accountsIn(first)).toEqual(['a', 'c', 'b']);
      expect(first.pageInfo.hasNextPage).toBe(true);
      const next = await decisions(project, filter, { first: 3, after: first.pageInfo.endCursor });
      expect(accountsIn(next)).toEqual(['a']);
      const back = await decisions(project, filter, { last: 2, before: next.pageInfo.startCursor });
      expect(accountsIn(back)).toEqual(['c', 'b']);
      expect(back.pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: true });
    }
  });

  it('reject a score out of range, and keys without permission', async () => {
    const project = await gateway.project();
    for (const minScore of [-0.1, 1.5]) {
      const { code, message } = await refusal(project, DECISIONS, { minScore });
      expect(code).toBe('input.invalid');
      expect(message).toContain('minScore: must be between 0 and 1');
    }
    const token = await project.graphql(
      'mutation { createBrowserToken(input: { project: true, scopes: [ACCOUNT], ttlSeconds: 60 }) { token } }',
    );
    const { body } = await project.rawGraphql(
      DECISIONS,
      {},
      {
        authorization: `Bearer ${token.createBrowserToken.token}`,
        'x-api-key': '',
      },
    );
    expect(body.errors[0].extensions.code).toMatch(/^auth\./);
  });

  it('include only those of the own project, in one statement and one for the count', async () => {
    const [{ project }, theirs] = [await decided(), await decided()];
    expect(counted(await decisions(project, { accountId: 'b' }))).toEqual(['b']);
    const foreign = await decisions(theirs.project);
    const { body } = await project.rawGraphql(DECISIONS, { after: foreign.pageInfo.endCursor });
    expect(body.errors[0].extensions.code).toBe('input.invalid');
    for (const filter of [null, { minScore: 0.2 }, { accountId: 'a' }]) {
      const fields = 'edges { node { decisionId } }';
      const query = (more: string) =>
        `query ($filter: DecisionFilter) { decisions(filter: $filter) { ${fields} ${more} } }`;
      const cost = async (more: string) =>
        costOf(await tripsOf(gateway, () => project.graphql(query(more), { filter })));
      expect(await cost('')).toEqual({ trips: 1, statements: 1 });
      expect((await cost('totalCount { value }')).statements).toBe(2);
    }
  });
});

const CREATE = 'mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id ruleId } } }';

async function addRule(project: TestProject, name: string, state: string, expression: string) {
  const input = { name, trigger: 'ANY_SESSION', expression, actions: [{ raiseFlag: 'seen' }], state };
  return (await project.graphql(CREATE, { input })).createRule.rule;
}

/** Two rules that match accounts a and b, one in shadow matching a alone. */
async function matched() {
  const project = await gateway.project();
  const live = await addRule(project, 'live', 'ENABLED', 'account.id != "c"');
  const tried = await addRule(project, 'tried', 'SHADOW', 'account.id = "a"');
  const times: string[] = [];
  for (const id of ['a', 'b', 'c', 'a']) {
    wait();
    times.push(at());
    await project.authenticate({ id });
  }
  return { project, live, tried, times };
}

const namesIn = (page: Body): string[] =>
  nodesIn(page).map(({ accountId, rule }: Body) => `${rule.name} ${accountId}`);

describe('matches of the rules of a project', () => {
  it('are all returned, the newest first, or filtered by a condition', async () => {
    const { project, live, tried, times } = await matched();
    const all = await matches(project);
    expect(namesIn(all).sort()).toEqual(['live a', 'live a', 'live b', 'tried a', 'tried a']);
    const ids = nodesIn(all).map(({ matchId }: Body) => matchId);
    expect(ids).toEqual([...ids].sort().reverse());
    for (const ruleId of [live.id, live.ruleId])
      expect(counted(await matches(project, { ruleId }))).toEqual(['a', 'b', 'a']);
    expect(counted(await matches(project, { accountId: 'b' }))).toEqual(['b']);
    expect(counted(await matches(project, { accountId: 'c' }))).toEqual([]);
    expect(counted(await matches(project, { shadow: true }))).toEqual(['a', 'a']);
    expect(counted(await matches(project, { shadow: false }))).toEqual(['a', 'b', 'a']);
    expect(counted(await matches(project, { since: times[1], shadow: false }))).toEqual(['a', 'b']);
    expect(counted(await matches(project, { until: times[1] }))).toEqual(['a', 'a']);
    const combined = { ruleId: tried.id, accountId: 'a', shadow: true, since: times[3] };
    expect(counted(await matches(project, combined))).toEqual(['a']);
    expect(counted(await matches(project, { ...combined, shadow: false }))).toEqual([]);
  });

  it('are empty for a rule that does not exist, or of another type or project', async () => {
    const [{ project }, theirs] = [await matched(), await matched()];
    const missing = [
      randomUUID(),
      globalIdOf('Rule', randomUUID()),
      'nonsense',
      theirs.live.id,
      globalIdOf('List', randomUUID()),
    ];
    for (const ruleId of missing) expect(counted(await matches(project, { ruleId })), ruleId).toEqual([]);
  });

  it('are paged in both directions, in one statement and one for the count', async () => {
    const { project } = await matched();
    const whole = nodesIn(await matches(project)).map(({ matchId }: Body) => matchId);
    const first = await matches(project, null, { first: 2 });
    const next = await matches(project, null, { first: 2, after: first.pageInfo.endCursor });
    const back = await matches(project, null, { last: 2, before: next.pageInfo.endCursor });
    const idsIn = (page: Body) => nodesIn(page).map(({ matchId }: Body) => matchId);
    expect([...idsIn(first), ...idsIn(next)]).toEqual(whole.slice(0, 4));
    expect(idsIn(back)).toEqual(whole.slice(1, 3));
    const query = (more: string) =>
      `{ ruleMatches(filter: { shadow: false }) { edges { node { matchId } } ${more} } }`;
    const cost = async (more: string) => costOf(await tripsOf(gateway, () => project.graphql(query(more))));
    expect(await cost('')).toEqual({ trips: 1, statements: 1 });
    expect((await cost('totalCount { value }')).statements).toBe(2);
  });
});

describe('the plans of these searches', () => {
  const indexesIn = (plan: string) => [...plan.matchAll(/using (\w+) on/g)].map(([, name]) => name!);

  it('read an index in the order of the page', async () => {
    const project = await gateway.project();
    await project.authenticate({ id: 'a' });
    await system.query(
      `insert into decisions (project_id, decision_id, account_id, session_id, request_id, at, first_session, decision,
         account_score, versions, inputs)
       select project_id, gen_random_uuid(), account_id, gen_random_uuid(), request_id, at, false,
         (array['Real', 'Suspicious', 'Fake'])[1 + n % 3], (n % 100) / 100.0, versions, inputs
       from decisions, generate_series(1, 5000) n where project_id = $1`,
      [project.projectId],
    );
    await system.query(
      `insert into rule_matches (project_id, match_id, rule_id, version, shadow, account_id, session_id, outcomes)
       select $1, gen_random_uuid(), ('00000000-0000-7000-8000-00000000000' || n % 9)::uuid, 1, n % 2 = 0,
         ('00000000-0000-7000-8000-0000000000' || 10 + n % 50)::uuid, gen_random_uuid(), '[]'
       from generate_series(1, 5000) n`,
      [project.projectId],
    );
    const owner = await connectAs(gateway.database, 'owner');
    await owner.query('analyze decisions');
    await owner.query('analyze rule_matches');
    await owner.end();
    const page = pageAfter([newId()], 21);
    const found: [string, DecisionFilter][] = [
      ['decisions_pkey', {}],
      ['decisions_pkey', { since: new Date(0) }],
      ['decisions_outcome', { decision: 'Fake' }],
      ['decisions_outcome', { minScore: 0.95 }],
      ['decisions_project_id_account_id_decision_id_idx', { accountId: 'a' }],
    ];
    for (const [index, filter] of found) {
      const plan = await planOf(app, project.projectId, (database) =>
        searchDecisions(database, filter, page),
      );
      expect(indexesIn(plan), plan).toContain(index);
      expect(plan).not.toMatch(/Seq Scan on decisions/);
      const count = await planOf(app, project.projectId, (database) =>
        countFoundDecisions(database, filter, 11),
      );
      expect(count).not.toMatch(/Seq Scan on decisions/);
    }
    const kept: [string, RuleMatchFilter][] = [
      ['rule_matches_pkey', {}],
      ['rule_matches_shadow', { shadow: true }],
      ['rule_matches_account', { accountId: 'a' }],
      ['rule_matches_project_id_rule_id_match_id_idx', { ruleId: '00000000-0000-7000-8000-000000000001' }],
    ];
    for (const [index, filter] of kept) {
      const plan = await planOf(app, project.projectId, (database) =>
        searchRuleMatches(database, filter, page, { select: { projectId: true, matchId: true } }),
      );
      expect(indexesIn(plan), plan).toContain(index);
      expect(plan).not.toMatch(/Seq Scan on rule_matches/);
    }
  });

  it('of a page of several parents read the index of each parent', async () => {
    const project = await gateway.project();
    await project.authenticate({ id: 'a' });
    await project.authenticate({ id: 'b' });
    const { projectId } = project;
    await system.query(
      `insert into decisions (project_id, decision_id, account_id, session_id, request_id, at, first_session, decision,
         account_score, versions, inputs)
       select project_id, gen_random_uuid(), account_id, gen_random_uuid(), request_id, at, false, decision, account_score,
         versions, inputs
       from decisions, generate_series(1, 5000) n where project_id = $1`,
      [projectId],
    );
    await system.query(
      `insert into account_outcomes (project_id, outcome_id, account_id, outcome, at, actor, reported_at)
       select $1, gen_random_uuid(), id, 'fraud', now() - n * interval '1 minute', 'key', now()
       from accounts, generate_series(1, 5000) n where project_id = $1`,
      [projectId],
    );
    const backtests = [newId(), newId()];
    await system.query(
      `insert into backtests (project_id, backtest_id, expression, trigger, since, until, actor, state)
       select $1, id, '{}', 'ANY_SESSION', now(), now(), 'key', 'done' from unnest($2::uuid[]) id`,
      [projectId, backtests],
    );
    await system.query(
      `insert into backtest_matches (project_id, backtest_id, decision_id)
       select $1, id, decision_id from decisions, unnest($2::uuid[]) id where project_id = $1`,
      [projectId, backtests],
    );
    const owner = await connectAs(gateway.database, 'owner');
    for (const table of ['decisions', 'account_outcomes', 'backtests', 'backtest_matches', 'accounts'])
      await owner.query(`analyze ${table}`);
    await owner.end();
    const { rows } = await system.query('select id from accounts where project_id = $1', [projectId]);
    const accounts: string[] = rows.map(({ id }) => id);
    const page = pageAfter([newId()], 21);
    const query = { select: { projectId: true, decisionId: true } } as const;
    const pages: [string, string, (database: ProjectDatabase) => Promise<unknown>][] = [
      [
        'decisions',
        'decisions_project_id_account_id_decision_id_idx',
        (database) => findDecisionsOfAccounts(database, accounts, page),
      ],
      [
        'account_outcomes',
        'account_outcomes_last_of_account',
        (database) => findOutcomesOfAccounts(database, accounts, page),
      ],
      [
        'account_outcomes',
        'account_outcomes_last_of_account',
        (database) => findLastOutcomes(database, accounts),
      ],
      [
        'backtest_matches',
        'backtest_matches_pkey',
        (database) => findMatches(database, backtests, page, query),
      ],
    ];
    for (const [table, index, send] of pages) {
      const plan = await planOf(app, projectId, send);
      expect(indexesIn(plan), plan).toContain(index);
      expect(plan).not.toMatch(new RegExp(`Seq Scan on ${table}`));
    }
  });
});
