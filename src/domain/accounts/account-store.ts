import type { ProjectDatabase } from '../../storage/database.ts';
import type { AccountRow } from './account.ts';

/** The columns of an account as `AccountRow`, for a table alias; its lists come along in the same statement. */
export function accountColumns(alias: string): string {
  const columns = [
    'id',
    'account_id',
    'account_group',
    'personal',
    'expected_countries',
    'first_seen',
    'last_seen',
    'last_session',
    'country',
    'countries',
    'num_sessions',
    'unique_devices_1d',
    'unique_devices_7d',
    'unique_networks_1d',
    'unique_networks_7d',
    'created_at',
    'updated_at',
  ];
  // As text: it is parsed when a score is asked for, which most readers of many accounts do not.
  return `${columns.map((column) => `${alias}.${column}`).join(', ')}, ${alias}.aggregates::text as aggregates,
    coalesce((
      select json_agg(json_build_object('listId', l.list_id, 'name', l.name, 'description', l.description,
                                        'effect', l.effect, 'standard', l.standard,
                                        'createdAt', l.created_at, 'source', m.source,
                                        'actor', m.actor, 'reason', m.reason,
                                        'sealedReason', encode(m.sealed_reason, 'base64')) order by l.name)
      from list_members m join lists l on l.project_id = m.project_id and l.list_id = m.list_id
      where m.project_id = ${alias}.project_id and m.account_id = ${alias}.id
        and (m.expires_at is null or m.expires_at > now())
    ), '[]'::json) as lists`;
}

const FIND_BY_ACCOUNT_ID = {
  name: 'account.find_by_account_id',
  text: `select ${accountColumns('a')} from accounts a where a.project_id = $1 and a.account_id = $2`,
};

export async function findAccountByAccountId(
  database: ProjectDatabase,
  accountId: string,
): Promise<AccountRow | null> {
  const rows = await database.query<AccountRow>(FIND_BY_ACCOUNT_ID, [database.projectId, accountId]);
  return rows[0] ?? null;
}

const FIND_MANY = {
  name: 'account.find_many',
  text: `select ${accountColumns('a')} from accounts a where a.project_id = $1 and a.id = any($2::uuid[])`,
};

/** Accounts by internal id, in no particular order. */
export function findAccounts(database: ProjectDatabase, ids: readonly string[]): Promise<AccountRow[]> {
  return database.query<AccountRow>(FIND_MANY, [database.projectId, ids]);
}

const COUNT_FROM_DOMAINS = {
  name: 'account.count_from_domains',
  text: `select d.value_hash, (
           select count(*)::int from (
             select 1 from identifiers i
             where i.project_id = $1 and i.kind = $2 and i.value_hash = d.value_hash limit $4
           ) counted
         ) as accounts
         from unnest($3::bytea[]) as d (value_hash)`,
};

/** How many accounts have an email of each registrable domain (by keyed hash), up to `limit`. */
export function countFromDomains(
  database: ProjectDatabase,
  kind: number,
  hashes: readonly Buffer[],
  limit: number,
): Promise<{ value_hash: Buffer; accounts: number }[]> {
  return database.query(COUNT_FROM_DOMAINS, [database.projectId, kind, hashes, limit]);
}
