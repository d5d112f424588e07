import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { newId } from '@vouchgraph/platform/ids';
import { pageAfter } from '@vouchgraph/platform/keyset';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { findMembers } from '../../../src/domain/lists/list-store.ts';
import { findPendingMembers } from '../../../src/domain/lists/pending-member-store.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { accounts, add, list, listsOf, move } from '../../support/lists.ts';
import { planOf } from '../../support/plans.ts';
import { connectAs } from '../../support/sql.ts';
import { costOf, tripsOf } from '../../support/trips.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway({ masterKey, worksInBackground: false });
  project = await gateway.project();
});
afterAll(() => gateway.close());

const isLock = (name: string) => name === 'account.lock_many';
const isListWrite = (name: string) => /^list\.(add|remove|move)_accounts$/.test(name);
const cost = async (request: () => Promise<unknown>) => costOf(await tripsOf(gateway, request));

describe('the statements of a request', () => {
  it('are two for a move of any number of accounts', async () => {
    const ids = await accounts(project, 12);
    const [source, target] = [await list(project, ids), await list(project)];
    const named = [...ids, ...Array.from({ length: 988 }, (_, index) => `nobody-${index}`)];
    let moved = 0;
    const trips = await tripsOf(gateway, async () => {
      ({ moved } = await move(project, source, target, named));
    });
    expect(moved).toBe(12);
    expect(costOf(trips)).toEqual({ trips: 2, statements: 4 });
    expect(trips.flat().findIndex(isLock)).toBeLessThan(trips.flat().findIndex(isListWrite));
  });

  it('are two and those of its events for an account that is added or removed', async () => {
    const [id] = await accounts(project, 1);
    const path = `/list/${await list(project)}/account/${id}`;
    expect(await cost(() => project.rest('POST', path))).toEqual({ trips: 2, statements: 6 });
    expect(await cost(() => project.rest('POST', path))).toEqual({ trips: 2, statements: 4 });
    const removed = await tripsOf(gateway, () => project.rest('DELETE', path));
    expect(costOf(removed)).toEqual({ trips: 2, statements: 6 });
    expect(removed.flat().findIndex(isLock)).toBeLessThan(removed.flat().findIndex(isListWrite));
  });

  it('are one more than for the list for all its accounts, and two for a page of memberships with their accounts', async () => {
    const name = await list(project, await accounts(project, 3));
    expect(await cost(() => project.rest('GET', `/list/${name}`))).toEqual({ trips: 2, statements: 2 });
    expect(await cost(() => project.rest('GET', `/list/${name}?limit=2`))).toEqual({
      trips: 3,
      statements: 3,
    });
    expect(await cost(() => project.rest('GET', '/list'))).toEqual({ trips: 1, statements: 1 });
  });

  it('are at most four for a list that is created, changed or deleted, which commits with its audit entry', async () => {
    const path = `/list/${unique('list')}`;
    for (const [method, body] of [
      ['POST', {}],
      ['PATCH', { list_description: 'changed' }],
      ['DELETE', undefined],
    ] as const) {
      const trips = await tripsOf(gateway, () => project.rest(method, path, body));
      expect(trips.length, method).toBeLessThanOrEqual(4);
      expect(trips.at(-1)).toEqual(['audit.insert', 'commit']);
    }
  });

  it('are none for rejected input', async () => {
    const body = { account_ids: [], target_list: 'allow' };
    expect(await tripsOf(gateway, () => project.rest('POST', '/list/block/account/move', body))).toEqual([]);
    expect(await tripsOf(gateway, () => project.rest('POST', '/list/a%2Fb', {}))).toEqual([]);
    expect(await tripsOf(gateway, () => project.rest('GET', '/list/a%2Fb'))).toEqual([]);
  });
});

