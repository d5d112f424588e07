import type { OutboxEvent } from '@vouchgraph/events';
import type { ProjectDatabase, Row, Statement } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { insertEventsCall, insertEventsCtes } from '../events/insert-events-store.ts';

export type SessionRow = {
  session_id: string;
  request_id: string;
  state: 'open' | 'complete';
  simulated: boolean;
  source: string;
  source_version: string;
  start_time: Date;
  created_at: Date;
  completed_at: Date | null;
  expires_at: Date;
  true_country_code: string;
  connection_type: string;
  device_id: string;
  browser_hash: Buffer | null;
  device_hash: Buffer | null;
  network_hash: Buffer | null;
  compared_subnet_hash: Buffer | null;
  address_hash: Buffer | null;
  subnet_hash: Buffer | null;
  /** Raised risk signals (signal-bits.ts of packages/signals). */
  signals: number;
  device_part_hashes: Buffer[];
  facts: Buffer;
  result: Buffer;
  /** Encrypted. */
  trace: Buffer;
};

const COLUMNS = [
  'session_id',
  'request_id',
  'state',
  'simulated',
  'source',
  'source_version',
  'start_time',
  'created_at',
  'completed_at',
  'expires_at',
  'true_country_code',
  'connection_type',
  'device_id',
  'browser_hash',
  'device_hash',
  'network_hash',
  'compared_subnet_hash',
  'address_hash',
  'subnet_hash',
  'signals',
  'device_part_hashes',
  'facts',
  'result',
  'trace',
] as const satisfies ReadonlyArray<keyof SessionRow>;

type UnreadColumn = 'facts' | 'trace' | 'address_hash' | 'subnet_hash' | 'signals';
const UNREAD: readonly string[] = [
  'facts',
  'trace',
  'address_hash',
  'subnet_hash',
  'signals',
] satisfies UnreadColumn[];

/** Columns that a reader of the session needs: all but the raw facts, and what only successors and searches compare. */
export const SESSION_COLUMNS = COLUMNS.filter((column) => !UNREAD.includes(column));

/** The same for a session `s` that is joined to something else, with or without the encrypted result. */
export function prefixedSessionColumns(hasResult: boolean): string {
  const columns = SESSION_COLUMNS.filter((column) => hasResult || column !== 'result');
  return columns.map((column) => `s.${column} as s_${column}`).join(', ');
}

export const PREFIXED_SESSION_COLUMNS = prefixedSessionColumns(true);

export function prefixedSession(row: Row): StoredSession {
  return Object.fromEntries(SESSION_COLUMNS.map((column) => [column, row[`s_${column}`]])) as StoredSession;
}

const INSERT_SESSION = namedStatement(
  'session.insert',
  `with ${insertEventsCtes(
    {
      createdAt: ':eventAt::timestamptz',
      eventId: ':eventId::uuid',
      type: ':eventType::text',
      sessionId: ':session_id::uuid',
      requestId: ':request_id::uuid',
      payload: ':eventPayload::bytea',
    },
    'where :eventId::uuid is not null',
  )}
         insert into sessions (project_id, ${COLUMNS.join(', ')})
         values (:projectId, ${COLUMNS.map((column) => `:${column}`).join(', ')})`,
  ['eventId', 'eventType', 'eventAt', 'eventPayload', ...COLUMNS],
);

/** Stores a session together with its event. */
export async function insertSession(
  database: ProjectDatabase,
  row: SessionRow,
  event: OutboxEvent | null,
): Promise<void> {
  await database.query(
    ...INSERT_SESSION.call({
      projectId: database.projectId,
      ...row,
      eventId: event?.eventId ?? null,
      eventType: event?.type ?? null,
      eventAt: event ? row.created_at : null,
      eventPayload: event?.payload ?? null,
    }),
  );
}

const FIND_SESSIONS = {
  name: 'session.find_many',
  text: `select ${SESSION_COLUMNS.join(', ')} from sessions where project_id = $1 and session_id = any($2::uuid[])`,
};

export type StoredSession = Omit<SessionRow, UnreadColumn>;

export function findSessions(
  database: ProjectDatabase,
  sessionIds: readonly string[],
): Promise<StoredSession[]> {
  return database.query(FIND_SESSIONS, [database.projectId, sessionIds]);
}

const FIND_TRACE = {
  name: 'session.find_trace',
  text: 'select trace from sessions where project_id = $1 and session_id = $2',
};

