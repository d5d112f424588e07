import { type Endpoint, PER_ENDPOINT } from '@vouchgraph/events/webhooks';
import type { Call, Database, Row, Statement } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { EVENT_COLUMNS } from '../events/event-store.ts';
import { eventsByPosition } from '../events/numbered-events-sql.ts';
import { orderLockKey } from '../model/delivery-order-sql.ts';

/*
 * Deliveries as a queue, for the gateways, as vouchgraph_system. A waiting delivery with a `next_attempt_at` is due at that time
 * by our clock. Gateways claim due deliveries for a minute by the database's clock; a claim that is not ended by then is void, so
 * that another gateway attempts what a dead one left.
 *
 * First attempts of one account at one endpoint are sent in order (`is_ordered`): the first of them alone has a time. The statement
 * that ends its first attempt gives the next one its time, and so does a trigger when it is deleted. A dispatch that adds one behind
 * others must not run between these two steps, so both sides take a lock of the project.
 *
 * Transactions lock in one order, since they would wait for each other otherwise: endpoints by id; sessions, verifications, batches and
 * checks of emails; the lock of the project; events; deliveries. Dispatches, resumed endpoints and transactions that delete deliveries
 * take the lock of the project exclusively (`LOCK_ORDER`): they may then lock events and deliveries in any order. Results and resends
 * of many deliveries share it (`shareOrdersCall`), and lock deliveries by id. A result locks the next delivery of its order
 * last: no process has claimed that one. Claims skip locked deliveries, and the resend of one delivery locks no other.
 *
 * The trigger takes the lock of the project behind the deleted rows. A transaction that deletes deliveries therefore takes the lock
 * itself before it deletes them or their events, and the trigger finds it held.
 */

/** The part of the database that a queue needs. */
export type QueueDatabase = Pick<Database['system'], 'queueTransaction'>;

/** Rows of a single statement. */
export function queueRows<T = Row>(
  system: QueueDatabase,
  statement: Statement,
  values: readonly unknown[],
): Promise<T[]> {
  return system.queueTransaction(async (transaction) => {
    const [rows] = await transaction.commit([statement, values]);
    return rows as T[];
  });
}

/** Locks the orders of a project: before deliveries are read that are added, dropped or deleted. */
export const LOCK_ORDER: Statement = {
  name: 'webhook.lock_order',
  text: `select pg_advisory_xact_lock(${orderLockKey('$1::uuid')})`,
};
const SHARE_ORDERS: Statement = {
  name: 'webhook.share_orders',
  text: `select pg_advisory_xact_lock_shared(${orderLockKey('p.project_id')}) from unnest($1::uuid[]) as p (project_id) order by p.project_id`,
};

/** Locks the orders of these projects against dispatches, resumed endpoints and deletions: before deliveries are written. */
export function shareOrdersCall(projectIds: Iterable<string>): Call {
  return [SHARE_ORDERS, [[...new Set(projectIds)].sort()]];
}

/** Enabled endpoints with one of the payload formats $2 that have not been dispatched up to the newest event. */
export const FIND_BEHIND: Statement = {
  name: 'webhook.find_behind',
  text: `select e.project_id, e.endpoint_id, e.position
         from webhook_endpoints e join outbox_positions p on p.project_id = e.project_id
         where e.state = 'enabled' and e.position < p.position and ($1::uuid[] is null or e.project_id = any($1))
           and e.payload_format = any($2::int[])`,
};

/**
 * Endpoints at one position, with the number of their deliveries that wait for a first attempt, and of those created since a moment
 * where their number is limited. Endpoints that another process dispatches are left to it, and those with a payload format that this
 * gateway does not know to a gateway of a newer version.
 */
export const LOCK_BEHIND = namedStatement(
  'webhook.lock_behind',
  `select e.endpoint_id, e.event_types, e.payload_format, e.rate_per_minute,
           (select p.position from outbox_positions p where p.project_id = :projectId) as head,
           (select count(*)::int from (
              select from webhook_deliveries d
              where d.project_id = :projectId and d.endpoint_id = e.endpoint_id and d.state = 'waiting'
                and d.is_retry = :isRetry limit :maxUntried
            ) w) as untried,
           case when e.rate_per_minute is null then 0 else (
             select count(*)::int from webhook_deliveries d
             where d.project_id = :projectId and d.endpoint_id = e.endpoint_id and d.delivery_id >= :recentSince
           ) end as recent
         from webhook_endpoints e
         where e.project_id = :projectId and e.endpoint_id = any(:endpointIds::uuid[]) and e.position = :position
           and e.state = 'enabled'
           and e.payload_format = any(:payloadFormats::int[])
         order by e.endpoint_id for update of e skip locked`,
);

