import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import {
  authenticateOn,
  createRule,
  matchesOf,
  outcomesOf,
  refusedRule,
  replay,
} from '../../support/rules.ts';
import { expectPresentStandings } from '../../support/standings.ts';
import { playedVerification } from '../../support/verification.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const INSIDE = { ip_address: '90.54.1.7' };
const OUTSIDE = { ip_address: '90.54.2.7' };
const EXPRESSION = 'session.ip_address IN NETWORK "90.54.1.0/24"';

const ruleThat = (project: TestProject, ...actions: Body[]) =>
  createRule(project, { expression: EXPRESSION, actions });

async function visit(project: TestProject, accountId: string, facts: Body = INSIDE, more: Body = {}) {
  return authenticateOn(project, await project.session(facts), { accountId, ...more });
}

/** The account as currently read. */
async function stateOf(project: TestProject, accountId: string): Promise<Body> {
  const { account } = await project.graphql(
    `query ($id: ID!) { account(accountId: $id) {
       decision decisionTrace { winner rule { name } requiredVerification { kind ruleName } } } }`,
    { id: accountId },
  );
  return account;
}

/** Events of a type on an account, under the names of webhooks. */
async function eventsOf(project: TestProject, accountId: string, type = 'RULE_TRIGGERED'): Promise<Body[]> {
  await gateway.app.settleEvents();
  const { events } = await project.graphql(
    'query ($id: ID, $types: [EventType!]) { events(accountId: $id, types: $types, first: 100) { edges { node { data } } } }',
    { id: accountId, types: [type] },
  );
  return events.edges.map(({ node }: Body) => node.data);
}

/** A simulated check of the account that completed. */
const check = (project: TestProject, kind: 'id' | 'face', accountId?: string) =>
  playedVerification(gateway, project, {
    simulate: 'success',
    simulate_decision: 'Real',
    ...(kind === 'id' ? { id: 'true' } : {}),
    ...(accountId ? { account_id: accountId } : {}),
  });

const required = async (project: TestProject, accountId: string) =>
  (await stateOf(project, accountId)).decisionTrace.requiredVerification;

