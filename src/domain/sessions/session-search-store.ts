import { type Direction, type KeysetColumn, type KeysetPage, keysetOf } from '../../platform/keyset.ts';
import type { ProjectDatabase } from '../../storage/database.ts';
import { SESSION_COLUMNS, type StoredSession } from './session-store.ts';

export type SessionFilter = {
  source?: string | null;
  connectionType?: string | null;
  country?: string | null;
  startedAfter?: Date | null;
  startedBefore?: Date | null;
};

export type SessionSearch = SessionFilter & { direction: Direction; page: KeysetPage };

/** Where sessions are read from, and the columns of their order. */
type Source = { from: string; conditions: readonly string[]; start: string; id: string };

const OF_PROJECT: Source = {
  from: 'sessions s',
  conditions: ['s.project_id = $1'],
  start: 's.start_time',
  id: 's.session_id',
};

/** Sessions of an account `p`: its bindings lead, in their own order by start. */
const OF_ACCOUNT: Source = {
  from: 'account_sessions b join sessions s on s.project_id = b.project_id and s.session_id = b.session_id',
  conditions: ['b.project_id = $1', 'b.account_id = p.id', 's.project_id = $1'],
  start: 'b.session_start',
  id: 'b.session_id',
};

const COLUMNS = SESSION_COLUMNS.map((column) => `s.${column}`).join(', ');

/** What a filter selects from a source. Each combination of conditions is a statement of its own. */
function selectionOf(source: Source, filter: SessionFilter, parameter: (value: unknown) => string) {
  const { from, start, id } = source;
  const conditions = [...source.conditions];
  const shape: string[] = [];
  const add = (name: string, condition: string) => {
    shape.push(name);
    conditions.push(condition);
  };
  if (filter.source) add('source', `s.source = ${parameter(filter.source)}`);
  if (filter.connectionType) add('connection', `s.connection_type = ${parameter(filter.connectionType)}`);
  if (filter.country) add('country', `s.true_country_code = ${parameter(filter.country)}`);
  if (filter.startedAfter) add('started_after', `${start} >= ${parameter(filter.startedAfter)}::timestamptz`);
  if (filter.startedBefore)
    add('started_before', `${start} < ${parameter(filter.startedBefore)}::timestamptz`);
  const order: KeysetColumn[] = [
    { sql: start, type: 'timestamptz' },
    { sql: id, type: 'uuid' },
  ];
  return { from, conditions, shape, order };
}

/** A page of the sessions of the project by their start, in the order in which it is read. */
export function searchSessions(
  database: ProjectDatabase,
  { direction, page, ...filter }: SessionSearch,
): Promise<StoredSession[]> {
  const values: unknown[] = [database.projectId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const { from, conditions, shape, order } = selectionOf(OF_PROJECT, filter, parameter);
  const keyset = keysetOf(order, direction, page, parameter);
  return database.query<StoredSession>(
    {
      name: `session.search:${keyset.shape}:${shape.join(',')}`,
      text: `select ${COLUMNS} from ${from}
             where ${[...conditions, ...keyset.conditions].join(' and ')} ${keyset.order}`,
    },
    values,
  );
}

export type SessionOfAccount = StoredSession & { parent_id: string };

/** The same page of the sessions of each account, by their internal ids; one statement for all accounts. */
export function searchSessionsOfAccounts(
  database: ProjectDatabase,
  accountIds: readonly string[],
  { direction, page, ...filter }: SessionSearch,
): Promise<SessionOfAccount[]> {
  const values: unknown[] = [database.projectId, accountIds];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const { from, conditions, shape, order } = selectionOf(OF_ACCOUNT, filter, parameter);
  const keyset = keysetOf(order, direction, page, parameter);
  return database.query<SessionOfAccount>(
    {
      name: `session.search_of_accounts:${keyset.shape}:${shape.join(',')}`,
      text: `select p.id as parent_id, ${COLUMNS} from unnest($2::uuid[]) as p (id) cross join lateral (
               select ${COLUMNS} from ${from}
               where ${[...conditions, ...keyset.conditions].join(' and ')} ${keyset.order}
             ) s
             order by p.id, s.start_time ${keyset.reads}, s.session_id ${keyset.reads}`,
    },
    values,
  );
}

/** Number of sessions of the project, counted up to a limit. */
export async function countSessions(
  database: ProjectDatabase,
  filter: SessionFilter,
  limit: number,
): Promise<number> {
  const values: unknown[] = [database.projectId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const { from, conditions, shape } = selectionOf(OF_PROJECT, filter, parameter);
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

/** Number of sessions of each account, by their internal ids, counted up to a limit. */
export function countSessionsOfAccounts(
  database: ProjectDatabase,
  accountIds: readonly string[],
  filter: SessionFilter,
  limit: number,
): Promise<{ id: string; total: number }[]> {
  const values: unknown[] = [database.projectId, accountIds];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const { from, conditions, shape } = selectionOf(OF_ACCOUNT, filter, parameter);
  return database.query(
    {
      name: `session.count_of_accounts:${shape.join(',')}`,
      text: `select p.id, c.total from unnest($2::uuid[]) as p (id) cross join lateral (
               select count(*)::int as total from (
                 select from ${from} where ${conditions.join(' and ')} limit ${parameter(limit)}) found
             ) c`,
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
