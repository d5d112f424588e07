import type { EventType } from '@vouchgraph/events/internals/catalogue/event-type';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { enumNameOf } from '../../../src/graphql/events/event-type.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';

let gateway: Gateway;
let project: TestProject;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

async function createRule(changes: Body = {}): Promise<string> {
  const input = {
    name: unique('rule'),
    trigger: 'ANY_SESSION',
    state: 'ENABLED',
    expression: 'session.source = "web"',
    actions: [{ addToList: 'block' }],
    ...changes,
  };
  const { createRule: payload } = await project.graphql(
    'mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id } } }',
    { input },
  );
  return payload.rule.id;
}

const updateRule = (id: string, changes: Body) =>
  project.graphql('mutation ($input: UpdateRuleInput!) { updateRule(input: $input) { requestId } }', {
    input: { id, ...changes },
  });

/** Authenticates an account with a session over REST; its lists. */
async function authenticate(id: string, session_id: string, more: Body = {}): Promise<string[]> {
  const { status, body } = await project.rest('POST', '/session/authenticate', {
    session_id,
    account: { id, ...more },
  });
  if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  return listsOf(id);
}

const path = (list: string, id: string) => `/list/${list}/account/${id}`;
const listsOf = async (id: string): Promise<string[]> =>
  (await project.rest('GET', `/account/${id}`)).body.lists;

const REMOVE = `mutation ($input: RemoveAccountsFromListInput!) {
  removeAccountsFromList(input: $input) { results { accountId outcome } } }`;
const LIFT = `mutation ($input: LiftKeepOffInput!) { liftKeepOff(input: $input) { list { name } results { accountId outcome } } }`;

async function keepOff(list: string, accountIds: string[], client = project): Promise<string[]> {
  const { removeAccountsFromList } = await client.graphql(REMOVE, {
    input: { list, accountIds, keepOff: true },
  });
  return removeAccountsFromList.results.map(({ outcome }: Body) => outcome);
}

async function lift(list: string, accountIds: string[], client = project): Promise<string[]> {
  const { liftKeepOff } = await client.graphql(LIFT, { input: { list, accountIds } });
  return liftKeepOff.results.map(({ outcome }: Body) => outcome);
}

async function keptOff(id: string): Promise<string[]> {
  const { account } = await project.graphql(
    'query ($id: ID!) { account(accountId: $id) { keptOffLists { list { name } since actor } } }',
    { id },
  );
  for (const { since, actor } of account.keptOffLists) {
    expect(since).toMatch(/^\d{4}-/);
    expect(actor).toMatch(/^vg_test_/);
  }
  return account.keptOffLists.map(({ list }: Body) => list.name);
}

async function matchesOf(ruleId: string): Promise<Body[]> {
  const { rule } = await project.graphql(
    `query ($id: ID!) { rule(id: $id) { matchCounts { live shadow } matches(first: 50) { edges { node {
       accountId sessionId version outcomes { action { addToList } outcome } } } } } }`,
    { id: ruleId },
  );
  const rows = rule.matches.edges.map(({ node }: Body) => node);
  expect(rule.matchCounts.live).toBe(rows.length);
  return rows;
}

async function eventsOf(type: EventType, accountId: string): Promise<Body[]> {
  await gateway.app.settleEvents();
  const { events } = await project.graphql(
    'query ($id: ID, $types: [EventType!]) { events(accountId: $id, types: $types, first: 100) { edges { node { data sessionId } } } }',
    { id: accountId, types: [enumNameOf(type)] },
  );
  return events.edges.map(({ node }: Body) => node);
}

const fresh = async () => {
  project = await gateway.project();
};

