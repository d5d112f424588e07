import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

const PERFORMANCE = 'labelledAccounts matchedFraud matchedLegitimate missedFraud precision recall';
const REPORT = 'mutation ($input: ReportOutcomeInput!) { reportOutcome(input: $input) { isNew } }';
const CREATE = 'mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id } } }';
const BACKTEST =
  'mutation ($input: BacktestRuleInput!) { backtestRule(input: $input) { backtest { id performance { recall } } } }';

/*
 * Seven accounts; the condition is true for sessions from a datacenter. Later reports have earlier times.
 *
 *   account      label                   matched
 *   chargeback   CHARGEBACK: fraud       yes, in two sessions: counts once
 *   fraud-1      FRAUD                   yes
 *   fraud-2      FRAUD                   no
 *   fraud-3      LEGITIMATE, then FRAUD  no
 *   honest-1     LEGITIMATE              yes
 *   honest-2     FRAUD, then LEGITIMATE  no
 *   unlabeled   -                       yes: not counted
 *
 * Labeled: 6. Matched fraud 2, matched legitimate 1, missed fraud 2. Precision 2 / (2 + 1), recall 2 / (2 + 2).
 */
const DATACENTER = '52.95.3.4';
const HOME = '90.54.3.4';
const ACCOUNTS: [id: string, outcomes: string[], isMatched: boolean][] = [
  ['chargeback', ['CHARGEBACK'], true],
  ['fraud-1', ['FRAUD'], true],
  ['fraud-2', ['FRAUD'], false],
  ['fraud-3', ['LEGITIMATE', 'FRAUD'], false],
  ['honest-1', ['LEGITIMATE'], true],
  ['honest-2', ['FRAUD', 'LEGITIMATE'], false],
  ['unlabeled', [], true],
];
const EXPECTED = {
  labelledAccounts: 6,
  matchedFraud: 2,
  matchedLegitimate: 1,
  missedFraud: 2,
  precision: 2 / 3,
  recall: 0.5,
};
const EXPRESSION = 'session.risk_signals.datacenter = true';
const LONG_AGO = '2020-01-01T00:00:00Z';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway({ worksInBackground: false });
});
afterAll(() => gateway.close());

async function createRule(project: TestProject, more: Body = {}): Promise<string> {
  const input = {
    name: unique('rule'),
    trigger: 'ANY_SESSION',
    expression: EXPRESSION,
    state: 'SHADOW',
    ...more,
  };
  return (await project.graphql(CREATE, { input })).createRule.rule.id;
}

async function fill(project: TestProject): Promise<void> {
  for (const [index, [id, outcomes, isMatched]] of ACCOUNTS.entries()) {
    const facts = { ip_address: isMatched ? DATACENTER : HOME, device_id: `${id}-${index}` };
    await project.authenticate({ id }, facts);
    if (id === 'chargeback') await project.authenticate({ id }, facts);
    for (const [place, outcome] of outcomes.entries()) {
      await project.graphql(REPORT, {
        input: { accountId: id, outcome, at: `2026-01-0${9 - place}T00:00:00Z` },
      });
    }
  }
}

async function performanceOf(project: TestProject, id: string, args = ''): Promise<Body> {
  const query = `query ($id: ID!) { rule(id: $id) { performance${args} { ${PERFORMANCE} } } }`;
  return (await project.graphql(query, { id })).rule.performance;
}

async function backtest(project: TestProject, more: Body = {}): Promise<Body> {
  const input = { expression: EXPRESSION, since: LONG_AGO, ...more };
  const { backtestRule } = await project.graphql(BACKTEST, { input });
  const { id, performance } = backtestRule.backtest;
  expect(performance).toBeNull();
  await gateway.app.settleBacktests(project.projectId);
  const query = `query ($id: ID!) { backtest(id: $id) { performance { ${PERFORMANCE} } } }`;
  return (await project.graphql(query, { id })).backtest.performance;
}

describe('precision and recall', () => {
  it('of a rule equal those counted manually, live and in shadow', async () => {
    const project = await gateway.project();
    const shadow = await createRule(project);
    const live = await createRule(project, { state: 'ENABLED' });
    const never = await createRule(project, { expression: 'account.id = "nobody"' });
    expect(await performanceOf(project, shadow)).toBeNull();
    await fill(project);
    expect(await performanceOf(project, shadow)).toEqual(EXPECTED);
    expect(await performanceOf(project, live)).toEqual(EXPECTED);
    expect(await performanceOf(project, shadow, '(shadow: true)')).toEqual(EXPECTED);
    const nothing = {
      labelledAccounts: 6,
      matchedFraud: 0,
      matchedLegitimate: 0,
      missedFraud: 4,
      precision: null,
      recall: 0,
    };
    expect(await performanceOf(project, shadow, '(shadow: false)')).toEqual(nothing);
    expect(await performanceOf(project, never)).toEqual(nothing);
    const tomorrow = new Date(Date.now() + 86_400_000).toISOString();
    expect(await performanceOf(project, shadow, `(since: "${tomorrow}")`)).toBeNull();
    gateway.takeStatements();
    const { rules } = await project.graphql(
      `{ rules { edges { node { performance { ${PERFORMANCE} } } } } }`,
    );
    expect(rules.edges).toHaveLength(3);
    expect(gateway.takeStatements().filter((name) => name.startsWith('outcome.'))).toEqual([
      'outcome.rule_performance',
    ]);
  });

  it('of a backtest equal those of the decisions that it examines', async () => {
    const project = await gateway.project();
    expect(await backtest(project)).toBeNull();
    await fill(project);
    expect(await backtest(project)).toEqual(EXPECTED);
    // The second session of the account with a chargeback is not its first session: the account counts by its first.
    expect(await backtest(project, { trigger: 'FIRST_SESSION' })).toEqual(EXPECTED);
    expect(await backtest(project, { trigger: 'ID_CHECK_COMPLETED' })).toBeNull();
    expect(await backtest(project, { expression: 'account.id = "honest-1"' })).toEqual({
      labelledAccounts: 6,
      matchedFraud: 0,
      matchedLegitimate: 1,
      missedFraud: 4,
      precision: 0,
      recall: 0,
    });
  });

  it('use current labels, of one project', async () => {
    const [project, other] = [await gateway.project(), await gateway.project()];
    const rule = await createRule(project);
    const otherRule = await createRule(other);
    await fill(project);
    await other.authenticate({ id: 'honest-1' }, { ip_address: DATACENTER });
    expect(await performanceOf(other, otherRule)).toBeNull();
    await project.graphql(REPORT, {
      input: { accountId: 'honest-1', outcome: 'FRAUD', at: '2026-02-01T00:00:00Z' },
    });
    // Matched fraud 3 of 3 matched, missed fraud 2.
    expect(await performanceOf(project, rule)).toMatchObject({
      matchedFraud: 3,
      matchedLegitimate: 0,
      precision: 1,
      recall: 0.6,
    });
    await project.rest('DELETE', '/account/honest-1');
    expect(await performanceOf(project, rule)).toMatchObject({
      labelledAccounts: 5,
      matchedFraud: 2,
      precision: 1,
      recall: 0.5,
    });
  });
});
