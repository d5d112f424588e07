import { randomUUID } from 'node:crypto';
import { PrismaPg } from '@prisma/adapter-pg';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { withAppliedFlag } from '../../../src/domain/idempotency/applied-flag-store.ts';
import { type Database, openDatabase, type ProjectTransaction } from '../../../src/storage/database.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { connectAs, expectLockWaits } from '../../support/sql.ts';

const TRANSACTIONS = 12;
let testDatabase: TestDatabase;
let database: Database;
const statements: string[] = [];

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({
    connectionString: testDatabase.ownerUrl,
    poolSize: TRANSACTIONS,
    isForOneProject: true,
    onStatement: (name) => statements.push(name),
  });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const newList = (projectId: string, name = 'a list') => ({
  data: { projectId, listId: randomUUID(), name },
});
const namesOf = async (projectId: string) =>
  (await database.forProject(projectId).prisma.list.findMany({ where: { projectId } })).map(
    ({ name }) => name,
  );
async function newProject(): Promise<string> {
  const projectId = randomUUID();
  const text = `insert into projects (project_id, name, environment, encrypted_key) values ($1, 'a project', 'sandbox', '\\x00')`;
  await database.system.query({ name: 'test.project', text }, [projectId]);
  return projectId;
}
const rename = (projectId: string, name: string) =>
  [
    { name: 'test.rename', text: 'update lists set name = $2 where project_id = $1' },
    [projectId, name],
  ] as const;

it('a transaction commits queries of Prisma together with statements', async () => {
  const projectId = await newProject();
  statements.length = 0;
  await database.forProject(projectId).transaction(async (transaction) => {
    await transaction.prisma.list.create(newList(projectId));
    expect(await namesOf(projectId)).toEqual([]);
    await transaction.commit(rename(projectId, 'renamed'));
  });
  expect(await namesOf(projectId)).toEqual(['renamed']);
  expect(statements.filter((name) => name !== 'set_project').slice(0, 5)).toEqual([
    'begin',
    'prisma:INSERT',
    'prisma:SELECT',
    'test.rename',
    'commit',
  ]);
});

it('a transaction rolls back queries of Prisma when the work fails or does not commit', async () => {
  const projectId = await newProject();
  const failing = database.forProject(projectId).transaction(async ({ prisma }) => {
    await prisma.list.create(newList(projectId));
    throw new Error('stop');
  });
  await expect(failing).rejects.toThrow('stop');
  await database.forProject(projectId).transaction(({ prisma }) => prisma.list.create(newList(projectId)));
  expect(await namesOf(projectId)).toEqual([]);
});

it('a query whose transaction fails while Prisma opens sends nothing over the released connection', async () => {
  const single = openDatabase({ connectionString: testDatabase.ownerUrl, poolSize: 1 });
  try {
    const [projectId, otherId] = [await newProject(), await newProject()];
    await database.forProject(projectId).prisma.list.create(newList(projectId));
    const stop = new Error('stop');
    const failing = single
      .forProject(projectId)
      .transaction(({ prisma }) => Promise.all([prisma.list.findMany(), Promise.reject(stop)]));
    await expect(failing).rejects.toThrow(stop);
    const other = single.forProject(otherId);
    const lists = { name: 'test.lists', text: 'select name from lists' };
    const rejected = other.transaction(async (transaction) => {
      await transaction.run([lists, []]);
      throw stop;
    });
    await expect(rejected).rejects.toThrow(stop);
    expect(await other.query(lists, [])).toEqual([]);
  } finally {
    await single.close();
  }
});

it('a query after the end of its transaction is rejected', async () => {
  const projectId = await newProject();
  const ended = await database.forProject(projectId).transaction(async (transaction) => {
    await transaction.prisma.list.findMany();
    await transaction.commit();
    return transaction.prisma;
  });
  await expect(ended.list.create(newList(projectId))).rejects.toThrow('has ended');
  expect(await namesOf(projectId)).toEqual([]);
});

it('sends all statements of a nested write in the transaction', async () => {
  const projectId = await newProject();
  const ruleId = randomUUID();
  const rule = {
    projectId,
    ruleId,
    version: 1,
    name: 'a rule',
    trigger: 'account',
    state: 'active',
    position: 0,
    expression: {},
    actions: [],
  };
  const { projectId: _project, ruleId: _rule, ...version } = rule;
  const versions = { create: { ...version, paused: false, description: '', rulesVersion: 1, actor: 'test' } };
  const create = ({ prisma }: ProjectTransaction) => prisma.rule.create({ data: { ...rule, versions } });
  await database.forProject(projectId).transaction(create);
  const { prisma } = database.forProject(projectId);
  expect(await prisma.rule.count({ where: { projectId } })).toBe(0);
  await database.forProject(projectId).transaction(async (transaction) => {
    await create(transaction);
    await transaction.commit();
  });
  expect(await prisma.rule.findMany({ where: { projectId }, include: { versions: true } })).toMatchObject([
    { ruleId, versions: [{ version: 1 }] },
  ]);
});

it('an error of the server is returned, and the next transaction continues', async () => {
  const projectId = await newProject();
  const add = () =>
    database.forProject(projectId).transaction(async (transaction) => {
      await transaction.prisma.list.create(newList(projectId, 'one name'));
      await transaction.commit();
    });
  await add();
  await expect(add()).rejects.toMatchObject({ code: '23505' });
  expect(await namesOf(projectId)).toEqual(['one name']);
});