/** Encrypted trace of a session; null for an unknown session. */
export async function findTrace(database: ProjectDatabase, sessionId: string): Promise<Buffer | null> {
  const [row] = await database.query(FIND_TRACE, [database.projectId, sessionId]);
  return row?.trace ?? null;
}

/** Stores a session's result after another comparison with the past. */
export const WRITE_RESULT = {
  name: 'session.write_result',
  text: 'update sessions set result = $3, signals = $4 where project_id = $1 and session_id = $2',
};

const LOCK_SESSION = {
  name: 'session.lock',
  text: `select ${COLUMNS.join(', ')} from sessions where project_id = $1 and session_id = $2 for update`,
};

const FIND_PATCHES: Statement = {
  name: 'session.find_patches',
  text: `select facts from session_patches where project_id = $1 and session_id = $2 order by patch_number`,
};

const KEPT_FROM_OPENING = ['session_id', 'simulated', 'start_time', 'created_at', 'expires_at'];
const UPDATED_WITH_FACTS = COLUMNS.filter((column) => !KEPT_FROM_OPENING.includes(column));
const UPDATED = UPDATED_WITH_FACTS.filter((column) => column !== 'facts');
const updateOf = (columns: readonly string[]) =>
  `update sessions set ${columns.map((column, index) => `${column} = $${index + 3}`).join(', ')}
   where project_id = $1 and session_id = $2`;

/** Leaves the facts alone: a large value that is not assigned is not written again. */
const UPDATE_SESSION: Statement = { name: 'session.update', text: updateOf(UPDATED) };

/** Writes the facts whole, and removes the patches that were merged into them. */
const MERGE_PATCHES: Statement = {
  name: 'session.merge_patches',
  text: `with merged as (delete from session_patches where project_id = $1 and session_id = $2)
         ${updateOf(UPDATED_WITH_FACTS)}`,
};

const INSERT_PATCH: Statement = {
  name: 'session.insert_patch',
  text: 'insert into session_patches (project_id, session_id, patch_number, facts) values ($1, $2, $3, $4)',
};

/** New state of a session: its row, with a further patch or with all facts merged into it. */
export type SessionChange = {
  readonly row: SessionRow;
  /** A patch to store, encrypted; null without one, or when `row.facts` contains it. */
  readonly patch: Buffer | null;
  /** Whether `row.facts` contains all patches. */
  readonly isMerged: boolean;
  readonly event: OutboxEvent | null;
};

/**
 * Changes a session under a row lock, so that two pages of one session do not overwrite each other's facts. The patches are
 * read by a separate statement after the lock: it sees patches that were committed while waiting. `change` returns the new
 * state of the session, or null to keep it. The result is the current row; null for an unknown session.
 */
export function changeSession(
  database: ProjectDatabase,
  sessionId: string,
  change: (row: SessionRow, patches: readonly Buffer[]) => SessionChange | null,
): Promise<SessionRow | null> {
  const { projectId } = database;
  return database.transaction(async (transaction) => {
    const own = [projectId, sessionId] as const;
    const [rows, patchRows = []] = await transaction.run([LOCK_SESSION, own], [FIND_PATCHES, own]);
    const row: SessionRow | undefined = rows?.[0];
    if (!row) return null;
    const patches = patchRows.map(({ facts }): Buffer => facts);
    const planned = change(row, patches);
    if (!planned) return row;
    const { row: changed, event, patch, isMerged } = planned;
    const [update, columns] = isMerged ? [MERGE_PATCHES, UPDATED_WITH_FACTS] : [UPDATE_SESSION, UPDATED];
    await transaction.commit(
      [update, [...own, ...columns.map((column) => changed[column])]],
      ...(patch ? [[INSERT_PATCH, [...own, patches.length, patch]] as const] : []),
      ...(event
        ? [
            insertEventsCall(projectId, [event], {
              requestId: changed.request_id,
              now: changed.completed_at!,
            }),
          ]
        : []),
    );
    return changed;
  });
}

const ACCOUNTS_OF_SESSIONS = {
  name: 'session.account_ids',
  text: `select b.session_id, a.account_id
         from account_sessions b join accounts a on a.project_id = b.project_id and a.id = b.account_id
         where b.project_id = $1 and b.session_id = any($2::uuid[]) order by b.bound_at, a.account_id`,
};

/** The clients' ids of the accounts that each session is bound to, in the order of binding. */
export function findAccountIdsOfSessions(
  database: ProjectDatabase,
  sessionIds: readonly string[],
): Promise<{ session_id: string; account_id: string }[]> {
  return database.query(ACCOUNTS_OF_SESSIONS, [database.projectId, sessionIds]);
}
