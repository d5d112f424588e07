import { LIMITS } from '../../platform/limits.ts';
import type { ProjectDatabase, Row } from '../../storage/database.ts';
import type { AccountRow } from '../accounts/account.ts';
import { LINK_SHARE } from '../accounts/account-score.ts';
import { accountColumns } from '../accounts/account-store.ts';

/** A link as its first account sees it, with the other account. */
export type LinkRow = {
  parent_id: string;
  linked_account_id: string;
  score: number;
  kinds: number;
  link_first_seen: Date;
  link_last_seen: Date;
  account: AccountRow;
};

/** Before the first row of the order (score descending, then id descending). */
export const FIRST_LINK = {
  score: Number.POSITIVE_INFINITY,
  id: 'ffffffff-ffff-ffff-ffff-ffffffffffff',
} as const;

/** The position is always given, so that every page is one range of the index. */
const FIND_PAGES = {
  name: 'link.find_pages',
  text: `select p.id as parent_id, l.linked_account_id, l.score, l.kinds, l.first_seen as link_first_seen,
           l.last_seen as link_last_seen, ${accountColumns('n')}
         from unnest($2::uuid[]) as p (id) cross join lateral (
           select k.linked_account_id, k.score, k.kinds, k.first_seen, k.last_seen from links k
           where k.project_id = $1 and k.account_id = p.id and (k.score, k.linked_account_id) < ($3::float8, $4::uuid)
           order by k.score desc, k.linked_account_id desc limit $5
         ) l
         join accounts n on n.project_id = $1 and n.id = l.linked_account_id
         order by p.id, l.score desc, l.linked_account_id desc`,
};

/** The next `limit` links of each account, strongest first, after a position; one statement for all of them. */
export async function findLinkPages(
  database: ProjectDatabase,
  accountIds: readonly string[],
  after: { score: number; id: string },
  limit: number,
): Promise<LinkRow[]> {
  const rows = await database.query<Row>(FIND_PAGES, [
    database.projectId,
    accountIds,
    after.score,
    after.id,
    limit,
  ]);
  return rows.map((row) => ({ ...row, account: row as AccountRow }));
}

/** The exponent is bounded: a large ring would leave less than the server's smallest number, which is an error. */
const STRENGTHS = {
  name: 'link.strengths',
  text: `select p.id, s.count, s.miss from unnest($2::uuid[]) as p (id) cross join lateral (
           select count(*)::int as count, exp(greatest(coalesce(sum(ln(1 - $3::float8 * t.score)), 0), -600)) as miss from (
             select k.score from links k where k.project_id = $1 and k.account_id = p.id
             order by k.score desc, k.linked_account_id desc limit $4
           ) t
         ) s`,
};

/** For each account, how many links it has (up to the limit) and what they leave of not being multiple accounts. */
export function findLinkStrengths(
  database: ProjectDatabase,
  accountIds: readonly string[],
): Promise<{ id: string; count: number; miss: number }[]> {
  return database.query(STRENGTHS, [database.projectId, accountIds, LINK_SHARE, LIMITS.linksPerAccount]);
}
