import { type Bridge, componentsOf } from '@vouchgraph/linking';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import fc from 'fast-check';
import type pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';

/*
 * Compares identity groups with components that are computed from scratch, while bridges are added and removed, accounts are
 * erased, and two gateways recalculate concurrently and lose their connections.
 */

const ACCOUNTS = 14;
const masterKey = generateMasterKey();
let gateway: Gateway;
let other: Gateway;
let sql: pg.Client;
let owner: pg.Client;

beforeAll(async () => {
  gateway = await startGateway({ masterKey, recalculatesLinks: false });
  other = await startGateway({ masterKey, recalculatesLinks: false, database: gateway.database });
  sql = await connectAs(gateway.database, 'vouchgraph_system');
  owner = await connectAs(gateway.database, 'owner');
});
afterAll(async () => {
  await sql.end();
  await owner.end();
  await other.close();
  await gateway.close();
});

type Step = { kind: 'add' | 'remove'; a: number; b: number } | { kind: 'erase'; a: number };

const account = fc.integer({ min: 0, max: ACCOUNTS - 1 });
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('add' as const), a: account, b: account }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('remove' as const), a: account, b: account }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('erase' as const), a: account }) },
);

/** The accounts of a project by number, with the bridges between them, by number, the smaller first. */
class World {
  readonly project: TestProject;
  readonly ids = new Map<number, string>();
  readonly bridges = new Set<string>();

  constructor(project: TestProject) {
    this.project = project;
  }

  async create(number: number): Promise<void> {
    await this.project.authenticate({ id: `n${number}` });
    const { rows } = await sql.query('select id from accounts where project_id = $1 and account_id = $2', [
      this.project.projectId,
      `n${number}`,
    ]);
    this.ids.set(number, rows[0].id);
  }

  async run(step: Step): Promise<void> {
    if (step.kind === 'erase') {
      await this.project.rest('DELETE', `/account/n${step.a}`);
      for (const pair of this.bridges)
        if (pair.split(' ').includes(String(step.a))) this.bridges.delete(pair);
      return this.create(step.a);
    }
    const { a, b } = step;
    if (a === b) return;
    const pair = [a, b].sort((x, y) => x - y).join(' ');
    if (step.kind === 'add') this.bridges.add(pair);
    else this.bridges.delete(pair);
    await this.link(step.kind, this.ids.get(a)!, this.ids.get(b)!);
  }

  /** As a change of the account `a`: both directions, and a pending recalculation of `a`, in one transaction. */
  async link(kind: 'add' | 'remove', a: string, b: string): Promise<void> {
    const write =
      kind === 'add'
        ? `insert into links (project_id, account_id, linked_account_id, score, kinds, first_seen, last_seen, bridges)
           values ($1, $2, $3, 1, 32, now(), now(), true), ($1, $3, $2, 1, 32, now(), now(), true)
           on conflict (project_id, account_id, linked_account_id) do nothing`
        : 'delete from links where project_id = $1 and (account_id, linked_account_id) in (($2, $3), ($3, $2))';
    await sql.query('begin');
    await sql.query(write, [this.project.projectId, a, b]);
    await sql.query(
      'insert into identity_recalculations (project_id, recalculation_id, account_id) values ($1, gen_random_uuid(), $2)',
      [this.project.projectId, a],
    );
    await sql.query('commit');
  }

  components(): string[] {
    const bridges = [...this.bridges].map((pair): Bridge => {
      const [a, b] = pair.split(' ').map((number) => this.ids.get(Number(number))!);
      return { a: a!, b: b! };
    });
    return componentsOf(bridges)
      .map((ids) => ids.join())
      .sort();
  }
}

type Member = { account_id: string; group_id: string; parent_id: string };

async function membersOf({ projectId }: TestProject): Promise<Member[]> {
  const { rows } = await sql.query(
    'select account_id, group_id, parent_id from identity_members where project_id = $1',
    [projectId],
  );
  return rows;
}

/** Groups equal the components, their sizes are correct, and each has a spanning tree of existing bridges. */
async function expectGroups(world: World): Promise<Map<string, string[]>> {
  const { projectId } = world.project;
  const members = await membersOf(world.project);
  const groups = new Map(
    [...Map.groupBy(members, ({ group_id }) => group_id)].map(([id, all]) => [
      id,
      all.map(({ account_id }) => account_id).sort(),
    ]),
  );
  expect([...groups.values()].map((ids) => ids.join()).sort()).toEqual(world.components());
  const { rows: sizes } = await sql.query(
    'select group_id, size from identity_groups where project_id = $1',
    [projectId],
  );
  expect(new Map(sizes.map(({ group_id, size }) => [group_id, size]))).toEqual(
    new Map([...groups].map(([id, ids]) => [id, ids.length])),
  );
  const { rows: bridges } = await sql.query(
    'select account_id, linked_account_id from links where project_id = $1 and bridges',
    [projectId],
  );
  const stored = new Set(bridges.map((row) => `${row.account_id} ${row.linked_account_id}`));
  const tree = members.filter(({ account_id, parent_id }) => account_id !== parent_id);
  for (const { account_id, parent_id } of tree) expect(stored).toContain(`${account_id} ${parent_id}`);
  const trees = componentsOf(tree.map(({ account_id: a, parent_id: b }) => ({ a, b }))).map((ids) =>
    ids.join(),
  );
  expect(trees.sort()).toEqual(world.components());
  return groups;
}

