import { generateMasterKey, MasterKey } from '@vouchgraph/platform/crypto';
import { newId } from '@vouchgraph/platform/ids';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { clearMatches } from '../../../src/domain/decisions/backtests/backtest-match-store.ts';
import {
  BACKTEST_QUEUE,
  type ClaimedBacktest,
  findBacktest,
  finishBacktest,
  saveProgress,
} from '../../../src/domain/decisions/backtests/backtest-store.ts';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { createTestDatabase } from '../../support/database.ts';
import { type Gateway, projectClient, startGateway, type TestProject } from '../../support/gateway.ts';
import { killInside } from '../../support/killed-gateway.ts';
import { connectAs } from '../../support/sql.ts';

const BACKTEST = `id backtestId backtestState progress expression trigger since until total examined matched skipped matchedAccounts actor
  createdAt finishedAt overlap { list accounts } sample { decisionId accountId sessionId at decision }`;
const START = `mutation ($input: BacktestRuleInput!) {
  backtestRule(input: $input) { requestId backtest { ${BACKTEST} } } }`;
const FIND = `query ($id: ID!) { backtest(id: $id) { ${BACKTEST} } }`;
const CANCEL = `mutation ($id: ID!) { cancelBacktest(input: { id: $id }) { backtest { ${BACKTEST} } } }`;
const LONG_AGO = '2020-01-01T00:00:00.000Z';

const masterKey = generateMasterKey();
let gateway: Gateway;
let system: pg.Client;
beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  system = await connectAs(gateway.database, 'vouchgraph_system');
});
afterAll(async () => {
  await system.end();
  await gateway.close();
});

type Input = Record<string, unknown>;

async function start(project: TestProject, expression: string, changes: Input = {}) {
  const answer = await project.graphql(START, {
    input: { expression, since: LONG_AGO, ...changes },
  });
  return answer.backtestRule.backtest;
}

async function find(project: TestProject, id: string) {
  return (await project.graphql(FIND, { id })).backtest;
}

/** A backtest after its end. */
async function run(project: TestProject, expression: string, changes: Input = {}) {
  const { id } = await start(project, expression, changes);
  await gateway.app.settleBacktests(project.projectId);
  return find(project, id);
}

async function refusal(project: TestProject, query: string, variables: Input) {
  const { body } = await project.rawGraphql(query, variables);
  expect(body.errors, JSON.stringify(body)).toHaveLength(1);
  return body.errors[0].extensions;
}

/**
 * A project with this number of accounts with one session each, and this number of further sessions of the
 * first one.
 */
async function filled(accounts: number, more = 0): Promise<TestProject> {
  const project = await gateway.project();
  for (let index = 0; index < accounts; index += 1) {
    await project.authenticate({ id: `a${index}`, lists: index % 2 ? ['odd'] : [] });
  }
  for (let index = 0; index < more; index += 1) await project.authenticate({ id: 'a0' });
  return project;
}

/** A backtest of another live runner. */
async function held(project: TestProject) {
  const { id, backtestId } = await run(project, 'session.bot >= 0');
  await system.query(
    `update backtests set state = 'running', claimable_at = now() + interval '1 hour', lease_id = gen_random_uuid(),
       finished_at = null
     where project_id = $1 and backtest_id = $2`,
    [project.projectId, backtestId],
  );
  return find(project, id);
}

/** The state that the runner of a backtest has. */
async function claimOf({ projectId }: TestProject, backtestId: string): Promise<ClaimedBacktest> {
  const backtest = (await findBacktest(gateway.app.database.forProject(projectId), backtestId))!;
  const { rows } = await system.query(
    'select lease_id from backtests where project_id = $1 and backtest_id = $2',
    [projectId, backtestId],
  );
  return { ...backtest, projectId, id: backtestId, leaseId: rows[0].lease_id };
}

/** Stores this number of copies of a decision, each with its own session and encrypted for its own id. */
async function copyDecision({ projectId }: TestProject, decisionId: string, times: number): Promise<void> {
  const { rows } = await system.query(
    `select d.inputs, p.encrypted_key from decisions d join projects p on p.project_id = d.project_id
     where d.project_id = $1 and d.decision_id = $2`,
    [projectId, decisionId],
  );
  const cipher = new MasterKey(masterKey).cipherFor(projectId, rows[0].encrypted_key);
  const content = cipher.decryptJson('decisions', decisionId, rows[0].inputs);
  const ids = Array.from({ length: times }, () => newId());
  await system.query(
    `insert into decisions (project_id, decision_id, account_id, session_id, request_id, at, first_session, decision,
       account_score, versions, inputs)
     select project_id, copy.id, account_id, gen_random_uuid(), request_id, at, first_session, decision, account_score,
       versions, copy.inputs
     from decisions, unnest($3::uuid[], $4::bytea[]) as copy (id, inputs)
     where project_id = $1 and decision_id = $2`,
    [projectId, decisionId, ids, ids.map((id) => cipher.encryptJson('decisions', id, content))],
  );
}

