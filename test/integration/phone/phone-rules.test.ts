import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

let gateway: Gateway;
let system: pg.Client;
beforeAll(async () => {
  gateway = await startGateway({ worksInBackground: false });
  system = await connectAs(gateway.database, 'vouchgraph_system');
});
afterAll(async () => {
  await system.end();
  await gateway.close();
});

const VOIP = '+883510001234567';
const MOBILE = '+491711234569';
/** Not parsed: two countries are expected. */
const UNREAD = { phone: '0171 1234569', expected_countries: ['DE', 'AT'] };

async function create(project: TestProject, expression: string): Promise<void> {
  await project.graphql('mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id } } }', {
    input: {
      name: unique('rule'),
      trigger: 'ANY_SESSION',
      expression,
      state: 'ENABLED',
      actions: [{ addToList: 'block' }],
    },
  });
}

/** Each condition of an expression with its result for a session. */
async function traceOf(project: TestProject, expression: string, sessionId: string): Promise<Body[]> {
  const { testRule } = await project.graphql(
    `query ($expression: String!, $sessionId: ID!) {
       testRule(expression: $expression, sessionId: $sessionId) { trace { outcome reason } } }`,
    { expression, sessionId },
  );
  return testRule.trace;
}

describe('a rule that reads the phone', () => {
  it('applies to an account with a matching number, in the response of the same session', async () => {
    const project = await gateway.project();
    await create(project, 'account.phone.voip = true AND account.phone.risk_score >= 0.5');
    const voip = await project.authenticate({ id: unique('voip'), phone: VOIP });
    expect([voip.decision, voip.lists]).toEqual(['Fake', ['block']]);
    for (const account of [{ phone: MOBILE }, {}, UNREAD]) {
      const other = await project.authenticate({ id: unique('other'), ...account });
      expect([other.decision, other.lists]).toEqual(['Real', []]);
    }
  });

  it.each([
    ['account.phone.line_type = "voip"', VOIP],
    ['account.phone.country = "DE"', MOBILE],
    ['account.phone.carrier CONTAINS "mobile"', MOBILE],
    ['account.phone.region = "Berlin"', '+4930123456'],
    ['account.phone.risk_signals CONTAINS "premium_rate_number"', '+19005551234'],
    ['account.phone.valid = false', '+12425551234'],
    ['account.phone.country IS MISSING AND account.phone.valid = true', VOIP],
  ])('%s matches %s', async (expression, phone) => {
    const project = await gateway.project();
    const of = async (account: Body) => {
      const { session_id } = await project.authenticate({ id: unique('a'), ...account });
      const { testRule } = await project.graphql(
        `query ($expression: String!, $sessionId: ID!) { testRule(expression: $expression, sessionId: $sessionId) { matched } }`,
        { expression, sessionId: session_id },
      );
      return testRule.matched;
    };
    expect([await of({ phone }), await of({ phone: '+33612345678' }), await of({})]).toEqual([
      true,
      false,
      false,
    ]);
  });

  it('never matches a missing value, and the trace reports it', async () => {
    const project = await gateway.project();
    for (const account of [{}, UNREAD]) {
      const { session_id } = await project.authenticate({ id: unique('a'), ...account });
      for (const condition of [
        'account.phone.risk_score < 1',
        'account.phone.risk_score >= 0',
        'account.phone.valid = false',
        'account.phone.line_type != "voip"',
      ]) {
        expect(await traceOf(project, condition, session_id)).toEqual([
          { outcome: 'SKIPPED', reason: expect.stringContaining('no value') },
        ]);
      }
    }
  });

  it('is rejected when it contains an unknown value', async () => {
    const project = await gateway.project();
    for (const expression of [
      'account.phone.line_type = "landline"',
      'account.phone.country = "UK"',
      'account.phone.risk_score > 2',
      'account.phone.operator = "x"',
    ]) {
      await expect(create(project, expression), expression).rejects.toThrow();
    }
  });

  it('is tested on past decisions', async () => {
    const project = await gateway.project();
    const [voip, mobile, none] = [unique('voip'), unique('mobile'), unique('none')];
    await project.authenticate({ id: voip, phone: VOIP });
    await project.authenticate({ id: mobile, phone: MOBILE });
    await project.authenticate({ id: none });
    const { backtestRule } = await project.graphql(
      'mutation ($input: BacktestRuleInput!) { backtestRule(input: $input) { backtest { id } } }',
      { input: { expression: 'account.phone.risk_score >= 0.5', since: '2020-01-01T00:00:00Z' } },
    );
    await gateway.app.settleBacktests(project.projectId);
    const { backtest } = await project.graphql(
      'query ($id: ID!) { backtest(id: $id) { backtestState examined matched skipped sample { accountId } } }',
      { id: backtestRule.backtest.id },
    );
    expect(backtest).toEqual({
      ...{ backtestState: 'DONE', examined: 3, matched: 1, skipped: 1 },
      sample: [{ accountId: voip }],
    });
  });
});

it('the phone adds no statement to an authenticate, and few bytes to a decision', async () => {
  const project = await gateway.project();
  const sizeOf = async (account: Body) => {
    const id = unique('size');
    await project.authenticate({ id, ...account });
    gateway.takeStatements();
    await project.authenticate({ id });
    const statements = gateway.takeStatements();
    const { rows } = await system.query(
      `select max(octet_length(d.inputs)) as bytes from decisions d
       join accounts a on a.project_id = d.project_id and a.id = d.account_id where d.project_id = $1 and a.account_id = $2`,
      [project.projectId, id],
    );
    return { bytes: rows[0].bytes as number, statements };
  };
  const [without, withOne] = [await sizeOf({}), await sizeOf({ phone: '+14155552675' })];
  expect(withOne.statements).toEqual(without.statements);
  expect(withOne.bytes - without.bytes).toBeLessThan(100);
});
