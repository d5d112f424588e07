import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Body,
  type Gateway,
  send,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

const LOG = `query ($first: Int, $after: String, $filter: AuditFilter, $accountId: ID) {
  auditLog(first: $first, after: $after, filter: $filter, accountId: $accountId) {
    edges { cursor node { id auditId at actor actorKind action target requestId before after } }
    pageInfo { hasNextPage hasPreviousPage endCursor } } }`;

/** Stands still, so that entries share their time unless a test advances it. */
let clock: TestClock;
let gateway: Gateway;
let project: TestProject;
let system: pg.Client;

beforeAll(async () => {
  clock = new TestClock();
  gateway = await startGateway({ clock });
  system = await connectAs(gateway.database, 'vouchgraph_system');
});
afterAll(async () => {
  await system.end();
  await gateway.close();
});

async function newProject(): Promise<TestProject> {
  project = await gateway.project();
  return project;
}

const logOf = async (client: TestProject, variables: Body = {}): Promise<Body> =>
  (await client.graphql(LOG, variables)).auditLog;
const lines = async (variables: Body = {}, client = project): Promise<Body[]> =>
  (await logOf(client, { first: 100, ...variables })).edges.map((edge: Body) => edge.node);
const actionsOf = async (variables: Body = {}) => (await lines(variables)).map((line) => line.action);

/** All entries, page by page, with a change after each page. */
async function readAll(first: number, afterPage: () => Promise<unknown> = async () => {}): Promise<Body[]> {
  const read: Body[] = [];
  for (let after: string | null = null; ; ) {
    const { edges, pageInfo } = await logOf(project, { first, after });
    read.push(...edges.map((edge: Body) => edge.node));
    if (!pageInfo.hasNextPage) return read;
    after = pageInfo.endCursor;
    await afterPage();
  }
}

const setFakeFrom = (fakeFrom: number) =>
  project.graphql(
    `mutation ($fakeFrom: Float!) { updateProjectSettings(input: { fakeFrom: $fakeFrom }) { requestId } }`,
    { fakeFrom },
  );
const erase = async (id: string): Promise<void> => {
  await project.authenticate({ id });
  expect((await project.rest('DELETE', `/account/${id}`)).status).toBe(200);
};