describe('a backtest', () => {
  it('counts decisions, accounts and lists of possible matches', async () => {
    const project = await filled(7, 3);
    const done = await run(project, 'account.id != "a6"');
    expect(done).toMatchObject({
      backtestState: 'DONE',
      progress: 1,
      expression: 'account.id != "a6"',
      trigger: 'ANY_SESSION',
      total: 10,
      examined: 10,
      matched: 9,
      skipped: 0,
      matchedAccounts: 6,
      overlap: [{ list: 'odd', accounts: 3 }],
    });
    expect(done.finishedAt >= done.createdAt).toBe(true);
    expect(done.sample.map(({ accountId }: Input) => accountId)).toEqual([
      'a0',
      'a1',
      'a2',
      'a3',
      'a4',
      'a5',
      'a0',
      'a0',
      'a0',
    ]);
    const { decision } = await project.graphql(
      'query ($id: ID!) { decision(id: $id) { accountId sessionId at decision } }',
      { id: globalIdOf('Decision', done.sample[0].decisionId) },
    );
    const { decisionId: _id, ...first } = done.sample[0];
    expect(first).toEqual(decision);
  });

  it('has the same results as a live rule on the same sessions', async () => {
    const project = await gateway.project();
    const expression = 'account.num_sessions >= 2 AND NOT account.id = "a1"';
    await project.graphql(
      `mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id } } }`,
      { input: { name: 'live', trigger: 'ANY_SESSION', expression, state: 'SHADOW' } },
    );
    for (const id of ['a0', 'a1', 'a0', 'a1', 'a2', 'a0', 'a2']) await project.authenticate({ id });
    const { rules } = await project.graphql('{ rules { edges { node { matchCounts { shadow } } } } }');
    const done = await run(project, expression);
    expect([done.matched, rules.edges[0].node.matchCounts.shadow]).toEqual([3, 3]);
  });

  it('reports the number of unknown results', async () => {
    const project = await filled(2);
    expect(await run(project, 'account.email.email_score > 0.5 OR account.id = "a1"')).toMatchObject({
      examined: 2,
      matched: 1,
      skipped: 1,
    });
  });

  it('reads only first sessions for that trigger, and no verifications', async () => {
    const project = await filled(3, 2);
    expect(await run(project, 'session.bot >= 0', { trigger: 'FIRST_SESSION' })).toMatchObject({
      total: 3,
      examined: 3,
      matched: 3,
    });
    expect(await run(project, 'session.bot >= 0', { trigger: 'ID_CHECK_COMPLETED' })).toMatchObject({
      backtestState: 'DONE',
      progress: 1,
      total: 0,
      examined: 0,
      matched: 0,
    });
  });

  it('reads decisions from its inclusive start to its exclusive end', async () => {
    const project = await filled(4);
    const { sample } = await run(project, 'session.bot >= 0');
    const [first, second, , last] = sample.map(({ at }: { at: string }) => at);
    const { matched } = await run(project, 'session.bot >= 0', { since: second, until: last });
    const within = sample.filter(({ at }: { at: string }) => at >= second && at < last);
    expect(matched).toBe(within.length);
    expect(await run(project, 'session.bot >= 0', { since: first, until: second })).toMatchObject({
      total: sample.filter(({ at }: { at: string }) => at < second).length,
    });
  });

  it('excludes erased accounts', async () => {
    const project = await filled(3);
    const before = await run(project, 'session.bot >= 0');
    await project.rest('DELETE', '/account/a1');
    const shown = await find(project, before.id);
    expect(shown.sample.map(({ accountId }: Input) => accountId)).toEqual(['a0', 'a2']);
    expect(await run(project, 'session.bot >= 0')).toMatchObject({ total: 2, matchedAccounts: 2 });
  });

  it('processes many pages without blocking other jobs', async () => {
    const project = await filled(1);
    const { sample } = await run(project, 'session.bot >= 0');
    await copyDecision(project, sample[0].decisionId, 4500);
    const { id } = await start(project, 'session.bot >= 0');
    let turns = 0;
    const counting = setInterval(() => {
      turns += 1;
    }, 1);
    await gateway.app.settleBacktests(project.projectId);
    clearInterval(counting);
    const done = await find(project, id);
    expect(done).toMatchObject({ total: 4501, examined: 4501, matched: 4501, matchedAccounts: 1 });
    expect(done.sample.length).toBeGreaterThan(10);
    expect(done.sample.length).toBeLessThanOrEqual(20);
    expect(turns).toBeGreaterThan(5);
  });

  it('is recorded in the audit log and listed, the newest first', async () => {
    const project = await filled(1);
    const first = await run(project, 'session.bot >= 0');
    const second = await run(project, 'session.bot > 0.5');
    const { backtests } = await project.graphql(`{ backtests(first: 5) { edges { node { ${BACKTEST} } } } }`);
    expect(backtests.edges.map(({ node }: { node: Input }) => node)).toEqual([second, first]);
    const { rows } = await system.query(
      'select action, target, after from audit_log where project_id = $1 and target = $2',
      [project.projectId, `backtest:${first.backtestId}`],
    );
    expect(rows).toMatchObject([{ action: 'rule.backtest', after: { expression: 'session.bot >= 0' } }]);
  });
});