describe('a rule that decides Suspicious', () => {
  it('applies when the score decides Real, until a session that it does not match', async () => {
    const project = await gateway.project();
    // Two addresses of one account are a risk themselves.
    await project.graphql(
      'mutation { updateProjectSettings(input: { suspiciousFrom: 0.9, fakeFrom: 0.95 }) { requestId } }',
    );
    const rule = await ruleThat(project, { decide: 'SUSPICIOUS' });
    const accountId = unique('watched');
    const decided = await visit(project, accountId);
    const trace = { winner: 'RULE', byScore: 'REAL', list: null, rule: { name: rule.name, version: 1 } };
    expect(decided).toMatchObject({
      decision: 'SUSPICIOUS',
      decisionTrace: trace,
      decisionRecord: { decisionTrace: trace },
      account: { decision: 'SUSPICIOUS', decisionTrace: trace, lists: [] },
    });
    expect(outcomesOf((await matchesOf(project, rule.id))[0]!)).toEqual([['decide', 'SUSPICIOUS', 'DONE']]);
    expect(await replay(project, decided.decisionRecord.id)).toMatchObject({
      same: true,
      decision: 'SUSPICIOUS',
    });
    const [event] = await eventsOf(project, accountId);
    expect(event).toMatchObject({ actions: [{ decide: 'Suspicious', outcome: 'DONE' }] });
    expect((await eventsOf(project, accountId, 'ACCOUNT_AUTHENTICATED'))[0]).toMatchObject({
      decision: 'Suspicious',
    });

    // A change without a session keeps it, a repeated request makes it again.
    await project.rest('PUT', `/account/${accountId}`, { first_name: 'Jane' });
    expect(await stateOf(project, accountId)).toMatchObject({
      decision: 'SUSPICIOUS',
      decisionTrace: { winner: 'RULE', rule: { name: rule.name } },
    });
    const again = await authenticateOn(project, decided.session.sessionId, { accountId });
    expect(again).toMatchObject({ decision: 'SUSPICIOUS', decisionTrace: trace });
    expect(await matchesOf(project, rule.id)).toHaveLength(1);
    expect(await eventsOf(project, accountId)).toHaveLength(1);

    expect(await visit(project, accountId, OUTSIDE)).toMatchObject({
      decision: 'REAL',
      decisionTrace: { winner: 'SCORE', rule: null },
    });
    expect(await stateOf(project, accountId)).toMatchObject({ decision: 'REAL' });
    expect((await replay(project, again.decisionRecord.id)).same).toBe(true);
  });

  it('is applied after lists and a worse score', async () => {
    const project = await gateway.project();
    const rule = await ruleThat(project, { decide: 'SUSPICIOUS' });
    const bot = { ...INSIDE, browser: { user_agent: 'curl/8.5.0' } };
    const cases: [Body, Body, string, string][] = [
      [INSIDE, { lists: ['allow'] }, 'REAL', 'LIST'],
      [INSIDE, { lists: ['block'] }, 'FAKE', 'LIST'],
      [bot, {}, 'FAKE', 'SCORE'],
    ];
    for (const [facts, more, decision, winner] of cases) {
      const decided = await visit(project, unique('other'), facts, more);
      expect(decided).toMatchObject({ decision, decisionTrace: { winner, rule: null } });
      const [latest] = await matchesOf(project, rule.id);
      expect(outcomesOf(latest!)).toEqual([['decide', 'SUSPICIOUS', 'NOTHING_TO_DO']]);
      expect((await replay(project, decided.decisionRecord.id)).same).toBe(true);
    }
    const blocking = await gateway.project();
    const { name } = await ruleThat(blocking, { addToList: 'block' });
    await ruleThat(blocking, { decide: 'SUSPICIOUS' });
    expect(await visit(blocking, unique('blocked'))).toMatchObject({
      decision: 'FAKE',
      decisionTrace: { winner: 'RULE', rule: { name } },
    });
  });

  it('orders accounts by it, also after a recalculation of the standing', async () => {
    const project = await gateway.project();
    await ruleThat(project, { decide: 'SUSPICIOUS' });
    const accountId = unique('standing');
    await visit(project, accountId);
    // A list without an effect leaves the decision, and has it recalculated.
    const list = unique('list');
    await project.rest('POST', `/list/${list}`, { list_description: '' });
    await project.rest('POST', `/list/${list}/account/${accountId}`);
    await gateway.app.recalculateLinks(project.projectId);
    const accounts = await expectPresentStandings(gateway.database, project);
    expect(accounts.get(accountId)).toMatchObject({ decision: 'SUSPICIOUS' });
  });

  it('is Suspicious on REST, and Real in a project with two decisions', async () => {
    const project = await gateway.project();
    await ruleThat(project, { decide: 'SUSPICIOUS' });
    const decisionWhere = async (twoValuedDecision: boolean) => {
      await project.graphql(
        `mutation { updateProjectSettings(input: { twoValuedDecision: ${twoValuedDecision} }) { requestId } }`,
      );
      return (await project.authenticate({ id: unique('rest') }, INSIDE)).decision;
    };
    expect(await decisionWhere(false)).toBe('Suspicious');
    expect(await decisionWhere(true)).toBe('Real');
  });
});

