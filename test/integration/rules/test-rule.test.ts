import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { type Gateway, startOwnGateway, type TestProject, unique } from '../../support/gateway.ts';
import { connectAs, tablesOf } from '../../support/sql.ts';

const TEST = `query ($expression: String!, $sessionId: ID!, $trigger: RuleTrigger) {
  testRule(expression: $expression, sessionId: $sessionId, trigger: $trigger) {
    matched triggered decisionId facts traceJson trace { text outcome reason value depth } } }`;

let gateway: Gateway;
let project: TestProject;
let system: pg.Client;
beforeAll(async () => {
  gateway = await startOwnGateway();
  project = await gateway.project();
  system = await connectAs(gateway.database, 'vouchgraph_system');
});
afterAll(async () => {
  await system.end();
  await gateway.close();
});

/** An account with one session. */
async function bound(): Promise<{ account: string; sessionId: string }> {
  const account = unique('account');
  const body = await project.authenticate({ id: account, email: 'someone@example.com', lists: ['vip'] });
  expect(body.statusCode ?? 200).toBe(200);
  const { account: shown } = await project.graphql(
    'query ($id: ID!) { account(accountId: $id) { sessions(first: 1) { edges { node { sessionId } } } } }',
    { id: account },
  );
  return { account, sessionId: shown.sessions.edges[0].node.sessionId };
}

async function test(expression: string, sessionId: string, trigger?: string) {
  return (await project.graphql(TEST, { expression, sessionId, trigger })).testRule;
}

async function refusal(variables: Record<string, unknown>, by = project) {
  const { body } = await by.rawGraphql(TEST, variables);
  expect(body.errors).toHaveLength(1);
  return body.errors[0].extensions;
}

/** Number of rows of every table. */
async function rows(): Promise<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const table of await tablesOf(system)) {
    const { rows: counted } = await system.query(`select count(*)::int as n from "${table}"`);
    counts[table] = counted[0].n;
  }
  return counts;
}

describe('testRule', () => {
  it('returns the result of every part of the expression, with the reason', async () => {
    const { account, sessionId } = await bound();
    const expression = `account.id = "${account.toUpperCase()}" AND (verification.id_age < 18 OR NOT account.num_sessions > 1)`;
    const trial = await test(expression, sessionId);
    expect(trial).toMatchObject({ matched: true, triggered: true });
    expect(trial.facts).toEqual({
      'account.id': account,
      'verification.id_age': null,
      'account.num_sessions': 1,
    });
    expect(
      trial.trace.map(({ depth, outcome, reason, value }: never) => [depth, outcome, reason, value]),
    ).toEqual([
      [0, 'TRUE', null, null],
      [1, 'TRUE', null, account],
      [1, 'TRUE', null, null],
      [2, 'SKIPPED', 'no value', null],
      [2, 'TRUE', null, null],
      [3, 'FALSE', null, 1],
    ]);
    expect(trial.trace[3].text).toBe('verification.id_age < 18');
    expect(trial.traceJson).toMatchObject({
      outcome: 'TRUE',
      children: [{ outcome: 'TRUE' }, { children: [{ outcome: 'SKIPPED' }, { children: [{ value: 1 }] }] }],
    });
    const { decision } = await project.graphql(
      'query ($id: ID!) { decision(id: $id) { accountId sessionId } }',
      {
        id: globalIdOf('Decision', trial.decisionId),
      },
    );
    expect(decision).toEqual({ accountId: account, sessionId });
  });

  it('does not match unknown values', async () => {
    const { sessionId } = await bound();
    for (const expression of ['verification.id_age < 18', 'NOT verification.id_age < 18']) {
      const trial = await test(expression, sessionId);
      expect([trial.matched, trial.trace[0].outcome]).toEqual([false, 'SKIPPED']);
    }
  });

  it('reads the state at the time of the decision, before lists and the account changed', async () => {
    const { account, sessionId } = await bound();
    const later = await project.session();
    const lists = ['watched'];
    await project.rest('POST', '/session/authenticate', {
      session_id: later,
      account: { id: account, lists },
    });
    const expression = 'lists MATCHES LIST "watched"';
    expect(await test(expression, sessionId)).toMatchObject({ matched: false, facts: { lists: ['vip'] } });
    expect(await test(expression, later)).toMatchObject({ matched: true });
    await project.rest('POST', '/session/authenticate', {
      session_id: sessionId,
      account: { id: account },
    });
    expect(await test(expression, sessionId)).toMatchObject({ matched: true });
  });

  it('matches the triggers of a session', async () => {
    const { account, sessionId } = await bound();
    const second = await project.session();
    await project.rest('POST', '/session/authenticate', { session_id: second, account: { id: account } });
    const matched = async (id: string, trigger: string) => {
      const trial = await test('session.bot >= 0', id, trigger);
      expect(trial.trace[0].outcome).toBe('TRUE');
      expect(trial.matched).toBe(trial.triggered);
      return trial.matched;
    };
    expect(await matched(sessionId, 'ANY_SESSION')).toBe(true);
    expect(await matched(sessionId, 'FIRST_SESSION')).toBe(true);
    expect(await matched(second, 'ANY_SESSION')).toBe(true);
    expect(await matched(second, 'FIRST_SESSION')).toBe(false);
    expect(await matched(sessionId, 'ID_CHECK_COMPLETED')).toBe(false);
  });

  it('evaluates a session without an account by its own fields', async () => {
    const sessionId = await project.session();
    const trial = await test('session.simulated AND account.num_sessions > 0', sessionId);
    expect(trial).toMatchObject({ matched: false, decisionId: null });
    expect(trial.facts).toEqual({ 'session.simulated': true, 'account.num_sessions': null });
    expect(trial.trace[0].outcome).toBe('SKIPPED');
  });

  it('writes nothing', async () => {
    const { sessionId } = await bound();
    await gateway.app.recalculateLinks(project.projectId);
    await gateway.app.settleStats(project.projectId);
    const before = await rows();
    expect(await test('session.bot >= 0', sessionId)).toMatchObject({ matched: true });
    expect(await rows()).toEqual(before);
  });

  it('rejects invalid and unknown input', async () => {
    const { sessionId } = await bound();
    const expression = 'session.bot >= 0';
    expect(await refusal({ expression: 'session.bto > 1', sessionId })).toMatchObject({
      code: 'rule.expression_invalid',
      details: { line: 1, column: 1 },
    });
    expect(await refusal({ expression: 'lists MATCHES LIST "nowhere"', sessionId })).toMatchObject({
      code: 'list.not_found',
    });
    for (const unknown of [randomUUID(), 'no id'])
      expect(await refusal({ expression, sessionId: unknown })).toMatchObject({ code: 'session.not_found' });
    const other = await gateway.project();
    expect(await refusal({ expression, sessionId }, other)).toMatchObject({ code: 'session.not_found' });
    const { key } = await gateway.app.projects.createKey(project.projectId, 'server');
    expect(await refusal({ expression, sessionId }, project.withKey(key))).toMatchObject({
      code: 'auth.forbidden',
    });
  });
});
