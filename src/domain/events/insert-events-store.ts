import type { OutboxEvent } from '@vouchgraph/events';
import type { Call } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';

/** SQL expressions of the columns of inserted events; an absent one is null. */
export type EventColumns = {
  readonly createdAt: string;
  readonly eventId: string;
  readonly type: string;
  readonly payload: string;
  /** Internal id of the account. */
  readonly accountId?: string;
  /** Internal id of another account that the event names. */
  readonly otherAccountId?: string;
  /** `eventAccountHash` of the account of an event whose `accountId` can be null although the event names an account. */
  readonly accountHash?: string;
  readonly sessionId?: string;
  /** The session that the verification of `sessionId` refers to; by default it is looked up by `sessionId`. */
  readonly referringSessionId?: string;
  readonly requestId?: string;
};

/**
 * SQL: inserts the events of the project $1, with columns from the rows of `from`; `from` is everything after the select
 * list. It ends a statement, behind `with` and any other CTEs. Positions are in the order of insertion.
 */
export function insertEvents(columns: EventColumns, from: string): string {
  return `${insertedEvents(columns, from)} ${INSERT_WRITE}`;
}

/** The same as CTEs. */
export function insertEventsCtes(columns: EventColumns, from: string): string {
  return `${insertedEvents(columns, from)}, event_write as (${INSERT_WRITE})`;
}

/**
 * All events of a statement have the same `write_id`. It is assigned after their last row was read: the statement may wait
 * there for a change that inserts its events first.
 */
function insertedEvents(columns: EventColumns, from: string): string {
  const { createdAt, eventId, type, payload, sessionId = NULL } = columns;
  const { accountId = NULL, otherAccountId = NULL, accountHash = 'null', requestId = NULL } = columns;
  const { referringSessionId = sessionId === NULL ? NULL : referringSessionOf(sessionId) } = columns;
  return `inserted_events as (
      insert into outbox_events (project_id, created_at, event_id, write_id, place, type, account_id, other_account_id,
        account_hash, session_id, referring_session_id, request_id, payload)
      select $1, r.created_at, r.event_id,
        case when count(*) over () > 0 then (select nextval('outbox_unnumbered_writes_write_id_seq')) end,
        row_number() over () - 1, r.type, r.account_id, r.other_account_id, r.account_hash, r.session_id,
        r.referring_session_id, r.request_id, r.payload
      from (
        select (${createdAt})::timestamptz as created_at, (${eventId})::uuid as event_id, (${type})::text as type,
          (${accountId})::uuid as account_id, (${otherAccountId})::uuid as other_account_id,
          (${accountHash})::bytea as account_hash,
          (${sessionId})::uuid as session_id, (${referringSessionId})::uuid as referring_session_id,
          (${requestId})::uuid as request_id, (${payload})::bytea as payload ${from}
      ) r
      returning write_id, created_at
    )`;
}

/** Without a row if there is no event. */
const INSERT_WRITE = `insert into outbox_unnumbered_writes (project_id, write_id, created_from, created_to, events)
    select $1, write_id, min(created_at), max(created_at), count(*) from inserted_events group by write_id`;

const NULL = 'null::uuid';

/**
 * SQL: the session that the verification of a session of the project $1 refers to, null for any other session. A parameter
 * is looked up once per statement.
 */
const referringSessionOf = (session: string): string =>
  `(select v.referring_session_id from verification_sessions v where v.project_id = $1 and v.session_id = ${session})`;

/** An event with the account that it is of, by its internal id. */
export type EventOfAccount = OutboxEvent & { readonly accountId?: string | null };

/** The parameters of UNNEST_EVENTS. */
export const EVENT_PARAMETERS = [
  'eventIds',
  'eventTypes',
  'eventAccounts',
  'eventOtherAccounts',
  'eventSessions',
  'eventPayloads',
] as const;

/** SQL: the rows of events whose columns are parameters. */
export const UNNEST_EVENTS = `unnest(:eventIds::uuid[], :eventTypes::text[], :eventAccounts::uuid[], :eventOtherAccounts::uuid[],
    :eventSessions::uuid[], :eventPayloads::bytea[]) as e (event_id, type, account_id, other_account_id, session_id, payload)`;

/** The values of the parameters of UNNEST_EVENTS. */
export function eventValues(
  events: readonly EventOfAccount[],
): Record<(typeof EVENT_PARAMETERS)[number], unknown> {
  return {
    eventIds: events.map(({ eventId }) => eventId),
    eventTypes: events.map(({ type }) => type),
    eventAccounts: events.map(({ accountId = null }) => accountId),
    eventOtherAccounts: events.map(({ otherAccount = null }) => otherAccount),
    eventSessions: events.map(({ sessionId }) => sessionId),
    eventPayloads: events.map(({ payload }) => payload),
  };
}

/** Columns of an account's events that are rows `e`. */
export const EVENT_OF_ACCOUNT = {
  eventId: 'e.event_id',
  type: 'e.type',
  accountId: 'e.account_id',
  payload: 'e.payload',
} as const;

/** Columns of events from the rows of UNNEST_EVENTS, except their session. */
export const UNNESTED = { ...EVENT_OF_ACCOUNT, otherAccountId: 'e.other_account_id' } as const;

const INSERT = namedStatement(
  'event.insert',
  `with ${insertEvents(
    { ...UNNESTED, createdAt: ':now', sessionId: 'e.session_id', requestId: ':requestId::uuid' },
    `from ${UNNEST_EVENTS}`,
  )}`,
  ['projectId', 'now', 'requestId', ...EVENT_PARAMETERS],
);

/** The statement that inserts events in this order, in the transaction of the change that they describe. */
export function insertEventsCall(
  projectId: string,
  events: readonly EventOfAccount[],
  { requestId, now }: { requestId: string | null; now: Date },
): Call {
  return INSERT.call({ projectId, now, requestId, ...eventValues(events) });
}
