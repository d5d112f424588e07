import { randomUUID } from 'node:crypto';
import type pg from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/storage/database.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { connectAs, expectLockWaits } from '../../support/sql.ts';

const CLIENTS = 12;
let testDatabase: TestDatabase;
let database: Database;
let owner: pg.Client;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  owner = await connectAs(testDatabase, 'owner');
  database = openDatabase({
    connectionString: testDatabase.ownerUrl,
    poolSize: 2 * CLIENTS,
  });
});
afterAll(async () => {
  await database.close();
  await owner.end();
  await testDatabase.drop();
});

const prismaOf = (projectId: string) => database.forProject(projectId).prisma;
const newProjects = (count: number) => Array.from({ length: count }, () => randomUUID());

async function addEvent(projectId: string): Promise<string> {
  const eventId = randomUUID();
  const data = { projectId, eventId, writeId: 1n, place: 0, type: 'rule.custom', payload: new Uint8Array() };
  await prismaOf(projectId).outboxEvent.create({ data });
  return eventId;
}
const eventsOf = async (projectId: string): Promise<string[]> =>
  (await prismaOf(projectId).outboxEvent.findMany()).map(({ eventId }) => eventId);

it('concurrent queries of many projects each return their own rows', async () => {
  const projects = newProjects(2 * CLIENTS + 1);
  const expected: string[] = [];
  for (const projectId of projects) expected.push(await addEvent(projectId));
  const order = [...projects.keys(), ...[...projects.keys()].reverse(), ...projects.keys()];
  const found = await Promise.all(order.map((index) => eventsOf(projects[index]!)));
  expect(found).toEqual(order.map((index) => [expected[index]]));
});

it('lookups of several projects in one tick are not merged', async () => {
  const [own, ...others] = newProjects(CLIENTS) as [string, ...string[]];
  await addEvent(own);
  const event = await prismaOf(own).outboxEvent.findFirstOrThrow();
  const { projectId, createdAt, writeId, eventId } = event;
  const where = {
    projectId_createdAt_writeId_eventId: { projectId, createdAt, writeId, eventId },
  };
  const found = await Promise.all(
    [own, ...others].map((each) => prismaOf(each).outboxEvent.findUnique({ where })),
  );
  expect(found).toEqual([event, ...others.map(() => null)]);
});

it('queries of a thirteenth project are delayed, and continue after a failed query', async () => {
  const projects = newProjects(CLIENTS);
  const waiting = randomUUID();
  await Promise.all(projects.map(eventsOf));
  await owner.query('begin');
  await owner.query('lock table outbox_events in access exclusive mode');
  const blocked = projects.map(eventsOf);
  await expectLockWaits(owner, CLIENTS);
  let isAnswered = false;
  const failing = prismaOf(waiting).rule.findMany({ take: Number.NaN });
  const answered = prismaOf(waiting).rule.findMany();
  for (const each of [failing, answered])
    each.then(
      () => {
        isAnswered = true;
      },
      () => {
        isAnswered = true;
      },
    );
  for (let n = 0; n < 100; n += 1) await owner.query('select 1');
  expect(isAnswered).toBe(false);
  await owner.query('rollback');
  await expect(failing).rejects.toThrow();
  expect(await answered).toEqual([]);
  expect(await Promise.all(blocked)).toEqual(projects.map(() => []));
});

it('a query that waits too long for a client is rejected, and the next one is served', async () => {
  const impatient = openDatabase({
    connectionString: testDatabase.ownerUrl,
    poolSize: 2 * CLIENTS,
    maxPrismaWaitMs: 50,
  });
  const projects = newProjects(CLIENTS);
  const read = (projectId: string) => impatient.forProject(projectId).prisma.outboxEvent.findMany();
  try {
    // Clients and connections are opened before the lock, whose waits have a time limit.
    await Promise.all(projects.map(read));
    await owner.query('begin');
    await owner.query('lock table outbox_events in access exclusive mode');
    const blocked = Promise.all(projects.map(read));
    await expectLockWaits(owner, CLIENTS);
    await expect(read(randomUUID())).rejects.toMatchObject({ code: 'service.unavailable' });
    await owner.query('rollback');
    expect(await blocked).toEqual(projects.map(() => []));
    expect(await read(randomUUID())).toEqual([]);
  } finally {
    await owner.query('rollback');
    await impatient.close();
  }
});
