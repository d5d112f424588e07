import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { newId } from '@vouchgraph/platform/ids';
import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, expect, it, onTestFinished } from 'vitest';
import { createTestDatabase, queryAsAdmin } from '../../support/database.ts';
import { type Gateway, startGateway, TestClock, type TestProject, unique } from '../../support/gateway.ts';
import { createEventWriter } from '../../support/outbox.ts';
import { connectAs, expectLockWaits } from '../../support/sql.ts';
import { createEndpoint, type Receiver, startReceiver } from '../../support/webhook-receiver.ts';

/*
 * Erasures while deliveries are written. The server does not search for deadlocks here: deadlocked requests
 * fail when their wait for a lock times out, while otherwise their transactions would be repeated.
 */
const TYPE = 'rule.custom';
const masterKey = generateMasterKey();
const clock = new TestClock();
let gateway: Gateway;
let system: pg.Client;
let looking: pg.Client;
let project: TestProject;
let receiver: Receiver;
let accountId: string;

beforeAll(async () => {
  const database = await createTestDatabase();
  const name = new URL(database.ownerUrl).pathname.slice(1);
  await queryAsAdmin(`alter database ${name} set deadlock_timeout = '1h'`);
  const settings = { WEBHOOK_ALLOW_LOOPBACK: '1' };
  gateway = await startGateway({ database, clock, masterKey, settings });
  system = await connectAs(database, 'vouchgraph_system');
  looking = await connectAs(database, 'owner');
});
afterAll(async () => {
  await Promise.all([system.end(), looking.end()]);
  await gateway.close();
  await gateway.database.drop();
});
beforeEach(async () => {
  project = await gateway.project();
  receiver = await startReceiver();
  onTestFinished(() => receiver.close());
  accountId = unique('erased');
  await project.authenticate({ id: accountId });
  await gateway.app.settleEvents();
  await createEndpoint(project, { url: receiver.url(), eventTypes: [TYPE] });
});

/** Writes events of the account, and waits until their deliveries were attempted. */
async function emitEvents(count: number): Promise<void> {
  const write = await createEventWriter(gateway, masterKey, project.projectId);
  await write(Array.from({ length: count }, (_, n) => ({ type: TYPE, data: { account_id: accountId, n } })));
  await gateway.app.settleWebhooks();
}

const rowsOf = async (table: string, columns = '1') =>
  (await system.query(`select ${columns} from ${table} where project_id = $1`, [project.projectId])).rows;

const erase = () => project.rest('DELETE', `/account/${accountId}`);

it('an account is erased while results of retries of its deliveries are written', async () => {
  receiver.answer({ status: 500 });
  await emitEvents(3);
  const deliveries = await rowsOf('webhook_deliveries', 'delivery_id, is_retry, position::int');
  expect(deliveries.map(({ is_retry }) => is_retry)).toEqual([true, true, true]);
  // Results lock deliveries by id. Without a common lock, an erasure would lock these the other way round.
  deliveries.sort((a, b) => b.position - a.position);
  for (const delivery of deliveries) {
    const id = newId();
    for (const table of ['webhook_deliveries', 'webhook_attempts'])
      await system.query(`update ${table} set delivery_id = $3 where project_id = $1 and delivery_id = $2`, [
        project.projectId,
        delivery.delivery_id,
        id,
      ]);
    delivery.delivery_id = id;
  }
  receiver.answer('hang');
  clock.advance(6000);
  const attempting = gateway.app.settleWebhooks();
  await receiver.until(6);
  const holder = await connectAs(gateway.database, 'vouchgraph_system');
  onTestFinished(() => holder.end());
  await holder.query('begin');
  await holder.query(
    'select 1 from webhook_deliveries where project_id = $1 and delivery_id = $2 for update',
    [project.projectId, deliveries[1].delivery_id],
  );
  const erasing = erase();
  await expectLockWaits(looking, 1);
  receiver.release();
  await expectLockWaits(looking, 2);
  await holder.query('commit');
  expect((await erasing).status).toBe(200);
  await attempting;
  expect(await rowsOf('webhook_deliveries')).toEqual([]);
  expect(await rowsOf('webhook_attempts')).toEqual([]);
});