describe('a rule acts once for a session and an account', () => {
  it('so that a repeated request does not undo the change of an operator', async () => {
    await fresh();
    const ruleId = await createRule({ actions: [{ addToList: 'block' }, { raiseFlag: 'seen' }] });
    const [id, sessionId] = [unique('freed'), await project.session()];
    expect(await authenticate(id, sessionId)).toEqual(['block']);
    await project.rest('DELETE', path('block', id));
    expect(await authenticate(id, sessionId)).toEqual([]);

    const { authenticateSession } = await project.graphql(
      `mutation ($input: AuthenticateSessionInput!) { authenticateSession(input: $input) {
         decision decisionRecord { id } flags rules { rule { id } version } account { lists { name } } } }`,
      { input: { sessionId, account: { accountId: id } } },
    );
    // It matches and flags as before.
    expect(authenticateSession).toMatchObject({
      decision: 'REAL',
      flags: ['seen'],
      rules: [{ rule: { id: ruleId }, version: 1 }],
      account: { lists: [] },
    });
    const { replayDecision } = await project.graphql(
      'query ($id: ID!) { replayDecision(id: $id) { same decision } }',
      { id: authenticateSession.decisionRecord.id },
    );
    expect(replayDecision).toEqual({ same: true, decision: 'REAL' });
    expect(await matchesOf(ruleId)).toEqual([
      {
        accountId: id,
        sessionId,
        version: 1,
        outcomes: [
          { action: { addToList: 'block' }, outcome: 'DONE' },
          { action: { addToList: null }, outcome: 'DONE' },
        ],
      },
    ]);
    expect(await eventsOf('rule.triggered', id)).toHaveLength(1);
    expect(await eventsOf('list.account_added', id)).toHaveLength(1);
  });

  it('also for removals, when an operator adds the account again', async () => {
    await fresh();
    const list = unique('watched');
    await project.rest('POST', `/list/${list}`, {});
    await createRule({ actions: [{ removeFromList: list }] });
    const [id, sessionId] = [unique('back'), await project.session()];
    expect(await authenticate(id, sessionId, { lists: [list] })).toEqual([]);
    await project.rest('POST', path(list, id));
    expect(await authenticate(id, sessionId)).toEqual([list]);
    expect(await authenticate(id, await project.session())).toEqual([]);
  });

  it('with any later version of the rule', async () => {
    await fresh();
    const ruleId = await createRule({ actions: [{ raiseFlag: 'seen' }] });
    const [id, sessionId] = [unique('version'), await project.session()];
    expect(await authenticate(id, sessionId)).toEqual([]);
    await updateRule(ruleId, { actions: [{ addToList: 'block' }] });
    expect(await authenticate(id, sessionId)).toEqual([]);
    expect(await authenticate(id, await project.session())).toEqual(['block']);
  });

  it('and again for another account, or in a new session', async () => {
    await fresh();
    await createRule();
    const [id, other, sessionId] = [unique('one'), unique('other'), await project.session()];
    expect(await authenticate(id, sessionId)).toEqual(['block']);
    expect(await authenticate(other, sessionId)).toEqual(['block']);
    await project.rest('DELETE', path('block', id));
    expect(await authenticate(id, await project.session())).toEqual(['block']);
  });

  it('after a shadow match, when it is enabled', async () => {
    await fresh();
    const ruleId = await createRule({ state: 'SHADOW' });
    const [id, sessionId] = [unique('shadow'), await project.session()];
    expect(await authenticate(id, sessionId)).toEqual([]);
    await updateRule(ruleId, { state: 'ENABLED' });
    expect(await authenticate(id, sessionId)).toEqual(['block']);
  });

  it('with many concurrent repetitions of a request, and a change by an operator between them', async () => {
    await fresh();
    const ruleId = await createRule();
    const [id, sessionId] = [unique('shared'), await project.session()];
    await Promise.all(Array.from({ length: 6 }, () => authenticate(id, sessionId)));
    expect(await matchesOf(ruleId)).toHaveLength(1);
    expect(await eventsOf('list.account_added', id)).toHaveLength(1);
    await Promise.all([
      project.rest('DELETE', path('block', id)),
      ...Array.from({ length: 6 }, () => authenticate(id, sessionId)),
    ]);
    expect(await listsOf(id)).toEqual([]);
    expect(await eventsOf('list.account_added', id)).toHaveLength(1);
    expect(await eventsOf('rule.triggered', id)).toHaveLength(1);
  });
});

