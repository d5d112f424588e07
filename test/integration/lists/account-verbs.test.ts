import { generateMasterKey, MasterKey } from '@vouchgraph/platform/crypto';
import { newId } from '@vouchgraph/platform/ids';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createAccountService } from '../../../src/domain/accounts/account-service.ts';
import { createAccessService } from '../../../src/domain/projects/access-service.ts';
import { bindSessionOfCheck } from '../../../src/domain/verification/result/bind-check-service.ts';
import {
  type Body,
  type Gateway,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { add, listsOf, traces } from '../../support/lists.ts';
import { connectAs } from '../../support/sql.ts';
import { tripsOf } from '../../support/trips.ts';
import { enroll, playedVerification, verifyFace } from '../../support/verification.ts';

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

type Verb = 'blockAccount' | 'allowAccount' | 'clearAccount';
const mutationOf = (verb: Verb) => {
  const type = `${verb[0]!.toUpperCase()}${verb.slice(1)}Input`;
  return `mutation ($input: ${type}!) { ${verb}(input: $input) {
    accountId isPending removedFrom account { accountId decision } lists { name } } }`;
};
/** Each at its own time, so that the entries have an order. */
const call = async (verb: Verb, input: Body, by = project): Promise<Body> => {
  clock.advance(1000);
  return (await by.graphql(mutationOf(verb), { input }))[verb];
};
const block = (accountId: string, more: Body = {}) => call('blockAccount', { accountId, ...more });
const allow = (accountId: string, more: Body = {}) => call('allowAccount', { accountId, ...more });
const clear = (accountId: string, more: Body = {}) => call('clearAccount', { accountId, ...more });
const refused = async (verb: Verb, input: Body, by = project): Promise<string> =>
  (await by.rawGraphql(mutationOf(verb), { input })).body.errors[0].extensions.code;

const pending = async (filter: Body = {}, by = project): Promise<Body[]> => {
  const { pendingListMembers } = await by.graphql(
    `query ($filter: PendingListMemberFilter) { pendingListMembers(filter: $filter) { totalCount { value }
      edges { node { accountId list { name } reason actor source createdAt expiresAt } } } }`,
    { filter },
  );
  const nodes = pendingListMembers.edges.map(({ node }: Body) => node);
  expect(pendingListMembers.totalCount.value).toBe(nodes.length);
  return nodes;
};
const waiting = async () => (await pending()).map(({ accountId, list }) => [accountId, list.name]);
const members = async (list: string): Promise<Body[]> =>
  (
    await project.graphql(
      `query ($list: String!) { list(name: $list) { members { edges { reason actor source expiresAt node { accountId } } } } }`,
      { list },
    )
  ).list.members.edges;
const emitted = async () =>
  (await traces(gateway, masterKey, project)).events.map(({ type, data }) => [type, data.list, data.reason]);
const audited = async () => (await traces(gateway, masterKey, project)).audit;
const actions = async () => (await audited()).map(({ action, target }) => [action, target]);

describe('block, allow and clear of a known account', () => {
  it('change its standard list and its decision, replace each other, and change nothing when repeated', async () => {
    const id = unique('known');
    await project.authenticate({ id, lists: ['regulars', 'main_account'] });
    expect(await block(id, { reason: 'stolen card' })).toEqual({
      accountId: id,
      isPending: false,
      removedFrom: ['main_account'],
      account: { accountId: id, decision: 'FAKE' },
      lists: [{ name: 'block' }, { name: 'regulars' }],
    });
    const after = [await emitted(), await audited()];
    expect((await block(id)).removedFrom).toEqual([]);
    expect([await emitted(), await audited()]).toEqual(after);
    expect((await members('block'))[0]).toMatchObject({ reason: 'stolen card', source: 'API' });
    expect((await allow(id)).removedFrom).toEqual(['block']);
    expect((await project.authenticate({ id })).decision).toBe('Real');
    const cleared = await clear(id, { reason: 'a mistake' });
    expect(cleared).toMatchObject({
      removedFrom: ['allow'],
      isPending: false,
      lists: [{ name: 'regulars' }],
    });
    expect((await emitted()).at(-1)).toEqual(['list.account_removed', 'allow', 'a mistake']);
    const before = [await emitted(), await audited()];
    expect((await clear(id)).removedFrom).toEqual([]);
    expect([await emitted(), await audited()]).toEqual(before);
    expect(await listsOf(project, id)).toEqual(['regulars']);
  });

  it('expire at their time', async () => {
    const id = unique('known');
    await project.authenticate({ id });
    const end = inAnHour();
    await block(id, { expiresAt: end });
    expect((await members('block'))[0].expiresAt).toBe(end);
    clock.advance(HOUR);
    expect(await members('block')).toEqual([]);
  });

  it('prevent rules from adding it again when clearAccount requests it', async () => {
    const id = unique('kept');
    await project.graphql(`mutation ($input: CreateRuleInput!) { createRule(input: $input) { requestId } }`, {
      input: {
        name: unique('rule'),
        state: 'ENABLED',
        trigger: 'ANY_SESSION',
        expression: 'session.source = "web"',
        actions: [{ addToList: 'block' }],
      },
    });
    expect((await project.authenticate({ id })).decision).toBe('Fake');
    await clear(id, { keepOff: true });
    expect((await project.authenticate({ id })).decision).toBe('Real');
    await clear(id);
    await block(id);
    expect((await project.authenticate({ id })).decision).toBe('Fake');
    expect(await refused('clearAccount', { accountId: unique('unknown'), keepOff: true })).toBe(
      'account.not_found',
    );
  });
});

describe('an unknown account', () => {
  it('has a pending entry on one standard list, the latest requested one', async () => {
    const id = unique('later');
    const end = inAnHour();
    const answer = await block(id, { reason: 'seen elsewhere', expiresAt: end });
    expect(answer).toEqual({
      accountId: id,
      isPending: true,
      removedFrom: [],
      account: null,
      lists: [{ name: 'block' }],
    });
    const [row] = await pending();
    expect(row).toEqual({
      accountId: id,
      list: { name: 'block' },
      reason: 'seen elsewhere',
      actor: expect.stringMatching(/^vg_test_/),
      source: 'API',
      createdAt: clock.now().toISOString(),
      expiresAt: end,
    });
    expect((await audited())[0]).toMatchObject({
      action: 'list.add_pending_account',
      target: 'list:block',
      after: { accounts: [(await traces(gateway, masterKey, project)).hashOf(id)] },
    });
    await block(id);
    expect(await audited()).toHaveLength(1);
    await block(id, { reason: 'seen twice' });
    expect((await pending())[0]).toMatchObject({ reason: 'seen twice', expiresAt: end });
    expect((await allow(id)).removedFrom).toEqual(['block']);
    expect(await pending()).toMatchObject([{ list: { name: 'allow' }, reason: null, expiresAt: null }]);
    expect(await pending({ list: 'block' })).toEqual([]);
    expect(await pending({ list: 'allow', accountId: id })).toHaveLength(1);
    expect(await emitted()).toEqual([]);
    expect((await clear(id)).removedFrom).toEqual(['allow']);
    expect(await clear(id)).toMatchObject({ removedFrom: [], isPending: false, account: null, lists: [] });
    expect(await waiting()).toEqual([]);
    expect((await actions()).slice(-2)).toEqual([
      ['list.add_pending_account', 'list:allow'],
      ['list.remove_pending_account', 'list:allow'],
    ]);
    expect((await project.authenticate({ id })).decision).toBe('Real');
    expect(await listsOf(project, id)).toEqual([]);
  });

  it('is decided by its pending entry in the first authenticate, with reason, author and expiry', async () => {
    const id = unique('later');
    const other = unique('later');
    const { key } = await gateway.app.projects.createKey(project.projectId, 'server');
    const end = inAnHour();
    await call('blockAccount', { accountId: id, reason: 'ring', expiresAt: end }, project.withKey(key));
    await block(other);
    const [{ actor: author }, { actor: operator }] = [
      (await pending({ accountId: id }))[0],
      (await pending())[0],
    ];
    expect(author).not.toBe(operator);
    const { decision, lists } = await project.authenticate({ id, lists: ['regulars'] });
    expect([decision, lists]).toEqual(['Fake', ['block', 'regulars']]);
    expect(await members('block')).toEqual([
      {
        reason: 'ring',
        actor: author,
        source: 'API',
        expiresAt: end,
        node: { accountId: id },
      },
    ]);
    expect(await emitted()).toContainEqual(['list.account_added', 'block', 'ring']);
    expect(await actions()).toContainEqual(['list.add_accounts', 'list:block']);
    expect(await waiting()).toEqual([[other, 'block']]);
    clock.advance(HOUR);
    expect(await members('block')).toEqual([]);
    await gateway.app.expireMembers(project.projectId);
    expect((await project.authenticate({ id })).decision).toBe('Real');
  });

  it('is decided by the standard list of its first request', async () => {
    const id = unique('later');
    await block(id);
    expect((await project.authenticate({ id, lists: ['allow'] })).decision).toBe('Real');
    expect([await listsOf(project, id), await waiting()]).toEqual([['allow'], []]);
    expect(await emitted()).toEqual([['list.account_added', 'allow', undefined]]);
  });

  it('is decided by its pending entry when an import stores it', async () => {
    const id = unique('imported');
    await block(id, { reason: 'before the import' });
    const { database } = gateway.app;
    const access = createAccessService({ database, masterKey: new MasterKey(masterKey), clock });
    const accounts = createAccountService({ clock, bindSessionOfCheck, erasures: [], mailExchangers: null });
    const owner = (await access.findProjectById(project.projectId))!;
    const viewer = {
      project: owner,
      kind: 'key',
      role: 'operator',
      actor: 'command line',
      limitKey: '',
    } as const;
    await accounts.openImport(viewer, newId(), { batches: 1 })({ id, lists: ['regulars'] });
    expect([await listsOf(project, id), await waiting()]).toEqual([['block', 'regulars'], []]);
    expect((await members('block'))[0].reason).toBe('before the import');
    expect((await actions()).filter(([action]) => action === 'list.add_accounts')).toEqual([
      ['list.add_accounts', 'list:block'],
    ]);
    expect((await project.authenticate({ id })).decision).toBe('Fake');
  });

  it('is decided by its pending entry when a verification or an enrollment creates it', async () => {
    const [checked, enrolled] = [unique('checked'), unique('enrolled')];
    await block(checked);
    await block(enrolled);
    const query = { simulate: 'success', simulate_decision: 'Real' };
    const bound = await playedVerification(gateway, project, { ...query, account_id: checked });
    expect((await verifyFace(project, bound)).body).toMatchObject({ decision: 'Fake', lists: ['block'] });
    const free = await playedVerification(gateway, project, query);
    expect((await enroll(project, free, enrolled)).status).toBe(200);
    expect(await listsOf(project, enrolled)).toEqual(['block']);
    expect(await waiting()).toEqual([]);
  });

  it('is not created by an update, and keeps its pending entry', async () => {
    const id = unique('unknown');
    await block(id);
    const { status, body } = await project.rest('PUT', `/account/${id}`, { username: 'x' });
    expect([status, body.message]).toEqual([400, 'Account not found']);
    expect(await waiting()).toEqual([[id, 'block']]);
  });

  it('has no entry after its expiry, and the purge deletes the row', async () => {
    const [id, other] = [unique('later'), unique('later')];
    await block(id, { expiresAt: inAnHour() });
    await block(other, { expiresAt: inAnHour() });
    clock.advance(HOUR);
    expect(await waiting()).toEqual([]);
    expect((await project.authenticate({ id })).decision).toBe('Real');
    await gateway.app.purge();
    const client = await connectAs(gateway.database, 'vouchgraph_system');
    const { rows } = await client.query('select account_id from pending_list_members where project_id = $1', [
      project.projectId,
    ]);
    await client.end();
    expect(rows).toEqual([]);
  });

  it('loses its pending entry when its id is erased, known or not', async () => {
    const [id, known] = [unique('later'), unique('known')];
    await block(id, { reason: 'reported by a person' });
    clock.advance(1000);
    expect((await project.rest('DELETE', `/account/${id}`)).body.message).toBe('Account not found');
    expect(await waiting()).toEqual([]);
    expect((await actions()).at(-1)![0]).toBe('list.remove_pending_account');
    await project.authenticate({ id: known });
    await project.rest('DELETE', `/account/${known}`);
    await block(known);
    expect((await project.authenticate({ id: known })).decision).toBe('Fake');
  });

  it('needs two round trips for its first authenticate, and one more statement with a pending entry', async () => {
    const authenticate = async (id: string) => {
      const session = await project.session();
      return tripsOf(gateway, () =>
        project.rest('POST', '/session/authenticate', { session_id: session, account: { id } }),
      );
    };
    await authenticate(unique('warm'));
    const plain = await authenticate(unique('plain'));
    const id = unique('later');
    await allow(id);
    const waited = await authenticate(id);
    expect(waited.length).toBe(plain.length);
    expect(waited.flat().filter((name) => !plain.flat().includes(name))).toEqual([
      'list.join',
      'pending_member.delete',
    ]);
  });
});

describe('a block while the account is created', () => {
  it('applies to the account in each of 20 concurrent runs, without a pending entry', async () => {
    const ids = Array.from({ length: 20 }, (_, index) => `${unique('race')}-${index}`);
    await Promise.all(ids.flatMap((id) => [block(id), project.authenticate({ id })]));
    for (const id of ids) expect(await listsOf(project, id)).toEqual(['block']);
    expect(await waiting()).toEqual([]);
  });

  it('and an allow leave exactly one of both', async () => {
    const ids = Array.from({ length: 10 }, (_, index) => `${unique('race')}-${index}`);
    await Promise.all(ids.flatMap((id) => [block(id), allow(id), clear(unique('other'))]));
    expect((await waiting()).map(([id]) => id).toSorted()).toEqual(ids.toSorted());
    await Promise.all(ids.map((id) => project.authenticate({ id })));
    for (const id of ids) expect((await listsOf(project, id)).length).toBe(1);
  });
});

describe('rejected input', () => {
  it.each<[string, Verb, Body, string]>([
    [
      'an expiry in the past',
      'blockAccount',
      { accountId: 'x', expiresAt: '2020-01-01T00:00:00Z' },
      'input.invalid',
    ],
    ['an empty id', 'allowAccount', { accountId: '' }, 'input.invalid'],
    ['a long id', 'clearAccount', { accountId: 'x'.repeat(257) }, 'input.invalid'],
    ['a long reason', 'blockAccount', { accountId: 'x', reason: 'x'.repeat(1025) }, 'input.invalid'],
  ])('%s changes nothing', async (_what, verb, input, code) => {
    expect(await refused(verb, input)).toBe(code);
    expect([await waiting(), await audited(), await emitted()]).toEqual([[], [], []]);
  });

  it('includes requests with a key below the role server', async () => {
    const { key } = await gateway.app.projects.createKey(project.projectId, 'read');
    expect(await refused('blockAccount', { accountId: 'x' }, project.withKey(key))).toBe('auth.forbidden');
    expect(await pending({}, project.withKey(key))).toEqual([]);
  });

  it('discloses no data of another project', async () => {
    const other = await gateway.project();
    const id = unique('same');
    await block(id);
    expect(await pending({}, other)).toEqual([]);
    expect((await other.authenticate({ id })).decision).toBe('Real');
    expect((await call('clearAccount', { accountId: id }, other)).removedFrom).toEqual([]);
    expect(await waiting()).toEqual([[id, 'block']]);
  });
});

it('pending memberships are paged', async () => {
  const ids = Array.from({ length: 5 }, (_, index) => `${unique('page')}-${index}`);
  for (const id of ids) await block(id);
  const query = `query ($first: Int, $after: String) { pendingListMembers(first: $first, after: $after) {
    pageInfo { hasNextPage endCursor } edges { node { accountId } } } }`;
  const seen: string[] = [];
  let after: string | null = null;
  do {
    const { pendingListMembers: page }: Body = await project.graphql(query, { first: 2, after });
    seen.push(...page.edges.map(({ node }: Body) => node.accountId));
    after = page.pageInfo.hasNextPage ? page.pageInfo.endCursor : null;
  } while (after);
  expect(seen.toSorted()).toEqual(ids.toSorted());
});

it('adding to a list by name still rejects unknown accounts', async () => {
  expect((await add(project, 'block', ['nobody'])).results[0].outcome).toBe('NOT_FOUND');
});