/** Both gateways recalculate concurrently. A lost connection, as after a crash, leaves the pending recalculations. */
async function settle({ projectId }: TestProject, isLost: boolean): Promise<void> {
  const settling = [gateway, other].map(({ app }) => app.recalculateLinks(projectId).catch(() => {}));
  if (isLost) {
    await owner.query(
      `select pg_terminate_backend(l.pid) from pg_locks l join pg_stat_activity a on a.pid = l.pid
       where l.locktype = 'advisory' and a.datname = current_database() and a.query like '%identity_m%'`,
    );
  }
  await Promise.all(settling);
  await gateway.app.recalculateLinks(projectId);
}

async function countOf(text: string, { projectId }: TestProject): Promise<number> {
  const { rows } = await sql.query(text, [projectId]);
  return Number(rows[0].count);
}

it('groups equal the components of the bridges after any changes and lost connections, and each merge and split emits one event', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ steps: fc.array(step, { minLength: 1, maxLength: 10 }), isLost: fc.boolean() }), {
        minLength: 4,
        maxLength: 12,
      }),
      async (rounds) => {
        const world = new World(await gateway.project());
        for (let number = 0; number < ACCOUNTS; number += 1) await world.create(number);
        let before = new Map<string, string[]>();
        for (const { steps, isLost } of rounds) {
          // The recalculation runs during the next changes.
          const settling = settle(world.project, isLost);
          for (const each of steps) await world.run(each);
          await settling;
          await settle(world.project, false);
          before = await expectGroups(world);
        }
        expect(before.size).toBe(world.components().length);
        const emitted = await countOf(
          `select count(*) from outbox_events where project_id = $1 and type in ('identity_group.merged', 'identity_group.split')`,
          world.project,
        );
        const changed = await countOf(
          `select count(*) from identity_changes where project_id = $1 and action in ('merged', 'split')`,
          world.project,
        );
        expect(emitted).toBe(changed);
      },
    ),
    { numRuns: 20, seed: Number(process.env.MODEL_SEED ?? 20261128), endOnFailure: true },
  );
}, 300_000);

describe('the work of a recalculation', () => {
  /** Two rings in which every pair of accounts has a bridge. */
  async function rings(...sizes: number[]): Promise<World> {
    const world = new World(await gateway.project());
    let from = 0;
    for (const size of sizes) {
      for (let number = from; number < from + size; number += 1) await world.create(number);
      for (let a = from; a < from + size; a += 1)
        for (let b = a + 1; b < from + size; b += 1) await world.run({ kind: 'add', a, b });
      from += size;
    }
    await gateway.app.recalculateLinks(world.project.projectId);
    await expectGroups(world);
    return world;
  }

  async function statementsOf(world: World, step: Step): Promise<string[]> {
    await world.run(step);
    gateway.takeStatements();
    await gateway.app.recalculateLinks(world.project.projectId);
    const statements = gateway.takeStatements().filter((name) => name.startsWith('identity.'));
    await expectGroups(world);
    return statements.slice(2);
  }

  const groupOf = async (world: World, number: number) =>
    (await membersOf(world.project)).find(({ account_id }) => account_id === world.ids.get(number))?.group_id;

  it('reads and writes no group when a bridge is added inside one, or removed outside of its tree', async () => {
    const world = await rings(6);
    const inTree = new Set(
      (await membersOf(world.project)).map(({ account_id, parent_id }) =>
        [account_id, parent_id].sort().join(),
      ),
    );
    const spare = [...world.bridges]
      .map((pair) => pair.split(' ').map(Number))
      .find(([a, b]) => !inTree.has([world.ids.get(a!), world.ids.get(b!)].sort().join()))!;
    const [a, b] = spare as [number, number];
    for (const kind of ['remove', 'add'] as const)
      expect(await statementsOf(world, { kind, a, b })).toEqual([
        'identity.read_changes',
        'identity.delete_pending',
      ]);
  });

  it('moves the accounts of the smaller group when two merge, and old ids are still found', async () => {
    const world = await rings(7, 3);
    const [large, small] = [await groupOf(world, 0), await groupOf(world, 8)];
    const statements = await statementsOf(world, { kind: 'add', a: 2, b: 8 });
    expect(statements.filter((name) => name === 'identity.read_members')).toHaveLength(1);
    expect(statements).not.toContain('identity.read_bridges');
    expect(await groupOf(world, 8)).toBe(large);
    const { rows } = await sql.query(
      `select count(*)::int as moved from identity_members m where project_id = $1 and joined_at =
         (select max(joined_at) from identity_members where project_id = $1)`,
      [world.project.projectId],
    );
    expect(rows[0].moved).toBe(3);
    const { identityGroup } = await world.project.graphql(
      'query ($id: ID!) { identityGroup(id: $id) { groupId size } }',
      { id: globalIdOf('IdentityGroup', small!) },
    );
    expect(identityGroup).toEqual({ groupId: large, size: 10 });
  });

  it('recalculates only the leaf of a tree, and reads the group only when an inner account changes', async () => {
    const world = await rings(4);
    const id = await groupOf(world, 0);
    await world.create(4);
    await statementsOf(world, { kind: 'add', a: 4, b: 1 });
    const alone = await statementsOf(world, { kind: 'remove', a: 4, b: 1 });
    expect(alone).not.toContain('identity.read_members');
    expect(await groupOf(world, 4)).toBeUndefined();
    const members = await membersOf(world.project);
    const root = members.find(({ account_id, parent_id }) => account_id === parent_id)!;
    const number = [...world.ids].find(([, account]) => account === root.account_id)![0];
    const erased = await statementsOf(world, { kind: 'erase', a: number });
    expect(erased).toContain('identity.read_members');
    expect(await groupOf(world, (number + 1) % 4)).toBe(id);
    expect((await membersOf(world.project)).length).toBe(3);
  });
});
