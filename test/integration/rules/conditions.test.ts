import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { listsOf } from '../../support/lists.ts';

let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterAll(() => gateway.close());

const CREATE =
  'mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id ruleId version ruleState } } }';
const UPDATE =
  'mutation ($input: UpdateRuleInput!) { updateRule(input: $input) { rule { id version ruleState trigger } } }';

const rule = (changes: Body): Body => ({ name: unique('rule'), trigger: 'ANY_SESSION', ...changes });

async function create(changes: Body): Promise<Body> {
  return (await project.graphql(CREATE, { input: rule(changes) })).createRule.rule;
}

async function update(id: string, changes: Body): Promise<Body> {
  return (await project.graphql(UPDATE, { input: { id, ...changes } })).updateRule.rule;
}

/** The error of a mutation, or `null` when it was accepted. */
async function refusal(query: string, input: Body): Promise<Body | null> {
  const { body } = await project.rawGraphql(query, { input });
  if (!body.errors) return null;
  expect(body.errors).toHaveLength(1);
  const { message, extensions } = body.errors[0];
  return { message, ...extensions };
}

const refusalOf = (trigger: string, expression: string, changes: Body = {}) =>
  refusal(CREATE, rule({ trigger, expression, ...changes }));

describe('a field with several texts', () => {
  const outcome = async (expression: string, sessionId: string): Promise<string> => {
    const { testRule } = await project.graphql(
      `query ($expression: String!, $sessionId: ID!) {
         testRule(expression: $expression, sessionId: $sessionId) { trace { outcome } } }`,
      { expression, sessionId },
    );
    return testRule.trace[0].outcome;
  };

  it('is missing while it is empty, and contains no value', async () => {
    const { session_id: sessionId } = (await project.authenticate({ id: unique('empty') })).session;
    for (const field of ['lists', 'account.expected_countries']) {
      expect(await outcome(`${field} IS PRESENT`, sessionId)).toBe('FALSE');
      expect(await outcome(`${field} IS MISSING`, sessionId)).toBe('TRUE');
    }
    expect(await outcome('lists MATCHES LIST "block"', sessionId)).toBe('FALSE');
    expect(await outcome('account.expected_countries CONTAINS "DE"', sessionId)).toBe('FALSE');
  });

  it('is present with one text', async () => {
    const account = { id: unique('full'), lists: ['block'], expected_countries: ['DE'] };
    const { session_id: sessionId } = (await project.authenticate(account)).session;
    for (const field of ['lists', 'account.expected_countries']) {
      expect(await outcome(`${field} IS PRESENT`, sessionId)).toBe('TRUE');
      expect(await outcome(`${field} IS MISSING`, sessionId)).toBe('FALSE');
    }
  });

  it('applies to a live rule as well', async () => {
    const own = await gateway.project();
    await own.graphql(CREATE, {
      input: rule({
        expression: 'account.expected_countries IS PRESENT',
        actions: [{ addToList: 'block' }],
        state: 'ENABLED',
      }),
    });
    const [without, withCountry] = [unique('without'), unique('with')];
    await own.authenticate({ id: without });
    await own.authenticate({ id: withCountry, expected_countries: ['DE'] });
    expect(await listsOf(own, without)).toEqual([]);
    expect(await listsOf(own, withCountry)).toEqual(['block']);
  });
});

describe('a condition that can never match its trigger is rejected', () => {
  it.each([
    [
      'FACE_CHECK_COMPLETED',
      'verification.id_age < 18',
      /verification\.id_age.*no value.*FACE_CHECK_COMPLETED/,
    ],
    ['FACE_CHECK_COMPLETED', 'verification.id_country IS PRESENT', /verification\.id_country.*FACE_CHECK/],
    ['FACE_CHECK_COMPLETED', 'verification.kind = "id"', /verification\.kind.*"face".*FACE_CHECK_COMPLETED/],
    ['ID_CHECK_COMPLETED', 'verification.kind != "ID"', /verification\.kind.*"id".*ID_CHECK_COMPLETED/],
    ['ID_CHECK_COMPLETED', 'verification.kind IS MISSING', /verification\.kind.*ID_CHECK_COMPLETED/],
    ['FIRST_SESSION', 'session.is_first = false', /session\.is_first.*FIRST_SESSION/],
    ['FIRST_SESSION', 'account.num_sessions > 1', /account\.num_sessions.*FIRST_SESSION/],
    ['ANY_SESSION', 'session.bot > 1', /session\.bot.*ANY_SESSION/],
    ['ANY_SESSION', 'account.country = "DE" AND account.country = "FR"', /account\.country.*ANY_SESSION/],
    ['ANY_SESSION', 'session.source CONTAINS "fax"', /session\.source.*ANY_SESSION/],
  ])('%s: %s', async (trigger, expression, message) => {
    const error = await refusalOf(trigger, expression);
    expect(error).toMatchObject({ code: 'rule.never_matches', inputPath: ['input', 'expression'] });
    expect(error!.message).toMatch(message);
  });

  it('and one that can match is accepted', async () => {
    const accepted = [
      ['FACE_CHECK_COMPLETED', 'verification.id_age < 18 OR verification.risk_score > 0.5'],
      ['FACE_CHECK_COMPLETED', 'verification.id_age IS MISSING'],
      // A check binds a session, and its fields have values for every rule of that session.
      ['ANY_SESSION', 'verification.risk_score > 0.5'],
      ['FIRST_SESSION', 'verification.kind = "id" AND verification.id_age < 18'],
      ['ID_CHECK_COMPLETED', 'session.is_first = false'],
    ] as const;
    for (const [trigger, expression] of accepted)
      expect(await refusalOf(trigger, expression), expression).toBe(null);
  });

  it('when the expression or the trigger of a rule is changed', async () => {
    const { id } = await create({ trigger: 'ID_CHECK_COMPLETED', expression: 'verification.id_age < 18' });
    expect(await refusal(UPDATE, { id, trigger: 'FACE_CHECK_COMPLETED' })).toMatchObject({
      code: 'rule.never_matches',
      inputPath: ['input', 'trigger'],
    });
    expect(await refusal(UPDATE, { id, expression: 'verification.kind = "face"' })).toMatchObject({
      code: 'rule.never_matches',
      inputPath: ['input', 'expression'],
    });
    const changed = { trigger: 'FACE_CHECK_COMPLETED', expression: 'verification.kind = "face"' };
    expect(await update(id, changed)).toMatchObject({ version: 2, trigger: 'FACE_CHECK_COMPLETED' });
  });

  it('but not in testRule, which reports no match', async () => {
    const { session_id: sessionId } = (await project.authenticate({ id: unique('tried') })).session;
    const { testRule } = await project.graphql(
      `query ($sessionId: ID!) { testRule(expression: "verification.id_age < 18", sessionId: $sessionId,
         trigger: FACE_CHECK_COMPLETED) { matched } }`,
      { sessionId },
    );
    expect(testRule.matched).toBe(false);
  });
});
