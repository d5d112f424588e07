import { generateMasterKey } from '@vouchgraph/platform/crypto';
import type pg from 'pg';
import { expect, it } from 'vitest';
import { findBodies } from '../../../src/domain/webhooks/delivery-store.ts';
import { createTestDatabase } from '../../support/database.ts';
import { openEventReads } from '../../support/event-reads.ts';
import { type Gateway, projectClient } from '../../support/gateway.ts';
import { EVENTS_WITH_POSITIONS } from '../../support/outbox.ts';
import { connectAs } from '../../support/sql.ts';
import { createEndpoint } from '../../support/webhook-receiver.ts';

const EVENTS = 20_000;
const DELIVERIES = 100;
/** Entries of 20,000 events of one millisecond take more than 100 blocks of the primary key; a look-up by whole keys takes 9. */
const MAX_READS_PER_EVENT = 15;

it('bodies, resends and simulations read little per event among many events of one millisecond', async () => {
  const database = await createTestDatabase();
  const masterKey = generateMasterKey();
  const reads = await openEventReads(database, masterKey);
  const system = await connectAs(database, 'vouchgraph_system');
  try {
    const { project, endpoint, eventId } = await reads.run(async (gateway) => {
      const created = await gateway.project();
      await created.authenticate({ id: 'a' });
      const { events } = await created.graphql('{ events(last: 1) { edges { node { eventId } } } }');
      await addEvents(system, created.projectId);
      await gateway.app.settleEvents();
      // Behind these events: it gets no deliveries besides those of the test.
      const { endpointId, id } = await createEndpoint(created, { url: 'https://example.com' });
      await addDeliveries(system, created.projectId, endpointId);
      return { project: created, endpoint: id, eventId: events.edges[0].node.eventId };
    });
    const { projectId, key } = project;
    const { rows } = await system.query('select delivery_id from webhook_deliveries where project_id = $1', [
      projectId,
    ]);
    const graphql = (gateway: Gateway, query: string) =>
      projectClient(gateway.baseUrl, projectId, key).graphql(query);

    const bodies = await reads.readsOf(async ({ app }) => {
      const ids = rows.map(({ delivery_id }) => delivery_id);
      expect(await findBodies(app.database.forProject(projectId), ids)).toHaveLength(DELIVERIES);
    });
    expect(bodies).toBeLessThan(MAX_READS_PER_EVENT * DELIVERIES);

    const resent = await reads.readsOf(async (gateway) => {
      const mutation = `mutation { resendWebhooksSince(input: { endpointId: "${endpoint}", since: "1970-01-01T00:00:00Z" }) {
        count } }`;
      expect(await graphql(gateway, mutation)).toEqual({ resendWebhooksSince: { count: DELIVERIES } });
    });
    expect(resent).toBeLessThan(MAX_READS_PER_EVENT * DELIVERIES);

    const simulated = await reads.readsOf(async (gateway) => {
      const query = `{ simulateWebhook(endpointId: "${endpoint}", eventId: "${eventId}") { wouldDeliver } }`;
      expect(await graphql(gateway, query)).toEqual({ simulateWebhook: { wouldDeliver: true } });
    });
    // Planning reads some of each partition.
    expect(simulated).toBeLessThan(10 * MAX_READS_PER_EVENT);
  } finally {
    await system.end();
    await reads.close();
    await database.drop();
  }
});

/** Events of one millisecond an hour ago, each of its own write. */
async function addEvents(system: pg.Client, projectId: string): Promise<void> {
  await system.query(
    `with event as (
       insert into outbox_events (project_id, created_at, event_id, write_id, place, type, payload)
       select $1, $2, gen_random_uuid(), nextval('outbox_unnumbered_writes_write_id_seq'), 0, 'account.updated', ''
       from generate_series(1, $3::int) returning *
     ) insert into outbox_unnumbered_writes (project_id, write_id, created_from, created_to, events)
     select project_id, write_id, created_at, created_at, 1 from event`,
    [projectId, new Date(Date.now() - 3_600_000), EVENTS],
  );
}

/** Delivered deliveries of the last of these events, with bodies. */
async function addDeliveries(system: pg.Client, projectId: string, endpointId: string): Promise<void> {
  await system.query(
    `with delivery as (
       insert into webhook_deliveries (project_id, delivery_id, endpoint_id, event_id, event_created_at, event_type, position,
         payload_format, state)
       select project_id, gen_random_uuid(), $2, event_id, created_at, type, position, 1, 'delivered'
       from ${EVENTS_WITH_POSITIONS} where project_id = $1 and type = 'account.updated'
       order by position desc limit $3
       returning project_id, event_id, payload_format
     ) insert into webhook_bodies (project_id, event_id, payload_format, body) select *, '' from delivery`,
    [projectId, endpointId, DELIVERIES],
  );
}
