import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import type { EventFacts } from './catalogue/documented-data.ts';
import type { EventType } from './catalogue/event-type.ts';
import { factsOfStored } from './stored-data.ts';

/** A numbered row of the outbox. */
export type EventRow = {
  /** A bigint as PostgreSQL writes it. */
  position: string;
  event_id: string;
  type: EventType;
  session_id: string | null;
  /** Session that the verification of this session refers to; null for other sessions. */
  referring_session_id: string | null;
  request_id: string | null;
  /** Internal id of the account that it is erased with. */
  account_id: string | null;
  created_at: Date;
  payload: Buffer;
};

/** An event for readers. The same row always yields the same event. */
export type PublicEvent = {
  readonly id: string;
  readonly type: EventType;
  /** Place in the project's order of events, from 1. */
  readonly position: number;
  readonly createdAt: Date;
  readonly projectId: string;
  readonly sessionId: string | null;
  /** Session from which the person was referred, if `sessionId` is a verification's session. */
  readonly referringSessionId: string | null;
  readonly requestId: string | null;
  /** Id of the account, assigned by the client. */
  readonly accountId: string | null;
  /** Facts at the time of the event, under the names of the domain. */
  readonly facts: EventFacts;
};

/** Decrypts a row's data. Throws when they have a format that this version does not know. */
export function toPublicEvent(cipher: ProjectCipher, projectId: string, row: EventRow): PublicEvent {
  const stored = cipher.decryptExactJson<EventFacts>('outbox_events', row.event_id, row.payload);
  const ids = { eventId: row.event_id, projectId, sessionId: row.session_id };
  const facts = factsOfStored(row.type, stored, ids);
  return {
    id: row.event_id,
    type: row.type,
    position: Number(row.position),
    createdAt: row.created_at,
    projectId,
    sessionId: row.session_id,
    referringSessionId: row.referring_session_id,
    requestId: row.request_id,
    accountId: textOrNull(facts.accountId),
    facts,
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A row with the internal id of the other account that it names. */
export type StoredRow = EventRow & { readonly other_account_id: string | null };

/** Event with the internal ids by which it is found. */
export type StoredEvent = PublicEvent & {
  /** Internal id of its account; null when it has none, or the account was erased. */
  readonly account: string | null;
  /** Id of the other account of a link, assigned by the client; null for other objects. */
  readonly linkedAccountId: string | null;
  /** Its internal id. */
  readonly linkedAccount: string | null;
};

/** Decrypts rows for readers. A row that cannot be decrypted is reported and skipped, so that it does not block later ones. */
export function toStoredEvents(
  { cipher, projectId }: { cipher: ProjectCipher; projectId: string },
  rows: readonly StoredRow[],
  onError: (error: unknown) => void,
): StoredEvent[] {
  return rows.flatMap((row) => {
    try {
      const event = toPublicEvent(cipher, projectId, row);
      const linkedAccountId = textOrNull(event.facts.linkedAccountId);
      return [{ ...event, account: row.account_id, linkedAccountId, linkedAccount: row.other_account_id }];
    } catch (error) {
      onError(error);
      return [];
    }
  });
}
