import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Body,
  type Gateway,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { accounts, add, list, listsOf, membersOf, move, traces } from '../../support/lists.ts';
import { connectAs } from '../../support/sql.ts';

let gateway: Gateway;
let project: TestProject;
const clock = new TestClock();
const masterKey = generateMasterKey();

beforeAll(async () => {
  gateway = await startGateway({ clock, masterKey, worksInBackground: false });
});
afterAll(() => gateway.close());

beforeEach(async () => {
  project = await gateway.project();
});

const HOUR = 3_600_000;
const inAnHour = () => new Date(clock.now().getTime() + HOUR).toISOString();
const BLOCKED_BY = {
  name: 'test.blocked_by',
  text: 'select pid from pg_stat_activity where $1 = any(pg_blocking_pids(pid))',
};
const outcomes = ({ results }: Body): string[] => results.map(({ outcome }: Body) => outcome);
/** Events of one change have one time. */
const inAnyOrder = (all: readonly object[]) => all.map((one) => JSON.stringify(one)).toSorted();
const emitted = async () => (await traces(gateway, masterKey, project)).events;
const audited = async () => (await traces(gateway, masterKey, project)).audit;

/** The code and message of the error of a mutation. */
async function refusal(field: string, type: string, input: Body, by = project): Promise<[string, string]> {
  const { body } = await by.rawGraphql(
    `mutation ($input: ${type}!) { ${field}(input: $input) { requestId } }`,
    { input },
  );
  const [error] = body.errors;
  return [error.extensions.code, error.message];
}

