import type { ProjectCipher } from '../../platform/crypto.ts';
import { DATA_FORMAT, type EventType } from './outbox-event.ts';

/** A numbered row of the outbox. */
export type EventRow = {
  /** A bigint as PostgreSQL writes it. */
  position: string;
  event_id: string;
  type: EventType;
  session_id: string | null;
  /** Session that the verification of this session refers to; null in events of versions that did not store it. */
  referring_session_id: string | null;
  request_id: string | null;
  /** Internal id of the account that it is erased with. */
  account_id: string | null;
  created_at: Date;
  payload: Buffer;
};

/** An event as its readers see it. The same row always gives the same. */
export type PublicEvent = {
  readonly id: string;
  readonly type: EventType;
  /** Place in the project's order of events, from 1. */
  readonly position: number;
  readonly createdAt: Date;
  readonly projectId: string;
  readonly sessionId: string | null;
  /** Session that the person came from, where `sessionId` is a verification's session. */
  readonly referringSessionId: string | null;
  readonly requestId: string | null;
  /** The client's own id. */
  readonly accountId: string | null;
  /** Format of `data`. */
  readonly format: number;
  readonly data: Readonly<Record<string, unknown>>;
};

/** Decrypts a row's data. Throws when they have a format that this version does not know. */
export function toPublicEvent(cipher: ProjectCipher, projectId: string, row: EventRow): PublicEvent {
  // Events that were written before formats had numbers are of the first one.
  const { format = 1, ...data } = cipher.decryptJson<Record<string, unknown>>(
    'outbox_events',
    row.event_id,
    row.payload,
  );
  if (format !== DATA_FORMAT) throw new Error(`Event ${row.event_id} has data of format ${format}`);
  return {
    id: row.event_id,
    type: row.type,
    position: Number(row.position),
    createdAt: row.created_at,
    projectId,
    sessionId: row.session_id,
    // Verification events of earlier versions have it in their data alone.
    referringSessionId: row.referring_session_id ?? textOrNull(data.referring_session_id),
    requestId: row.request_id,
    accountId: textOrNull(data.account_id),
    format,
    data,
  };
}

function textOrNull(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** A row with the internal id of the other account that it names. */
export type StoredRow = EventRow & { readonly other_account_id: string | null };

/** An event with what it is looked up by inside. */
export type StoredEvent = PublicEvent & {
  /** Internal id of its account; null when it has none, or the account is gone. */
  readonly account: string | null;
  /** The client's own id of the other account that a link is to; null for what is no link. */
  readonly linkedAccountId: string | null;
  /** Its internal id. */
  readonly linkedAccount: string | null;
};

/** Opens rows for readers. One that does not open never will: it is told, and does not hold up those behind it. */
export function toStoredEvents(
  { cipher, projectId }: { cipher: ProjectCipher; projectId: string },
  rows: readonly StoredRow[],
  onError: (error: unknown) => void,
): StoredEvent[] {
  return rows.flatMap((row) => {
    try {
      const event = toPublicEvent(cipher, projectId, row);
      const linkedAccountId = textOrNull(event.data.linked_account_id);
      return [{ ...event, account: row.account_id, linkedAccountId, linkedAccount: row.other_account_id }];
    } catch (error) {
      onError(error);
      return [];
    }
  });
}
