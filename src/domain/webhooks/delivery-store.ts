import { firstIdAt, NIL_UUID, timeOfId } from '../../platform/ids.ts';
import { type KeysetPage, keysetOf } from '../../platform/keyset.ts';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import { createPurge, type PurgeRun } from '../../storage/purge.ts';
import type { EventRow } from '../events/event.ts';
import { EVENT_COLUMNS } from '../events/event-store.ts';
import type { Delivery, DeliveryState, Endpoint } from './endpoint.ts';
import { HAS_JOB, HAS_OWN_JOB, IS_UNTRIED } from './job-store.ts';

export type DeliveryRow = {
  delivery_id: string;
  endpoint_id: string;
  event_id: string;
  event_type: Delivery['eventType'];
  state: DeliveryState;
  attempts: number;
  next_attempt_at: Date | null;
  created_at: Date;
  finished_at: Date | null;
};

export const DELIVERY_COLUMNS =
  'delivery_id, endpoint_id, event_id, event_type, state, attempts, next_attempt_at, created_at, finished_at';

export function toDelivery(row: DeliveryRow): Delivery {
  return {
    deliveryId: row.delivery_id,
    endpointId: row.endpoint_id,
    eventId: row.event_id,
    eventType: row.event_type,
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: row.state === 'waiting' ? row.next_attempt_at : null,
    createdAt: row.created_at,
    finishedAt: row.finished_at,
  };
}

const FIND: Statement = {
  name: 'webhook.find_delivery',
  text: `select ${DELIVERY_COLUMNS} from webhook_deliveries where project_id = $1 and delivery_id = $2`,
};

export async function findDelivery(database: ProjectDatabase, deliveryId: string): Promise<Delivery | null> {
  const [row] = await database.query<DeliveryRow>(FIND, [database.projectId, deliveryId]);
  return row ? toDelivery(row) : null;
}

/** Deliveries of each endpoint, the newest first; of a backward page the oldest first. */
export async function deliveryPages(
  database: ProjectDatabase,
  endpointIds: readonly string[],
  { state, page }: { state: DeliveryState | null; page: KeysetPage },
): Promise<Map<string, Delivery[]>> {
  const values: unknown[] = [database.projectId, endpointIds];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const keyset = keysetOf([{ sql: 'delivery_id', type: 'uuid' }], 'DESC', page, parameter);
  const conditions = ['project_id = $1', 'endpoint_id = e.endpoint_id', ...keyset.conditions];
  if (state !== null) conditions.push(`state = ${parameter(state)}`);
  const statement = {
    name: `webhook.delivery_pages:${keyset.shape}${state === null ? '' : ':state'}`,
    text: `select d.* from unnest($2::uuid[]) as e (endpoint_id) cross join lateral (
             select ${DELIVERY_COLUMNS} from webhook_deliveries where ${conditions.join(' and ')} ${keyset.order}
           ) d`,
  };
  const rows = await database.query<DeliveryRow>(statement, values);
  return Map.groupBy(rows.map(toDelivery), ({ endpointId }) => endpointId);
}

const COUNT: Statement = {
  name: 'webhook.count_deliveries',
  text: `select e.endpoint_id, d.count from unnest($2::uuid[]) as e (endpoint_id) cross join lateral (
           select count(*)::int as count from (
             select from webhook_deliveries
             where project_id = $1 and endpoint_id = e.endpoint_id and ($3::text is null or state = $3) limit $4
           ) counted
         ) d`,
};

/** Number of deliveries of each endpoint, up to a limit. */
export async function countDeliveries(
  database: ProjectDatabase,
  endpointIds: readonly string[],
  state: DeliveryState | null,
  limit: number,
): Promise<Map<string, number>> {
  const rows = await database.query(COUNT, [database.projectId, endpointIds, state, limit]);
  return new Map(rows.map((row) => [row.endpoint_id, row.count]));
}

const FIND_MANY: Statement = {
  name: 'webhook.find_deliveries',
  text: `select ${DELIVERY_COLUMNS} from webhook_deliveries where project_id = $1 and delivery_id = any($2::uuid[])`,
};

/** Deliveries by their ids. */
export async function findDeliveries(
  database: ProjectDatabase,
  deliveryIds: readonly string[],
): Promise<Map<string, Delivery>> {
  const rows = await database.query<DeliveryRow>(FIND_MANY, [database.projectId, deliveryIds]);
  return new Map(rows.map((row) => [row.delivery_id, toDelivery(row)]));
}

