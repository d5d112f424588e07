import type { EventRow } from '@vouchgraph/events';
import type { DeliveryState } from '@vouchgraph/events/webhooks';
import { startOfDay } from '@vouchgraph/platform/calendar-date';
import { firstIdAt, NIL_UUID } from '@vouchgraph/platform/ids';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import type { Prisma, WebhookDelivery } from '../../storage/generated/prisma/client.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { idList, prismaPage } from '../../storage/prisma-page.ts';
import { createPurge, type PurgeRun } from '../../storage/purge.ts';
import { countEach, countOfEach } from '../../storage/selection.ts';
import { EVENT_COLUMNS } from '../events/event-store.ts';
import { eventOf, eventsByPosition } from '../events/numbered-events-sql.ts';
import { orderLockKey } from '../model/delivery-order-sql.ts';

/** A delivery by its id, or null. */
export function findDelivery(
  { projectId, prisma }: Pick<ProjectDatabase, 'projectId' | 'prisma'>,
  deliveryId: string,
): Promise<WebhookDelivery | null> {
  return prisma.webhookDelivery.findUnique({ where: { projectId_deliveryId: { projectId, deliveryId } } });
}

/** Columns that a query selects of each delivery besides its own. */
export type DeliveryQuery = { include?: Prisma.WebhookDeliveryInclude };

/** The same page of the deliveries of several endpoints, the newest first, in the order of the endpoints' ids. */
export async function deliveryPages(
  { projectId, prisma }: ProjectDatabase,
  endpointIds: readonly string[],
  { state, page }: { state: DeliveryState | null; page: KeysetPage },
  query: DeliveryQuery = {},
): Promise<WebhookDelivery[][]> {
  const { where, ...order } = prismaPage('deliveryId', 'desc', page);
  const inState = state === null ? {} : { state };
  const endpoints = await prisma.webhookEndpoint.findMany({
    where: { projectId, endpointId: { in: idList(endpointIds) } },
    select: { endpointId: true, deliveries: { ...query, ...order, where: { ...where, ...inState } } },
  });
  const byId = new Map(endpoints.map((endpoint) => [endpoint.endpointId, endpoint.deliveries]));
  return endpointIds.map((id) => byId.get(id) ?? []);
}

/** Deliveries in the order of their ids, without those that were deleted. */
export async function findDeliveries(
  { projectId, prisma }: ProjectDatabase,
  deliveryIds: readonly string[],
  query: DeliveryQuery,
): Promise<WebhookDelivery[]> {
  const where = { projectId, deliveryId: { in: idList(deliveryIds) } };
  const rows = await prisma.webhookDelivery.findMany({ ...query, where });
  const byId = new Map(rows.map((row) => [row.deliveryId, row]));
  return deliveryIds.flatMap((id) => byId.get(id) ?? []);
}

const COUNT = countOfEach(
  'webhook.count_deliveries',
  'webhook_deliveries d where d.project_id = $1 and d.endpoint_id = p.id and ($4::text is null or d.state = $4)',
);

/** Number of deliveries of each endpoint, up to a limit. */
export function countDeliveries(
  database: ProjectDatabase,
  endpointIds: readonly string[],
  state: DeliveryState | null,
  limit: number,
): Promise<number[]> {
  return countEach(database, COUNT, endpointIds, limit, state);
}

/** SQL: the body of a delivery of the project $1, with columns of `webhook_deliveries`, if its event exists. */
const bodyOf = (delivery: string) => `select b.body from (
             select from (${eventOf(delivery)}) e offset 0
           ) e cross join lateral (
             select b.body from webhook_bodies b where b.project_id = $1 and b.event_id = ${delivery}.event_id
               and b.payload_format = ${delivery}.payload_format offset 0
           ) b`;

/** Each row is looked up by a whole key, whatever the statistics of the tables are. */
const BODIES: Statement = {
  name: 'webhook.find_bodies',
  text: `select d.delivery_id, d.event_id, d.payload_format, b.body
         from unnest($2::uuid[]) as wanted (delivery_id) cross join lateral (
           select * from webhook_deliveries x
           where x.project_id = $1 and x.delivery_id = wanted.delivery_id offset 0
         ) d cross join lateral (${bodyOf('d')}) b`,
};

