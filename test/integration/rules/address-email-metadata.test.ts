// cspell:ignore Hauptstrase
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import {
  authenticateOn,
  backtestOf,
  createRule,
  matchesOf,
  outcomesOf,
  refusedRule,
  replay,
  testRule,
} from '../../support/rules.ts';
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

/** Authenticates a new account with a new session. */
async function visit(project: TestProject, facts: Body, account: Body = {}) {
  const [sessionId, accountId] = [await project.session(facts), unique('visitor')];
  return { accountId, sessionId, ...(await authenticateOn(project, sessionId, { accountId, ...account })) };
}

const HERE = { ip_address: '90.54.1.7' };
const ELSEWHERE = { ip_address: '91.64.1.7' };
const EMAIL = 'Jane.Doe@Mail.Example.CO.UK';

const CASES = [
  {
    expression: 'session.ip_address IN NETWORK "90.54.1.0/24"',
    match: { facts: HERE },
    other: { facts: ELSEWHERE },
    value: '90.54.1.7',
  },
  {
    expression: 'session.ip_address IN NETWORK ["10.0.0.0/8", "2a01:cb00::/32"]',
    match: { facts: { ip_address: '2a01:cb00:7::1' } },
    other: { facts: HERE },
    value: '2a01:cb00:7::1',
  },
  {
    expression: 'session.ip_address IN NETWORK "90.54.1.0/24"',
    match: { facts: { ip_address: '::ffff:90.54.1.9' } },
    other: { facts: { ip_address: '::ffff:91.64.1.9' } },
    value: '90.54.1.9',
  },
  {
    expression: 'session.ip_address IN NETWORK ["::/0", "::ffff:90.54.1.0/120"]',
    match: { facts: HERE },
    other: { facts: ELSEWHERE },
    value: '90.54.1.7',
  },
  {
    expression: 'session.ip_address NOT IN NETWORK "::/0"',
    match: { facts: HERE },
    other: { facts: { ip_address: '2a01:cb00:7::1' } },
    value: '90.54.1.7',
  },
  {
    expression: 'account.metadata.street IN ["HAUPTSTRASSE", "ΟΔΟΣ"]',
    match: { account: { metadata: { street: 'Hauptstraße' } } },
    other: { account: { metadata: { street: 'Hauptstrase' } } },
    value: 'Hauptstraße',
  },
  {
    expression: 'account.metadata.street CONTAINS "οδοσ"',
    match: { account: { metadata: { street: 'ΟΔΟΣ 7' } } },
    other: { account: { metadata: { street: 'ΟΔΟ 7' } } },
    value: 'ΟΔΟΣ 7',
  },
  {
    expression: 'session.ip_address = "90.54.1.7"',
    match: { facts: HERE },
    other: { facts: ELSEWHERE },
    value: '90.54.1.7',
  },
  {
    expression: 'account.email.email = "jane.doe@mail.example.co.uk"',
    match: { account: { email: EMAIL } },
    other: { account: { email: 'john@mail.example.co.uk' } },
    value: 'Jane.Doe@mail.example.co.uk',
  },
  {
    expression: 'account.email.domain = "MAIL.example.co.uk"',
    match: { account: { email: EMAIL } },
    other: { account: { email: 'jane@example.co.uk' } },
    value: 'mail.example.co.uk',
  },
  {
    expression: 'account.email.registrable_domain = "Example.co.uk"',
    match: { account: { email: EMAIL } },
    other: { account: { email: 'jane@example.org' } },
    value: 'example.co.uk',
  },
  {
    expression: 'account.metadata.plan = "gold"',
    match: { account: { metadata: { plan: 'Gold' } } },
    other: { account: { metadata: { plan: 'free' } } },
    value: 'Gold',
  },
  {
    expression: 'account.metadata.billing."seat-count" > 4',
    match: { account: { metadata: { billing: { 'seat-count': 5 } } } },
    other: { account: { metadata: { billing: { 'seat-count': 4 } } } },
    value: 5,
  },
  {
    expression: 'account.metadata.verified_seller = false',
    match: { account: { metadata: { verified_seller: false } } },
    other: { account: { metadata: { verified_seller: true } } },
    value: false,
  },
];

