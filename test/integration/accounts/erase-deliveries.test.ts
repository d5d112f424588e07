import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Gateway, startGateway, unique } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';
import { createEndpoint, type Receiver, startReceiver } from '../../support/webhook-receiver.ts';

let gateway: Gateway;
let receiver: Receiver;

beforeAll(async () => {
  gateway = await startGateway({ settings: { WEBHOOK_ALLOW_LOOPBACK: '1' } });
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await gateway.close();
});

const ATTEMPTS = 'select count(*)::int as count from webhook_attempts where project_id = $1';

it('an attempt that is written while its account is erased goes with it', async () => {
  const project = await gateway.project();
  await createEndpoint(project, { url: receiver.url(), eventTypes: ['account.authenticated'] });
  const id = unique('sent');
  await project.authenticate({ id });
  await gateway.app.settleWebhooks();
  const [writer, watcher] = [
    await connectAs(gateway.database, 'vouchgraph_system'),
    await connectAs(gateway.database, 'owner'),
  ];
  expect((await writer.query(ATTEMPTS, [project.projectId])).rows).toEqual([{ count: 1 }]);
  // As the service writes one: with the delivery, which is held until then.
  await writer.query('begin');
  await writer.query(
    `with tried as (
       update webhook_deliveries set attempts = attempts + 1 where project_id = $1 returning delivery_id
     )
     insert into webhook_attempts (project_id, attempt_id, delivery_id, duration_ms)
     select $1, gen_random_uuid(), delivery_id, 1 from tried`,
    [project.projectId],
  );
  const erasing = project.rest('DELETE', `/account/${id}`);
  await vi.waitFor(
    async () => {
      const { rows } = await watcher.query(
        `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'
           and query like '%delete from webhook_deliveries%'`,
      );
      expect(rows).toHaveLength(1);
    },
    { timeout: 10_000, interval: 10 },
  );
  await writer.query('commit');
  expect((await erasing).status).toBe(200);
  expect((await writer.query(ATTEMPTS, [project.projectId])).rows).toEqual([{ count: 0 }]);
  await Promise.all([writer.end(), watcher.end()]);
});
