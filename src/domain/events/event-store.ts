import type { EventType, StoredRow } from '@vouchgraph/events';
import { timeOfId } from '@vouchgraph/platform/ids';
import type { Call, ProjectDatabase, Statement } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { eventsByPosition, eventsWhere } from './numbered-events-sql.ts';

/** Columns of a numbered event. */
export const EVENT_COLUMNS =
  'position, event_id, type, session_id, referring_session_id, request_id, account_id, created_at, payload';

const MAX_POSITION = '9223372036854775807';

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
  /** Null: any. */
  account?: EventAccount | null;
  sessionId?: string | null;
};

/** Account of events, which can be the other account of a link. */
export type EventAccount = {
  /** Internal id; the nil UUID if the account does not exist. */
  readonly id: string;
  /** `eventAccountHash`, for events that name the account only by the client's id. */
  readonly hash: Buffer;
};

const OF_ACCOUNT = [
  'o.account_id = :account::uuid',
  'o.other_account_id = :account::uuid',
  'o.account_hash = :accountHash::bytea and o.account_id is null',
];
const OF_TYPES = '(:types::text[] is null or o.type = any(:types))';
const OF_SESSION = 'o.session_id = :sessionId::uuid';
const MAYBE_OF_SESSION = `${OF_TYPES} and (:sessionId::uuid is null or ${OF_SESSION})`;
const BETWEEN = { after: ':after', before: ':before' };

/** SQL: events `e` of any of these conditions, each of which an index serves. */
function sorted(conditions: readonly string[], where: string, isBackward: boolean): string {
  const selects = conditions.map((each) => eventsWhere(each, { ...BETWEEN, where }));
  return `(${selects.join(' union all ')} order by position${isBackward ? ' desc' : ''}) e`;
}

/** A statement for each index that selections are read by: of positions, a session or an account. */
function statementsOf(name: string, text: (source: string) => string, isBackward = false) {
  const statement = (suffix: string, source: string, names: readonly string[]) =>
    namedStatement<string, string>(`${name}${suffix}`, text(`from ${source} limit :limit`), [
      ...['after', 'before', 'types', ...names],
    ]);
  return {
    all: statement('', eventsByPosition({ ...BETWEEN, isBackward, where: OF_TYPES }), []),
    ofSession: statement('_of_session', sorted([OF_SESSION], OF_TYPES, isBackward), ['sessionId']),
    ofAccount: statement('_of_account', sorted(OF_ACCOUNT, MAYBE_OF_SESSION, isBackward), [
      ...['account', 'accountHash', 'sessionId'],
    ]),
  };
}

function callOf(
  { all, ofSession, ofAccount }: ReturnType<typeof statementsOf>,
  { projectId }: ProjectDatabase,
  { after, before, limit, types = null, account = null, sessionId = null }: EventRange,
): Call {
  const range = { projectId, after, before: before ?? MAX_POSITION, limit, types };
  if (account !== null)
    return ofAccount.call({ ...range, account: account.id, accountHash: account.hash, sessionId });
  return sessionId === null ? all.call(range) : ofSession.call({ ...range, sessionId });
}

const select = (source: string) => `select ${EVENT_COLUMNS}, other_account_id ${source}`;
const READ = statementsOf('event.read', select);

/** The first events of a range. */
export function readEvents(database: ProjectDatabase, range: EventRange): Promise<StoredRow[]> {
  return database.query(...callOf(READ, database, range));
}

const READ_BACK = statementsOf('event.read_back', select, true);

/** The last events of a range, the newest first. */
export function readEventsBack(database: ProjectDatabase, range: EventRange): Promise<StoredRow[]> {
  return database.query(...callOf(READ_BACK, database, range));
}

const COUNT = statementsOf(
  'event.count',
  (source) => `select count(*)::int as count from (select 1 ${source}) counted`,
);

/** Number of events of a range, up to a limit. */
export async function countEvents(database: ProjectDatabase, range: EventRange): Promise<number> {
  const [row] = await database.query(...callOf(COUNT, database, range));
  return row.count;
}

/** Difference between the time of an event and that in its id. */
const SKEW_MS = 1000;

const FIND: Statement = {
  name: 'event.find',
  text: `select ${EVENT_COLUMNS}, other_account_id
         from unnest($2::uuid[], $3::timestamptz[], $4::timestamptz[]) as wanted (wanted_id, first_time, last_time) cross join lateral (${eventsWhere(
           'o.event_id = wanted_id and o.created_at between first_time and last_time',
         )} offset 0) e`,
};

/** Events by their ids, which contain their times. */
export function findEvents(database: ProjectDatabase, ids: readonly string[]): Promise<StoredRow[]> {
  const times = ids.map((id) => timeOfId(id).getTime());
  const from = times.map((time) => new Date(time - SKEW_MS));
  const to = times.map((time) => new Date(time + SKEW_MS));
  return database.query(FIND, [database.projectId, ids, from, to]);
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