describe('lists in GraphQL', () => {
  it('have an effect that applies immediately', async () => {
    const name = unique('fraud');
    const created = await project.graphql(
      `mutation ($name: String!) { createList(input: { name: $name, description: "Seen", effect: BLOCK }) {
        list { name description effect standard memberCount } } }`,
      { name },
    );
    expect(created.createList.list).toEqual({
      name,
      description: 'Seen',
      effect: 'BLOCK',
      standard: false,
      memberCount: 0,
    });
    const [id] = await accounts(project, 1);
    const decision = async () =>
      (await project.graphql('query ($id: ID!) { account(accountId: $id) { decision } }', { id })).account
        .decision;
    expect(await decision()).toBe('REAL');
    await add(project, name, [id!]);
    expect(await decision()).toBe('FAKE');
    await project.graphql(
      'mutation ($name: String!) { updateList(input: { name: $name, effect: NONE }) { list { effect } } }',
      { name },
    );
    expect(await decision()).toBe('REAL');
    const { list: shown } = await project.graphql(
      'query ($name: String!) { list(name: $name) { description effect } }',
      { name },
    );
    expect(shown).toEqual({ description: 'Seen', effect: 'NONE' });
  });

  it('that are standard keep their effect, and can have a description', async () => {
    const change = (input: Body) => refusal('updateList', 'UpdateListInput', { name: 'allow', ...input });
    expect(await change({ effect: 'NONE' })).toEqual([
      'list.standard',
      'block, allow and main_account keep their effect',
    ]);
    await project.graphql(
      'mutation { updateList(input: { name: "allow", effect: ALLOW, description: "Ours" }) { requestId } }',
    );
    const { list: allow } = await project.graphql('{ list(name: "allow") { effect description } }');
    expect(allow).toEqual({ effect: 'ALLOW', description: 'Ours' });
  });

  it.each<[string, string, string, Body, string]>([
    ['a name with a slash', 'createList', 'CreateListInput', { name: 'a/b' }, 'input.invalid'],
    ['an existing name', 'createList', 'CreateListInput', { name: 'block' }, 'list.already_exists'],
    ['a change of an unknown list', 'updateList', 'UpdateListInput', { name: 'no-such' }, 'list.not_found'],
    [
      'the deletion of an unknown list',
      'deleteList',
      'DeleteListInput',
      { name: 'no-such' },
      'list.not_found',
    ],
    ['the deletion of a standard list', 'deleteList', 'DeleteListInput', { name: 'allow' }, 'list.standard'],
    [
      'accounts for an unknown list',
      'addAccountsToList',
      'AddAccountsToListInput',
      { list: 'no-such', accountIds: ['x'] },
      'list.not_found',
    ],
    [
      'an empty list of accounts',
      'addAccountsToList',
      'AddAccountsToListInput',
      { list: 'block', accountIds: [] },
      'input.invalid',
    ],
    [
      'the removal of 1,001 accounts',
      'removeAccountsFromList',
      'RemoveAccountsFromListInput',
      { list: 'block', accountIds: Array.from({ length: 1001 }, (_, index) => `x-${index}`) },
      'input.invalid',
    ],
    [
      'a move to an unknown list',
      'moveAccounts',
      'MoveAccountsInput',
      { sourceList: 'block', targetList: 'no-such', accountIds: ['x'] },
      'list.not_found',
    ],
    [
      'a move to itself',
      'moveAccounts',
      'MoveAccountsInput',
      { sourceList: 'block', targetList: 'block', accountIds: ['x'] },
      'input.invalid',
    ],
  ])('reject %s', async (_what, field, type, input, code) => {
    expect((await refusal(field, type, input))[0]).toBe(code);
    expect(await emitted()).toEqual([]);
    expect(await audited()).toEqual([]);
  });

  it('can be changed by the role server, and are hidden from tokens limited to an account', async () => {
    const [id] = await accounts(project, 1);
    await add(project, 'block', [id!]);
    const { key } = await gateway.app.projects.createKey(project.projectId, 'read');
    const reader = project.withKey(key);
    const input = { list: 'block', accountIds: [id] };
    const removing = ['removeAccountsFromList', 'RemoveAccountsFromListInput', input] as const;
    expect((await refusal(...removing, reader))[0]).toBe('auth.forbidden');
    const server = project.withKey((await gateway.app.projects.createKey(project.projectId, 'server')).key);
    expect(outcomes(await add(server, 'block', [id!]))).toEqual(['ALREADY_ON_LIST']);

    const { createBrowserToken } = await project.graphql(
      'mutation ($id: ID!) { createBrowserToken(input: { scopes: [ACCOUNT], accountId: $id }) { token } }',
      { id },
    );
    const headers = { 'x-api-key': '', authorization: `Bearer ${createBrowserToken.token}` };
    for (const fields of ['memberCount', 'accountIds', 'members { edges { node { accountId } } }']) {
      const { body } = await project.rawGraphql(
        `query ($id: ID!) { account(accountId: $id) { lists { ${fields} } } }`,
        { id },
        headers,
      );
      expect(body.errors[0].extensions.code, fields).toBe('auth.forbidden');
      expect(JSON.stringify(body.data ?? null)).not.toContain('memberCount');
    }
  });
});

