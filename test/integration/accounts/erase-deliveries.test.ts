import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { type Gateway, startOwnGateway, TestClock, unique } from '../../support/gateway.ts';
import { connectAs } from '../../support/sql.ts';
import { enroll, playedVerification } from '../../support/verification.ts';
import { createEndpoint, type Receiver, startReceiver } from '../../support/webhook-receiver.ts';

let gateway: Gateway;
let receiver: Receiver;

beforeAll(async () => {
  gateway = await startOwnGateway({ settings: { WEBHOOK_ALLOW_LOOPBACK: '1' } });
  receiver = await startReceiver();
});
afterAll(async () => {
  await receiver.close();
  await gateway.close();
});

const ATTEMPTS = 'select count(*)::int as count from webhook_attempts where project_id = $1';

it('an attempt that is written while its account is erased is erased too', async () => {
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
  // As the service writes it: with the delivery, which is locked until then.
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
    { timeout: 50_000, interval: 10 },
  );
  await writer.query('commit');
  expect((await erasing).status).toBe(200);
  expect((await writer.query(ATTEMPTS, [project.projectId])).rows).toEqual([{ count: 0 }]);
  await Promise.all([writer.end(), watcher.end()]);
});

it('events of a session and of a check, and their deliveries, are erased with their account after both were purged', {
  timeout: 60_000,
}, async () => {
  const clock = new TestClock();
  const settings = { WEBHOOK_ALLOW_LOOPBACK: '1', SESSION_RETENTION_DAYS: '33', EVENT_RETENTION_DAYS: '300' };
  const retaining = await startOwnGateway({ clock, settings });
  try {
    const project = await retaining.project();
    await createEndpoint(project, { url: receiver.url() });
    const [id, other] = [unique('purged'), unique('stays')];
    const bind = (account: string, session_id: string) =>
      project.rest('POST', '/session/authenticate', { session_id, account: { id: account } });
    const [own, shared] = [await project.session(), await project.session()];
    for (const [account, session] of [
      [id, own],
      [id, shared],
      [other, shared],
    ] as const)
      expect((await bind(account, session)).status).toBe(200);
    const check = await playedVerification(retaining, project, { simulate: 'success' });
    expect((await enroll(project, check, id)).status).toBe(200);
    await retaining.app.settleEvents();
    await retaining.app.settleWebhooks();
    clock.advance(34 * 86_400_000);
    await retaining.app.purge();
    const query = (name: string, text: string) =>
      retaining.app.database.system.query({ name: `test.${name}`, text }, [[own, check]]);
    const left = (table: string) =>
      query(`left_${table}`, `select 1 from ${table} where session_id = any($1::uuid[])`);
    expect([await left('sessions'), await left('verification_sessions')]).toEqual([[], []]);
    const events = () => left('outbox_events');
    const sent = () =>
      query(
        'sent',
        `select d.delivery_id from webhook_deliveries d join outbox_events e using (project_id, event_id)
         where e.session_id = any($1::uuid[])`,
      );
    expect((await events()).length).toBeGreaterThan(2);
    const deliveries = (await sent()).map(({ delivery_id }) => delivery_id);
    expect(deliveries.length).toBeGreaterThan(2);
    const ofShared = () =>
      retaining.app.database.system.query(
        {
          name: 'test.shared',
          text: `select type from outbox_events where session_id = $1 and account_id is null`,
        },
        [shared],
      );
    const before = await ofShared();
    expect(before).toEqual([{ type: 'session.completed' }]);
    expect((await project.rest('DELETE', `/account/${id}`)).status).toBe(200);
    expect(await events()).toEqual([]);
    for (const table of ['webhook_deliveries', 'webhook_attempts'])
      expect(
        await retaining.app.database.system.query(
          {
            name: `test.left_of_sent_${table}`,
            text: `select 1 from ${table} where delivery_id = any($1::uuid[])`,
          },
          [deliveries],
        ),
      ).toEqual([]);
    // This session also belongs to another account.
    expect(await ofShared()).toEqual(before);
  } finally {
    await retaining.close();
  }
});
