import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { generateMasterKey } from '../../../src/platform/crypto.ts';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { accounts, add, list, listsOf, move } from '../../support/lists.ts';
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

describe('the statements behind a request', () => {
  it('are two for a move, however many accounts it names', async () => {
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

  it('are two and its events for an account that is added or removed', async () => {
    const [id] = await accounts(project, 1);
    const path = `/list/${await list(project)}/account/${id}`;
    expect(await cost(() => project.rest('POST', path))).toEqual({ trips: 2, statements: 6 });
    expect(await cost(() => project.rest('POST', path))).toEqual({ trips: 2, statements: 4 });
    const removed = await tripsOf(gateway, () => project.rest('DELETE', path));
    expect(costOf(removed)).toEqual({ trips: 2, statements: 6 });
    expect(removed.flat().findIndex(isLock)).toBeLessThan(removed.flat().findIndex(isListWrite));
  });

  it('are one more than the list for all its accounts, or for a page of them', async () => {
    const name = await list(project, await accounts(project, 3));
    expect(await cost(() => project.rest('GET', `/list/${name}`))).toEqual({ trips: 2, statements: 2 });
    expect(await cost(() => project.rest('GET', `/list/${name}?limit=2`))).toEqual({
      trips: 2,
      statements: 2,
    });
    expect(await cost(() => project.rest('GET', '/list'))).toEqual({ trips: 1, statements: 1 });
  });

  it('are none for rejected input', async () => {
    const body = { account_ids: [], target_list: 'allow' };
    expect(await tripsOf(gateway, () => project.rest('POST', '/list/block/account/move', body))).toEqual([]);
    expect(await tripsOf(gateway, () => project.rest('POST', '/list/a%2Fb', {}))).toEqual([]);
    expect(await tripsOf(gateway, () => project.rest('GET', '/list/a%2Fb'))).toEqual([]);
  });
});

describe('memberships that end', () => {
  it('are removed by a gateway without a request', async () => {
    const working = await startGateway({ masterKey, database: gateway.database });
    const [id] = await accounts(project, 1);
    const name = await list(project);
    await add(project, name, [id!], { expiresAt: new Date(Date.now() + 500).toISOString() });
    expect(await listsOf(project, id!)).toEqual([name]);
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
        { timeout: 8000, interval: 50 },
      );
    } finally {
      await client.end();
      await working.close();
    }
    expect(await listsOf(project, id!)).toEqual([]);
  });
});