const BODIES: Statement = {
  name: 'webhook.find_bodies',
  text: `select d.delivery_id, e.payload_format, ${EVENT_COLUMNS.replaceAll(/\w+/g, 'o.$&')}
         from webhook_deliveries d
         join webhook_endpoints e on e.project_id = $1 and e.endpoint_id = d.endpoint_id
         join outbox_events o on o.project_id = $1 and o.created_at = d.event_created_at and o.event_id = d.event_id
         where d.project_id = $1 and d.delivery_id = any($2::uuid[])`,
};

export type BodyRow = EventRow & { delivery_id: string; payload_format: number };

/** What the bodies of deliveries are rendered from; nothing for those whose event was erased. */
export function findBodies(database: ProjectDatabase, deliveryIds: readonly string[]): Promise<BodyRow[]> {
  return database.query<BodyRow>(BODIES, [database.projectId, deliveryIds]);
}

/*
 * The statements of dispatch and delivery, sent as vouchgraph_system together with those of the queue.
 */

/** Enabled endpoints that have not been looked at up to the newest event. */
export const FIND_BEHIND: Statement = {
  name: 'webhook.find_behind',
  text: `select e.project_id, e.endpoint_id
         from webhook_endpoints e join outbox_positions p on p.project_id = e.project_id
         where e.state = 'enabled' and not e.is_resuming and e.position < p.position and ($1::uuid[] is null or e.project_id = any($1))`,
};

/** Alone: another process that is at it is left to it. */
export const LOCK_BEHIND: Statement = {
  name: 'webhook.lock_behind',
  text: `select e.position, e.event_types, e.rate_per_minute,
           (select p.position from outbox_positions p where p.project_id = $1) as head
         from webhook_endpoints e where e.project_id = $1 and e.endpoint_id = $2 and e.state = 'enabled' and not e.is_resuming
         for update skip locked`,
};

/** How many deliveries were made since a moment, and whether the one so many before the newest was tried. */
export const COUNT_RECENT: Statement = {
  name: 'webhook.count_recent',
  text: `select
           (select count(*)::int from webhook_deliveries
            where project_id = $1 and endpoint_id = $2 and delivery_id >= $3) as made,
           (select count(*)::int from (
              select state, attempts from webhook_deliveries where project_id = $1 and endpoint_id = $2
              order by delivery_id desc limit $4
            ) newest where state = 'waiting' and attempts = 0) as untried`,
};

export const READ_BEHIND: Statement = {
  name: 'webhook.read_behind',
  text: `select position, event_id, type, account_id, created_at from outbox_events
         where project_id = $1 and position > $2 and position <= $3
           and (cardinality($4::text[]) = 0 or type = any($4))
         order by position limit $5`,
};

export const INSERT_DELIVERIES: Statement = {
  name: 'webhook.insert_deliveries',
  text: `insert into webhook_deliveries (project_id, endpoint_id, created_at, next_attempt_at, delivery_id, event_id,
           event_created_at, event_type, position, account_id)
         select $1, $2, $3, $3, d.* from unnest($4::uuid[], $5::uuid[], $6::timestamptz[], $7::text[], $8::bigint[],
           $9::uuid[]) as d`,
};

export const ADVANCE: Statement = {
  name: 'webhook.advance',
  text: 'update webhook_endpoints set position = $3 where project_id = $1 and endpoint_id = $2',
};

/** Deliveries that are due, with what they need, of endpoints that are enabled. */
export const READ_DUE: Statement = {
  name: 'webhook.read_due',
  text: `with enabled as materialized (
           select endpoint_id, url, secret, previous_secret, previous_secret_until, signature_format,
             payload_format, rate_per_minute, failing_since
           from webhook_endpoints where project_id = $1 and endpoint_id = any($4::uuid[]) and state = 'enabled'
         )
         select d.delivery_id, d.endpoint_id, d.attempts, e.url, e.secret, e.previous_secret, e.previous_secret_until,
           e.signature_format, e.payload_format, e.rate_per_minute, e.failing_since,
           ${EVENT_COLUMNS.replaceAll(/\w+/g, 'o.$&')}
         from webhook_deliveries d join enabled e on e.endpoint_id = d.endpoint_id
         left join lateral (
           select * from outbox_events
           where project_id = $1 and created_at = d.event_created_at and event_id = d.event_id
         ) o on true
         where d.project_id = $1 and d.delivery_id = any($2::uuid[]) and d.state = 'waiting' and d.next_attempt_at <= $3`,
};

export type DueRow = {
  delivery_id: string;
  endpoint_id: string;
  attempts: number;
  url: string;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_until: Date | null;
  signature_format: Endpoint['signatureFormat'];
  payload_format: number;
  rate_per_minute: number | null;
  failing_since: Date | null;
} & (EventRow | { event_id: null });