describe('members', () => {
  const PAGE = `query ($name: String!, $first: Int, $after: String) { list(name: $name) { memberCount
    members(first: $first, after: $after) { edges { node { accountId } addedAt reason actor source expiresAt cursor }
      pageInfo { hasNextPage hasPreviousPage endCursor } } } }`;

  it('are returned in pages, the latest first, with reason, actor and source', async () => {
    const ids = await accounts(project, 5);
    const name = await list(project);
    for (const [index, id] of ids.entries()) {
      clock.advance(1000);
      await add(project, name, [id], index === 4 ? { reason: 'chargeback', expiresAt: inAnHour() } : {});
    }
    const first = (await project.graphql(PAGE, { name, first: 3 })).list;
    expect(first.memberCount).toBe(5);
    expect(first.members.edges[0]).toMatchObject({
      node: { accountId: ids[4] },
      addedAt: clock.now().toISOString(),
      reason: 'chargeback',
      actor: expect.stringMatching(/^vg_/),
      source: 'API',
      expiresAt: inAnHour(),
    });
    expect(first.members.edges[1]).toMatchObject({ reason: null, expiresAt: null });
    expect(first.members.pageInfo).toMatchObject({ hasNextPage: true, hasPreviousPage: false });
    // The row before the next page may be deleted.
    await project.rest('DELETE', `/list/${name}/account/${ids[2]}`);
    const after = first.members.pageInfo.endCursor;
    const second = (await project.graphql(PAGE, { name, first: 3, after })).list;
    const shown = [...first.members.edges, ...second.members.edges].map(({ node }: Body) => node.accountId);
    expect(shown).toEqual(ids.toReversed());
    expect(second.members.pageInfo).toMatchObject({ hasNextPage: false, hasPreviousPage: true });
    expect(second.memberCount).toBe(4);
  });

  it('need one statement for any number of lists, and so do their accounts and counts', async () => {
    const ids = await accounts(project, 3);
    for (let index = 0; index < 4; index += 1) await list(project, ids);
    gateway.takeStatements();
    const { lists } = await project.graphql(
      '{ lists { edges { node { name memberCount members(first: 2) { totalCount { value } edges { node { accountId lists { name } } } } } } } }',
    );
    const sent = gateway.takeStatements().filter((name) => !/^(set_project|key\.)/.test(name));
    const counts = ['list.count_live_members', 'list.count_members'];
    // Of the lists, and of the memberships.
    expect(sent.toSorted()).toEqual(['account.find_many', ...counts, 'prisma:SELECT', 'prisma:SELECT']);
    expect(lists.edges.map(({ node }: Body) => node.memberCount).toSorted()).toEqual([0, 0, 0, 3, 3, 3, 3]);
    expect(lists.edges.map(({ node }: Body) => node.members.edges.length).toSorted()).toEqual([
      0, 0, 0, 2, 2, 2, 2,
    ]);
  });

  it('that were added together are returned once in pages of both directions', async () => {
    const name = await list(project, await accounts(project, 5));
    const read = async (page: string) =>
      (
        await project.graphql(
          `query ($name: String!) { list(name: $name) { members(${page}) {
            edges { node { accountId } addedAt } pageInfo { startCursor endCursor } } } }`,
          { name },
        )
      ).list.members;
    const { edges } = await read('first: 100');
    expect(new Set(edges.map(({ addedAt }: Body) => addedAt)).size).toBe(1);
    const [first, second] = [await read('first: 2'), await read('last: 2')];
    const after = await read(`first: 3, after: "${first.pageInfo.endCursor}"`);
    const before = await read(`last: 3, before: "${second.pageInfo.startCursor}"`);
    expect([...first.edges, ...after.edges]).toEqual(edges);
    expect([...before.edges, ...second.edges]).toEqual(edges);
    const between = `after: "${first.pageInfo.endCursor}", before: "${second.pageInfo.startCursor}"`;
    expect((await read(`first: 3, ${between}`)).edges).toEqual([edges[2]]);
  });

  it('are added and removed in calls of a thousand, with an event each', async () => {
    const ids = await accounts(project, 3);
    const name = await list(project);
    const named = [ids[0]!, 'nobody', ids[1]!, ids[0]!];
    expect(outcomes(await add(project, name, named))).toEqual(['ADDED', 'NOT_FOUND', 'ADDED']);
    expect(outcomes(await add(project, name, ids))).toEqual(['ALREADY_ON_LIST', 'ALREADY_ON_LIST', 'ADDED']);
    const { removeAccountsFromList } = await project.graphql(
      `mutation ($input: RemoveAccountsFromListInput!) { removeAccountsFromList(input: $input) {
        list { name memberCount } results { accountId outcome } } }`,
      { input: { list: name, accountIds: ['nobody', ids[2], ids[2], ids[0]] } },
    );
    expect(removeAccountsFromList).toEqual({
      list: { name, memberCount: 1 },
      results: [
        { accountId: 'nobody', outcome: 'NOT_FOUND' },
        { accountId: ids[2], outcome: 'REMOVED' },
        { accountId: ids[0], outcome: 'REMOVED' },
      ],
    });
    expect(await membersOf(project, name)).toEqual([ids[1]]);
  });

  it('can receive another reason or expiry without an event', async () => {
    const [id] = await accounts(project, 1);
    const name = await list(project);
    const expiresAt = inAnHour();
    await add(project, name, [id!], { reason: 'first', expiresAt });
    const addedAt = clock.now().toISOString();
    clock.advance(1000);
    const memberOf = async () => (await project.graphql(PAGE, { name })).list.members.edges[0];
    await add(project, name, [id!]);
    expect(await memberOf()).toMatchObject({ reason: 'first', expiresAt, addedAt });
    await add(project, name, [id!], { reason: 'second' });
    expect(await memberOf()).toMatchObject({ reason: 'second', expiresAt, addedAt });
    const later = inAnHour();
    await add(project, name, [id!], { expiresAt: later });
    expect(await memberOf()).toMatchObject({ reason: 'second', expiresAt: later, addedAt });
    await add(project, name, [id!], { reason: '' });
    expect(await memberOf()).toMatchObject({ reason: null, expiresAt: later, addedAt });
    expect(await emitted()).toHaveLength(1);
  });

  it('cannot have an expiry in the past', async () => {
    const [id] = await accounts(project, 1);
    const name = await list(project);
    for (const expiresAt of [clock.now().toISOString(), '2020-01-01T00:00:00.000Z']) {
      const input = { list: name, accountIds: [id], expiresAt };
      expect(await refusal('addAccountsToList', 'AddAccountsToListInput', input)).toEqual([
        'input.invalid',
        'expiresAt: must be later than now',
      ]);
    }
    expect(await membersOf(project, name)).toEqual([]);
  });
});

