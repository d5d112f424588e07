import type { EventType, StoredRow } from '@vouchgraph/events';
import { timeOfId } from '@vouchgraph/platform/ids';
import type { Call, ProjectDatabase, Statement } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { eventsByPosition, eventsWhere, MAX_DISORDER } from './numbered-events-sql.ts';

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
  /**
   * Internal id of an account, which may be the other one of a link. Events that name an account only by the client's id are
   * included for every account: erasures, and failed verifications for an account that does not exist yet.
   */
  account?: string | null;
  sessionId?: string | null;
};

/** Types of events that name an account only by the client's id, when it is erased or does not exist yet. */
export const WITHOUT_ACCOUNT_TYPES: readonly EventType[] = ['account.deleted', 'verification.failed'];

/** Read from about the time of the position after which events are wanted. */
const WITHOUT_ACCOUNT = `o.account_id is null and o.type in (${WITHOUT_ACCOUNT_TYPES.map((type) => `'${type}'`).join(', ')})
    and o.created_at >= (
      select coalesce(min(f.created_from), '-infinity') - ${MAX_DISORDER} from (
        select x.created_from from outbox_writes x where x.project_id = $1 and x.first_position <= :after
        order by x.first_position desc limit 1
      ) f
    )`;
const OF_ACCOUNT = ['o.account_id = :account::uuid', 'o.other_account_id = :account::uuid'];
const OF_TYPES = '(:types::text[] is null or o.type = any(:types))';
const OF_SESSION = 'o.session_id = :sessionId::uuid';
const MAYBE_OF_SESSION = `${OF_TYPES} and (:sessionId::uuid is null or ${OF_SESSION})`;
const BETWEEN = { after: ':after', before: ':before' };

/** SQL: events `e` of any of these conditions, each of which an index serves. */
function sorted(conditions: readonly string[], where: string, isBackward: boolean): string {
  const selects = conditions.map((each) => eventsWhere(each, { ...BETWEEN, where }));
  return `(${selects.join(' union all ')} order by position${isBackward ? ' desc' : ''}) e`;
}

type Reads = {
  readonly isBackward?: boolean;
  /** Events of an account; by default also those that name it only by the client's id. */
  readonly ofAccount?: readonly string[];
};

/** A statement for each index that selections are read by: of positions, a session or an account. */
function statementsOf(
  name: string,
  text: (source: string) => string,
  { isBackward = false, ofAccount = [...OF_ACCOUNT, WITHOUT_ACCOUNT] }: Reads = {},
) {
  const statement = (suffix: string, source: string, names: readonly string[]) =>
    namedStatement<string, string>(`${name}${suffix}`, text(`from ${source} limit :limit`), [
      ...['after', 'before', 'types', ...names],
    ]);
  return {
    all: statement('', eventsByPosition({ ...BETWEEN, isBackward, where: OF_TYPES }), []),
    ofSession: statement('_of_session', sorted([OF_SESSION], OF_TYPES, isBackward), ['sessionId']),
    ofAccount: statement('_of_account', sorted(ofAccount, MAYBE_OF_SESSION, isBackward), [
      'account',
      'sessionId',
    ]),
  };
}

function callOf(
  { all, ofSession, ofAccount }: ReturnType<typeof statementsOf>,
  { projectId }: ProjectDatabase,
  { after, before, limit, types = null, account = null, sessionId = null }: EventRange,
): Call {
  const range = { projectId, after, before: before ?? MAX_POSITION, limit, types };
  if (account !== null) return ofAccount.call({ ...range, account, sessionId });
  return sessionId === null ? all.call(range) : ofSession.call({ ...range, sessionId });
}

const select = (source: string) => `select ${EVENT_COLUMNS}, other_account_id ${source}`;
const READ = statementsOf('event.read', select);

/** The first events of a range. */
export function readEvents(database: ProjectDatabase, range: EventRange): Promise<StoredRow[]> {
  return database.query(...callOf(READ, database, range));
}

const READ_BACK = statementsOf('event.read_back', select, { isBackward: true });

/** The last events of a range, the newest first. */
export function readEventsBack(database: ProjectDatabase, range: EventRange): Promise<StoredRow[]> {
  return database.query(...callOf(READ_BACK, database, range));
}

const COUNT = statementsOf(
  'event.count',
  (source) => `select count(*)::int as count from (select 1 ${source}) counted`,
  { ofAccount: OF_ACCOUNT },
);

/** Number of events of a range, up to a limit. Events that name an account only by the client's id are omitted. */
export async function countEvents(database: ProjectDatabase, range: EventRange): Promise<number> {
  const [row] = await database.query(...callOf(COUNT, database, range));
  return row.count;
}

const READ_WITHOUT_ACCOUNT = namedStatement(
  'event.read_without_account',
  `${select(`from (${eventsWhere(WITHOUT_ACCOUNT, { ...BETWEEN, where: MAYBE_OF_SESSION })}) e`)} limit :limit`,
  ['projectId', 'after', 'before', 'types', 'sessionId'],
);

/** Events that name an account by the client's id alone, in any order. */
export function readEventsWithoutAccount(database: ProjectDatabase, range: EventRange): Promise<StoredRow[]> {
  const { projectId } = database;
  const { after, before, limit, types = null, sessionId = null } = range;
  const bounds = { after, before: before ?? MAX_POSITION, limit };
  return database.query(...READ_WITHOUT_ACCOUNT.call({ projectId, ...bounds, types, sessionId }));
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