describe('a runner', () => {
  it('keeps its backtest while it sends heartbeats, and its counts are visible', async () => {
    const project = await filled(1);
    const { id, backtestId } = await held(project);
    const claimed = await claimOf(project, backtestId);
    const stale = { ...claimed, leaseId: newId() };
    const database = gateway.app.database.forProject(project.projectId);
    const counts = { examined: 2, matched: 1, skipped: 1, accounts: 1, sample: [] };
    expect(await saveProgress(database, claimed, 8, counts, [])).toBe(true);
    expect(await find(project, id)).toMatchObject({
      backtestState: 'RUNNING',
      progress: 0.25,
      ...{ examined: 2, matched: 1 },
    });
    expect(await saveProgress(database, stale, 8, counts, [])).toBe(false);
    expect(await saveProgress(database, claimed, 8, { ...counts, examined: 4 }, [])).toBe(true);
    expect(await find(project, id)).toMatchObject({ progress: 0.5, matchedAccounts: 1 });
    await BACKTEST_QUEUE.release(gateway.app.database.system, [claimed]);
    await gateway.app.settleBacktests(project.projectId);
    expect(await find(project, id)).toMatchObject({ backtestState: 'DONE', total: 1, examined: 1 });
  });

  it('removes no match of the runner that replaced it', async () => {
    const project = await filled(1);
    const { backtestId } = await held(project);
    const claimed = await claimOf(project, backtestId);
    const database = gateway.app.database.forProject(project.projectId);
    const matches = async (): Promise<number> => {
      const { rows } = await system.query(
        'select count(*)::int as count from backtest_matches where project_id = $1 and backtest_id = $2',
        [project.projectId, backtestId],
      );
      return rows[0].count;
    };
    await clearMatches(database, { ...claimed, leaseId: newId() }, async () => {});
    expect(await matches()).toBe(1);
    await clearMatches(database, claimed, async () => {});
    expect(await matches()).toBe(0);
    await BACKTEST_QUEUE.release(gateway.app.database.system, [claimed]);
    await gateway.app.settleBacktests(project.projectId);
  });

  it('replaces a dead runner, from the beginning', async () => {
    const project = await filled(3);
    const { id, backtestId } = await held(project);
    await system.query(
      `update backtests set claimable_at = now() - interval '1 second', examined = 2, matched = 2, total = 3
       where backtest_id = $1`,
      [backtestId],
    );
    await gateway.app.settleBacktests(project.projectId);
    expect(await find(project, id)).toMatchObject({ backtestState: 'DONE', examined: 3, matched: 3 });
  });

  it('of a killed process is replaced, and each match counts once', { timeout: 300_000 }, async () => {
    const database = await createTestDatabase();
    const first = await startGateway({ masterKey, database });
    const { projectId, key, ...project } = await first.project();
    for (const id of ['a', 'b', 'c']) await project.authenticate({ id });
    await first.close();
    let id: string | undefined;
    await killInside({
      database,
      masterKey,
      change: { table: 'backtests', when: "new.state = 'done'" },
      begin: async (baseUrl) => {
        id = (await start(projectClient(baseUrl, projectId, key), 'session.bot >= 0')).id;
      },
    });
    const next = await startGateway({ masterKey, database, worksInBackground: false });
    try {
      const heir = projectClient(next.baseUrl, projectId, key);
      await next.app.settleBacktests(projectId);
      expect(await find(heir, id!)).toMatchObject({ backtestState: 'RUNNING', examined: 3 });
      // As after 30 seconds.
      const text = 'update backtests set claimable_at = now() where project_id = $1';
      await next.app.database.system.query({ name: 'test.expire', text }, [projectId]);
      await next.app.settleBacktests(projectId);
      expect(await find(heir, id!)).toMatchObject({ backtestState: 'DONE', examined: 3, matched: 3 });
      const matches = 'select 1 from backtest_matches where project_id = $1';
      const found = await next.app.database.system.query({ name: 'test.matches', text: matches }, [
        projectId,
      ]);
      expect(found).toHaveLength(3);
    } finally {
      await next.close();
      await database.drop();
    }
  });

  it('ignores the backtest of a live runner', async () => {
    const project = await filled(1);
    const { id } = await held(project);
    await gateway.app.settleBacktests(project.projectId);
    expect(await find(project, id)).toMatchObject({ backtestState: 'RUNNING' });
  });

  it('shares the work with others: each backtest runs once', async () => {
    const project = await filled(2);
    const second = await startGateway({ masterKey, database: gateway.database });
    try {
      for (let round = 0; round < 5; round += 1) {
        const started = await Promise.all([1, 2, 3].map(() => start(project, 'session.bot >= 0')));
        await Promise.all([
          gateway.app.settleBacktests(project.projectId),
          second.app.settleBacktests(project.projectId),
        ]);
        // Each waited for its own runs; together these are all.
        for (const { id } of started)
          expect(await find(project, id)).toMatchObject({ backtestState: 'DONE', matched: 2 });
      }
    } finally {
      await second.close();
    }
  });
});