export type BodyRow = { delivery_id: string; event_id: string; payload_format: number; body: Buffer };

/** Bodies of deliveries; nothing for those whose event was erased or has expired. */
export function findBodies(database: ProjectDatabase, deliveryIds: readonly string[]): Promise<BodyRow[]> {
  return database.query<BodyRow>(BODIES, [database.projectId, deliveryIds]);
}

/* Resent deliveries, by project. */

/**
 * Resets a delivery to the state of its creation; its attempts stay. An ordered delivery that is not due yet keeps its place.
 * The claim of a running attempt stays, so that the delivery is not sent twice concurrently. The statement that ends the claim
 * makes the delivery due again.
 */
const RESEND = `update webhook_deliveries d set state = 'waiting', attempts = 0, is_retry = false, finished_at = null,
           resend_requested = d.claimed_until is not null,
           next_attempt_at = case when d.is_ordered and d.next_attempt_at is null then null else :now::timestamptz end`;

/** Nothing if the event of the delivery was erased, or has no body because it cannot be decrypted. */
export const RESEND_ONE = namedStatement(
  'webhook.resend_one',
  `${RESEND} where d.project_id = :projectId and d.delivery_id = :deliveryId and exists (${bodyOf('d')})
         returning d.delivery_id`,
);

/** Examined deliveries, in order. Those without an event or a body are not resent. */
export const RESEND_SINCE = namedStatement(
  'webhook.resend_since',
  `with chosen as materialized (
           select delivery_id, position, event_id, event_created_at, payload_format from webhook_deliveries
           where project_id = :projectId and endpoint_id = :endpointId and delivery_id >= :firstId and event_created_at >= :since
             and state = any(:states::text[]) and delivery_id > :after
           order by delivery_id limit :limit for update
         ), examined as materialized (
           select c.delivery_id, exists (${bodyOf('c')}) as is_resent from chosen c
         ), resent as (
           ${RESEND} from examined e
           where e.is_resent and d.project_id = :projectId and d.delivery_id = e.delivery_id
         )
         select delivery_id, is_resent from examined order by delivery_id`,
);

const purgeOldAttempts = createPurge({
  name: 'webhook_attempt',
  table: 'webhook_attempts',
  key: ['attempt_id'],
  column: 'attempt_id',
  first: NIL_UUID,
  index: 'project',
});
const purgeOldDeliveries = createPurge({
  name: 'webhook_delivery',
  table: 'webhook_deliveries',
  // Its deletions may make deliveries due, as other deletions do.
  lock: `pg_advisory_xact_lock(${orderLockKey('$3::uuid')})`,
  key: ['delivery_id'],
  column: 'delivery_id',
  first: NIL_UUID,
  index: 'project',
});

const purgeOldBodies = createPurge({
  name: 'webhook_body',
  table: 'webhook_bodies',
  key: ['event_id', 'payload_format'],
  column: 'event_id',
  first: NIL_UUID,
  index: 'project',
});

/**
 * Removes deliveries that are as old as events are kept, also of endpoints that were deleted, and bodies of such events.
 * Events are removed by whole days (UTC), and so are their bodies: a delivery can be resent as long as its event exists.
 */
export async function purgeDeliveries(run: PurgeRun, before: Date): Promise<void> {
  await purgeOldBodies(run, firstIdAt(startOfDay(before)));
  await purgeOldAttempts(run, firstIdAt(before));
  await purgeOldDeliveries(run, firstIdAt(before));
}

const SAMPLE: Statement = {
  name: 'webhook.sample_event',
  text: `select ${EVENT_COLUMNS}
         from ${eventsByPosition({ after: '$3', isBackward: true, where: 'o.type = $2' })} limit 1`,
};

/** The newest event of a type behind a position; null without one. */
export async function findSample(
  database: ProjectDatabase,
  type: string,
  after: number,
): Promise<EventRow | null> {
  const [row] = await database.query<EventRow>(SAMPLE, [database.projectId, type, after]);
  return row ?? null;
}
