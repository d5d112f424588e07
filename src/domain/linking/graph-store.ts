import { LIMITS } from '../../platform/limits.ts';
import type { ProjectDatabase, Row, Statement } from '../../storage/database.ts';
import type { AccountRow } from '../accounts/account.ts';
import { accountColumns } from '../accounts/account-store.ts';

/** A link found on the way through the graph. */
export type GraphLink = {
  from: string;
  to: string;
  score: number;
  kinds: number;
  firstSeen: Date;
  lastSeen: Date;
};

/**
 * The strongest links of each account of a level, so many of each, and so many in all. With `$6` also the links among
 * the accounts that they lead to, each account's strongest: one range of the index for each, however the planner guesses.
 */
/** Links among the accounts of the last level: a ring of 500 has 124,750. */
const MOST_CLOSING = 5001;

const FIND_LEVEL: Statement = {
  name: 'graph.find_level',
  text: `with level as materialized (
      select f.id as account_id, l.* from unnest($2::uuid[]) as f (id) cross join lateral (
        select k.linked_account_id, k.score, k.kinds, k.first_seen, k.last_seen from links k
        where k.project_id = $1 and k.account_id = f.id and k.score >= $3::float8
        order by k.score desc, k.linked_account_id desc limit $4
      ) l
      order by l.score desc limit $7
    ), reached as (
      select linked_account_id as id from level where $6::boolean and linked_account_id <> all($5::uuid[])
      group by linked_account_id order by max(score) desc, linked_account_id desc limit $8
    )
    select account_id, linked_account_id, score, kinds, first_seen, last_seen from level
    union all (
    select k.account_id, k.linked_account_id, k.score, k.kinds, k.first_seen, k.last_seen
    from reached r cross join lateral (
      select o.account_id, o.linked_account_id, o.score, o.kinds, o.first_seen, o.last_seen from links o
      where o.project_id = $1 and o.account_id = r.id and o.score >= $3::float8
      order by o.score desc, o.linked_account_id desc limit ${LIMITS.linksPerAccount}
    ) k
    where r.id < k.linked_account_id and k.linked_account_id = any (array(select id from reached))
    order by k.score desc limit $9)`,
};

/** The links of one level, the strongest first. `closes`: also those among the accounts that are new on it. */
export async function findLevel(
  database: ProjectDatabase,
  level: {
    from: readonly string[];
    known: readonly string[];
    minScore: number;
    each: number;
    most: number;
    /** Of how many new accounts, the nearest ones, the links among them are read. */
    reached: number;
    closes: boolean;
  },
): Promise<GraphLink[]> {
  const rows = await database.query<Row>(FIND_LEVEL, [
    database.projectId,
    level.from,
    level.minScore,
    level.each,
    level.known,
    level.closes,
    level.most,
    level.reached,
    MOST_CLOSING,
  ]);
  return rows
    .map((row) => ({
      from: row.account_id,
      to: row.linked_account_id,
      score: row.score,
      kinds: row.kinds,
      firstSeen: row.first_seen,
      lastSeen: row.last_seen,
    }))
    .sort((a, b) => b.score - a.score || (a.to < b.to ? 1 : -1));
}

const FIND_PAIR: Statement = {
  name: 'graph.find_accounts',
  text: `select ${accountColumns('a')} from accounts a where a.project_id = $1 and a.account_id = any($2::text[])`,
};

/** The accounts with these ids of the client, in their order; null where there is none. */
export async function findByClientIds(
  database: ProjectDatabase,
  accountIds: readonly string[],
): Promise<(AccountRow | null)[]> {
  const rows = await database.query<AccountRow>(FIND_PAIR, [database.projectId, accountIds]);
  const byId = new Map(rows.map((row) => [row.account_id, row]));
  return accountIds.map((id) => byId.get(id) ?? null);
}