export const READ_BEHIND: Statement = {
  name: 'webhook.read_behind',
  text: `select ${EVENT_COLUMNS}, e.write_id from ${eventsByPosition({
    after: '$2',
    before: '$3',
    where: 'cardinality($4::text[]) = 0 or o.type = any($4)',
  })} limit $5`,
};

/**
 * Adds the bodies of events and their deliveries, and advances the endpoints. Events are locked until the commit: an
 * erasure of one waits and finds its body. Returns the stored bodies of this gateway, and the endpoints of due deliveries.
 * `bodyEvents` and `deliveryEvents` are numbers of events from 1; `areDead`: whether the event does not decrypt.
 */
export const INSERT_DELIVERIES = namedStatement(
  'webhook.insert_deliveries',
  `with event as materialized (
           select e.n, o.event_id, o.created_at, o.type, e.position, o.account_id
           from unnest(:eventIds::uuid[], :eventTimes::timestamptz[], :eventWrites::bigint[], :eventPositions::bigint[])
             with ordinality as e (event_id, created_at, write_id, position, n)
           join outbox_events o on o.project_id = :projectId and o.created_at = e.created_at and o.write_id = e.write_id
             and o.event_id = e.event_id
           for key share of o
         ), stored as (
           insert into webhook_bodies (project_id, event_id, payload_format, body)
           select :projectId, e.event_id, b.format, b.body
           from unnest(:bodyEvents::int[], :bodyFormats::int[], :bodies::bytea[]) as b (n, format, body) join event e on e.n = b.n
           on conflict do nothing returning event_id, payload_format
         ), given as materialized (
           select d.delivery_id, d.endpoint_id, d.format, d.is_dead, e.event_id, e.created_at as event_created_at, e.type,
             e.position, e.account_id, e.account_id is not null and not d.is_dead as is_ordered
           from unnest(:deliveryIds::uuid[], :deliveryEndpoints::uuid[], :deliveryEvents::int[], :deliveryFormats::int[],
             :areDead::boolean[])
             as d (delivery_id, endpoint_id, n, format, is_dead)
           join event e on e.n = d.n
         ), placed as (
           select g.*, row_number() over (
             partition by g.endpoint_id, g.account_id, g.is_ordered order by g.position
           ) as place
           from given g
         ), added as (
           insert into webhook_deliveries (project_id, delivery_id, endpoint_id, event_id, event_created_at, event_type,
             position, account_id, payload_format, created_at, state, finished_at, is_ordered, next_attempt_at)
           select :projectId, delivery_id, endpoint_id, event_id, event_created_at, type, position, account_id, format,
             :now::timestamptz,
             case when is_dead then 'dead' else 'waiting' end, case when is_dead then :now::timestamptz end, is_ordered,
             case
               when is_dead or is_ordered and place > 1 then null
               when is_ordered and exists (
                 select 1 from webhook_deliveries x
                 where x.project_id = :projectId and x.endpoint_id = p.endpoint_id and x.account_id = p.account_id
                   and x.is_ordered
               ) then null
               else :now::timestamptz
             end
           from placed p
           returning endpoint_id, next_attempt_at
         ), advanced as (
           update webhook_endpoints e set position = p.position
           from unnest(:endpointIds::uuid[], :positions::bigint[]) as p (endpoint_id, position)
           where e.project_id = :projectId and e.endpoint_id = p.endpoint_id
         )
         select distinct endpoint_id, null::uuid as event_id, null::int as payload_format from added
         where next_attempt_at is not null
         union all select null, event_id, payload_format from stored`,
);

/**
 * Endpoints of any project with deliveries that are due, first attempts and retries apart: one look into the index for each endpoint that
 * has waiting deliveries.
 */
export const FIND_DUE_ENDPOINTS: Statement = {
  name: 'webhook.find_due_endpoints',
  text: `with recursive earliest as (
           (select project_id, endpoint_id, is_retry, next_attempt_at from webhook_deliveries where state = 'waiting'
            order by project_id, endpoint_id, is_retry, next_attempt_at, delivery_id limit 1)
           union all
           select n.* from earliest e cross join lateral (
             select project_id, endpoint_id, is_retry, next_attempt_at from webhook_deliveries
             where state = 'waiting' and (project_id, endpoint_id, is_retry) > (e.project_id, e.endpoint_id, e.is_retry)
             order by project_id, endpoint_id, is_retry, next_attempt_at, delivery_id limit 1
           ) n
         )
         select d.project_id, d.endpoint_id, d.is_retry from earliest d
         cross join lateral (
           select from webhook_endpoints e
           where e.project_id = d.project_id and e.endpoint_id = d.endpoint_id and e.state = 'enabled' offset 0
         ) e
         where d.next_attempt_at <= $1`,
};

