import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Database, openDatabase } from '../../../src/storage/database.ts';
import { createTestDatabase, type TestDatabase } from '../../support/database.ts';
import { insertEmptyEvents } from '../../support/outbox.ts';

/* Reports of commits that wrote events, for every way in which this process can write. */
const projectId = randomUUID();
let testDatabase: TestDatabase;
let database: Database;
let reports = 0;

beforeAll(async () => {
  testDatabase = await createTestDatabase();
  database = openDatabase({
    connectionString: testDatabase.ownerUrl,
    poolSize: 2,
  });
  database.onEventsWritten(() => {
    reports += 1;
  });
});
afterAll(async () => {
  await database.close();
  await testDatabase.drop();
});

const INSERT = {
  name: 'test.insert_event',
  text: insertEmptyEvents("'rule.custom'"),
};
const READ = {
  name: 'test.read_events',
  text: 'select count(*)::int as n from outbox_events where project_id = $1',
};
const count = async () => (await database.system.query(READ, [projectId]))[0].n as number;

async function onConnection(
  work: (send: (text: string) => Promise<unknown>) => Promise<void>,
): Promise<void> {
  const client = await database.system.connect();
  await work((text) => client.query(text, text === INSERT.text ? [projectId] : []));
  client.release();
}

const WRITERS: [string, () => Promise<unknown>][] = [
  ['a statement of a project', () => database.forProject(projectId).query(INSERT, [projectId])],
  [
    'a transaction of a project, with any of its statements',
    () =>
      database.forProject(projectId).transaction(async (transaction) => {
        await transaction.run([READ, [projectId]]);
        await transaction.commit([READ, [projectId]], [INSERT, [projectId]]);
      }),
  ],
  [
    'the storage model',
    () =>
      database.forProject(projectId).prisma.outboxEvent.create({
        data: {
          projectId,
          eventId: randomUUID(),
          writeId: 1n,
          place: 0,
          type: 'rule.custom',
          payload: new Uint8Array(),
        },
      }),
  ],
  ['a statement of the system', () => database.system.query(INSERT, [projectId])],
  [
    'a transaction on a connection of the system',
    () =>
      onConnection(async (send) => {
        await send('begin');
        await send(INSERT.text);
        await send('commit');
      }),
  ],
];

it.each(WRITERS)('a commit of %s is reported once, when its events can be read', async (_name, write) => {
  const [before, reported] = [await count(), reports];
  let seen: Promise<number> | undefined;
  const stop = database.onEventsWritten(() => {
    seen = count();
  });
  await write();
  stop();
  expect(reports).toBe(reported + 1);
  expect(await seen).toBe(before + 1);
});

it('reading events is not reported', async () => {
  const reported = reports;
  await database.forProject(projectId).query(READ, [projectId]);
  await database.forProject(projectId).prisma.outboxEvent.findMany();
  await onConnection(async (send) => void (await send('select 1 from outbox_events')));
  expect(reports).toBe(reported);
});
