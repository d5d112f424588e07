import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  type Body,
  type Gateway,
  projectClient,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { accounts, add, list, listsOf, membersOf, move } from '../../support/lists.ts';
import { connectAs } from '../../support/sql.ts';

/* Two gateways on one database, as in a real installation: invariants must hold across processes. */
let gateway: Gateway;
let second: Gateway;
let project: TestProject;
let other: TestProject;

beforeAll(async () => {
  const masterKey = 'ab'.repeat(32);
  // Each serves ten requests of one project at once.
  const settings = { DATABASE_POOL_SIZE: '14' };
  gateway = await startGateway({ masterKey, settings });
  second = await startGateway({ masterKey, settings, database: gateway.database });
  project = await gateway.project();
  other = projectClient(second.baseUrl, project.projectId, project.key);
});
afterAll(async () => {
  await second.close();
  await gateway.close();
});

/** Stored memberships of existing and deleted lists and accounts. */
async function countOrphans(): Promise<number> {
  const client = await connectAs(gateway.database, 'vouchgraph_system');
  const { rows } = await client.query(
    `select count(*)::int as orphans from list_members m
     where m.project_id = $1 and (
       not exists (select 1 from lists l where l.project_id = $1 and l.list_id = m.list_id)
       or not exists (select 1 from accounts a where a.project_id = $1 and a.id = m.account_id))`,
    [project.projectId],
  );
  await client.end();
  return rows[0].orphans;
}

const either = (index: number) => (index % 2 === 0 ? project : other);

/** The gateway holds one as the relay of events. */
const LOCKS_OF_ITS_OWN = 1;

describe('concurrent moves', () => {
  it('leave every account on one of the lists, and report each move exactly once', async () => {
    const ids = await accounts(project, 25);
    const [a, b, c] = [await list(project, ids), await list(project), await list(project)];
    const ways = [
      [a, b],
      [a, c],
      [b, a],
      [c, b],
    ] as const;
    const moves = Array.from({ length: 40 }, (_, index) => {
      const [source, target] = ways[index % ways.length]!;
      // In a random order: the locks have their own order.
      const order = index % 3 === 0 ? ids : ids.toReversed();
      return move(either(index), source, target, order).then((moved: Body) => ({ source, target, moved }));
    });
    const done = await Promise.all(moves);
    const where = await Promise.all([a, b, c].map((name) => membersOf(project, name)));
    expect(where.flat().toSorted()).toEqual(ids.toSorted());
    for (const [index, name] of [a, b, c].entries()) {
      const came = done
        .filter(({ target }) => target === name)
        .reduce((sum, { moved }) => sum + moved.moved, 0);
      const went = done
        .filter(({ source }) => source === name)
        .reduce((sum, { moved }) => sum + moved.moved, 0);
      expect((name === a ? ids.length : 0) + came - went).toBe(where[index]!.length);
    }
  });

  it('and authentications with lists leave an account on at most one standard list', async () => {
    const ids = await accounts(project, 6);
    await add(project, 'block', ids);
    const standard = ['block', 'allow', 'main_account'];
    const work = Array.from({ length: 30 }, async (_, index) => {
      const client = either(index);
      const [source, target] = [standard[index % 3]!, standard[(index + 1) % 3]!];
      if (index % 2 === 0) return move(client, source, target, ids);
      const id = ids[index % ids.length]!;
      if (index % 5 === 0) return add(client, source, [id]);
      return client.authenticate({ id, lists: [source] });
    });
    await Promise.all(work);
    for (const id of ids) expect(await listsOf(project, id)).toHaveLength(1);
    const stored = await Promise.all(standard.map((name) => membersOf(project, name)));
    expect(stored.flat().toSorted()).toEqual(ids.toSorted());
  });

  it('of a thousand accounts each do not exhaust the lock table of the server', async () => {
    const names = await Promise.all(Array.from({ length: 20 }, () => list(project)));
    const held = await connectAs(gateway.database, 'owner');
    await held.query('set role vouchgraph_system');
    await held.query('begin');
    const target = await list(project);
    await held.query('select 1 from lists where project_id = $1 and name = $2 for update', [
      project.projectId,
      target,
    ]);
    // Transactions with their locks wait for the list, and the others for those.
    const moves = names.map((name, index) => {
      const nobody = Array.from({ length: 1000 }, (_, each) => `nobody-${index}-${each}`);
      return move(either(index), name, target, nobody);
    });
    try {
      await vi.waitFor(
        async () => {
          const { rows } = await held.query(
            `select count(distinct pid) filter (where not granted)::int as waiting,
               count(*) filter (where granted and locktype = 'advisory')::int as locks
             from pg_locks where pid in (select pid from pg_stat_activity where datname = current_database())`,
          );
          expect(rows[0].waiting).toBe(20);
          // Four calls at a time, each with its place.
          expect(rows[0].locks).toBeLessThanOrEqual(4 * 1001 + LOCKS_OF_ITS_OWN);
        },
        { timeout: 50_000, interval: 25 },
      );
    } finally {
      await held.query('commit');
      await held.end();
    }
    for (const { notFound } of await Promise.all(moves)) expect(notFound).toBe(1000);
  });
});

describe('concurrent changes of one list', () => {
  it('create it once', async () => {
    const name = unique('once');
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, index) => either(index).rest('POST', `/list/${name}`, {})),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, ...Array(9).fill(400)]);
  });

  it('add an account once, and remove it once', async () => {
    const ids = await accounts(project, 3);
    const name = await list(project);
    const added = await Promise.all(
      Array.from({ length: 12 }, (_, index) => add(either(index), name, index % 2 ? ids : ids.toReversed())),
    );
    const outcomes = added.flatMap(({ results }: Body) => results.map(({ outcome }: Body) => outcome));
    expect(outcomes.filter((outcome) => outcome === 'ADDED')).toHaveLength(3);
    expect((await membersOf(project, name))!.toSorted()).toEqual(ids.toSorted());
  });

  it('delete it completely while accounts are added, moved, authenticated and erased', async () => {
    for (let round = 0; round < 8; round += 1) {
      const ids = await accounts(project, 6);
      const [name, target] = [await list(project, ids.slice(0, 4)), await list(project)];
      const work = [
        project.rest('POST', `/list/${name}/account/${ids[4]}`),
        other.rest('POST', `/list/${name}/account/${ids[5]}`),
        project.rest('POST', `/list/${name}/account/move`, { account_ids: ids, target_list: target }),
        other.rest('DELETE', `/list/${name}/account/${ids[1]}`),
        other.rest('DELETE', `/list/${name}`),
        project.rest('POST', `/list/${target}/account/move`, { account_ids: ids, target_list: name }),
        project.rest('DELETE', `/account/${ids[0]}`),
      ];
      const authenticated = other.authenticate({ id: ids[2], lists: [name] });
      for (const { status, text } of await Promise.all(work)) expect([200, 400], text).toContain(status);
      expect((await authenticated).account_id).toBe(ids[2]);
      expect(await countOrphans()).toBe(0);
      // Authenticating may have created a list of the name again: the account is on it, unless it was moved
      // from it.
      if ((await membersOf(project, name)) === null) continue;
      const lists = await listsOf(project, ids[2]!);
      expect([name, target].filter((each) => lists.includes(each))).not.toEqual([]);
    }
  });

  it('delete it once', async () => {
    const ids = await accounts(project, 5);
    const name = await list(project, ids);
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, index) => either(index).rest('DELETE', `/list/${name}`)),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 400, 400, 400, 400, 400]);
  });
});