describe('events and audit entries of a change', () => {
  it('are written in one request, the audit entries without account ids', async () => {
    const ids = await accounts(project, 2);
    const [a, b] = ids as [string, string];
    const [name, target] = [unique('event'), await list(project)];
    const inTurn = async <Result>(work: Promise<Result>) => {
      const result = await work;
      clock.advance(1);
      return result;
    };
    await inTurn(project.rest('POST', `/list/${name}`, { list_description: 'One' }));
    await inTurn(project.rest('PATCH', `/list/${name}`, { list_description: 'Two' }));
    await inTurn(project.rest('PATCH', `/list/${name}`, { list_description: 'Two' }));
    const expiresAt = inAnHour();
    await inTurn(add(project, name, [a, b, 'nobody'], { reason: 'chargeback', expiresAt }));
    await inTurn(move(project, name, target, [b, a, 'nobody']));
    await inTurn(project.rest('DELETE', `/list/${target}/account/${a}`));
    await inTurn(project.rest('DELETE', `/list/${target}/account/${a}`));
    const { headers } = await project.rest('DELETE', `/list/${target}`);
    const { events, rows, audit, hashOf } = await traces(gateway, masterKey, project);

    const event = (type: string, account_id: string, listName: string, reason?: string) => ({
      type: `list.account_${type}`,
      data: { account_id, list: listName, source: 'api', ...(reason ? { reason } : {}) },
    });
    const expected = [
      event('added', a, name, 'chargeback'),
      event('added', b, name, 'chargeback'),
      event('removed', a, name),
      event('removed', b, name),
      event('added', a, target),
      event('added', b, target),
      event('removed', a, target),
      event('removed', b, target, 'list_deleted'),
    ];
    expect(inAnyOrder(events)).toEqual(inAnyOrder(expected));
    expect(new Set(rows.map(({ account_id }) => account_id)).size).toBe(2);
    expect(rows.every(({ account_id, request_id }) => account_id !== null && request_id !== null)).toBe(true);

    const own = audit.filter((line: Body) => line.target === `list:${name}` || line.action === 'list.delete');
    expect(own.map(({ action, before, after }: Body) => ({ action, before, after }))).toEqual([
      { action: 'list.create', before: null, after: { description: 'One', effect: 'none' } },
      { action: 'list.update', before: { description: 'One' }, after: { description: 'Two' } },
      { action: 'list.add_accounts', before: null, after: { accounts: [hashOf(a), hashOf(b)], expiresAt } },
      {
        action: 'list.move_accounts',
        before: null,
        after: { targetList: target, accounts: [hashOf(b), hashOf(a)] },
      },
      { action: 'list.delete', before: { description: '', effect: 'none', members: 1 }, after: null },
    ]);
    const removal = audit.filter((line: Body) => line.action === 'list.remove_accounts');
    expect(removal.map(({ target: on, before }: Body) => [on, before])).toEqual([
      [`list:${target}`, { accounts: [hashOf(a)] }],
    ]);
    const last = audit.at(-1);
    expect(last).toMatchObject({ request_id: headers.get('x-request-id') });
    expect(audit.every(({ actor }: Body) => actor === last.actor && /^vg_/.test(actor))).toBe(true);
    for (const id of ids) expect(JSON.stringify(audit)).not.toContain(id);
  });

  it('name the standard list that the account left', async () => {
    const [id] = await accounts(project, 1);
    await add(project, 'block', [id!]);
    clock.advance(1);
    await add(project, 'allow', [id!], { reason: 'reviewed' });
    const { events, audit, hashOf } = await traces(gateway, masterKey, project);
    expect(inAnyOrder(events.slice(1))).toEqual(
      inAnyOrder([
        {
          type: 'list.account_removed',
          data: { account_id: id, list: 'block', source: 'api', reason: 'other_standard_list' },
        },
        {
          type: 'list.account_added',
          data: { account_id: id, list: 'allow', source: 'api', reason: 'reviewed' },
        },
      ]),
    );
    expect(audit.at(-1)?.after).toEqual({
      accounts: [hashOf(id!)],
      takenOff: { block: [hashOf(id!)] },
    });
  });

  it('are not written without a change', async () => {
    const [id] = await accounts(project, 1);
    const [name, target] = [await list(project), await list(project)];
    const before = [await emitted(), await audited()];
    await project.rest('PATCH', `/list/${name}`, {});
    await project.rest('DELETE', `/list/${name}/account/${id}`);
    await project.rest('POST', `/list/${name}/account/nobody`);
    expect(await move(project, name, target, [id!, 'nobody'])).toMatchObject({ moved: 0, notFound: 2 });
    expect([await emitted(), await audited()]).toEqual(before);
  });

  it('are deleted with the account when it is erased', async () => {
    const [id] = await accounts(project, 1);
    const name = await list(project, [id!]);
    await project.rest('DELETE', `/account/${id}`);
    expect(await membersOf(project, name)).toEqual([]);
    expect(await emitted()).toEqual([]);
    const { list: shown } = await project.graphql(PAGE_COUNT, { name });
    expect(shown.memberCount).toBe(0);
  });
});