it('a Prisma transaction is repeated after a deadlock', async () => {
  const projectId = await newProject();
  const own = database.forProject(projectId);
  const ids = [randomUUID(), randomUUID()] as const;
  for (const listId of ids)
    await own.transaction(async (transaction) => {
      await transaction.prisma.list.create({ data: { projectId, listId, name: listId } });
      await transaction.commit();
    });
  let arrived = 0;
  let meet = () => {};
  const bothHoldOne = new Promise<void>((resolve) => {
    meet = resolve;
  });
  let commit = () => {};
  const oneCommitted = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let tries = 0;
  const describe = async (order: readonly string[], description: string) => {
    let isRepeated = false;
    await own.transaction(async (transaction) => {
      tries += 1;
      // Before the other one wakes up, it could lock its first row again: another deadlock.
      if (isRepeated) await oneCommitted;
      isRepeated = true;
      for (const listId of order) {
        const where = { projectId_listId: { projectId, listId } };
        await transaction.prisma.list.update({ where, data: { description } });
        arrived += 1;
        if (arrived === 2) meet();
        await bothHoldOne;
      }
      await transaction.commit();
    });
    commit();
  };
  await Promise.all([describe(ids, 'first'), describe([...ids].reverse(), 'second')]);
  expect(tries).toBe(3);
  const lists = await own.prisma.list.findMany({ where: { projectId } });
  expect(new Set(lists.map(({ description }) => description)).size).toBe(1);
});

it('a transaction reads only the rows of its own project, with more transactions than clients', async () => {
  const projects = await Promise.all(Array.from({ length: 9 }, newProject));
  const found = await Promise.all(
    projects.map((projectId) =>
      database.forProject(projectId).transaction(async (transaction) => {
        await transaction.prisma.list.create(newList(projectId, projectId));
        const lists = await transaction.prisma.list.findMany();
        await transaction.commit();
        return lists.map(({ name }) => name);
      }),
    ),
  );
  expect(found).toEqual(projects.map((projectId) => [projectId]));
});

it('the first transaction in which Prisma writes marks a request as applied', async () => {
  const projectId = await newProject();
  const markCall = [
    { name: 'test.mark', text: `update lists set description = 'marked' where project_id = $1` },
    [projectId],
  ] as const;
  const marked = withAppliedFlag(database.forProject(projectId), markCall);
  const mark = ['test.mark', 'commit'];
  statements.length = 0;
  await marked.transaction(async (transaction) => {
    await transaction.prisma.list.findMany({ where: { projectId } });
    await transaction.commit();
  });
  expect(statements.slice(-2)).not.toEqual(mark);
  await marked.transaction(async (transaction) => {
    await transaction.prisma.list.create(newList(projectId));
    await transaction.commit();
  });
  expect(statements.slice(-2)).toEqual(mark);
  await expect(async () => marked.prisma.list.create(newList(projectId))).rejects.toThrow('transaction');
});

it('lets the transaction that holds a lock continue while all other connections wait for it', async () => {
  const projectId = await newProject();
  const own = database.forProject(projectId);
  const listId = randomUUID();
  await own.transaction(async (transaction) => {
    await transaction.prisma.list.create({ data: { projectId, listId, name: 'locked' } });
    await transaction.commit();
  });
  const owner = await connectAs(testDatabase, 'owner');
  const where = { projectId_listId: { projectId, listId } };
  const change = (description: string, afterwards: () => Promise<void>) =>
    own.transaction(async (transaction) => {
      await transaction.prisma.list.update({ where, data: { description } });
      await afterwards();
      await transaction.prisma.list.update({ where, data: { description: `${description}, again` } });
      await transaction.commit();
    });
  const waiting: Promise<void>[] = [];
  await change('first', async () => {
    for (let n = 0; n < TRANSACTIONS - 1; n += 1) waiting.push(change(`${n}`, async () => {}));
    await expectLockWaits(owner, TRANSACTIONS - 1);
  });
  await Promise.all(waiting);
  await owner.end();
  expect(await own.prisma.list.count({ where: { projectId, description: { endsWith: 'again' } } })).toBe(1);
});

it('opens one client for all transactions, and merges no look-ups of two of them', async () => {
  const openClient = vi.spyOn(PrismaPg.prototype, 'connect');
  const fresh = openDatabase({ connectionString: testDatabase.ownerUrl, poolSize: 2 * TRANSACTIONS });
  const projects = await Promise.all(Array.from({ length: TRANSACTIONS }, newProject));
  const listId = randomUUID();
  const renamed = projects.map((projectId) =>
    fresh.forProject(projectId).transaction(async (transaction) => {
      await transaction.prisma.list.create({ data: { projectId, listId, name: projectId } });
      const where = { projectId_listId: { projectId, listId } };
      await transaction.prisma.list.update({ where, data: { description: `of ${projectId}` } });
      // Look-ups of one tick, of which Prisma merges those of one transaction.
      const others = projects.map((each) => ({ projectId_listId: { projectId: each, listId } }));
      const found = await Promise.all(
        others.map((other) => transaction.prisma.list.findUnique({ where: other })),
      );
      await transaction.commit();
      return found.map((list) => list?.description ?? null);
    }),
  );
  expect(await Promise.all(renamed)).toEqual(
    projects.map((own) => projects.map((each) => (each === own ? `of ${own}` : null))),
  );
  expect(openClient).toHaveBeenCalledOnce();
  openClient.mockRestore();
  await fresh.close();
});