describe('an audit entry', () => {
  it('records actor, change and request, with the values before and after', async () => {
    await newProject();
    const id = unique('erased');
    await project.authenticate({ id });
    clock.advance(1000);
    const { body } = await project.rest('DELETE', `/account/${id}`);
    clock.advance(1000);
    await setFakeFrom(0.9);
    const [settings, account, key, ...others] = await lines();
    expect(settings).toMatchObject({
      at: clock.now().toISOString(),
      actor: expect.stringMatching(/^vg_test_/),
      actorKind: 'KEY',
      action: 'SETTINGS_UPDATE',
      before: { fakeFrom: 0.7 },
      after: { fakeFrom: 0.9 },
    });
    expect(account).toMatchObject({
      action: 'ACCOUNT_DELETE',
      target: expect.stringMatching(/^account:[0-9a-f]{32}$/),
      requestId: body.request_id,
      before: null,
      after: null,
    });
    expect(project.key.startsWith(account.actor.split('…')[0])).toBe(true);
    expect(key).toMatchObject({
      actor: 'command line',
      actorKind: 'COMMAND_LINE',
      action: 'KEY_CREATE',
      target: `key:${project.keyId}`,
      requestId: null,
      after: { role: 'operator' },
    });
    expect(others).toEqual([]);
  });

  it('can be read only by operators of the project', async () => {
    await newProject();
    for (const role of ['server', 'read'] as const) {
      const { key } = await gateway.app.projects.createKey(project.projectId, role);
      const answer = await project.withKey(key).rawGraphql(LOG);
      expect(answer.body.errors[0].extensions.code).toBe('auth.forbidden');
      expect(answer.text).not.toContain('KEY_CREATE');
    }
    const { token } = (
      await project.graphql(
        'mutation { createBrowserToken(input: { scopes: [ACCOUNT], accountId: "nobody" }) { token } }',
      )
    ).createBrowserToken;
    const page = await send(
      `${gateway.baseUrl}/graphql`,
      'POST',
      { query: LOG },
      { authorization: `Bearer ${token}` },
    );
    expect(page.body.errors[0].extensions.code).toBe('auth.forbidden');
    const ours = await lines();
    await newProject();
    expect((await lines()).filter(({ id }) => ours.some((line) => line.id === id))).toEqual([]);
    expect(await lines({ filter: { target: ours[0].target } })).toEqual([]);
  });

  it('cannot be changed or deleted by the role that serves requests', async () => {
    await newProject();
    const app = await connectAs(gateway.database, 'vouchgraph_app');
    await app.query(`select set_config('app.project', $1, false)`, [project.projectId]);
    expect((await app.query('select * from audit_log')).rowCount).toBe(1);
    for (const change of [
      `update audit_log set reason = 'x'`,
      'update audit_log set reason_salt = gen_random_uuid()',
      `update audit_log set after = '{"role":"read"}'`,
      'update audit_log set after = null',
    ])
      await expect(app.query(change)).rejects.toThrow(/can be erased, and not changed/);
    for (const change of [
      'delete from audit_chain',
      `insert into audit_chain select project_id, 9, audit_id, '', '' from audit_log`,
      'delete from audit_unchained',

      `update audit_log set actor = 'somebody else'`,
      `update audit_log set at = now() where project_id = '${project.projectId}'`,
      'delete from audit_log',
      'truncate audit_log',
    ])
      await expect(app.query(change)).rejects.toThrow(/permission denied/);
    await app.end();
    expect(await lines()).toMatchObject([{ actor: 'command line' }]);
  });

  it('contains no personal data for any operation on an account', async () => {
    await newProject();
    const secret = `zz${randomUUID().slice(0, 8)}`;
    const account = {
      id: `${secret}-id`,
      email: `${secret}@example.com`,
      first_name: secret,
      last_name: secret,
      username: secret,
      phone: '+14155552671',
      metadata: { note: secret },
      lists: ['block', unique('regulars')],
    };
    await project.authenticate(account, { device_id: secret, ip_address: '90.54.1.77' });
    await project.rest('PUT', `/account/${account.id}`, { username: `${secret}-2` });
    await project.authenticate({ id: account.id, lists: ['allow'] });
    await project.rest('POST', `/list/block/account/${account.id}`);
    await project.rest('POST', '/list/block/account/move', {
      account_ids: [account.id],
      target_list: 'allow',
    });
    await project.graphql(
      `mutation ($ids: [ID!]!, $reason: String) {
        addAccountsToList(input: { list: "main_account", accountIds: $ids, reason: $reason }) { requestId }
        removeAccountsFromList(input: { list: "main_account", accountIds: $ids }) { requestId } }`,
      { ids: [account.id], reason: `${secret} asked for it` },
    );
    await setFakeFrom(0.9);
    await project.rest('DELETE', `/account/${account.id}`);
    const { rows } = await system.query('select t::text as line from audit_log t where project_id = $1', [
      project.projectId,
    ]);
    const actions = (await actionsOf()).sort();
    expect(actions).toEqual([
      'ACCOUNT_DELETE',
      'KEY_CREATE',
      // By the two authenticates, onto block, a new list and allow, which removed it from block; then by the
      // calls of the list.
      ...Array.from({ length: 5 }, () => 'LIST_ADD_ACCOUNTS'),
      'LIST_CREATE',
      'LIST_MOVE_ACCOUNTS',
      'LIST_REMOVE_ACCOUNTS',
      'LIST_REMOVE_ACCOUNTS',
      'SETTINGS_UPDATE',
    ]);
    const text = rows.map(({ line }) => line).join('\n');
    for (const personal of [secret, '4155552671', '90.54.1.77']) expect(text).not.toContain(personal);
  });
});

describe('pages of the audit log', () => {
  it('contain each entry once, the newest first, including entries of the same time', async () => {
    await newProject();
    for (let index = 0; index < 20; index += 1) {
      await setFakeFrom(0.71 + index / 100);
      if (index % 5 === 0) clock.advance(1);
    }
    const all = await lines();
    expect(all).toHaveLength(21);
    const orders = all.map(({ at, auditId }) => `${at} ${auditId}`);
    expect(orders).toEqual([...orders].sort().reverse());
    for (const first of [1, 4, 20, 21]) expect(await readAll(first)).toEqual(all);
    const { edges, pageInfo } = await logOf(project, {
      first: 1,
      after: (await logOf(project, { first: 3 })).edges[1].cursor,
    });
    expect(edges[0].node).toEqual(all[2]);
    expect(pageInfo).toMatchObject({ hasPreviousPage: true, hasNextPage: true });
  });

  it('contain each existing entry once while others are written', async () => {
    await newProject();
    for (let index = 0; index < 30; index += 1) await setFakeFrom(0.7 + (index % 2) / 10 + 0.01);
    const before = await lines();
    clock.advance(5);
    const read = await readAll(4, () =>
      Promise.all([
        gateway.app.projects.createKey(project.projectId, 'read'),
        erase(unique('passing')),
        setFakeFrom(0.95),
      ]),
    );
    expect(read).toEqual(before);
    expect((await lines()).length).toBeGreaterThan(before.length + 10);
  });

  it('reject a cursor of another query or project, and an invalid size', async () => {
    await newProject();
    await setFakeFrom(0.9);
    const [{ cursor }] = (await logOf(project, { first: 1 })).edges;
    const other = await gateway.project();
    for (const [client, variables] of [
      [project, { after: cursor, filter: { actions: ['KEY_CREATE', 'KEY_REVOKE'] } }],
      [project, { after: cursor, accountId: 'a' }],
      [project, { after: 'made.up' }],
      [other, { after: cursor }],
      [project, { first: -1 }],
      [project, { first: 101 }],
    ] as const) {
      const { errors } = (await client.rawGraphql(LOG, variables)).body;
      expect(errors[0].extensions.code).toBe('input.invalid');
    }
  });
});