/** When those are due that still wait; none of a paused endpoint. */
export const FIND_LATER: Statement = {
  name: 'webhook.find_later',
  text: `select d.delivery_id, d.next_attempt_at from webhook_deliveries d
         where d.project_id = $1 and d.delivery_id = any($2::uuid[]) and d.state = 'waiting' and exists (
           select 1 from webhook_endpoints e
           where e.project_id = $1 and e.endpoint_id = d.endpoint_id and e.state = 'enabled'
         )`,
};

/**
 * What came of attempts. The ids stand there twice, so that the index is used whatever the planner expects. Of a delivery that was
 * erased meanwhile nothing is kept.
 */
export const RECORD: Statement = {
  name: 'webhook.record',
  text: `with result as (
           select * from unnest($2::uuid[], $3::text[], $4::int[], $5::timestamptz[], $6::timestamptz[], $7::uuid[],
             $8::timestamptz[], $9::int[], $10::int[], $11::text[], $12::bytea[])
             as r (delivery_id, state, attempts, next_attempt_at, finished_at, attempt_id, at, status, duration_ms, error, answer)
         ), changed as (
           update webhook_deliveries d set state = r.state, attempts = r.attempts, next_attempt_at = r.next_attempt_at,
             finished_at = r.finished_at
           from result r where d.project_id = $1 and d.delivery_id = any($2::uuid[]) and d.delivery_id = r.delivery_id
             and d.state = 'waiting'
           returning d.delivery_id
         )
         insert into webhook_attempts (project_id, attempt_id, delivery_id, at, status, duration_ms, error, answer)
         select $1, r.attempt_id, r.delivery_id, r.at, r.status, r.duration_ms, r.error, r.answer
         from result r join changed using (delivery_id) where r.attempt_id is not null`,
};

/**
 * What comes next at an endpoint of an account, behind deliveries whose first attempt has ended or that are gone. What was tried
 * before, and is sent again, has a job of its own.
 */
export const FIND_NEXT: Statement = {
  name: 'webhook.find_next',
  text: `select next.* from unnest($2::uuid[], $3::uuid[], $4::bigint[]) as ended (endpoint_id, account_id, position)
         join webhook_endpoints e on e.project_id = $1 and e.endpoint_id = ended.endpoint_id and e.state = 'enabled'
         cross join lateral (
           select d.delivery_id, d.endpoint_id, d.account_id, d.position from webhook_deliveries d
           where d.project_id = $1 and d.account_id = ended.account_id and d.endpoint_id = ended.endpoint_id
             and d.position > ended.position and d.state = 'waiting' and ${IS_UNTRIED} and not ${HAS_OWN_JOB}
           order by d.position limit 1
         ) next`,
};

/** For the next attempt of deliveries that were taken and not tried. */
export const GIVE_BACK: Statement = {
  name: 'webhook.give_back',
  text: `update webhook_deliveries d set next_attempt_at = g.at
         from unnest($2::uuid[], $3::timestamptz[]) as g (delivery_id, at)
         where d.project_id = $1 and d.delivery_id = any($2::uuid[]) and d.delivery_id = g.delivery_id and d.state = 'waiting'`,
};

/** Deliveries of any project that are due and wait. */
export const FIND_DUE: Statement = {
  name: 'webhook.find_due',
  text: `select d.delivery_id, d.endpoint_id, d.account_id from webhook_deliveries d join webhook_endpoints e
           on e.project_id = d.project_id and e.endpoint_id = d.endpoint_id and e.state = 'enabled'
         where d.state = 'waiting' and d.next_attempt_at <= $1 order by d.project_id, d.delivery_id limit 5000`,
};

/** Enabled endpoints of any project that are resumed, or with deliveries that are due and have no job. */
export const FIND_WITHOUT_JOBS: Statement = {
  name: 'webhook.find_without_jobs',
  text: `select e.project_id, e.endpoint_id from webhook_endpoints e
         where e.state = 'enabled' and (e.is_resuming or exists (
           select 1 from webhook_deliveries d
           where d.project_id = e.project_id and d.endpoint_id = e.endpoint_id and d.state = 'waiting'
             and d.next_attempt_at <= $1 and not ${HAS_JOB.replaceAll('$1', 'd.project_id')}
         ))`,
};

export const LOCK_SWEPT: Statement = {
  name: 'webhook.lock_swept',
  text: `select is_resuming from webhook_endpoints
         where project_id = $1 and endpoint_id = $2 and state = 'enabled' for update`,
};

export const SET_RESUMING: Statement = {
  name: 'webhook.set_resuming',
  text: 'update webhook_endpoints set is_resuming = $3 where project_id = $1 and endpoint_id = $2',
};

