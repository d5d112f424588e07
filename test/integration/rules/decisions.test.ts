import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { EVENTS_WITH_POSITIONS } from '../../support/outbox.ts';
import { connectAs } from '../../support/sql.ts';

let gateway: Gateway;
let system: pg.Client;

beforeAll(async () => {
  gateway = await startGateway();
  system = await connectAs(gateway.database, 'vouchgraph_system');
});
afterAll(async () => {
  await system.end();
  await gateway.close();
});

const BOT = { browser: { user_agent: 'curl/8.5.0' } };
const TRACE = `decision winner score suspiciousFrom fakeFrom byScore list { name effect source actor } rule { name version }`;

type NewRule = {
  expression: string;
  actions?: Record<string, string>[];
  trigger?: string;
  state?: string;
  name?: string;
};

async function createRule(project: TestProject, rule: NewRule): Promise<Body> {
  const input = { name: unique('rule'), trigger: 'ANY_SESSION', state: 'ENABLED', actions: [], ...rule };
  const { createRule: payload } = await project.graphql(
    'mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id ruleId name } } }',
    { input },
  );
  return payload.rule;
}

/** Authenticates over GraphQL; the decision with its trace. */
async function decide(project: TestProject, id: string, facts: Record<string, unknown> = {}, more = {}) {
  return decideOn(project, await project.session(facts), { accountId: id, ...more });
}

async function decideOn(project: TestProject, sessionId: string, account: Record<string, unknown>) {
  const { authenticateSession } = await project.graphql(
    `mutation ($input: AuthenticateSessionInput!) { authenticateSession(input: $input) {
       decision decisionId decisionTrace { ${TRACE} } rules { name version } flags
       account { decision multipleAccounts accountScore lists { name } decisionTrace { ${TRACE} } }
       session { sessionId } } }`,
    { input: { sessionId, account } },
  );
  return authenticateSession;
}

const decisionNode = ({ decisionId }: Body) => globalIdOf('Decision', decisionId);

async function events(project: TestProject, type: string): Promise<number> {
  const { rows } = await system.query(
    'select count(*)::int as count from outbox_events where project_id = $1 and type = $2',
    [project.projectId, type],
  );
  return rows[0].count;
}

async function matches(project: TestProject): Promise<Body[]> {
  const { rows } = await system.query(
    `select r.name, m.shadow, m.session_id, m.outcomes, m.version from rule_matches m
     join rules r using (project_id, rule_id) where m.project_id = $1 order by m.match_id`,
    [project.projectId],
  );
  return rows;
}

