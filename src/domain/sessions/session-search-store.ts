import type { ProjectDatabase } from '../../storage/database.ts';
import { SESSION_COLUMNS, type StoredSession } from './session-store.ts';

export type SessionSearch = {
  /** The account's internal id: only its sessions. */
  accountId?: string | null;
  source?: string | null;
  connectionType?: string | null;
  country?: string | null;
  startedAfter?: Date | null;
  startedBefore?: Date | null;
  direction: 'ASC' | 'DESC';
  after: readonly [startTime: string, sessionId: string] | null;
  limit: number;
};

/** Sessions by their start. Each combination of filters is a statement of its own, prepared under its own name. */
export function searchSessions(database: ProjectDatabase, search: SessionSearch): Promise<StoredSession[]> {
  const values: unknown[] = [database.projectId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const conditions = ['s.project_id = $1'];
  const shape: string[] = [];
  // With an account its bindings lead, in their own order by start; else the sessions do.
  const ofAccount = search.accountId != null;
  const start = ofAccount ? 'b.session_start' : 's.start_time';
  const id = ofAccount ? 'b.session_id' : 's.session_id';
  if (ofAccount) conditions.push(`b.project_id = $1 and b.account_id = ${parameter(search.accountId)}::uuid`);
  const add = (name: string, condition: string) => {
    shape.push(name);
    conditions.push(condition);
  };
  if (search.source) add('source', `s.source = ${parameter(search.source)}`);
  if (search.connectionType) add('connection', `s.connection_type = ${parameter(search.connectionType)}`);
  if (search.country) add('country', `s.true_country_code = ${parameter(search.country)}`);
  if (search.startedAfter) add('started_after', `${start} >= ${parameter(search.startedAfter)}::timestamptz`);
  if (search.startedBefore)
    add('started_before', `${start} < ${parameter(search.startedBefore)}::timestamptz`);
  if (search.after) {
    const compare = search.direction === 'DESC' ? '<' : '>';
    const [value, sessionId] = search.after;
    add(
      'after',
      `(${start}, ${id}) ${compare} (${parameter(value)}::timestamptz, ${parameter(sessionId)}::uuid)`,
    );
  }
  const from = ofAccount
    ? 'account_sessions b join sessions s on s.project_id = b.project_id and s.session_id = b.session_id'
    : 'sessions s';
  return database.query<StoredSession>(
    {
      name: `session.search:${ofAccount ? 'account' : 'all'}:${search.direction}:${shape.join(',')}`,
      text: `select ${SESSION_COLUMNS.map((column) => `s.${column}`).join(', ')} from ${from}
             where ${conditions.join(' and ')}
             order by ${start} ${search.direction}, ${id} ${search.direction} limit ${parameter(search.limit)}`,
    },
    values,
  );
}

const SESSION_IDS_OF_ACCOUNT = {
  name: 'session.ids_of_account',
  text: `select b.session_id from account_sessions b where b.project_id = $1 and b.account_id = $2
           and exists (select 1 from sessions s where s.project_id = $1 and s.session_id = b.session_id)
         order by b.session_start desc, b.session_id desc limit $3`,
};

/** The ids of an account's sessions, newest first. */
export async function findSessionIdsOfAccount(
  database: ProjectDatabase,
  accountId: string,
  limit: number,
): Promise<string[]> {
  const rows = await database.query(SESSION_IDS_OF_ACCOUNT, [database.projectId, accountId, limit]);
  return rows.map((row) => row.session_id);
}
