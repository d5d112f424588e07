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
  readonly sessionId?: string;
  /** The session that the verification of `sessionId` refers to; by default it is looked up by `sessionId`. */
  readonly referringSessionId?: string;
  readonly requestId?: string;
};

/**
 * SQL: inserts the events of the project $1, with columns from the rows of `from`; `from` is everything after the select
 * list. A separate statement, or a part of one that also writes the change. Positions are in the order of insertion.
 */
export function insertEvents(columns: EventColumns, from: string): string {
  const { createdAt, eventId, type, payload, sessionId = NULL } = columns;
  const { accountId = NULL, otherAccountId = NULL, requestId = NULL } = columns;
  const { referringSessionId = sessionId === NULL ? NULL : referringSessionOf(sessionId) } = columns;
  return `insert into outbox_events (project_id, created_at, event_id, type, account_id, other_account_id, session_id,
      referring_session_id, request_id, payload)
    select $1, ${createdAt}, ${eventId}, ${type}, ${accountId}, ${otherAccountId}, ${sessionId},
      ${referringSessionId}, ${requestId}, ${payload} ${from}`;
}

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
  insertEvents(
    { ...UNNESTED, createdAt: ':now', sessionId: 'e.session_id', requestId: ':requestId::uuid' },
    `from ${UNNEST_EVENTS}`,
  ),
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