describe('the trace of a decision', () => {
  it('names the score, the list or the rule that determined it', async () => {
    const project = await gateway.project();
    const byScore = await decide(project, unique('bot'), BOT);
    expect(byScore.decisionTrace).toMatchObject({
      winner: 'SCORE',
      decision: 'FAKE',
      byScore: 'FAKE',
      list: null,
    });
    expect(byScore.decisionTrace.score).toBe(byScore.account.accountScore);

    const byList = await decide(project, unique('vip'), BOT, { lists: ['allow'] });
    expect(byList.decisionTrace).toMatchObject({
      winner: 'LIST',
      decision: 'REAL',
      byScore: 'FAKE',
      list: {
        name: 'allow',
        effect: 'ALLOW',
        source: 'API',
        actor: expect.stringMatching(/^vg_test_/),
      },
      rule: null,
    });
    expect(byList.account.decisionTrace).toEqual(byList.decisionTrace);

    const rule = await createRule(project, {
      expression: 'session.source = "web"',
      actions: [{ addToList: 'block' }],
    });
    const byRule = await decide(project, unique('ruled'));
    expect(byRule).toMatchObject({
      decision: 'FAKE',
      decisionTrace: {
        winner: 'RULE',
        byScore: 'REAL',
        list: { name: 'block', source: 'RULE', actor: `rule:${rule.name}` },
        rule: { name: rule.name, version: 1 },
      },
      account: { decision: 'FAKE', lists: [{ name: 'block' }] },
    });
  });

  it('is stored with its decision and has the same replay after any later changes', async () => {
    const project = await gateway.project();
    const rule = await createRule(project, {
      expression: 'session.bot > 0.5',
      actions: [{ addToList: 'block' }, { raiseFlag: 'script' }],
    });
    const id = unique('replayed');
    const decided = await decide(project, id, BOT);
    expect(decided).toMatchObject({ flags: ['script'], rules: [{ name: rule.name, version: 1 }] });

    await project.graphql(
      'mutation ($id: ID!) { updateRule(input: {id: $id, state: ARCHIVED}) { rule { id } } }',
      {
        id: rule.id,
      },
    );
    await project.graphql(
      'mutation { updateProjectSettings(input: {fakeFrom: 1, suspiciousFrom: 1}) { requestId } }',
    );
    await project.graphql(
      `mutation { removeAccountsFromList(input: {list: "block", accountIds: ["${id}"]}) { requestId } }`,
    );

    const { replayDecision, decision } = await project.graphql(
      `query ($id: ID!) {
         replayDecision(id: $id) { same decision otherWeights decisionTrace { ${TRACE} } rules { name version } original { id } }
         decision(id: $id) { id accountId sessionId decision firstSession decisionTrace { ${TRACE} } flags versions { rules thresholds account } }
       }`,
      { id: decisionNode(decided) },
    );
    expect(replayDecision).toEqual({
      same: true,
      decision: 'FAKE',
      otherWeights: [],
      decisionTrace: decided.decisionTrace,
      rules: decided.rules,
      original: { id: decisionNode(decided) },
    });
    expect(decision).toEqual({
      id: decisionNode(decided),
      accountId: id,
      sessionId: decided.session.sessionId,
      decision: 'FAKE',
      firstSession: true,
      decisionTrace: decided.decisionTrace,
      flags: ['script'],
      versions: { rules: 1, thresholds: 1, account: '1' },
    });
    const again = await decide(project, id, BOT);
    expect(again).toMatchObject({ decision: 'REAL', rules: [], flags: [] });
    const { account } = await project.graphql(
      'query ($id: ID!) { account(accountId: $id) { decisions(first: 1) { edges { cursor node { id } } pageInfo { hasNextPage endCursor } } } }',
      { id },
    );
    expect(account.decisions.edges[0].node.id).toBe(decisionNode(again));
    const { account: rest } = await project.graphql(
      'query ($id: ID!, $after: String) { account(accountId: $id) { decisions(first: 5, after: $after) { edges { node { id } } } } }',
      { id, after: account.decisions.pageInfo.endCursor },
    );
    expect(rest.decisions.edges).toEqual([{ node: { id: decisionNode(decided) } }]);
  });

  it('is hidden from other projects, and is deleted with its account', async () => {
    const [project, other] = [await gateway.project(), await gateway.project()];
    await createRule(project, { expression: 'session.source = "web"', actions: [{ raiseFlag: 'seen' }] });
    const id = unique('erased');
    const { decisionId } = await decide(project, id);
    const query = 'query ($id: ID!) { decision(id: $id) { id } }';
    expect(await other.graphql(query, { id: globalIdOf('Decision', decisionId) })).toEqual({
      decision: null,
    });
    const { body } = await other.rawGraphql('query ($id: ID!) { replayDecision(id: $id) { same } }', {
      id: globalIdOf('Decision', decisionId),
    });
    expect(body.errors[0].extensions.code).toBe('decision.not_found');

    await project.rest('DELETE', `/account/${id}`);
    expect(await project.graphql(query, { id: globalIdOf('Decision', decisionId) })).toEqual({
      decision: null,
    });
    expect(await matches(project)).toEqual([]);
    for (const table of ['decisions', 'rule_matches']) {
      const { rows } = await system.query(`select 1 from ${table} where project_id = $1`, [
        project.projectId,
      ]);
      expect(rows).toEqual([]);
    }
  });
});

it('lists that a request or a rule changes write audit entries', async () => {
  const project = await gateway.project();
  const rule = await createRule(project, {
    expression: 'session.source = "web"',
    actions: [{ addToList: 'block' }],
  });
  const [id, list] = [unique('audited'), unique('list')];
  await decide(project, id, {}, { lists: [list] });
  const { auditLog } = await project.graphql(
    'query ($id: ID!) { auditLog(accountId: $id, first: 10) { edges { node { actor action target } } } }',
    { id },
  );
  const lines = auditLog.edges.map(({ node }: Body) => node);
  expect(lines).toHaveLength(2);
  expect(lines).toContainEqual({
    actor: expect.stringMatching(/^vg_test_/),
    action: 'LIST_ADD_ACCOUNTS',
    target: `list:${list}`,
  });
  expect(lines).toContainEqual({
    actor: `rule:${rule.name}`,
    action: 'LIST_ADD_ACCOUNTS',
    target: 'list:block',
  });
});

