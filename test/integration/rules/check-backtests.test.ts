import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { playedVerification } from '../../support/verification.ts';

let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const played = (query: Record<string, string>) =>
  playedVerification(gateway, project, { simulate: 'success', simulate_decision: 'Real', ...query });

async function authenticate(session_id: string, id: string): Promise<void> {
  const { status, text } = await project.rest('POST', '/session/authenticate', {
    session_id,
    account: { id },
  });
  if (status !== 200) throw new Error(text);
}

type Rule = { trigger: string; expression: string };

async function enable({ trigger, expression }: Rule): Promise<string> {
  const input = { name: unique('rule'), trigger, expression, state: 'ENABLED' };
  const { createRule } = await project.graphql(
    'mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id } } }',
    { input },
  );
  return createRule.rule.id;
}

/** Accounts and sessions that a rule matched live, sorted. */
async function recorded(ruleId: string): Promise<string[]> {
  const { rule } = await project.graphql(
    'query ($id: ID!) { rule(id: $id) { matches(first: 100) { edges { node { accountId sessionId } } } } }',
    { id: ruleId },
  );
  return rule.matches.edges.map(({ node }: Body) => `${node.accountId} ${node.sessionId}`).toSorted();
}

async function backtest({ trigger, expression }: Rule, since = '2020-01-01T00:00:00Z'): Promise<Body> {
  const { backtestRule } = await project.graphql(
    `mutation ($input: BacktestRuleInput!) {
       backtestRule(input: $input) { backtest { id } } }`,
    { input: { expression, trigger, since } },
  );
  await gateway.app.settleBacktests(project.projectId);
  const { backtest: done } = await project.graphql(
    `query ($id: ID!) { backtest(id: $id) { backtestState total examined matched skipped matchedAccounts
       sample { accountId sessionId } } }`,
    { id: backtestRule.backtest.id },
  );
  expect(done.backtestState).toBe('DONE');
  return done;
}

/** Checks and sessions of several accounts, each bound once, and some of them authenticated again. */
async function history(): Promise<void> {
  const [child, adult, visitor] = [unique('child'), unique('adult'), unique('visitor')];
  const first = await played({ id: 'true', simulate_risk_flags: 'id_age_below_16', account_id: child });
  await played({ id: 'true', account_id: adult });
  await played({ id: 'true', simulate_risk_flags: 'id_age_below_16', account_id: adult });
  const face = await played({ simulate_risk_flags: 'repeat_face', account_id: visitor });
  await played({ account_id: adult });
  const plain = await project.session();
  await authenticate(plain, child);
  await authenticate(plain, child);
  // The session of a check, authenticated again, and by another account.
  await authenticate(first, child);
  await authenticate(first, adult);
  await authenticate(face, visitor);
}

describe('a backtest over the time in which a rule was enabled', () => {
  it.each([
    { trigger: 'ID_CHECK_COMPLETED', expression: 'verification.id_age < 16' },
    { trigger: 'ID_CHECK_COMPLETED', expression: 'session.source = "web"' },
    { trigger: 'ID_CHECK_COMPLETED', expression: 'session.is_first = false' },
    { trigger: 'FACE_CHECK_COMPLETED', expression: 'account.num_sessions >= 1' },
    { trigger: 'FACE_CHECK_COMPLETED', expression: 'verification.risk_flags CONTAINS "repeat_face"' },
    { trigger: 'ANY_SESSION', expression: 'session.source = "web"' },
    { trigger: 'ANY_SESSION', expression: 'verification.risk_score < 0.5' },
    { trigger: 'FIRST_SESSION', expression: 'session.source = "web"' },
  ])('has the same counts as production: $trigger, $expression', async (rule) => {
    project = await gateway.project();
    const ruleId = await enable(rule);
    await history();
    const live = await recorded(ruleId);
    const done = await backtest(rule);
    expect(live.length).toBeGreaterThan(0);
    expect(done.matched).toBe(live.length);
    expect(done.matchedAccounts).toBe(new Set(live.map((pair) => pair.split(' ')[0])).size);
    const sampled: string[] = done.sample.map(
      ({ accountId, sessionId }: Body) => `${accountId} ${sessionId}`,
    );
    expect(sampled.toSorted()).toEqual(live);
    expect(done.total).toBe(done.examined);
  });

  it('examines only decisions of its trigger', async () => {
    project = await gateway.project();
    await history();
    const examined = async (trigger: string) =>
      (await backtest({ trigger, expression: 'session.bot >= 0' })).examined;
    const ofChecks = {
      id: await examined('ID_CHECK_COMPLETED'),
      face: await examined('FACE_CHECK_COMPLETED'),
    };
    expect(ofChecks.id).toBeGreaterThanOrEqual(3);
    expect(ofChecks.face).toBeGreaterThanOrEqual(2);
    expect(ofChecks.id + ofChecks.face).toBeLessThan(await examined('ANY_SESSION'));
  });
});
