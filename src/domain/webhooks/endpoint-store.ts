import { type KeysetPage, keysetOf } from '../../platform/keyset.ts';
import type { ProjectDatabase, Statement, Transaction } from '../../storage/database.ts';
import { insertEvents } from '../events/insert-events-store.ts';
import type { OutboxEvent } from '../events/outbox-event.ts';
import { LOCK_ORDER } from './delivery-queue-store.ts';
import { type DisabledReason, type Endpoint, MAX_ENDPOINTS } from './endpoint.ts';

/** Endpoint with its encrypted secrets. */
export type StoredEndpoint = Endpoint & {
  readonly secret: Buffer;
  readonly previousSecret: Buffer | null;
};

type EndpointRow = {
  endpoint_id: string;
  url: string;
  description: string;
  event_types: Endpoint['eventTypes'];
  signature_format: Endpoint['signatureFormat'];
  payload_format: number;
  secret: Buffer;
  previous_secret: Buffer | null;
  previous_secret_until: Date | null;
  rate_per_minute: number | null;
  state: Endpoint['state'];
  disabled_reason: Endpoint['disabledReason'];
  position: string;
  failing_since: Date | null;
  created_at: Date;
  updated_at: Date;
};

const COLUMNS = `endpoint_id, url, description, event_types, signature_format, payload_format, secret,
  previous_secret, previous_secret_until, rate_per_minute, state, disabled_reason, position, failing_since, created_at, updated_at`;

function toEndpoint(row: EndpointRow): StoredEndpoint {
  return {
    endpointId: row.endpoint_id,
    url: row.url,
    description: row.description,
    eventTypes: row.event_types,
    signatureFormat: row.signature_format,
    payloadFormat: row.payload_format,
    ratePerMinute: row.rate_per_minute,
    state: row.state,
    disabledReason: row.disabled_reason,
    previousSecretUntil: row.previous_secret_until,
    failingSince: row.failing_since,
    position: Number(row.position),
    createdAt: row.created_at,
    updatedAt: row.updated_at,
    secret: row.secret,
    previousSecret: row.previous_secret,
  };
}

const FIND: Statement = {
  name: 'webhook.find_endpoint',
  text: `select ${COLUMNS} from webhook_endpoints where project_id = $1 and endpoint_id = $2`,
};

export async function findEndpoint(
  database: ProjectDatabase,
  endpointId: string,
): Promise<StoredEndpoint | null> {
  const [row] = await database.query<EndpointRow>(FIND, [database.projectId, endpointId]);
  return row ? toEndpoint(row) : null;
}

const LIST: Statement = {
  name: 'webhook.list_endpoints',
  text: `select ${COLUMNS} from webhook_endpoints where project_id = $1 order by endpoint_id limit ${MAX_ENDPOINTS}`,
};

export async function listEndpoints(database: ProjectDatabase): Promise<Endpoint[]> {
  const rows = await database.query<EndpointRow>(LIST, [database.projectId]);
  return rows.map(toEndpoint);
}

const FIND_MANY: Statement = {
  name: 'webhook.find_endpoints',
  text: `select ${COLUMNS} from webhook_endpoints where project_id = $1 and endpoint_id = any($2::uuid[])`,
};

/** Endpoints by their ids. */
export async function findEndpoints(
  database: ProjectDatabase,
  endpointIds: readonly string[],
): Promise<Map<string, Endpoint>> {
  const rows = await database.query<EndpointRow>(FIND_MANY, [database.projectId, endpointIds]);
  return new Map(rows.map((row) => [row.endpoint_id, toEndpoint(row)]));
}

