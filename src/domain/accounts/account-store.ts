import type { Call, ProjectDatabase, Statement } from '../../storage/database.ts';
import { type AccountRow, accountColumns } from '../model/account-row.ts';

export const FIND_BY_ACCOUNT_ID: Statement = {
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

/** Accounts by internal ids, in any order. */
export function findAccounts(database: ProjectDatabase, ids: readonly string[]): Promise<AccountRow[]> {
  return database.query<AccountRow>(...findAccountsCall(database.projectId, ids));
}

export function findAccountsCall(projectId: string, ids: readonly string[]): Call {
  return [FIND_MANY, [projectId, ids]];
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

/** Number of accounts with an email of each registrable domain (by keyed hash), up to `limit`. */
export function countFromDomains(
  database: ProjectDatabase,
  kind: number,
  hashes: readonly Buffer[],
  limit: number,
): Promise<{ value_hash: Buffer; accounts: number }[]> {
  return database.query(COUNT_FROM_DOMAINS, [database.projectId, kind, hashes, limit]);
}