type Visit = { facts?: Body; account?: Body };

describe.each(CASES)('the expression $expression', ({ expression, value, ...visits }) => {
  const { match, other }: { match: Visit; other: Visit } = visits;

  it('acts, is tested in shadow, and has equal results in testRule, a replay and a backtest', async () => {
    const project = await gateway.project();
    const earlier = await visit(project, match.facts ?? {}, match.account);
    const live = await createRule(project, { expression, actions: [{ raiseFlag: 'seen' }] });
    const shadow = await createRule(project, {
      expression,
      state: 'SHADOW',
      actions: [{ addToList: 'block' }, { decide: 'SUSPICIOUS' }, { requireVerification: 'ID_CHECK' }],
    });

    const matched = await visit(project, match.facts ?? {}, match.account);
    expect(matched).toMatchObject({
      decision: 'REAL',
      flags: ['seen'],
      rules: [{ name: live.name }],
      requiredVerification: null,
      account: { lists: [] },
    });
    const missed = await visit(project, other.facts ?? {}, other.account);
    expect(missed).toMatchObject({ flags: [], rules: [] });

    const [recorded, ...more] = await matchesOf(project, live.id);
    expect(more).toEqual([]);
    expect(recorded).toMatchObject({ accountId: matched.accountId, shadow: false });
    expect(outcomesOf(recorded!)).toEqual([['raiseFlag', 'seen', 'DONE']]);
    const tried = await matchesOf(project, shadow.id);
    expect(tried.map(({ accountId }) => accountId)).toEqual([matched.accountId]);
    expect(outcomesOf(tried[0]!)).toEqual([
      ['addToList', 'block', 'WOULD_DO'],
      // Its list would determine the decision.
      ['decide', 'SUSPICIOUS', 'NOTHING_TO_DO'],
      ['requireVerification', 'ID_CHECK', 'WOULD_DO'],
    ]);

    for (const { sessionId } of [earlier, matched])
      expect(await testRule(project, expression, sessionId)).toMatchObject({
        matched: true,
        trace: [{ outcome: 'TRUE', reason: null, value }],
      });
    expect(await testRule(project, expression, missed.sessionId)).toMatchObject({ matched: false });

    for (const { decisionRecord } of [earlier, matched, missed])
      expect((await replay(project, decisionRecord.id)).same).toBe(true);

    expect(await backtestOf(gateway, project, expression)).toMatchObject({
      backtestState: 'DONE',
      examined: 3,
      matched: 2,
      skipped: 0,
    });

    // Values of the fields are stored only with the decision, encrypted.
    const { rows } = await system.query(
      `select coalesce(string_agg(outcomes::text, ' '), '') as outcomes from rule_matches where project_id = $1`,
      [project.projectId],
    );
    expect(rows[0].outcomes).not.toMatch(/90\.54|2a01:cb00|example\.co|gold/i);
  });
});

describe('an error in a rule on these fields', () => {
  it.each([
    [
      'session.ip_address IN NETWORK "90.54.1.0/33"',
      /"90\.54\.1\.0\/33" is not a network: .* \(line 1, column 31\)/,
    ],
    ['session.ip_address IN NETWORK ["10.0.0.0/8", "::/129"]', /"::\/129" is not a network/],
    ['session.ip_address = "90.54.1.0/24"', /is a network: use IN NETWORK/],
    ['account.metadata.plan > "a"', /expected a number, found the string "a"/],
    ['account.metadata = "a"', /must include a key, such as account\.metadata\.plan/],
    ['ip = "90.54.1.7"', /Unknown field "ip"\. Did you mean session\.ip_address\?/],
    ['user.country = "DE"', /Did you mean account\.country or session\.country_code\?/],
    [
      'account.linked_count > 2',
      /Unknown field "account\.linked_count"\. Did you mean account\.accounts_linked\?/,
    ],
    ['email.score > 0.5', /Did you mean account\.email\.email_score\?/],
    ['session.ip_address IN NETWORK "::ffff:10.0.0.0/8"', /is not a network/],
    ['fraud_score > 0.5', /Did you mean account\.account_score\?/],
    ['metadata.plan = "a"', /Did you mean account\.metadata\.plan\?/],
  ])('%s is rejected when the rule is saved', async (expression, message) => {
    const project = await gateway.project();
    const error = await refusedRule(project, { expression });
    expect(error.message).toMatch(message);
    expect(error.extensions).toMatchObject({
      code: 'rule.expression_invalid',
      details: { line: 1, column: expect.any(Number) },
    });
  });

  it('includes a condition that no address can meet', async () => {
    const project = await gateway.project();
    const expression =
      'session.ip_address IN NETWORK "10.0.0.0/8" AND session.ip_address IN NETWORK "90.54.1.0/24"';
    const otherFamily = 'session.ip_address = "90.54.1.7" AND session.ip_address IN NETWORK "::/0"';
    for (const each of [expression, otherFamily])
      expect((await refusedRule(project, { expression: each })).extensions.code).toBe('rule.never_matches');
  });
});