/** A page of the endpoints, the oldest first. */
export async function pageEndpoints(database: ProjectDatabase, page: KeysetPage): Promise<Endpoint[]> {
  const values: unknown[] = [database.projectId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const keyset = keysetOf([{ sql: 'endpoint_id', type: 'uuid' }], 'ASC', page, parameter);
  const conditions = ['project_id = $1', ...keyset.conditions];
  const statement = {
    name: `webhook.page_endpoints:${keyset.shape}`,
    text: `select ${COLUMNS} from webhook_endpoints where ${conditions.join(' and ')} ${keyset.order}`,
  };
  return (await database.query<EndpointRow>(statement, values)).map(toEndpoint);
}

/** New endpoints of a project come one by one, so that there are never too many. */
const LOCK_ALL: Statement = {
  name: 'webhook.lock_endpoints',
  text: `select pg_advisory_xact_lock(hashtextextended('webhook endpoints ' || $1::uuid, 0))`,
};
const COUNT: Statement = {
  name: 'webhook.count_endpoints',
  text: 'select count(*)::int as count from webhook_endpoints where project_id = $1',
};

/** Number of endpoints of a project. */
export async function countAllEndpoints(database: ProjectDatabase): Promise<number> {
  const [row] = await database.query(COUNT, [database.projectId]);
  return row.count;
}

/** How many there are, none added meanwhile. */
export async function countEndpoints(projectId: string, transaction: Transaction): Promise<number> {
  const [, rows] = await transaction.run([LOCK_ALL, [projectId]], [COUNT, [projectId]]);
  return rows![0].count;
}

const INSERT: Statement = {
  name: 'webhook.insert_endpoint',
  text: `insert into webhook_endpoints (project_id, endpoint_id, url, description, event_types, signature_format, secret,
           rate_per_minute, created_at, updated_at, payload_format, position)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $9, $10,
           coalesce((select position from outbox_positions where project_id = $1), 0))
         returning ${COLUMNS}`,
};

export type EndpointFields = Pick<
  Endpoint,
  | 'endpointId'
  | 'url'
  | 'description'
  | 'eventTypes'
  | 'signatureFormat'
  | 'payloadFormat'
  | 'ratePerMinute'
  | 'createdAt'
> & { secret: Buffer };

/** Stores an endpoint, which receives events emitted from now on. */
export async function insertEndpoint(
  projectId: string,
  transaction: Transaction,
  endpoint: EndpointFields,
): Promise<Endpoint> {
  const { endpointId, url, description, eventTypes, signatureFormat, payloadFormat } = endpoint;
  const { secret, ratePerMinute, createdAt } = endpoint;
  const [rows] = await transaction.run([
    INSERT,
    [
      projectId,
      endpointId,
      url,
      description,
      eventTypes,
      signatureFormat,
      secret,
      ratePerMinute,
      createdAt,
      payloadFormat,
    ],
  ]);
  return toEndpoint(rows![0]);
}

/** Locks an endpoint for a change, so that changes of it run one after another. */
export const LOCK_ENDPOINT: Statement = {
  name: 'webhook.lock_endpoint',
  text: `select ${COLUMNS} from webhook_endpoints where project_id = $1 and endpoint_id = $2 for update`,
};

export function lockedEndpoint(rows: readonly EndpointRow[] | undefined): StoredEndpoint | null {
  return rows?.[0] ? toEndpoint(rows[0]) : null;
}

const UPDATE: Statement = {
  name: 'webhook.update_endpoint',
  text: `update webhook_endpoints set url = $3, description = $4, event_types = $5, signature_format = $6,
           rate_per_minute = $7, state = $8, disabled_reason = $9, failing_since = $10, position = $11, updated_at = $12,
           payload_format = $13
         where project_id = $1 and endpoint_id = $2`,
};

export function updateEndpointCall(projectId: string, endpoint: Endpoint) {
  const { endpointId, url, description, eventTypes, signatureFormat, ratePerMinute, state, disabledReason } =
    endpoint;
  const { failingSince, position, updatedAt, payloadFormat } = endpoint;
  return [
    UPDATE,
    [
      projectId,
      endpointId,
      url,
      description,
      eventTypes,
      signatureFormat,
      ratePerMinute,
      state,
      disabledReason,
      failingSince,
      position,
      updatedAt,
      payloadFormat,
    ],
  ] as const;
}

const ROTATE: Statement = {
  name: 'webhook.rotate_secret',
  text: `update webhook_endpoints set previous_secret = secret, previous_secret_until = $4, secret = $3, updated_at = $5
         where project_id = $1 and endpoint_id = $2 returning ${COLUMNS}`,
};

export async function rotateSecret(
  projectId: string,
  transaction: Transaction,
  change: { endpointId: string; secret: Buffer; until: Date; now: Date },
): Promise<Endpoint | null> {
  const { endpointId, secret, until, now } = change;
  const [rows] = await transaction.run([ROTATE, [projectId, endpointId, secret, until, now]]);
  return lockedEndpoint(rows);
}

const DELETE: Statement = {
  name: 'webhook.delete_endpoint',
  text: 'delete from webhook_endpoints where project_id = $1 and endpoint_id = $2 returning url',
};
/** Deliveries of an endpoint, with their attempts. */
const DELETE_DELIVERIES: Statement = {
  name: 'webhook.delete_deliveries_of_endpoint',
  text: `with gone as (
           delete from webhook_deliveries where project_id = $1 and endpoint_id = $2 returning delivery_id
         )
         delete from webhook_attempts a using gone where a.project_id = $1 and a.delivery_id = gone.delivery_id`,
};

/** Its URL; null when there is no such endpoint. */
export async function deleteEndpoint(
  projectId: string,
  transaction: Transaction,
  endpointId: string,
): Promise<string | null> {
  const [rows] = await transaction.run(
    [DELETE, [projectId, endpointId]],
    [LOCK_ORDER, [projectId]],
    [DELETE_DELIVERIES, [projectId, endpointId]],
  );
  return rows![0]?.url ?? null;
}

/** The first position of events since a time; null without events. */
export const POSITION_SINCE: Statement = {
  name: 'webhook.position_since',
  text: `select coalesce(
           (select min(position) - 1 from outbox_events
            where project_id = $1 and created_at >= $2 and position is not null),
           (select position from outbox_positions where project_id = $1), 0) as position`,
};

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
const DISABLE: Statement = {
  name: 'webhook.disable_endpoint',
  text: `with disabled as (
           update webhook_endpoints set state = 'disabled', disabled_reason = $3, updated_at = $4
           where project_id = $1 and endpoint_id = $2 and state <> 'disabled' and ($3 = 'gone' or failing_since <= $5)
           returning endpoint_id
         ), emitted as (
           ${insertEvents({ createdAt: '$4', eventId: '$6', type: '$7', payload: '$8' }, 'from disabled')}
         )
         insert into audit_log (project_id, audit_id, at, actor, action, target, after)
         select $1, $9, $4, 'system', 'webhook.disable', $10, jsonb_build_object('reason', $3::text) from disabled`,
};

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
  return [
    DISABLE,
    [projectId, endpointId, reason, now, failingBefore, eventId, type, payload, auditId, target],
  ] as const;
}

/** How the audit log names an endpoint. */
export function targetOf(endpointId: string): string {
  return `webhook:${endpointId}`;
}