describe('lists that change during a decision', () => {
  async function listEvents(project: TestProject): Promise<string[]> {
    await gateway.app.settleEvents();
    const { rows } = await system.query(
      `select type from ${EVENTS_WITH_POSITIONS} where project_id = $1 and type like 'list.%' order by position`,
      [project.projectId],
    );
    return rows.map(({ type }) => type);
  }

  it('are reported as expired, and as added again, when the membership was not removed yet', async () => {
    const project = await gateway.project();
    const [id, other] = [unique('again'), unique('other')];
    await decide(project, id, {}, { lists: ['vip'] });
    await decide(project, other, {}, { lists: ['vip'] });
    // The events are the same whether the job runs first or not.
    await system.query(
      `update list_members set expires_at = now() - interval '1 minute' where project_id = $1`,
      [project.projectId],
    );
    expect((await decide(project, id, {}, { lists: ['vip'] })).account.lists).toEqual([{ name: 'vip' }]);
    await project.graphql(
      `mutation { addAccountsToList(input: {list: "vip", accountIds: ["${other}"]}) { requestId } }`,
    );
    const types = await listEvents(project);
    expect(types.filter((type) => type === 'list.account_added')).toHaveLength(4);
    expect(types.filter((type) => type === 'list.account_removed')).toHaveLength(2);
    const { list } = await project.graphql(
      '{ list(name: "vip") { memberCount members(first: 5) { edges { expiresAt } } } }',
    );
    expect(list).toEqual({ memberCount: 2, members: { edges: [{ expiresAt: null }, { expiresAt: null }] } });
  });

  it('are created once, with one audit entry, when many requests name a new list concurrently', async () => {
    const project = await gateway.project();
    const name = unique('new');
    const answers = await Promise.all(
      Array.from({ length: 12 }, () => decide(project, unique('maker'), {}, { lists: [name] })),
    );
    expect(answers.map(({ account }) => account.lists)).toEqual(answers.map(() => [{ name }]));
    const { auditLog } = await project.graphql(
      'query ($target: String!) { auditLog(first: 50, filter: { target: $target }) { edges { node { action } } } }',
      { target: `list:${name}` },
    );
    const actions = auditLog.edges.map(({ node }: Body) => node.action);
    expect(actions.filter((action: string) => action === 'LIST_CREATE')).toHaveLength(1);
    expect(actions.filter((action: string) => action === 'LIST_ADD_ACCOUNTS')).toHaveLength(12);
  });

  it('apply the effect that a concurrent change sets on a new list', async () => {
    const project = await gateway.project();
    for (let round = 0; round < 8; round += 1) {
      const [name, id] = [unique('fresh'), unique('early')];
      const create = project.rawGraphql(
        `mutation { createList(input: {name: "${name}", effect: BLOCK}) { list { name } } }`,
      );
      const [decided] = await Promise.all([decide(project, id, {}, { lists: [name] }), create]);
      const { list } = await project.graphql(`{ list(name: "${name}") { effect } }`);
      expect(decided.decision).toBe(list.effect === 'BLOCK' ? 'FAKE' : 'REAL');
    }
  });
});

