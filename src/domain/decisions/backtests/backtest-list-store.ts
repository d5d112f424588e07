import { NIL_UUID } from '@vouchgraph/platform/ids';
import type { ProjectDatabase, Statement } from '../../../storage/database.ts';

const MATCHES_AT_ONCE = 5000;

const READ_ACCOUNTS: Statement = {
  name: 'backtest.matched_accounts',
  text: `with part as materialized (
           select decision_id from backtest_matches
           where project_id = $1 and backtest_id = $2 and decision_id > $3 order by decision_id limit ${MATCHES_AT_ONCE}
         )
         select (select count(*)::int from part) as matches,
           (select p.decision_id from part p order by p.decision_id desc limit 1) as last,
           array(
             select distinct d.account_id from part p
             join decisions d on d.project_id = $1 and d.decision_id = p.decision_id
           ) as accounts`,
};

/** Internal ids of the accounts that a backtest matched, each once, without erased ones; read in parts. */
export async function readMatchedAccounts(database: ProjectDatabase, backtestId: string): Promise<string[]> {
  const accounts = new Set<string>();
  for (let after: string = NIL_UUID; ; ) {
    const [part] = await database.query<{ matches: number; last: string; accounts: string[] }>(
      READ_ACCOUNTS,
      [database.projectId, backtestId, after],
    );
    for (const account of part!.accounts) accounts.add(account);
    if (part!.matches < MATCHES_AT_ONCE) return [...accounts];
    after = part!.last;
  }
}

const ON_LIST: Statement = {
  name: 'backtest.accounts_on_list',
  text: `select a.account_id as "accountId", m.account_id is not null as "isMember"
         from accounts a left join list_members m on m.project_id = $1 and m.list_id = $3 and m.account_id = a.id
           and (m.expires_at is null or m.expires_at > $4)
         where a.project_id = $1 and a.id = any ($2::uuid[])`,
};

/** Ids, assigned by the client, of accounts that exist, and whether each is on a list. */
export function findOnList(
  database: ProjectDatabase,
  accounts: readonly string[],
  listId: string,
  now: Date,
): Promise<{ accountId: string; isMember: boolean }[]> {
  return database.query(ON_LIST, [database.projectId, accounts, listId, now]);
}