describe('the statements of a query of operators', () => {
  const NODES = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id ... on List { name } } }';

  it('are one for any number of lists by their ids, and one more for a browser token', async () => {
    const [id] = await accounts(project, 1);
    const names = [await list(project, [id!]), await list(project, [id!]), await list(project)];
    const ids: string[] = [];
    for (const name of names) ids.push((await project.graphql(`{ list(name: "${name}") { id } }`)).list.id);
    let nodes: (Body | null)[] = [];
    const read = async (headers?: Body) => {
      ({ nodes } = (await project.rawGraphql(NODES, { ids }, headers)).body.data);
    };
    expect(await cost(() => read())).toEqual({ trips: 1, statements: 1 });
    expect(nodes).toEqual(ids.map((node, index) => ({ id: node, name: names[index] })));

    const { createBrowserToken } = await project.graphql(
      'mutation ($id: ID!) { createBrowserToken(input: { scopes: [ACCOUNT], accountId: $id }) { token } }',
      { id },
    );
    const headers = { 'x-api-key': '', authorization: `Bearer ${createBrowserToken.token}` };
    await read(headers);
    expect(await cost(() => read(headers))).toEqual({ trips: 2, statements: 2 });
    expect(nodes.map((node) => node?.name ?? null)).toEqual([names[0], names[1], null]);
  });

  it('are one for the keep-off lists of any number of accounts', async () => {
    const by = await gateway.project();
    const ids = await accounts(by, 3);
    const names = [await list(by), await list(by)].toSorted();
    for (const name of names)
      await by.graphql(
        `mutation ($list: String!, $ids: [ID!]!) {
          removeAccountsFromList(input: { list: $list, accountIds: $ids, keepOff: true }) { requestId } }`,
        { list: name, ids },
      );
    const query = (fields: string) => `{ accounts { edges { node { accountId ${fields} } } } }`;
    const plain = await cost(() => by.graphql(query('')));
    let found: Body = {};
    const more = await cost(async () => {
      found = await by.graphql(query('keptOffLists { list { name standard } since actor }'));
    });
    expect(more.statements - plain.statements).toBe(1);
    for (const { node } of found.accounts.edges)
      expect(node.keptOffLists.map(({ list: kept }: Body) => kept.name)).toEqual(names);
  });

  it('are one for pending memberships with their lists, and one for the name of a list', async () => {
    const by = await gateway.project();
    for (const id of ['a', 'b', 'c'])
      await by.graphql(`mutation { blockAccount(input: { accountId: "later-${id}" }) { requestId } }`);
    const query = (filter: string) =>
      `{ pendingListMembers(filter: ${filter}) { edges { node { accountId list { name effect } } } } }`;
    expect(await cost(() => by.graphql(query('{}')))).toEqual({ trips: 1, statements: 1 });
    expect(await cost(() => by.graphql(query('{ list: "block" }')))).toEqual({ trips: 2, statements: 2 });
    expect((await by.graphql(query('{ list: "nowhere" }'))).pendingListMembers.edges).toEqual([]);
  });
});

describe('the plans of pages', () => {
  const page = pageAfter([new Date().toISOString(), newId()], 21);
  const byTime = 'list_members_project_id_list_id_added_at_account_id_idx';
  const waitingByTime = 'pending_list_members_project_id_created_at_account_id_idx';
  const waitingOfList = 'pending_list_members_project_id_list_id_created_at_account__idx';

  it('read an index in the order of the page, starting at its position', async () => {
    const system = await connectAs(gateway.database, 'vouchgraph_system');
    const app = await connectAs(gateway.database, 'vouchgraph_app');
    const owner = await connectAs(gateway.database, 'owner');
    try {
      const { projectId } = await gateway.project();
      const { rows: lists } = await system.query('select list_id from lists where project_id = $1', [
        projectId,
      ]);
      for (const [{ list_id }, table, columns] of [
        [lists[0], 'list_members', 'account_id, added_at) select $1, $2, gen_random_uuid(),'],
        [lists[1], 'list_members', 'account_id, added_at) select $1, $2, gen_random_uuid(),'],
        [
          lists[0],
          'pending_list_members',
          `actor, source, account_id, created_at) select $1, $2, '', 'api', 'a' || n,`,
        ],
        [
          lists[1],
          'pending_list_members',
          `actor, source, account_id, created_at) select $1, $2, '', 'api', 'b' || n,`,
        ],
      ] as const)
        await system.query(
          `insert into ${table} (project_id, list_id, ${columns} now() - n * interval '1 second'
           from generate_series(1, 3000) n`,
          [projectId, list_id],
        );
      await owner.query('analyze list_members');
      await owner.query('analyze pending_list_members');
      const plans: [string, string][] = [
        [
          byTime,
          await planOf(app, projectId, (database) =>
            findMembers(
              database,
              lists.map(({ list_id }) => list_id),
              page,
              new Date(),
            ),
          ),
        ],
        [
          waitingByTime,
          await planOf(app, projectId, (database) => findPendingMembers(database, {}, page, new Date(), {})),
        ],
        [
          waitingOfList,
          await planOf(app, projectId, (database) =>
            findPendingMembers(database, { list: 'block' }, page, new Date(), {}),
          ),
        ],
      ];
      for (const [index, plan] of plans) {
        expect(plan).toContain(`using ${index}`);
        expect(plan).toMatch(/Index Cond: .*(added_at|created_at) <= /);
        expect(plan).not.toMatch(/Seq Scan on (list|pending_list)_members/);
      }
    } finally {
      for (const client of [system, app, owner]) await client.end();
    }
  });
});

describe('expired memberships', () => {
  it('are removed by a gateway without a request', async () => {
    const working = await startGateway({ masterKey, database: gateway.database });
    const [id] = await accounts(project, 1);
    const name = await list(project);
    await add(project, name, [id!], { expiresAt: new Date(Date.now() + 500).toISOString() });
    const client = await connectAs(gateway.database, 'vouchgraph_system');
    try {
      await vi.waitFor(
        async () => {
          const { rows } = await client.query(
            'select 1 from list_members where project_id = $1 and expires_at is not null',
            [project.projectId],
          );
          expect(rows).toEqual([]);
        },
        { timeout: 50_000, interval: 50 },
      );
    } finally {
      await client.end();
      await working.close();
    }
    expect(await listsOf(project, id!)).toEqual([]);
  });
});
