import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { internalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { enroll, playedVerification, verifyFace, verifyId } from '../../support/verification.ts';

let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const fresh = async () => {
  project = await gateway.project();
};
const played = (query: Record<string, string>) =>
  playedVerification(gateway, project, { simulate: 'success', ...query });
const put = (account: string, list: string, method = 'POST') =>
  project.rest(method, `/list/${list}/account/${account}`);
const makeList = (name: string, effect: string | null) =>
  project.graphql('mutation ($input: CreateListInput!) { createList(input: $input) { requestId } }', {
    input: { name, effect },
  });
const ENABLED = { state: 'ENABLED' };
const makeRule = async (input: Body): Promise<string> =>
  (
    await project.graphql(
      'mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id } } }',
      {
        input,
      },
    )
  ).createRule.rule.id;
const updateRule = (id: string, changes: Body) =>
  project.graphql('mutation ($input: UpdateRuleInput!) { updateRule(input: $input) { requestId } }', {
    input: { id, ...changes },
  });
const matchesOf = async (account: string): Promise<Body[]> => {
  await gateway.app.settleEvents();
  const { events } = await project.graphql(
    'query ($id: ID) { events(accountId: $id, types: [RULE_TRIGGERED], first: 100) { edges { node { data sessionId } } } }',
    { id: account },
  );
  return events.edges.map(({ node }: Body) => node);
};

describe.each([
  ['id', verifyId, { id: 'true' }],
  ['face', verifyFace, {}],
] as const)('lists decide on a check (%s)', (_, verify, kind) => {
  it('on every call, and do not change the score', async () => {
    await fresh();
    const account = unique('listed');
    const session = await played({ ...kind, simulate_decision: 'Suspicious', account_id: account });
    const decided = async () => {
      const { decision, risk_score, lists } = (await verify(project, session)).body;
      expect(risk_score).toBe(0.5);
      return [decision, lists];
    };
    expect(await decided()).toEqual(['Suspicious', []]);
    await put(account, 'block');
    expect(await decided()).toEqual(['Fake', ['block']]);
    await put(account, 'allow');
    expect(await decided()).toEqual(['Real', ['allow']]);
    await put(account, 'main_account');
    expect(await decided()).toEqual(['Suspicious', ['main_account']]);
    await put(account, 'main_account', 'DELETE');
    expect(await decided()).toEqual(['Suspicious', []]);
  });

  it('by their effects, block before allow', async () => {
    await fresh();
    const account = unique('effects');
    const session = await played({ ...kind, simulate_decision: 'Suspicious', account_id: account });
    const decided = async () => {
      const { decision, lists } = (await verify(project, session)).body;
      return [decision, lists.toSorted()];
    };
    await makeList('plain', null);
    await makeList('friends', 'ALLOW');
    await makeList('enemies', 'BLOCK');
    await put(account, 'plain');
    expect(await decided()).toEqual(['Suspicious', ['plain']]);
    await put(account, 'friends');
    expect(await decided()).toEqual(['Real', ['friends', 'plain']]);
    await put(account, 'enemies');
    expect(await decided()).toEqual(['Fake', ['enemies', 'friends', 'plain']]);
    await put(account, 'enemies', 'DELETE');
    await put(account, 'block');
    expect(await decided()).toEqual(['Fake', ['block', 'friends', 'plain']]);
  });

  it('of an account that is already on a list, immediately, and are part of the event', async () => {
    await fresh();
    const account = unique('before');
    await project.authenticate({ id: account, lists: ['block'] });
    const session = await played({ ...kind, simulate_decision: 'Real', account_id: account });
    expect((await verify(project, session)).body).toMatchObject({
      decision: 'Fake',
      risk_score: 0.1,
      lists: ['block'],
    });
    const { verification } = await project.graphql(
      'query ($id: ID!) { verification(sessionId: $id) { decision rawDecision listNames } }',
      { id: session },
    );
    expect(verification).toEqual({ decision: 'FAKE', rawDecision: 'REAL', listNames: ['block'] });
    await gateway.app.settleEvents();
    const { events } = await project.graphql(
      `query ($id: ID) { events(sessionId: $id, first: 100,
         types: [VERIFICATION_ID_CHECK_COMPLETED, VERIFICATION_FACE_CHECK_COMPLETED]) { edges { node { data } } } }`,
      { id: session },
    );
    expect(events.edges.map(({ node }: Body) => [node.data.decision, node.data.lists])).toEqual([
      ['Fake', ['block']],
    ]);
  });

  it('and are empty without an account', async () => {
    await fresh();
    const session = await played({ ...kind, simulate_decision: 'Real' });
    expect((await verify(project, session)).body).toMatchObject({ decision: 'Real', lists: [], rules: [] });
  });
});

describe('a rule', () => {
  const young = { id: 'true', simulate_decision: 'Real', simulate_risk_flags: 'id_age_below_16' };
  const tooYoung = {
    name: 'too young',
    trigger: 'ID_CHECK_COMPLETED',
    expression: 'verification.id_age < 18',
    actions: [{ addToList: 'block' }],
    ...ENABLED,
  };

  it('adds the account of an ID check to a list, and the response contains it', async () => {
    await fresh();
    const ruleId = await makeRule(tooYoung);
    const account = unique('young');
    const session = await played({ ...young, account_id: account });
    expect((await verifyId(project, session)).body).toMatchObject({
      decision: 'Fake',
      risk_score: 0.1,
      lists: ['block'],
      rules: ['too young'],
    });
    expect((await project.rest('GET', `/account/${account}`)).body.lists).toEqual(['block']);
    const matches = await matchesOf(account);
    expect(matches).toHaveLength(1);
    expect(JSON.stringify(matches[0])).toContain(internalIdOf('Rule', ruleId));
    expect(matches[0]).toMatchObject({ sessionId: session, data: { account_id: account } });
  });

  it('matches no older person, no face check, and no person of unknown age', async () => {
    await fresh();
    await makeRule(tooYoung);
    await makeRule({ ...tooYoung, name: 'any', trigger: 'ANY_SESSION' });
    const account = unique('old');
    const old = await played({ id: 'true', simulate_decision: 'Real', account_id: account });
    expect((await verifyId(project, old)).body).toMatchObject({ decision: 'Real', lists: [], rules: [] });
    const face = await played({
      simulate_decision: 'Real',
      simulate_risk_flags: 'id_age_below_16',
      account_id: account,
    });
    expect((await verifyFace(project, face)).body).toMatchObject({ decision: 'Real', lists: [], rules: [] });
    await project.authenticate({ id: account });
    expect(await matchesOf(account)).toEqual([]);
  });

  it('of a face check reads its flags and score', async () => {
    await fresh();
    await makeRule({
      name: 'seen before',
      trigger: 'FACE_CHECK_COMPLETED',
      expression: 'verification.risk_flags contains "repeat_face" AND verification.risk_score >= 0.3',
      actions: [{ addToList: 'block' }],
      ...ENABLED,
    });
    const flags = { simulate_risk_flags: 'repeat_face', simulate_risk_score: '0.31' };
    const [face, id] = [unique('face'), unique('id')];
    const seen = await played({ ...flags, account_id: face });
    expect((await verifyFace(project, seen)).body).toMatchObject({
      decision: 'Fake',
      lists: ['block'],
      rules: ['seen before'],
    });
    const other = await played({ ...flags, id: 'true', account_id: id });
    expect((await verifyId(project, other)).body).toMatchObject({ decision: 'Real', lists: [], rules: [] });
  });

  it('acts on enrollments too', async () => {
    await fresh();
    await makeRule(tooYoung);
    const account = unique('enrolled');
    const session = await played(young);
    expect((await verifyId(project, session)).body).toMatchObject({ decision: 'Real', lists: [], rules: [] });
    await enroll(project, session, account);
    expect((await verifyId(project, session)).body).toMatchObject({
      decision: 'Fake',
      lists: ['block'],
      rules: ['too young'],
    });
    expect(await matchesOf(account)).toHaveLength(1);
  });

  it('is returned where it was triggered, by its current name, even after it was archived', async () => {
    await fresh();
    const ruleId = await makeRule(tooYoung);
    const account = unique('triggered');
    const session = await played({ ...young, account_id: account });
    const answer = async () => (await verifyId(project, session)).body;
    const shown = async () => {
      const { verification } = await project.graphql(
        'query ($id: ID!) { verification(sessionId: $id) { ruleNames } }',
        { id: session },
      );
      const { rules } = await answer();
      expect(verification.ruleNames).toEqual(rules);
      return rules;
    };
    expect(await shown()).toEqual(['too young']);
    await updateRule(ruleId, { expression: 'verification.id_age < 10' });
    expect(await shown()).toEqual(['too young']);
    await updateRule(ruleId, { name: 'minor' });
    expect(await shown()).toEqual(['minor']);
    await updateRule(ruleId, { state: 'DISABLED' });
    expect(await shown()).toEqual(['minor']);
    // It would match, and did not.
    await makeRule({ ...tooYoung, name: 'later', expression: 'lists MATCHES LIST "block"' });
    expect(await shown()).toEqual(['minor']);
    await put(account, 'block', 'DELETE');
    expect(await answer()).toMatchObject({ rules: ['minor'], lists: [], decision: 'Real' });
    await updateRule(ruleId, { state: 'ARCHIVED' });
    expect(await shown()).toEqual(['minor']);
    // A read triggers no action.
    expect((await project.rest('GET', `/account/${account}`)).body.lists).toEqual([]);
  });

  it('of an earlier session is returned while its list determines the decision of the account', async () => {
    await fresh();
    const watching = unique('watching');
    await makeList(watching, null);
    const ruleId = await makeRule(tooYoung);
    const bystander = { ...tooYoung, name: 'bystander', actions: [{ addToList: watching }] };
    await makeRule(bystander);
    const account = unique('earlier');
    await played({ ...young, account_id: account });
    const adult = { id: 'true', simulate_decision: 'Real', account_id: account };
    const session = await played(adult);
    const answer = async () => (await verifyId(project, session)).body;
    expect(await answer()).toMatchObject({
      decision: 'Fake',
      lists: ['block', watching],
      rules: ['too young'],
    });
    await gateway.app.settleEvents();
    const { events } = await project.graphql(
      `query ($id: ID) { events(sessionId: $id, first: 100, types: [VERIFICATION_ID_CHECK_COMPLETED]) {
         edges { node { data } } } }`,
      { id: session },
    );
    expect(events.edges.map(({ node }: Body) => node.data.rules)).toEqual([['too young']]);

    // Another rule may take the name: the one that acted is returned by its current name.
    await updateRule(ruleId, { name: 'minor' });
    await makeRule({ ...tooYoung, expression: 'verification.id_age < 10' });
    expect((await answer()).rules).toEqual(['minor']);
    await makeRule({
      name: 'seen',
      trigger: 'ANY_SESSION',
      expression: 'session.source = "web"',
      ...ENABLED,
    });
    const next = await played(adult);
    expect((await verifyId(project, next)).body.rules).toEqual(['seen', 'minor']);
    expect((await answer()).rules).toEqual(['minor']);

    // A membership added manually belongs to no rule.
    await put(account, 'block', 'DELETE');
    expect(await answer()).toMatchObject({ decision: 'Real', rules: [] });
    await put(account, 'block');
    expect(await answer()).toMatchObject({ decision: 'Fake', rules: [] });
  });

  it('with a list that does not affect the decision is not returned', async () => {
    await fresh();
    const friends = unique('friends');
    await makeList(friends, 'ALLOW');
    await makeRule({ ...tooYoung, name: 'friend', actions: [{ addToList: friends }] });
    const account = unique('outvoted');
    await played({ ...young, account_id: account });
    const session = await played({ id: 'true', simulate_decision: 'Suspicious', account_id: account });
    const answer = async () => (await verifyId(project, session)).body;
    expect(await answer()).toMatchObject({ decision: 'Real', lists: [friends], rules: ['friend'] });
    await put(account, 'block');
    expect(await answer()).toMatchObject({ decision: 'Fake', lists: ['block', friends], rules: [] });
  });

  it('that matches again in a repeated authenticate of the session is returned once', async () => {
    await fresh();
    await makeRule(tooYoung);
    await makeRule({
      name: 'seen',
      trigger: 'ANY_SESSION',
      expression: 'session.source = "web"',
      ...ENABLED,
    });
    const account = unique('repeated');
    const session = await played({ ...young, account_id: account });
    const answer = await project.rest('POST', '/session/authenticate', {
      session_id: session,
      account: { id: account },
    });
    expect(answer.status).toBe(200);
    expect((await verifyId(project, session)).body.rules).toEqual(['too young', 'seen']);
  });

  it('in shadow is recorded, and neither acts nor is returned', async () => {
    await fresh();
    await makeRule({ ...tooYoung, state: 'SHADOW' });
    const session = await played({ ...young, account_id: unique('shadow') });
    expect((await verifyId(project, session)).body).toMatchObject({ decision: 'Real', lists: [], rules: [] });
  });

  it('can be tested on one check, and on all past ones', async () => {
    await fresh();
    const [child, adult] = [unique('child'), unique('adult')];
    const session = await played({ ...young, account_id: child });
    await played({ id: 'true', simulate_decision: 'Real', account_id: adult });
    await project.authenticate({ id: unique('no check') });
    const test = async (trigger: string) =>
      (
        await project.graphql(
          `query ($id: ID!, $trigger: RuleTrigger) { testRule(expression: "verification.id_age < 18",
             sessionId: $id, trigger: $trigger) { matched triggered facts } }`,
          { id: session, trigger },
        )
      ).testRule;
    expect(await test('ID_CHECK_COMPLETED')).toEqual({
      matched: true,
      triggered: true,
      facts: { 'verification.id_age': 15 },
    });
    expect(await test('FACE_CHECK_COMPLETED')).toMatchObject({ matched: false, triggered: false });
    const { backtestRule } = await project.graphql(
      `mutation { backtestRule(input: { expression: "verification.id_age < 18", since: "2020-01-01T00:00:00Z",
         trigger: ID_CHECK_COMPLETED }) { backtest { id } } }`,
    );
    await gateway.app.settleBacktests(project.projectId);
    const { backtest } = await project.graphql(
      'query ($id: ID!) { backtest(id: $id) { backtestState examined matched matchedAccounts sample { accountId sessionId } } }',
      { id: backtestRule.backtest.id },
    );
    expect(backtest).toMatchObject({
      matched: 1,
      matchedAccounts: 1,
      sample: [{ accountId: child, sessionId: session }],
    });
  });
});