describe('keepOff', () => {
  it('suppresses rules in new sessions, and lists the suppressed actions', async () => {
    await fresh();
    const ruleId = await createRule({ actions: [{ addToList: 'block' }, { raiseFlag: 'seen' }] });
    const id = unique('kept');
    expect(await authenticate(id, await project.session())).toEqual(['block']);
    expect(await keptOff(id)).toEqual([]);
    expect(await keepOff('block', [id])).toEqual(['REMOVED']);
    expect(await keptOff(id)).toEqual(['block']);
    const sessionId = await project.session();
    expect(await authenticate(id, sessionId)).toEqual([]);
    const [latest] = await matchesOf(ruleId);
    expect(latest).toMatchObject({
      sessionId,
      outcomes: [
        { action: { addToList: 'block' }, outcome: 'KEPT_OFF' },
        { action: { addToList: null }, outcome: 'DONE' },
      ],
    });
    expect(await eventsOf('rule.triggered', id)).toHaveLength(2);
    const { account } = await project.graphql(
      `query ($id: ID!) { account(accountId: $id) { decisions(first: 1) { edges { node { id decision } } } } }`,
      { id },
    );
    const [{ node }] = account.decisions.edges;
    expect(node.decision).toBe('REAL');
    const { replayDecision } = await project.graphql(
      'query ($id: ID!) { replayDecision(id: $id) { same } }',
      { id: node.id },
    );
    expect(replayDecision.same).toBe(true);
  });

  it('is not set by a removal over REST, nor without the option', async () => {
    await fresh();
    await createRule();
    const id = unique('plain');
    await authenticate(id, await project.session());
    await project.rest('DELETE', path('block', id));
    expect(await keptOff(id)).toEqual([]);
    expect(await authenticate(id, await project.session())).toEqual(['block']);
    await project.graphql(REMOVE, { input: { list: 'block', accountIds: [id] } });
    expect(await keptOff(id)).toEqual([]);
    expect(await authenticate(id, await project.session())).toEqual(['block']);
  });

  it('applies to an account that is not on the list, can be repeated, and rejects unknown accounts', async () => {
    await fresh();
    await createRule();
    const id = unique('ahead');
    await project.authenticate({ id }, { source: 'ios' });
    expect(await keepOff('block', [id, 'nobody'])).toEqual(['NOT_ON_LIST', 'NOT_FOUND']);
    expect(await keepOff('block', [id])).toEqual(['NOT_ON_LIST']);
    expect(await authenticate(id, await project.session())).toEqual([]);
    const other = await gateway.project();
    expect(await lift('block', [id], other)).toEqual(['NOT_FOUND']);
    expect(await keptOff(id)).toEqual(['block']);
    const { body } = await project.rawGraphql(LIFT, { input: { list: unique('none'), accountIds: [id] } });
    expect(body.errors[0].extensions.code).toBe('list.not_found');
  });

  it('is removed by a mutation, and by requests that add the account', async () => {
    await fresh();
    await createRule();
    const id = unique('lifted');
    const target = unique('target');
    await project.rest('POST', `/list/${target}`, {});
    await project.authenticate({ id }, { source: 'ios' });
    const keep = () => keepOff('block', [id]);
    const isBlockedAnew = async () => (await authenticate(id, await project.session())).includes('block');

    await keep();
    expect(await lift('block', [id, 'nobody'])).toEqual(['LIFTED', 'NOT_FOUND']);
    expect(await lift('block', [id])).toEqual(['NOT_KEPT_OFF']);
    expect(await isBlockedAnew()).toBe(true);

    await keep();
    await project.rest('POST', path('block', id));
    expect(await keptOff(id)).toEqual([]);
    await project.rest('DELETE', path('block', id));
    expect(await isBlockedAnew()).toBe(true);

    await keep();
    expect(await authenticate(id, await project.session(), { lists: ['block'] })).toEqual(['block']);
    expect(await keptOff(id)).toEqual([]);

    await keep();
    await project.rest('POST', path(target, id));
    const moved = await project.rest('POST', `/list/${target}/account/move`, {
      account_ids: [id],
      target_list: 'block',
    });
    expect(moved.status).toBe(200);
    expect(await keptOff(id)).toEqual([]);
  });

  it('writes audit entries, and none without a change', async () => {
    await fresh();
    const id = unique('audited');
    const target = unique('target');
    await project.rest('POST', `/list/${target}`, {});
    await project.authenticate({ id, lists: ['block'] });
    await keepOff('block', [id]);
    await keepOff('block', [id]);
    await lift('block', [id]);
    await lift('block', [id]);
    await keepOff('block', [id]);
    await project.rest('POST', path('block', id));
    await keepOff('block', [id]);
    await project.authenticate({ id, lists: ['block'] });
    await keepOff('block', [id]);
    await project.rest('POST', path(target, id));
    await project.rest('POST', `/list/${target}/account/move`, { account_ids: [id], target_list: 'block' });
    const { auditLog } = await project.graphql(
      'query ($id: ID!) { auditLog(accountId: $id, first: 50) { edges { node { action target before after } } } }',
      { id },
    );
    const lines: [string, Body | null, Body | null][] = auditLog.edges.map(({ node }: Body) => [
      `${node.action} ${node.target}`,
      node.before,
      node.after,
    ]);
    const mark = [expect.stringMatching(/^[0-9a-f]{16}$/)];
    const removed = ['LIST_REMOVE_ACCOUNTS list:block', { accounts: mark }, { keptOff: mark }];
    const lifted = ['LIST_LIFT_KEEP_OFF list:block', { keptOff: mark }, null];
    const added = (name: string, more = {}) => [
      `LIST_ADD_ACCOUNTS list:${name}`,
      null,
      { accounts: mark, ...more },
    ];
    // Lines of one request have no order.
    const expected = [
      added('block'),
      removed,
      lifted,
      ['LIST_REMOVE_ACCOUNTS list:block', { accounts: [] }, { keptOff: mark }],
      added('block', { liftedKeepOff: mark }),
      removed,
      lifted,
      added('block'),
      removed,
      added(target),
      [
        `LIST_MOVE_ACCOUNTS list:${target}`,
        null,
        { accounts: mark, targetList: 'block', liftedKeepOff: mark },
      ],
    ];
    expect(lines).toHaveLength(expected.length);
    expect(lines).toEqual(expect.arrayContaining(expected));
    for (const line of lines) expect(expected).toContainEqual(line);
  });

  it('is deleted with the account and with the list', async () => {
    await fresh();
    const id = unique('erased');
    const list = unique('own');
    await project.rest('POST', `/list/${list}`, {});
    const ruleId = await createRule({ actions: [{ addToList: list }, { addToList: 'block' }] });
    await authenticate(id, await project.session());
    await keepOff('block', [id]);
    await keepOff(list, [id]);
    expect(await keptOff(id)).toEqual(['block', list].toSorted());
    await project.rest('DELETE', `/account/${id}`);
    expect(await authenticate(id, await project.session())).toEqual(['block', list].toSorted());
    await keepOff(list, [id]);
    await updateRule(ruleId, { actions: [{ addToList: 'block' }] });
    await project.rest('DELETE', `/list/${list}`);
    await project.rest('POST', `/list/${list}`, {});
    expect(await keptOff(id)).toEqual([]);
  });

  it('of many concurrent accounts and sessions leaves no account on the list', async () => {
    await fresh();
    await createRule();
    const ids = Array.from({ length: 4 }, () => unique('racing'));
    for (const id of ids) await project.authenticate({ id }, { source: 'ios' });
    const sessions = await Promise.all(ids.map(() => project.session()));
    await Promise.all([keepOff('block', ids), ...ids.map((id, index) => authenticate(id, sessions[index]!))]);
    for (const id of ids) {
      expect(await listsOf(id)).toEqual([]);
      expect(await authenticate(id, await project.session())).toEqual([]);
    }
  });
});