const PAGE_COUNT = 'query ($name: String!) { list(name: $name) { memberCount } }';

describe('a list of thousands', () => {
  it('is deleted in one call, even when its statistics are outdated', async () => {
    const name = await list(project);
    const client = await connectAs(gateway.database, 'vouchgraph_system');
    await client.query(
      `with made as (
         insert into accounts (project_id, id, account_id, personal, expected_countries, countries, match_key_version)
         select $1, gen_random_uuid(), 'many-' || n, '', '{}', '{}', 1 from generate_series(1, 12000) as n returning id
       )
       insert into list_members (project_id, list_id, account_id)
       select $1, l.list_id, m.id from made m, lists l where l.project_id = $1 and l.name = $2`,
      [project.projectId, name],
    );
    // Its accounts have no encrypted fields: only their events are counted.
    expect((await project.rest('DELETE', `/list/${name}`)).status).toBe(200);
    const { rows } = await client.query(
      `select count(*)::int as emitted from outbox_events where project_id = $1 and type = 'list.account_removed'`,
      [project.projectId],
    );
    await client.end();
    expect(rows[0].emitted).toBe(12_000);
  });
});

describe('a list that a rule uses', () => {
  async function rule(action: string, name: string, state: string): Promise<void> {
    const client = await connectAs(gateway.database, 'vouchgraph_system');
    await client.query(
      `insert into rules (project_id, rule_id, version, name, trigger, state, position, expression, actions)
       values ($1, gen_random_uuid(), 1, $2, 'ANY_SESSION', $3, 1, '{}', $4)`,
      [
        project.projectId,
        `rule of ${name}`,
        state,
        JSON.stringify([{ raiseFlag: 'seen' }, { [action]: name }]),
      ],
    );
    await client.end();
  }

  it('is not deleted: MATCHES LIST', async () => {
    const name = await list(project);
    const input = {
      name: unique('asks'),
      trigger: 'ANY_SESSION',
      actions: [],
      expression: `session.bot > 0.2 OR NOT lists MATCHES LIST "${name}"`,
    };
    await project.graphql(
      'mutation ($input: CreateRuleInput!) { createRule(input: $input) { rule { id } } }',
      {
        input,
      },
    );
    const [code, message] = await refusal('deleteList', 'DeleteListInput', { name });
    expect(code).toBe('list.in_use');
    expect(message).toContain(input.name);
  });

  it.each(['addToList', 'removeFromList'])('is not deleted: %s', async (action) => {
    const name = await list(project);
    await rule(action, name, 'disabled');
    const [code, message] = await refusal('deleteList', 'DeleteListInput', { name });
    expect(code).toBe('list.in_use');
    expect(message).toContain(`rule of ${name}`);
    expect((await project.rest('DELETE', `/list/${name}`)).status).toBe(400);
    expect(await membersOf(project, name)).toEqual([]);
  });

  it('is deleted when the rule is archived, or names another list', async () => {
    const [name, other] = [await list(project), await list(project)];
    await rule('addToList', name, 'archived');
    await rule('addToList', other, 'enabled');
    expect((await project.rest('DELETE', `/list/${name}`)).status).toBe(200);
  });
});

