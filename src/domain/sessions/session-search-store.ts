import { type Direction, type KeysetPage, keysetOf } from '../../platform/keyset.ts';
import type { ProjectDatabase } from '../../storage/database.ts';
import { SESSION_COLUMNS, type StoredSession } from './session-store.ts';

export type SessionFilter = {
  /** The account's internal id: only its sessions. */
  accountId?: string | null;
  source?: string | null;
  connectionType?: string | null;
  country?: string | null;
  startedAfter?: Date | null;
  startedBefore?: Date | null;
};

export type SessionSearch = SessionFilter & { direction: Direction; page: KeysetPage };

/** What a filter selects from. Each combination of conditions is a statement of its own. */
function selectionOf(filter: SessionFilter, parameter: (value: unknown) => string) {
  const conditions = ['s.project_id = $1'];
  const shape: string[] = [];
  // With an account its bindings lead, in their own order by start; else the sessions do.
  const ofAccount = filter.accountId != null;
  const [start, id] = ofAccount ? ['b.session_start', 'b.session_id'] : ['s.start_time', 's.session_id'];
  const add = (name: string, condition: string) => {
    shape.push(name);
    conditions.push(condition);
  };
  if (ofAccount) add('account', `b.project_id = $1 and b.account_id = ${parameter(filter.accountId)}::uuid`);
  if (filter.source) add('source', `s.source = ${parameter(filter.source)}`);
  if (filter.connectionType) add('connection', `s.connection_type = ${parameter(filter.connectionType)}`);
  if (filter.country) add('country', `s.true_country_code = ${parameter(filter.country)}`);
  if (filter.startedAfter) add('started_after', `${start} >= ${parameter(filter.startedAfter)}::timestamptz`);
  if (filter.startedBefore)
    add('started_before', `${start} < ${parameter(filter.startedBefore)}::timestamptz`);
  const from = ofAccount
    ? 'account_sessions b join sessions s on s.project_id = b.project_id and s.session_id = b.session_id'
    : 'sessions s';
  const order = [
    { sql: start!, type: 'timestamptz' },
    { sql: id!, type: 'uuid' },
  ];
  return { from, conditions, shape, order };
}

/** A page of sessions by their start. */
export function searchSessions(
  database: ProjectDatabase,
  { direction, page, ...filter }: SessionSearch,
): Promise<StoredSession[]> {
  const values: unknown[] = [database.projectId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const { from, conditions, shape, order } = selectionOf(filter, parameter);
  const keyset = keysetOf(order, direction, page, parameter);
  return database.query<StoredSession>(
    {
      name: `session.search:${keyset.shape}:${shape.join(',')}`,
      text: `select ${SESSION_COLUMNS.map((column) => `s.${column}`).join(', ')} from ${from}
             where ${[...conditions, ...keyset.conditions].join(' and ')} ${keyset.order}`,
    },
    values,
  );
}

/** Number of sessions, counted up to a limit. */
export async function countSessions(
  database: ProjectDatabase,
  filter: SessionFilter,
  limit: number,
): Promise<number> {
  const values: unknown[] = [database.projectId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const { from, conditions, shape } = selectionOf(filter, parameter);
  const rows = await database.query<{ total: number }>(
    {
      name: `session.count:${shape.join(',')}`,
      text: `select count(*)::int as total from (
               select from ${from} where ${conditions.join(' and ')} limit ${parameter(limit)}) found`,
    },
    values,
  );
  return rows[0]!.total;
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
