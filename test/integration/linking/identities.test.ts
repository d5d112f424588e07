import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { type Body, type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway.close());

const GROUP = `query ($id: ID!) { account(accountId: $id) { identityGroup {
  groupId size accounts(first: 100) { edges { node { accountId } } } history { edges { node { action otherGroupId size } } } } } }`;

async function groupOf(project: TestProject, id: string): Promise<Body> {
  await gateway.app.recalculateLinks(project.projectId);
  const group = (await project.graphql(GROUP, { id })).account.identityGroup;
  if (!group) return null;
  const [accounts, history] = [group.accounts, group.history].map(({ edges }) =>
    edges.map(({ node }: Body) => node),
  );
  return { ...group, accounts: accounts.map(({ accountId }: Body) => accountId).sort(), history };
}

const phone = (last: number) => `+1415555${String(last).padStart(4, '0')}`;

describe('an identity group', () => {
  it('contains the accounts connected by strong links, and none by device and network alone', async () => {
    const project = await gateway.project();
    const facts = { device_id: 'tablet', ip_address: '90.54.1.1' };
    await project.authenticate({ id: 'a', phone: phone(1) }, facts);
    expect(await groupOf(project, 'a')).toBeNull();
    await project.authenticate({ id: 'b', phone: phone(1), username: 'bee' });
    await project.authenticate({ id: 'c', username: 'bee' });
    await project.authenticate({ id: 'housemate' }, facts);
    expect(await groupOf(project, 'a')).toMatchObject({ size: 3, accounts: ['a', 'b', 'c'] });
    expect(await groupOf(project, 'housemate')).toBeNull();
  });

  it('keeps the id of the larger group when two merge, and is also found by the other id', async () => {
    const project = await gateway.project();
    for (const id of ['a1', 'a2', 'a3']) await project.authenticate({ id, phone: phone(1) });
    for (const id of ['b1', 'b2']) await project.authenticate({ id, phone: phone(2) });
    const [large, small] = [await groupOf(project, 'a1'), await groupOf(project, 'b1')];
    await project.authenticate({ id: 'a1', username: 'both' });
    await project.authenticate({ id: 'b1', username: 'both' });
    const merged = await groupOf(project, 'b2');
    expect(merged).toMatchObject({ groupId: large.groupId, size: 5 });
    expect(merged.history[0]).toEqual({ action: 'MERGED', otherGroupId: small.groupId, size: 5 });
    const byOldId = await project.graphql(`query ($id: ID!) { identityGroup(id: $id) { groupId size } }`, {
      id: globalIdOf('IdentityGroup', small.groupId),
    });
    expect(byOldId.identityGroup).toEqual({ groupId: large.groupId, size: 5 });
  });

  it('keeps its id in the larger part when it splits, and dissolves when one account remains', async () => {
    const project = await gateway.project();
    for (const id of ['a1', 'a2', 'a3']) await project.authenticate({ id, phone: phone(1) });
    await project.authenticate({ id: 'bridge', phone: phone(1), username: 'bridge' });
    for (const id of ['b1', 'b2']) await project.authenticate({ id, phone: phone(2) });
    await project.rest('PUT', '/account/b1', { username: 'bridge' });
    const whole = await groupOf(project, 'a1');
    expect(whole.size).toBe(6);
    await project.rest('PUT', '/account/b1', { username: '' });
    expect(await groupOf(project, 'a1')).toMatchObject({ groupId: whole.groupId, size: 4 });
    const apart = await groupOf(project, 'b1');
    expect(apart).toMatchObject({ size: 2, accounts: ['b1', 'b2'] });
    expect(apart.history).toEqual([{ action: 'SPLIT', otherGroupId: whole.groupId, size: 2 }]);
    await project.rest('DELETE', '/account/b2');
    expect(await groupOf(project, 'b1')).toBeNull();
    await project.rest('DELETE', '/account/a2');
    expect(await groupOf(project, 'a1')).toMatchObject({ groupId: whole.groupId, size: 3 });
  });

  it('is disconnected by an identifier of more than 100 accounts, and connected again when they are fewer', async () => {
    const project = await gateway.project();
    const ids = Array.from({ length: 100 }, (_, index) => `ring-${index}`);
    await project.authenticateAll(ids.map((id) => ({ id, phone: phone(7) })));
    const ring = await groupOf(project, 'ring-0');
    expect(ring.size).toBe(100);
    await project.authenticate({ id: 'one more', phone: phone(7) });
    expect(await groupOf(project, 'ring-0')).toBeNull();
    expect(await groupOf(project, 'one more')).toBeNull();
    const linked = await project.graphql(
      '{ account(accountId: "ring-0") { accountsLinked multipleAccounts } }',
    );
    expect(linked.account).toEqual({ accountsLinked: 100, multipleAccounts: 1 });
    await project.rest('DELETE', '/account/ring-50');
    expect((await groupOf(project, 'ring-0')).size).toBe(100);
  });
});