describe('rules on sessions', () => {
  it('match immediately, act on lists, emit events, and record the session', async () => {
    const project = await gateway.project();
    const [rule, id] = [
      await createRule(project, {
        expression: 'account.email.disposable AND session.source = "web"',
        actions: [{ addToList: 'block' }, { raiseFlag: 'throw_away' }, { emitEvent: 'look_here' }],
      }),
      unique('shady'),
    ];
    const clean = await decide(project, unique('clean'), {}, { email: `${unique('a')}@example.org` });
    expect(clean).toMatchObject({ rules: [], flags: [], account: { lists: [] } });
    const { session, ...decided } = await decide(project, id, {}, { email: `${unique('b')}@mailinator.com` });
    expect(decided).toMatchObject({
      decision: 'FAKE',
      rules: [{ name: rule.name, version: 1 }],
      flags: ['throw_away'],
      account: { lists: [{ name: 'block' }] },
    });
    expect(await matches(project)).toEqual([
      {
        name: rule.name,
        version: 1,
        shadow: false,
        session_id: session.sessionId,
        outcomes: [
          { addToList: 'block', outcome: 'DONE' },
          { raiseFlag: 'throw_away', outcome: 'DONE' },
          { emitEvent: 'look_here', outcome: 'DONE' },
        ],
      },
    ]);
    expect(await events(project, 'rule.triggered')).toBe(1);
    expect(await events(project, 'rule.custom')).toBe(1);
    expect(await events(project, 'list.account_added')).toBe(1);

    // The same pair again: decided again, emitted and recorded once.
    expect(await decideOn(project, session.sessionId, { accountId: id })).toMatchObject({
      decision: 'FAKE',
      rules: [{ name: rule.name }],
    });
    expect(await matches(project)).toHaveLength(1);
    expect(await events(project, 'rule.triggered')).toBe(1);
    expect(await events(project, 'rule.custom')).toBe(1);
    expect(await events(project, 'list.account_added')).toBe(1);
  });

  it('in shadow are recorded and never act', async () => {
    const project = await gateway.project();
    const rule = await createRule(project, {
      state: 'SHADOW',
      expression: 'session.source = "web"',
      actions: [{ addToList: 'block' }, { raiseFlag: 'odd' }],
    });
    expect(await decide(project, unique('tried'))).toMatchObject({
      decision: 'REAL',
      rules: [],
      flags: [],
      account: { lists: [] },
    });
    expect(await matches(project)).toMatchObject([
      {
        name: rule.name,
        shadow: true,
        outcomes: [
          { addToList: 'block', outcome: 'DONE' },
          { raiseFlag: 'odd', outcome: 'DONE' },
        ],
      },
    ]);
    expect(await events(project, 'rule.triggered')).toBe(0);
  });

  it.each(['DRAFT', 'DISABLED'])('in state %s are not evaluated', async (state) => {
    const project = await gateway.project();
    await createRule(project, {
      state,
      expression: 'session.source = "web"',
      actions: [{ addToList: 'block' }],
    });
    expect((await decide(project, unique('free'))).account.lists).toEqual([]);
    expect(await matches(project)).toEqual([]);
  });

  it('that are paused are not evaluated until they are resumed', async () => {
    const project = await gateway.project();
    const { id } = await createRule(project, {
      expression: 'session.source = "web"',
      actions: [{ raiseFlag: 'on' }],
    });
    const pause = (paused: boolean) =>
      project.graphql(
        'mutation ($id: ID!, $paused: Boolean!) { updateRule(input: {id: $id, paused: $paused}) { rule { version } } }',
        {
          id,
          paused,
        },
      );
    await pause(true);
    expect((await decide(project, unique('a'))).flags).toEqual([]);
    await pause(false);
    expect(await decide(project, unique('a'))).toMatchObject({ flags: ['on'], rules: [{ version: 3 }] });
  });

  it('for first sessions are evaluated once for each account', async () => {
    const project = await gateway.project();
    await createRule(project, {
      trigger: 'FIRST_SESSION',
      expression: 'session.is_first',
      actions: [{ raiseFlag: 'first' }],
    });
    const id = unique('new');
    expect((await decide(project, id)).flags).toEqual(['first']);
    expect((await decide(project, id)).flags).toEqual([]);
  });

  it('for verifications ignore sessions', async () => {
    const project = await gateway.project();
    await createRule(project, {
      trigger: 'ID_CHECK_COMPLETED',
      expression: 'session.source = "web"',
      actions: [{ raiseFlag: 'never' }],
    });
    expect((await decide(project, unique('a'))).flags).toEqual([]);
  });

  it('never match unknown values', async () => {
    const project = await gateway.project();
    await createRule(project, { expression: 'verification.id_age < 18', actions: [{ raiseFlag: 'minor' }] });
    await createRule(project, {
      expression: 'NOT (account.email.num_account_from_domain > 3)',
      actions: [{ raiseFlag: 'few' }],
    });
    expect((await decide(project, unique('unknown'))).flags).toEqual([]);
    expect(
      (await decide(project, unique('known'), {}, { email: `${unique('c')}@rare.example.org` })).flags,
    ).toEqual(['few']);
  });

  it('count accounts of a device, and sessions, at the time of the session', async () => {
    const project = await gateway.project();
    await createRule(project, {
      expression: 'velocity.accounts_per_device_1d >= 3',
      actions: [{ raiseFlag: 'many_accounts' }],
    });
    await createRule(project, { expression: 'velocity.sessions_1h >= 2', actions: [{ raiseFlag: 'hasty' }] });
    const device = { device_id: unique('device') };
    const old = { ...device, start_time: new Date(Date.now() - 3 * 86_400_000).toISOString() };
    await decide(project, unique('long-ago'), old);
    const first = unique('one');
    expect((await decide(project, first, device)).flags).toEqual([]);
    expect((await decide(project, unique('two'), device)).flags).toEqual([]);
    expect((await decide(project, unique('three'), device)).flags).toEqual(['many_accounts']);
    expect((await decide(project, first, device)).flags).toEqual(['many_accounts', 'hasty']);
    expect((await decide(project, first)).flags).toEqual(['hasty']);
  });

  it('detect a device that is new to the account', async () => {
    const project = await gateway.project();
    await createRule(project, {
      expression: 'session.is_new_device AND NOT session.is_first',
      actions: [{ raiseFlag: 'new_device' }],
    });
    const [id, one, two] = [unique('mover'), { device_id: unique('one') }, { device_id: unique('two') }];
    expect((await decide(project, id, one)).flags).toEqual([]);
    expect((await decide(project, id, one)).flags).toEqual([]);
    const { session, flags } = await decide(project, id, two);
    expect(flags).toEqual(['new_device']);
    expect((await decideOn(project, session.sessionId, { accountId: id })).flags).toEqual(['new_device']);
    expect((await decide(project, id, two)).flags).toEqual([]);
  });

  it('are named by the trace when they make an account a main account and its score changes the decision', async () => {
    const project = await gateway.project();
    const phone = '+14155550188';
    for (const name of ['a', 'b', 'c']) await decide(project, unique(name), {}, { phone });
    const suspicious = await decide(project, unique('d'), {}, { phone });
    expect(suspicious.decision).toBe('SUSPICIOUS');
    const rule = await createRule(project, {
      expression: 'account.multiple_accounts > 0',
      actions: [{ addToList: 'main_account' }],
    });
    expect((await decide(project, unique('e'), {}, { phone })).decisionTrace).toMatchObject({
      decision: 'REAL',
      winner: 'RULE',
      rule: { name: rule.name },
      list: null,
    });
  });

  it('act in their order, and no rule removes an account from allow', async () => {
    const project = await gateway.project();
    await createRule(project, { expression: 'session.source = "web"', actions: [{ addToList: 'block' }] });
    await createRule(project, {
      expression: 'session.source = "web"',
      actions: [{ addToList: 'main_account' }],
    });
    expect((await decide(project, unique('both'))).account.lists).toEqual([{ name: 'main_account' }]);
    const kept = await decide(project, unique('vip'), BOT, { lists: ['allow'] });
    expect(kept).toMatchObject({ decision: 'REAL', decisionTrace: { winner: 'LIST' } });
    expect(kept.account.lists).toEqual([{ name: 'allow' }]);
  });

  it('that make an account a main account exclude several accounts from its score', async () => {
    const project = await gateway.project();
    const phone = '+14155550177';
    await decide(project, unique('a'), {}, { phone });
    const second = await decide(project, unique('b'), {}, { phone });
    expect(second.account.multipleAccounts).toBeGreaterThan(0);
    await createRule(project, {
      expression: 'account.multiple_accounts > 0',
      actions: [{ addToList: 'main_account' }],
    });
    const third = await decide(project, unique('c'), {}, { phone });
    expect(third.account).toMatchObject({ multipleAccounts: 0, accountScore: third.decisionTrace.score });
    const { replayDecision } = await project.graphql(
      'query ($id: ID!) { replayDecision(id: $id) { same } }',
      {
        id: decisionNode(third),
      },
    );
    expect(replayDecision.same).toBe(true);
  });

  it('changed by one gateway are used by another with the next session', async () => {
    const project = await gateway.project();
    const { ruleId } = await createRule(project, {
      expression: 'session.source = "web"',
      actions: [{ raiseFlag: 'one' }],
    });
    expect((await decide(project, unique('a'))).flags).toEqual(['one']);
    // The state that another process would leave.
    await system.query('update projects set rules_version = rules_version + 1 where project_id = $1', [
      project.projectId,
    ]);
    await system.query(
      `update rules set actions = '[{"addToList":"block"}]', version = version + 1 where rule_id = $1`,
      [ruleId],
    );
    expect(await decide(project, unique('b'))).toMatchObject({
      flags: [],
      rules: [{ version: 2 }],
      account: { lists: [{ name: 'block' }] },
    });
  });

  it('match and act once when the same session is authenticated twenty times concurrently', async () => {
    const project = await gateway.project();
    await createRule(project, {
      expression: 'session.source = "web"',
      actions: [{ addToList: 'block' }, { emitEvent: 'once' }],
    });
    const [id, sessionId] = [unique('racer'), await project.session()];
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => decideOn(project, sessionId, { accountId: id })),
    );
    expect(answers.every(({ decision }) => decision === 'FAKE')).toBe(true);
    expect(await matches(project)).toHaveLength(1);
    expect(await events(project, 'rule.triggered')).toBe(1);
    expect(await events(project, 'rule.custom')).toBe(1);
    expect(await events(project, 'list.account_added')).toBe(1);
  });
});
