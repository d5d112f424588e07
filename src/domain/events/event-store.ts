import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import type { StoredRow } from './event.ts';
import type { EventType } from './outbox-event.ts';

/** What an event is read from. */
export const EVENT_COLUMNS =
  'position, event_id, type, session_id, referring_session_id, request_id, account_id, created_at, payload';

/** A range of a project's events in their order, behind a position. */
export type EventRange = {
  after: number;
  limit: number;
  /** Null: all. */
  types?: readonly EventType[] | null;
  /**
   * Internal id of an account, which may be the other one of a link. What names an account that is not there, by the
   * client's id alone, comes along whosever it is: an erasure, and a failed verification for an account that is not made yet.
   */
  account?: string | null;
  sessionId?: string | null;
};

const READ: Statement = {
  name: 'event.read',
  text: `select ${EVENT_COLUMNS}, other_account_id from outbox_events
         where project_id = $1 and position > $2
           and ($4::text[] is null or type = any($4))
           and ($5::uuid is null or account_id = $5 or other_account_id = $5
             or (account_id is null and type in ('account.deleted', 'verification.failed')))
           and ($6::uuid is null or session_id = $6)
         order by position limit $3`,
};

export function readEvents(database: ProjectDatabase, range: EventRange): Promise<StoredRow[]> {
  const { after, limit, types = null, account = null, sessionId = null } = range;
  return database.query(READ, [database.projectId, after, limit, types, account, sessionId]);
}

const HEAD: Statement = {
  name: 'event.head',
  text: 'select position, purged_through from outbox_positions where project_id = $1',
};

/** The last position that is numbered, and the last of those that are gone for their age. */
export async function readHead(
  database: ProjectDatabase,
): Promise<{ position: number; purgedThrough: number }> {
  const [row] = await database.query(HEAD, [database.projectId]);
  return { position: Number(row?.position ?? 0), purgedThrough: Number(row?.purged_through ?? 0) };
}