describe('a rule that requires a verification', () => {
  it('appears in every response until a check of the kind completes', async () => {
    const project = await gateway.project();
    const rule = await ruleThat(project, { requireVerification: 'ID_CHECK' });
    const accountId = unique('asked');
    const requirement = { kind: 'ID_CHECK', ruleName: rule.name, ruleId: rule.ruleId };
    const decided = await visit(project, accountId);
    expect(decided).toMatchObject({
      decision: 'REAL',
      requiredVerification: requirement,
      decisionTrace: { requiredVerification: requirement, winner: 'SCORE' },
      decisionRecord: { decisionTrace: { requiredVerification: requirement } },
      account: { decisionTrace: { requiredVerification: requirement } },
    });
    expect(outcomesOf((await matchesOf(project, rule.id))[0]!)).toEqual([
      ['requireVerification', 'ID_CHECK', 'DONE'],
    ]);
    expect((await eventsOf(project, accountId))[0]).toMatchObject({
      rule: rule.name,
      actions: [{ requireVerification: 'id', outcome: 'DONE' }],
    });

    // Also of a session that the rule does not match, over both interfaces.
    const elsewhere = await visit(project, accountId, OUTSIDE);
    expect(elsewhere).toMatchObject({ rules: [], requiredVerification: requirement });
    const body = await project.authenticate({ id: accountId }, OUTSIDE);
    expect(body.required_verification).toEqual({ kind: 'id', rule_name: rule.name });

    // A face check is not enough.
    await check(project, 'face', accountId);
    expect(await required(project, accountId)).not.toBeNull();
    const verified = await check(project, 'id', accountId);
    expect(await required(project, accountId)).toBeNull();

    // It is not required again: not in the session in which the rule acted, nor in that of the check.
    for (const sessionId of [decided.session.sessionId, verified])
      expect(await authenticateOn(project, sessionId, { accountId })).toMatchObject({
        requiredVerification: null,
      });
    const after = await project.authenticate({ id: accountId }, OUTSIDE);
    expect(after).not.toHaveProperty('required_verification');
    // In a new session the rule acts again.
    expect(await visit(project, accountId)).toMatchObject({ requiredVerification: requirement });
    for (const { decisionRecord } of [decided, elsewhere])
      expect((await replay(project, decisionRecord.id)).same).toBe(true);
  });

  it('is met by a check that is bound later, and not by an earlier one', async () => {
    const project = await gateway.project();
    await ruleThat(project, { requireVerification: 'FACE_CHECK' });
    const accountId = unique('asked');
    const early = await check(project, 'face');
    expect(await authenticateOn(project, early, { accountId })).toMatchObject({ requiredVerification: null });
    expect((await visit(project, accountId)).requiredVerification).toMatchObject({ kind: 'FACE_CHECK' });
    expect((await authenticateOn(project, early, { accountId })).requiredVerification).not.toBeNull();
    expect(await required(project, accountId)).not.toBeNull();

    const late = await check(project, 'id');
    expect(await required(project, accountId)).not.toBeNull();
    const bound = await authenticateOn(project, late, { accountId });
    expect(bound.requiredVerification).toBeNull();
    expect(await required(project, accountId)).toBeNull();
    expect((await replay(project, bound.decisionRecord.id)).same).toBe(true);
  });

  it('is not applied to an account on an allow list', async () => {
    const project = await gateway.project();
    const rule = await ruleThat(project, { requireVerification: 'ID_CHECK' });
    const allowed = unique('allowed');
    expect((await visit(project, allowed, INSIDE, { lists: ['allow'] })).requiredVerification).toBeNull();
    expect(outcomesOf((await matchesOf(project, rule.id))[0]!)[0]![2]).toBe('NOTHING_TO_DO');

    const later = unique('later');
    await visit(project, later);
    expect(await required(project, later)).not.toBeNull();
    await project.rest('POST', `/list/allow/account/${later}`);
    expect(await required(project, later)).toBeNull();
  });

  it('ends with its rule at the next session', async () => {
    const project = await gateway.project();
    const rule = await ruleThat(project, { requireVerification: 'ID_CHECK' });
    const accountId = unique('asked');
    const first = await visit(project, accountId);
    await project.graphql(
      'mutation ($id: ID!) { updateRule(input: { id: $id, state: DISABLED }) { requestId } }',
      { id: rule.id },
    );
    expect((await visit(project, accountId, OUTSIDE)).requiredVerification).toBeNull();
    expect(await required(project, accountId)).toBeNull();
    expect((await replay(project, first.decisionRecord.id)).same).toBe(true);
  });

  it('requires the strongest of several requirements', async () => {
    const project = await gateway.project();
    const face = await ruleThat(project, { requireVerification: 'FACE_CHECK' });
    const id = await ruleThat(project, { requireVerification: 'ID_CHECK' });
    const last = await ruleThat(project, { requireVerification: 'FACE_CHECK' });
    const decided = await visit(project, unique('asked'));
    expect(decided.requiredVerification).toMatchObject({ kind: 'ID_CHECK', ruleName: id.name });
    const outcomes = await Promise.all(
      [face, id, last].map(async (rule) => outcomesOf((await matchesOf(project, rule.id))[0]!)[0]![2]),
    );
    expect(outcomes).toEqual(['DONE', 'DONE', 'NOTHING_TO_DO']);
  });
});