describe('an expired membership', () => {
  it('is removed everywhere immediately', async () => {
    const [id, stays] = await accounts(project, 2);
    const name = await list(project, [stays!]);
    await add(project, name, [id!], { expiresAt: inAnHour() });
    expect(await membersOf(project, name)).toHaveLength(2);
    clock.advance(HOUR);
    expect(await membersOf(project, name)).toEqual([stays]);
    const { list: shown } = await project.graphql(
      `query ($name: String!) { list(name: $name) { memberCount members { edges { node { accountId } } } } }`,
      { name },
    );
    expect(shown).toEqual({ memberCount: 1, members: { edges: [{ node: { accountId: stays } }] } });
    expect(await move(project, name, 'allow', [id!])).toMatchObject({ notFound: 1, moved: 0 });
  });

  it('is removed with an event and without an audit entry', async () => {
    const [id] = await accounts(project, 1);
    const name = await list(project);
    await add(project, name, [id!], { expiresAt: inAnHour() });
    await gateway.app.expireMembers(project.projectId);
    expect(await listsOf(project, id!)).toEqual([name]);
    clock.advance(HOUR);
    await gateway.app.expireMembers(project.projectId);
    expect(await listsOf(project, id!)).toEqual([]);
    expect((await emitted()).slice(1)).toEqual([
      {
        type: 'list.account_removed',
        data: { account_id: id, list: name, source: 'system', reason: 'expired' },
      },
    ]);
    expect((await audited()).map(({ action }: Body) => action).toSorted()).toEqual([
      'list.add_accounts',
      'list.create',
    ]);
    await gateway.app.expireMembers(project.projectId);
    expect(await emitted()).toHaveLength(2);
  });

  it('is removed once by any number of gateways', async () => {
    const other = await startGateway({ clock, masterKey, database: gateway.database });
    try {
      const ids = await accounts(project, 30);
      const name = await list(project);
      await add(project, name, ids, { expiresAt: inAnHour() });
      clock.advance(HOUR);
      const all = [gateway, other, gateway, other].map(({ app }) => app.expireMembers(project.projectId));
      await Promise.all(all);
      await gateway.app.expireMembers(project.projectId);
      const removed = (await emitted()).filter(({ type }) => type === 'list.account_removed');
      expect(removed.map(({ data }) => data.account_id).toSorted()).toEqual(ids.toSorted());
    } finally {
      await other.close();
    }
  });

  it('can be added again and remains', async () => {
    const [id] = await accounts(project, 1);
    const name = await list(project);
    await add(project, name, [id!], { reason: 'first', expiresAt: inAnHour() });
    clock.advance(HOUR);
    expect(outcomes(await add(project, name, [id!]))).toEqual(['ADDED']);
    await gateway.app.expireMembers(project.projectId);
    expect(await membersOf(project, name)).toEqual([id]);
    const { list: shown } = await project.graphql(
      'query ($name: String!) { list(name: $name) { members { edges { reason expiresAt addedAt } } } }',
      { name },
    );
    expect(shown.members.edges).toEqual([
      { reason: null, expiresAt: null, addedAt: clock.now().toISOString() },
    ]);
  });

  it.each(['add', 'move'] as const)(
    'emits its event once when the worker removes it while an account is added to the list again (%s)',
    async (change) => {
      const [id] = await accounts(project, 1);
      const [name, source] = [await list(project), await list(project, [id!])];
      await add(project, name, [id!], { expiresAt: inAnHour() });
      clock.advance(HOUR);
      const before = (await emitted()).length;
      const worker = await gateway.app.database.system.connect();
      try {
        await worker.query('begin');
        await worker.query(`delete from list_members where project_id = $1 and expires_at is not null`, [
          project.projectId,
        ]);
        const changed = change === 'add' ? add(project, name, [id!]) : move(project, source, name, [id!]);
        const { rows } = await worker.query('select pg_backend_pid() as pid');
        await expect.poll(() => gateway.app.database.system.query(BLOCKED_BY, [rows[0].pid])).toHaveLength(1);
        await worker.query('commit');
        await changed;
      } finally {
        worker.release();
      }
      const events = (await emitted()).slice(before).filter(({ data }) => data.list === name);
      expect(events.map(({ type }) => type)).toEqual(['list.account_added']);
      expect(await membersOf(project, name)).toEqual([id]);
    },
  );

  it('moves with its reason and its expiry, also to a list where it expired before', async () => {
    const [id] = await accounts(project, 1);
    const [source, target] = [await list(project), await list(project)];
    await add(project, target, [id!], { expiresAt: inAnHour() });
    clock.advance(HOUR);
    const expiresAt = inAnHour();
    await add(project, source, [id!], { reason: 'watch', expiresAt });
    expect(await move(project, source, target, [id!])).toMatchObject({ moved: 1 });
    const { list: shown } = await project.graphql(
      'query ($name: String!) { list(name: $name) { members { edges { reason expiresAt } } } }',
      { name: target },
    );
    expect(shown.members.edges).toEqual([{ reason: 'watch', expiresAt }]);
    const removed = (await emitted()).filter(({ type }) => type === 'list.account_removed');
    expect(inAnyOrder(removed.map(({ data }) => [data.list, data.source, data.reason]))).toEqual(
      inAnyOrder([
        [source, 'api', undefined],
        [target, 'system', 'expired'],
      ]),
    );
    clock.advance(HOUR);
    await gateway.app.expireMembers(project.projectId);
    expect(await membersOf(project, target)).toEqual([]);
  });

  it('of a standard list has no effect', async () => {
    const [id] = await accounts(project, 1);
    const source = await list(project, [id!]);
    await add(project, 'block', [id!], { expiresAt: inAnHour() });
    expect(await move(project, source, 'allow', [id!])).toMatchObject({ conflict: 1 });
    clock.advance(HOUR);
    expect(await move(project, source, 'allow', [id!])).toMatchObject({ moved: 1 });
  });
});