/** An attempt takes 15 seconds at most. */
const CLAIM_SECONDS = 60;

/**
 * Claims due deliveries of endpoints, of each as many as are asked for. Other gateways' attempts count: all together make some four at a
 * time for an endpoint.
 */
export const CLAIM = namedStatement(
  'webhook.claim',
  `with wanted as materialized (
           select w.*, e.url, e.secret, e.previous_secret, e.previous_secret_until, e.signature_format, e.signature_key,
             e.rate_per_minute, e.failing_since
           from unnest(:projectIds::uuid[], :endpointIds::uuid[], :counts::int[]) as w (project_id, endpoint_id, free)
           join webhook_endpoints e
             on e.project_id = w.project_id and e.endpoint_id = w.endpoint_id and e.state = 'enabled'
         ), chosen as materialized (
           select d.delivery_id, w.* from wanted w
           cross join lateral (
             select count(*)::int as attempts from (
               select x.claimed_by, x.claimed_until from webhook_deliveries x
               where x.project_id = w.project_id and x.endpoint_id = w.endpoint_id and x.state = 'waiting'
                 and x.is_retry = :isRetry and x.next_attempt_at <= :now
               order by x.next_attempt_at, x.delivery_id limit ${PER_ENDPOINT}
             ) n where n.claimed_until > now() and n.claimed_by <> :gatewayId::uuid
           ) others
           cross join lateral (
             select x.delivery_id from webhook_deliveries x
             where x.project_id = w.project_id and x.endpoint_id = w.endpoint_id and x.state = 'waiting'
               and x.is_retry = :isRetry and x.next_attempt_at <= :now
               and (x.claimed_until is null or x.claimed_until <= now())
             order by x.next_attempt_at, x.delivery_id
             limit least(w.free, ${PER_ENDPOINT} - others.attempts) for update skip locked
           ) d
         )
         update webhook_deliveries d set claimed_by = :gatewayId, claimed_until = now() + interval '${CLAIM_SECONDS} seconds',
           resend_requested = false
         from chosen c where d.project_id = c.project_id and d.delivery_id = c.delivery_id
         returning d.project_id, d.delivery_id, d.endpoint_id, d.claimed_until, d.attempts, d.event_id, d.event_created_at,
           d.event_type, d.payload_format, case when d.is_ordered then d.account_id end as ordered_account_id,
           exists (
             select 1 from webhook_bodies b where b.project_id = d.project_id and b.event_id = d.event_id
               and b.payload_format = d.payload_format
           ) as has_body,
           c.url, c.secret, c.previous_secret, c.previous_secret_until, c.signature_format, c.signature_key,
           c.rate_per_minute, c.failing_since`,
);

/** A claimed delivery with its endpoint. */
export type ClaimedRow = {
  project_id: string;
  delivery_id: string;
  endpoint_id: string;
  /** Distinguishes this claim from any other. */
  claimed_until: Date;
  attempts: number;
  event_id: string;
  event_created_at: Date;
  event_type: string;
  payload_format: number;
  /** False if the event was erased or has expired, or if it does not decrypt. */
  has_body: boolean;
  /** Internal id of the account in whose order its first attempt is. */
  ordered_account_id: string | null;
  url: string;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_until: Date | null;
  signature_format: Endpoint['signatureFormat'];
  signature_key: Endpoint['signatureKey'];
  rate_per_minute: number | null;
  failing_since: Date | null;
};

/** Stored bodies of claimed deliveries. */
export const READ_BODIES: Statement = {
  name: 'webhook.read_bodies',
  text: `select b.project_id, b.event_id, b.payload_format, b.body
         from unnest($1::uuid[], $2::uuid[], $3::int[]) as w (project_id, event_id, payload_format)
         join webhook_bodies b
           on b.project_id = w.project_id and b.event_id = w.event_id and b.payload_format = w.payload_format`,
};

/**
 * Ends claims: writes the results of attempts, and makes the next deliveries in the order of their accounts due. A void
 * claim, because another gateway has the delivery or it was deleted or dropped, writes nothing and locks nothing: that
 * gateway, or the transaction that deleted or dropped it, advances the order. Two gateways that lost claims to each other
 * would otherwise deadlock. Only waiting deliveries are claimed. Their state is no condition, because with it the planner
 * may read all of the queue. A delivery that was resent during its attempt is due again, as a first attempt, for any
 * result. If it was not attempted, it is due at the time of the result. Returns the endpoints at which first attempts are
 * due. `orderedAccounts`: accounts whose order advances; `claimEnds`: ends of the claims; `areEnded`: whether there was an attempt.
 */
