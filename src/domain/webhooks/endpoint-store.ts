import type { OutboxEvent } from '@vouchgraph/events';
import type { DisabledReason, Endpoint } from '@vouchgraph/events/webhooks';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { ProjectDatabase, ProjectTransaction, Statement } from '../../storage/database.ts';
import type { Prisma, WebhookEndpoint } from '../../storage/generated/prisma/client.ts';
import { lockByName, lockRow } from '../../storage/locks.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { prismaPage } from '../../storage/prisma-page.ts';
import { insertEventsCtes } from '../events/insert-events-store.ts';
import { isOfWrite, MAX_DISORDER_MS } from '../events/numbered-events-sql.ts';
import { LOCK_ORDER } from './delivery-queue-store.ts';

/** Row of an endpoint, with its encrypted secrets. */
export type StoredEndpoint = Endpoint & Omit<WebhookEndpoint, keyof Endpoint>;

/** An endpoint by its id, or null. */
export async function findEndpoint(
  { projectId, prisma }: Pick<ProjectDatabase, 'projectId' | 'prisma'>,
  endpointId: string,
): Promise<StoredEndpoint | null> {
  const where = { projectId_endpointId: { projectId, endpointId } };
  return (await prisma.webhookEndpoint.findUnique({ where })) as StoredEndpoint | null;
}

/** A page of the endpoints, the oldest first. */
export function pageEndpoints(
  { projectId, prisma }: ProjectDatabase,
  page: KeysetPage,
): Promise<WebhookEndpoint[]> {
  const { where, ...order } = prismaPage('endpointId', 'asc', page);
  return prisma.webhookEndpoint.findMany({ ...order, where: { projectId, ...where } });
}

/** Number of endpoints of a project. */
export function countAllEndpoints({ projectId, prisma }: ProjectDatabase): Promise<number> {
  return prisma.webhookEndpoint.count({ where: { projectId } });
}

/** Creations of endpoints of a project run one after another, so that their number stays within the limit. */
const LOCK_ALL = lockByName('webhook.lock_endpoints', 'webhook endpoints');

/** Number of endpoints of a project, to which no other transaction adds one. */
export async function countEndpoints(transaction: ProjectTransaction, projectId: string): Promise<number> {
  await transaction.run([LOCK_ALL, [projectId]]);
  return transaction.prisma.webhookEndpoint.count({ where: { projectId } });
}

/** Stores an endpoint, which receives events emitted from now on. */
export async function insertEndpoint(
  { prisma }: ProjectTransaction,
  endpoint: Omit<Prisma.WebhookEndpointCreateInput, 'position'> & { projectId: string },
): Promise<StoredEndpoint> {
  const data = { ...endpoint, position: await latestPosition(prisma, endpoint.projectId) };
  return (await prisma.webhookEndpoint.create({ data })) as StoredEndpoint;
}

const LOCK = lockRow('webhook.lock_endpoint', { table: 'webhook_endpoints', key: 'endpoint_id' });

/** An endpoint that is locked for a change, so that changes of it run one after another; null when it does not exist. */
export async function lockEndpoint(
  transaction: ProjectTransaction,
  projectId: string,
  endpointId: string,
): Promise<StoredEndpoint | null> {
  await transaction.run([LOCK, [projectId, endpointId]]);
  return findEndpoint({ projectId, prisma: transaction.prisma }, endpointId);
}

/** Changes an endpoint, and returns it. */
export async function updateEndpoint(
  { prisma }: ProjectTransaction,
  { projectId, endpointId }: StoredEndpoint,
  data: Prisma.WebhookEndpointUpdateInput,
): Promise<StoredEndpoint> {
  const where = { projectId_endpointId: { projectId, endpointId } };
  return (await prisma.webhookEndpoint.update({ where, data })) as StoredEndpoint;
}

/** Deliveries of an endpoint, with their attempts. */
const DELETE_DELIVERIES: Statement = {
  name: 'webhook.delete_deliveries_of_endpoint',
  text: `with gone as (
           delete from webhook_deliveries where project_id = $1 and endpoint_id = $2 returning delivery_id
         )
         delete from webhook_attempts a using gone where a.project_id = $1 and a.delivery_id = gone.delivery_id`,
};