describe('a filter of the audit log', () => {
  it('filters by several actions', async () => {
    await newProject();
    const { keyId } = await gateway.app.projects.createKey(project.projectId, 'read');
    await gateway.app.projects.revokeKey(project.projectId, keyId);
    await setFakeFrom(0.9);
    expect((await actionsOf({ filter: { actions: ['KEY_CREATE', 'KEY_REVOKE'] } })).sort()).toEqual([
      'KEY_CREATE',
      'KEY_CREATE',
      'KEY_REVOKE',
    ]);
    expect(await actionsOf({ filter: { actions: ['SETTINGS_UPDATE'] } })).toEqual(['SETTINGS_UPDATE']);
    expect(await actionsOf({ filter: { actions: [] } })).toEqual([]);
    expect(await actionsOf({ filter: {} })).toHaveLength(4);
  });

  it('filters by actor, target and time range together', async () => {
    await newProject();
    const start = clock.now().toISOString();
    clock.advance(1000);
    const later = clock.now().toISOString();
    await setFakeFrom(0.8);
    clock.advance(1000);
    await setFakeFrom(0.9);
    const target = `project:${project.projectId}`;
    const [{ actor }] = await lines({ first: 1 });
    expect(await lines({ filter: { actor } })).toHaveLength(2);
    expect(await actionsOf({ filter: { actor: 'command line' } })).toEqual(['KEY_CREATE']);
    expect(await lines({ filter: { target } })).toHaveLength(2);
    expect(await lines({ filter: { target: 'project:' } })).toEqual([]);
    expect(await actionsOf({ filter: { until: later } })).toEqual(['KEY_CREATE']);
    expect(await lines({ filter: { since: later } })).toHaveLength(2);
    expect(await lines({ filter: { since: start, until: start } })).toEqual([]);
    expect(
      await lines({ filter: { since: later, until: clock.now().toISOString(), actor, target } }),
    ).toMatchObject([{ after: { fakeFrom: 0.8 } }]);
  });

  it('finds an account by its own id: as a member of lists, and after its erasure', async () => {
    await newProject();
    const [one, other] = [unique('one'), unique('other')];
    for (const id of [one, other]) await project.authenticate({ id });
    for (const list of ['a', 'b']) await project.rest('POST', `/list/${list}`, { list_description: '' });
    const change = `mutation ($one: ID!, $other: ID!) {
      addAccountsToList(input: { list: "a", accountIds: [$other, $one] }) { requestId }
      moveAccounts(input: { sourceList: "a", targetList: "b", accountIds: [$one] }) { requestId }
      removeAccountsFromList(input: { list: "a", accountIds: [$other] }) { requestId } }`;
    await project.graphql(change, { one, other });
    for (const id of [one, other]) await project.rest('DELETE', `/account/${id}`);
    const found = async (accountId: string) => (await actionsOf({ accountId })).sort();
    expect(await found(one)).toEqual(['ACCOUNT_DELETE', 'LIST_ADD_ACCOUNTS', 'LIST_MOVE_ACCOUNTS']);
    expect(await found(other)).toEqual(['ACCOUNT_DELETE', 'LIST_ADD_ACCOUNTS', 'LIST_REMOVE_ACCOUNTS']);
    expect(await found('nobody')).toEqual([]);
    expect(await actionsOf({ accountId: one, filter: { actions: ['LIST_MOVE_ACCOUNTS'] } })).toEqual([
      'LIST_MOVE_ACCOUNTS',
    ]);
    const elsewhere = await gateway.project();
    expect(await lines({ accountId: one }, elsewhere)).toEqual([]);
  });
});