export const END_CLAIMS = namedStatement(
  'webhook.end_claims',
  `with result as materialized (
           select * from unnest(:projectIds::uuid[], :deliveryIds::uuid[], :claimEnds::timestamptz[], :endpointIds::uuid[],
             :orderedAccounts::uuid[], :states::text[], :attemptCounts::int[],
             :nextAttempts::timestamptz[], :endTimes::timestamptz[], :areEnded::boolean[], :attemptIds::uuid[],
               :attemptTimes::timestamptz[], :statuses::int[], :durations::int[],
             :errors::text[], :answers::bytea[])
             as r (project_id, delivery_id, claimed_until, endpoint_id, account_id, state, attempts, next_attempt_at, finished_at,
               is_ended, attempt_id, at, status, duration_ms, error, answer)
         ), changed as (
           update webhook_deliveries d set state = case when d.resend_requested then 'waiting' else r.state end,
             attempts = case when d.resend_requested then 0 else r.attempts end,
             next_attempt_at = case when d.resend_requested and r.is_ended then :now::timestamptz else r.next_attempt_at end,
             finished_at = case when d.resend_requested then null else r.finished_at end,
             is_retry = r.attempts > 0 and not d.resend_requested, is_ordered = d.is_ordered and not r.is_ended,
             claimed_by = null, claimed_until = null, resend_requested = false
           from result r
           where d.project_id = r.project_id and d.delivery_id = r.delivery_id
             and d.claimed_by = :gatewayId::uuid and d.claimed_until = r.claimed_until
           returning d.project_id, d.delivery_id, d.endpoint_id,
             d.state = 'waiting' and not d.is_retry and d.next_attempt_at <= :now::timestamptz as is_due
         ), attempted as (
           insert into webhook_attempts (project_id, attempt_id, delivery_id, at, status, duration_ms, error, answer)
           select r.project_id, r.attempt_id, r.delivery_id, r.at, r.status, r.duration_ms, r.error, r.answer
           from result r join changed c on c.project_id = r.project_id and c.delivery_id = r.delivery_id
           where r.attempt_id is not null
         ), next as (
           select f.project_id, f.delivery_id from (
             select distinct r.project_id, r.endpoint_id, r.account_id, c.delivery_id as ended_id
             from result r join changed c on c.project_id = r.project_id and c.delivery_id = r.delivery_id
             where r.account_id is not null
           ) a
           cross join lateral (
             select x.project_id, x.delivery_id, x.next_attempt_at from webhook_deliveries x
             where x.project_id = a.project_id and x.endpoint_id = a.endpoint_id and x.account_id = a.account_id and x.is_ordered
               and x.delivery_id <> a.ended_id
             order by x.position limit 1 for update
           ) f
           where f.next_attempt_at is null
         ), released as (
           update webhook_deliveries d set next_attempt_at = :now::timestamptz
           from next n where d.project_id = n.project_id and d.delivery_id = n.delivery_id and d.next_attempt_at is null
           returning d.project_id, d.endpoint_id
         )
         select project_id, endpoint_id from released
         union select project_id, endpoint_id from changed where is_due`,
);

/** Makes the first of each account at an endpoint due, after some before it were dropped. */
export const RELEASE_ORDERS: Statement = {
  name: 'webhook.release_orders',
  text: `update webhook_deliveries d set next_attempt_at = $3
         where d.project_id = $1 and d.endpoint_id = $2 and d.is_ordered and d.next_attempt_at is null and not exists (
           select 1 from webhook_deliveries b
           where b.project_id = $1 and b.endpoint_id = $2 and b.account_id = d.account_id and b.is_ordered
             and b.position < d.position
         )`,
};

/** Drops the deliveries that wait of events before a position. */
export const DROP_BEFORE: Statement = {
  name: 'webhook.drop_before',
  text: `update webhook_deliveries set state = 'dropped', next_attempt_at = null, finished_at = $4, is_ordered = false,
           claimed_by = null, claimed_until = null, resend_requested = false
         where project_id = $1 and endpoint_id = $2 and state = 'waiting' and position <= $3`,
};

/** Deliveries that gateways attempt now. */
export const COUNT_CLAIMED: Statement = {
  name: 'webhook.count_claimed',
  text: `select count(*)::int as claimed from webhook_deliveries where state = 'waiting' and claimed_until > now()`,
};

/** Deliveries of any project that are due. */
export const FIND_DUE: Statement = {
  name: 'webhook.find_due',
  text: `select d.delivery_id from webhook_deliveries d join webhook_endpoints e
           on e.project_id = d.project_id and e.endpoint_id = d.endpoint_id and e.state = 'enabled'
         where d.state = 'waiting' and d.next_attempt_at <= $1 order by d.project_id, d.delivery_id limit 5000`,
};