/** Deletes a locked endpoint with its deliveries. */
export async function deleteEndpoint(
  { prisma, run }: ProjectTransaction,
  { projectId, endpointId }: StoredEndpoint,
): Promise<void> {
  await prisma.webhookEndpoint.delete({ where: { projectId_endpointId: { projectId, endpointId } } });
  await run([LOCK_ORDER, [projectId]], [DELETE_DELIVERIES, [projectId, endpointId]]);
}

/** Position of the first event since the time $2. The search begins at an event before the time $3. */
const FIRST_SINCE: Statement = {
  name: 'webhook.first_since',
  text: `select w.first_position + coalesce((
           select min(o.place) from outbox_events o where ${isOfWrite('w')} and o.created_at >= $2
         ), 0) as position
         from outbox_writes w
         where w.project_id = $1 and w.created_to >= $2 and w.first_position > coalesce((
           select x.first_position from outbox_events o cross join lateral (
             select y.first_position from outbox_writes y where y.project_id = $1 and y.write_id = o.write_id offset 0
           ) x
           where o.project_id = $1 and o.created_at < $3
           order by o.created_at desc limit 1
         ), 0)
         order by w.first_position limit 1`,
};

/** Position before the first event since a time, or of the latest event when none was emitted since. */
export async function positionSince(
  { prisma, run }: ProjectTransaction,
  projectId: string,
  since: Date,
): Promise<bigint> {
  // The latest first: an event in between is one since the time.
  const latest = await latestPosition(prisma, projectId);
  const [[first] = []] = await run([
    FIRST_SINCE,
    [projectId, since, new Date(since.getTime() - MAX_DISORDER_MS)],
  ]);
  return first ? BigInt(first.position) - 1n : latest;
}

async function latestPosition(prisma: ProjectDatabase['prisma'], projectId: string): Promise<bigint> {
  const latest = await prisma.outboxPosition.findUnique({ where: { projectId } });
  return latest?.position ?? 0n;
}

const NOTE_HEALTH: Statement = {
  name: 'webhook.note_health',
  text: `update webhook_endpoints set failing_since = case when $3 then null else coalesce(failing_since, $4) end
         where project_id = $1 and endpoint_id = $2`,
};

/** Stores whether the latest attempts of an endpoint succeeded or failed. */
export function noteHealthCall(projectId: string, endpointId: string, isHealthy: boolean, now: Date) {
  return [NOTE_HEALTH, [projectId, endpointId, isHealthy, now]] as const;
}

/** Disables an endpoint, unless it is disabled already or has recovered, and emits an event. */
const DISABLE = namedStatement(
  'webhook.disable_endpoint',
  `with disabled as (
           update webhook_endpoints set state = 'disabled', disabled_reason = :reason, updated_at = :now
           where project_id = :projectId and endpoint_id = :endpointId and state <> 'disabled'
             and (:reason = 'gone' or failing_since <= :failingBefore)
           returning endpoint_id
         ), ${insertEventsCtes(
           { createdAt: ':now', eventId: ':eventId', type: ':eventType', payload: ':eventPayload' },
           'from disabled',
         )}
         insert into audit_log (project_id, audit_id, at, actor, action, target, after)
         select :projectId, :auditId, :now, 'system', 'webhook.disable', :target, jsonb_build_object('reason',
           :reason::text) from disabled`,
  ['eventId', 'eventType', 'eventPayload'],
);

export function disableCall(
  projectId: string,
  disabling: {
    endpointId: string;
    reason: DisabledReason;
    now: Date;
    failingBefore: Date;
    event: OutboxEvent;
    auditId: string;
  },
) {
  const { endpointId, reason, now, failingBefore, event, auditId } = disabling;
  const { eventId, type, payload } = event;
  const target = targetOf(endpointId);
  return DISABLE.call({
    projectId,
    endpointId,
    reason,
    now,
    failingBefore,
    eventId,
    eventType: type,
    eventPayload: payload,
    auditId,
    target,
  });
}

/** How the audit log names an endpoint. */
export function targetOf(endpointId: string): string {
  return `webhook:${endpointId}`;
}