it('rules in shadow have no effect, and both report their actions', async () => {
  const project = await gateway.project();
  const actions = [{ decide: 'SUSPICIOUS' }, { requireVerification: 'FACE_CHECK' }, { raiseFlag: 'seen' }];
  const rule = await createRule(project, { expression: EXPRESSION, actions, state: 'SHADOW' });
  const accountId = unique('shadow');
  expect(await visit(project, accountId)).toMatchObject({
    decision: 'REAL',
    requiredVerification: null,
    flags: [],
    rules: [],
    account: { decision: 'REAL', decisionTrace: { requiredVerification: null } },
  });
  expect(outcomesOf((await matchesOf(project, rule.id))[0]!)).toEqual([
    ['decide', 'SUSPICIOUS', 'WOULD_DO'],
    ['requireVerification', 'FACE_CHECK', 'WOULD_DO'],
    ['raiseFlag', 'seen', 'WOULD_DO'],
  ]);
  expect(await eventsOf(project, accountId)).toEqual([]);
});

it('two concurrent requests act once, with the same result', async () => {
  const project = await gateway.project();
  const rule = await ruleThat(project, { decide: 'SUSPICIOUS' }, { requireVerification: 'ID_CHECK' });
  const accountId = unique('hurried');
  const sessionId = await project.session(INSIDE);
  const answers = await Promise.all(
    Array.from({ length: 8 }, () => authenticateOn(project, sessionId, { accountId })),
  );
  for (const answer of answers)
    expect(answer).toMatchObject({
      decision: 'SUSPICIOUS',
      requiredVerification: { kind: 'ID_CHECK', ruleName: rule.name },
    });
  expect(await matchesOf(project, rule.id)).toHaveLength(1);
  expect(await eventsOf(project, accountId)).toHaveLength(1);
});

it('rules of another project decide and require nothing', async () => {
  const [project, other] = [await gateway.project(), await gateway.project()];
  await ruleThat(other, { decide: 'SUSPICIOUS' }, { requireVerification: 'ID_CHECK' });
  const accountId = unique('same');
  await visit(other, accountId);
  expect(await visit(project, accountId)).toMatchObject({
    decision: 'REAL',
    requiredVerification: null,
    rules: [],
  });
  expect(await required(project, accountId)).toBeNull();
});

describe('invalid actions', () => {
  it.each([
    [
      [{ requireVerification: 'ID_CHECK' }, { requireVerification: 'FACE_CHECK' }],
      /must not repeat another action/,
    ],
    [[{ decide: 'SUSPICIOUS' }, { decide: 'SUSPICIOUS' }], /must not repeat another action/],
    [[{ decide: 'FAKE' }], /RuleDecision/],
    [[{ decide: null }], /decide/],
    [[{ requireVerification: 'PASSPORT' }], /VerificationKind/],
    [[{ decide: 'SUSPICIOUS', requireVerification: 'ID_CHECK' }], /[Ee]xactly one/],
  ])('%j are rejected', async (actions, message) => {
    const project = await gateway.project();
    expect((await refusedRule(project, { expression: EXPRESSION, actions })).message).toMatch(message);
  });
});
