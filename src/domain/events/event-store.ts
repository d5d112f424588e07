import type { EventType, StoredRow } from '@vouchgraph/events';
import { timeOfId } from '@vouchgraph/platform/ids';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';

/** Columns of an event's row. */
export const EVENT_COLUMNS =
  'position, event_id, type, session_id, referring_session_id, request_id, account_id, created_at, payload';

/** Events of a project between two positions. */
export type EventRange = EventConditions & {
  after: number;
  /** Null: to the end. */
  before?: number | null;
  limit: number;
};

export type EventConditions = {
  /** Null: all. */
  types?: readonly EventType[] | null;
  /**
   * Internal id of an account, which may be the other one of a link. Events that name an account only by the client's id are
   * included for every account: erasures, and failed verifications for an account that does not exist yet.
   */
  account?: string | null;
  sessionId?: string | null;
};

/** Types of events that name an account only by the client's id, when it is erased or does not exist yet. */
export const WITHOUT_ACCOUNT_TYPES: readonly EventType[] = ['account.deleted', 'verification.failed'];

const WITHOUT_ACCOUNT = `account_id is null and type in (${WITHOUT_ACCOUNT_TYPES.map((type) => `'${type}'`).join(', ')})`;

const FILTERED = `select ${EVENT_COLUMNS}, other_account_id from outbox_events
         where project_id = :projectId and position > :after
           and (:types::text[] is null or type = any(:types))
           and (:account::uuid is null or account_id = :account or other_account_id = :account or (${WITHOUT_ACCOUNT}))
           and (:sessionId::uuid is null or session_id = :sessionId)` as const;
const READ = namedStatement(
  'event.read',
  `${FILTERED}
         order by position limit :limit`,
);

export function readEvents(
  database: ProjectDatabase,
  range: Omit<EventRange, 'before'>,
): Promise<StoredRow[]> {
  const { after, limit, types = null, account = null, sessionId = null } = range;
  return database.query(
    ...READ.call({ projectId: database.projectId, after, limit, types, account, sessionId }),
  );
}

const READ_BACK = namedStatement(
  'event.read_back',
  `${FILTERED}
         and position < :before order by position desc limit :limit`,
);

/** The last events before a position, the newest first. */
export function readEventsBack(
  database: ProjectDatabase,
  range: EventRange & { before: number },
): Promise<StoredRow[]> {
  const { after, before, limit, types = null, account = null, sessionId = null } = range;
  return database.query(
    ...READ_BACK.call({ projectId: database.projectId, after, limit, types, account, sessionId, before }),
  );
}

const COUNT = namedStatement(
  'event.count',
  `select count(*)::int as count from (
           select 1 from outbox_events
           where project_id = :projectId and position > :after
             and (:types::text[] is null or type = any(:types))
             and (:account::uuid is null or account_id = :account or other_account_id = :account)
             and (:sessionId::uuid is null or session_id = :sessionId)
           limit :limit
         ) events`,
);

/** Number of events after a position, up to a limit. Events that name an account only by the client's id are omitted. */
export async function countEvents(database: ProjectDatabase, range: EventRange): Promise<number> {
  const { after, limit, types = null, account = null, sessionId = null } = range;
  const [row] = await database.query(
    ...COUNT.call({ projectId: database.projectId, after, limit, types, account, sessionId }),
  );
  return row.count;
}

const READ_WITHOUT_ACCOUNT: Statement = {
  name: 'event.read_without_account',
  text: `select ${EVENT_COLUMNS}, other_account_id from outbox_events
         where project_id = $1 and position > $2 and ${WITHOUT_ACCOUNT}
           and ($4::text[] is null or type = any($4)) and ($5::uuid is null or session_id = $5)
         order by position limit $3`,
};

/** Events that name an account by the client's id alone. */
export function readEventsWithoutAccount(database: ProjectDatabase, range: EventRange): Promise<StoredRow[]> {
  const { after, limit, types = null, sessionId = null } = range;
  return database.query(READ_WITHOUT_ACCOUNT, [database.projectId, after, limit, types, sessionId]);
}

const FIND: Statement = {
  name: 'event.find',
  text: `select ${EVENT_COLUMNS.replaceAll(/\w+/g, 'e.$&')}, e.other_account_id
         from unnest($2::uuid[], $3::timestamptz[]) as wanted (event_id, at)
         join outbox_events e on e.project_id = $1 and e.event_id = wanted.event_id and e.position is not null
           and e.created_at between wanted.at - interval '1 second' and wanted.at + interval '1 second'`,
};

/** Events by their ids, which contain their times. */
export function findEvents(database: ProjectDatabase, ids: readonly string[]): Promise<StoredRow[]> {
  return database.query(FIND, [database.projectId, ids, ids.map(timeOfId)]);
}

const HEAD: Statement = {
  name: 'event.head',
  text: 'select position, purged_through from outbox_positions where project_id = $1',
};

/** The last numbered position, and the last purged one. */
export async function readHead(
  database: ProjectDatabase,
): Promise<{ position: number; purgedThrough: number }> {
  const [row] = await database.query(HEAD, [database.projectId]);
  return { position: Number(row?.position ?? 0), purgedThrough: Number(row?.purged_through ?? 0) };
}