it('a value of another type is skipped, and the trace names it', async () => {
  const project = await gateway.project();
  const { sessionId } = await visit(project, {}, { metadata: { seats: 'five', billing: {}, note: null } });
  const reasonOf = async (condition: string) =>
    (await testRule(project, `account.metadata.${condition}`, sessionId)).trace[0].reason;
  expect(await reasonOf('seats > 4')).toBe('expected a number, found a string');
  expect(await reasonOf('billing = "x"')).toBe('expected a string, found an object');
  expect(await reasonOf('note = "x"')).toBe('no value');
  expect(await reasonOf('plan = "x"')).toBe('no value');
});

describe('stored decisions', () => {
  it('contain the parts of large metadata that rules read at that time', async () => {
    const project = await gateway.project();
    const metadata = { plan: 'gold', seats: 5, filler: 'x'.repeat(10_000) };
    await createRule(project, {
      expression: 'account.metadata.plan = "gold"',
      actions: [{ raiseFlag: 'gold' }],
    });
    const { sessionId, decisionRecord, flags } = await visit(project, HERE, { metadata });
    expect(flags).toEqual(['gold']);
    expect(await testRule(project, 'account.metadata.plan = "gold"', sessionId)).toMatchObject({
      matched: true,
    });
    for (const condition of ['account.metadata.seats = 5', 'account.metadata.seats IS MISSING'])
      expect((await testRule(project, condition, sessionId)).trace[0]).toMatchObject({
        outcome: 'SKIPPED',
        reason: 'no value: not stored with this decision',
      });
    expect(await backtestOf(gateway, project, 'account.metadata.seats IS MISSING')).toMatchObject({
      ...{ examined: 1, matched: 0, skipped: 1 },
    });
    expect((await replay(project, decisionRecord.id)).same).toBe(true);
    const { rows } = await system.query(
      'select octet_length(inputs) as bytes from decisions where session_id = $1',
      [sessionId],
    );
    expect(rows[0].bytes).toBeLessThan(4096);
  });
});

it('a session without an account has an address and no metadata', async () => {
  const project = await gateway.project();
  const sessionId = await project.session(HERE);
  expect(await testRule(project, 'session.ip_address IN NETWORK "90.54.1.0/24"', sessionId)).toMatchObject({
    matched: true,
  });
  expect((await testRule(project, 'account.metadata.plan = "x"', sessionId)).trace[0].reason).toBe(
    'no value',
  );
});

it('the fields add no statement to an authenticate', async () => {
  const project = await gateway.project();
  const statements = async () => {
    const sessionId = await project.session(ELSEWHERE);
    const accountId = unique('counted');
    await authenticateOn(project, sessionId, { accountId, email: EMAIL, metadata: { plan: 'gold' } });
    gateway.takeStatements();
    await authenticateOn(project, sessionId, { accountId });
    return gateway.takeStatements();
  };
  const without = await statements();
  await createRule(project, {
    expression:
      'session.ip_address IN NETWORK "90.54.1.0/24" OR account.metadata.plan = "x" OR account.email.email = "x"',
    actions: [{ decide: 'SUSPICIOUS' }, { requireVerification: 'ID_CHECK' }],
  });
  await statements();
  expect(await statements()).toEqual(without);
});
