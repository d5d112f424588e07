import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { accounts, add, list, listsOf, move } from '../../support/lists.ts';
import { connectAs } from '../../support/sql.ts';

let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway({ followsLinks: false });
  project = await gateway.project();
});
afterAll(() => gateway.close());

/** The statements of a request, without those that find out who asks. */
async function statementsOf(request: () => Promise<unknown>): Promise<string[]> {
  gateway.takeStatements();
  await request();
  return gateway.takeStatements().filter((name) => name !== 'set_project' && !name.startsWith('key.'));
}

describe('the statements behind a request', () => {
  it('are two for a move, however many accounts it names', async () => {
    const ids = await accounts(project, 12);
    const [source, target] = [await list(project, ids), await list(project)];
    const named = [...ids, ...Array.from({ length: 988 }, (_, index) => `nobody-${index}`)];
    let moved = 0;
    const sent = await statementsOf(async () => {
      ({ moved } = await move(project, source, target, named));
    });
    expect(moved).toBe(12);
    expect(sent).toEqual(['begin', 'account.lock_many', 'list.move_accounts', 'commit']);
  });

  it('are two and what is told of it for an account that is added or removed', async () => {
    const [id] = await accounts(project, 1);
    const path = `/list/${await list(project)}/account/${id}`;
    const change = (name: string) => ['begin', 'account.lock_many', name];
    const told = ['event.insert', 'audit.insert', 'commit'];
    expect(await statementsOf(() => project.rest('POST', path))).toEqual([
      ...change('list.add_accounts'),
      ...told,
    ]);
    expect(await statementsOf(() => project.rest('POST', path))).toEqual([
      ...change('list.add_accounts'),
      'commit',
    ]);
    expect(await statementsOf(() => project.rest('DELETE', path))).toEqual([
      ...change('list.remove_accounts'),
      ...told,
    ]);
  });

  it('are one more than the list for all its accounts, or for a page of them', async () => {
    const name = await list(project, await accounts(project, 3));
    const whole = await statementsOf(() => project.rest('GET', `/list/${name}`));
    expect(whole).toEqual(['list.find_by_name', 'list.find_account_ids']);
    const page = await statementsOf(() => project.rest('GET', `/list/${name}?limit=2`));
    expect(page).toEqual(['list.find_by_name', 'list.find_members']);
    expect(await statementsOf(() => project.rest('GET', '/list'))).toEqual(['list.find_all']);
  });

  it('are none for what is refused', async () => {
    const body = { account_ids: [], target_list: 'allow' };
    expect(await statementsOf(() => project.rest('POST', '/list/block/account/move', body))).toEqual([]);
    expect(await statementsOf(() => project.rest('POST', '/list/a%2Fb', {}))).toEqual([]);
    expect(await statementsOf(() => project.rest('GET', '/list/a%2Fb'))).toEqual([]);
  });
});

describe('memberships that end', () => {
  it('are removed by the gateway itself', async () => {
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
    }
    expect(await listsOf(project, id!)).toEqual([]);
  });
});