/** Deliveries of an endpoint that are due, or all that wait where no moment is given, in pages, with whether they have a job. */
export const PAGE_DUE: Statement = {
  name: 'webhook.page_due',
  text: `select d.delivery_id, d.next_attempt_at, d.attempts, d.account_id, ${IS_UNTRIED} as is_untried, ${HAS_JOB} as has_job
         from (
           select * from webhook_deliveries
           where project_id = $1 and endpoint_id = $2 and state = 'waiting' and next_attempt_at <= coalesce($3::timestamptz, 'infinity')
             and (next_attempt_at, delivery_id) > ($4::timestamptz, $5::uuid)
           order by next_attempt_at, delivery_id limit $6
         ) d order by d.next_attempt_at, d.delivery_id`,
};

/** Passes over what waits of events before a position. */
export const DROP_BEFORE: Statement = {
  name: 'webhook.drop_before',
  text: `update webhook_deliveries set state = 'dropped', next_attempt_at = null, finished_at = $4
         where project_id = $1 and endpoint_id = $2 and state = 'waiting' and position <= $3`,
};

/** As it was when it was made; what was tried stays. Nothing when its event is gone. */
const RESEND = `update webhook_deliveries d set state = 'waiting', attempts = 0, next_attempt_at = $2, finished_at = null
         where d.project_id = $1 and exists (
           select 1 from outbox_events o
           where o.project_id = $1 and o.created_at = d.event_created_at and o.event_id = d.event_id
         )`;

/** Held for a change; whether it was never tried. */
export const LOCK_DELIVERY: Statement = {
  name: 'webhook.lock_delivery',
  text: `select ${IS_UNTRIED} as is_untried from webhook_deliveries d
         where d.project_id = $1 and d.delivery_id = $2 for update of d`,
};

export const RESEND_ONE: Statement = {
  name: 'webhook.resend_one',
  text: `${RESEND} and d.delivery_id = $3
         returning d.account_id, d.position, ${DELIVERY_COLUMNS.replaceAll(/\w+/g, 'd.$&')}`,
};

export const HAS_ITS_JOB: Statement = {
  name: 'webhook.has_its_job',
  text: `select ${HAS_JOB} as has_job from webhook_deliveries d where d.project_id = $1 and d.delivery_id = $2`,
};

/** Those that were looked at, in order; what has no event any more is not resent. */
export const RESEND_SINCE: Statement = {
  name: 'webhook.resend_since',
  text: `with chosen as materialized (
           select delivery_id from webhook_deliveries
           where project_id = $1 and endpoint_id = $3 and delivery_id >= $4 and event_created_at >= $5
             and state = any($6::text[]) and delivery_id > $8
           order by delivery_id limit $7
         ), resent as (
           ${RESEND} and d.delivery_id in (select delivery_id from chosen) returning d.delivery_id
         )
         select chosen.delivery_id, resent.delivery_id is not null as is_resent
         from chosen left join resent using (delivery_id) order by chosen.delivery_id`,
};

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
  key: ['delivery_id'],
  column: 'delivery_id',
  first: NIL_UUID,
  index: 'project',
});

/** Removes deliveries that are as old as events are kept, also of endpoints that were deleted. */
export async function purgeDeliveries(run: PurgeRun, before: Date): Promise<void> {
  await purgeOldAttempts(run, firstIdAt(before));
  await purgeOldDeliveries(run, firstIdAt(before));
}

const SAMPLE: Statement = {
  name: 'webhook.sample_event',
  text: `select ${EVENT_COLUMNS} from outbox_events
         where project_id = $1 and type = $2 and position > $3 order by position desc limit 1`,
};

/** The newest event of a type behind a position; null when there is none. */
export async function findSample(
  database: ProjectDatabase,
  type: string,
  after: number,
): Promise<EventRow | null> {
  const [row] = await database.query<EventRow>(SAMPLE, [database.projectId, type, after]);
  return row ?? null;
}

const FIND_EVENT: Statement = {
  name: 'webhook.find_event',
  text: `select ${EVENT_COLUMNS} from outbox_events
         where project_id = $1 and event_id = $2 and created_at between $3 and $4 and position is not null`,
};

const DAY_MS = 86_400_000;

/** An event by its id, which holds its time; null when there is none. */
export async function findEventById(database: ProjectDatabase, eventId: string): Promise<EventRow | null> {
  const made = timeOfId(eventId).getTime();
  const [row] = await database.query<EventRow>(FIND_EVENT, [
    database.projectId,
    eventId,
    new Date(made - DAY_MS),
    new Date(made + DAY_MS),
  ]);
  return row ?? null;
}