describe('canceling', () => {
  it('cancels a backtest, and later results of its runner are discarded', async () => {
    const project = await filled(1);
    const { id, backtestId } = await held(project);
    const claimed = await claimOf(project, backtestId);
    const { cancelBacktest } = await project.graphql(CANCEL, { id });
    expect(cancelBacktest.backtest).toMatchObject({
      id,
      backtestState: 'CANCELLED',
      finishedAt: expect.any(String),
    });
    const database = gateway.app.database.forProject(project.projectId);
    const counts = { examined: 9, matched: 9, skipped: 0, accounts: 9, sample: [] };
    expect(await saveProgress(database, claimed, 9, counts, [])).toBe(false);
    await finishBacktest(database, claimed, 'done', new Date(), { odd: 9 });
    await BACKTEST_QUEUE.release(gateway.app.database.system, [claimed]);
    await gateway.app.settleBacktests(project.projectId);
    const again = await project.graphql(CANCEL, { id });
    expect(again.cancelBacktest.backtest).toEqual(cancelBacktest.backtest);
  });

  it('does not change a completed backtest', async () => {
    const project = await filled(1);
    const done = await run(project, 'session.bot >= 0');
    expect((await project.graphql(CANCEL, { id: done.id })).cancelBacktest.backtest).toEqual(done);
  });
});

describe('a rejected backtest', () => {
  it('exceeds the limit of three pending or running ones', async () => {
    const project = await filled(1);
    const running = [await held(project), await held(project), await held(project)];
    const answers = await Promise.all(
      [1, 2, 3].map(() =>
        refusal(project, START, { input: { expression: 'session.bot >= 0', since: LONG_AGO } }),
      ),
    );
    for (const answer of answers) expect(answer).toMatchObject({ code: 'backtest.too_many', status: 409 });
    await project.graphql(CANCEL, { id: running[0].id });
    expect(await run(project, 'session.bot >= 0')).toMatchObject({ backtestState: 'DONE' });
  });

  it('has a wrong expression, an unknown list or an empty time range', async () => {
    const project = await gateway.project();
    for (const [changes, code] of [
      [{ expression: 'session.bto > 1' }, 'rule.expression_invalid'],
      [{ expression: 'lists MATCHES LIST "nowhere"' }, 'list.not_found'],
      [{ since: '2021-01-01T00:00:00.000Z', until: LONG_AGO }, 'input.invalid'],
      [{ since: LONG_AGO, until: LONG_AGO }, 'input.invalid'],
      [{ since: '2999-01-01T00:00:00.000Z' }, 'input.invalid'],
    ] as const) {
      const variables = { input: { expression: 'session.bot >= 0', since: LONG_AGO, ...changes } };
      expect(await refusal(project, START, variables)).toMatchObject({ code });
    }
    expect((await project.graphql('{ backtests { edges { node { id } } } }')).backtests.edges).toEqual([]);
  });

  it('requires a sufficient role, and a rule of the own project', async () => {
    const [project, other] = await Promise.all([filled(1), gateway.project()]);
    const { key } = await gateway.app.projects.createKey(project.projectId, 'server');
    const variables = { input: { expression: 'session.bot >= 0', since: LONG_AGO } };
    expect(await refusal(project.withKey(key), START, variables)).toMatchObject({ code: 'auth.forbidden' });
    const { id } = await run(project, 'session.bot >= 0');
    expect(await refusal(project.withKey(key), CANCEL, { id })).toMatchObject({ code: 'auth.forbidden' });
    expect(await find(project.withKey(key), id)).toMatchObject({ id });
    expect(await find(other, id)).toBeNull();
    expect(await refusal(other, CANCEL, { id })).toMatchObject({ code: 'backtest.not_found', status: 404 });
    expect(await refusal(other, CANCEL, { id: 'no id' })).toMatchObject({ code: 'backtest.not_found' });
    expect((await other.graphql('{ backtests { edges { node { id } } } }')).backtests.edges).toEqual([]);
  });
});
