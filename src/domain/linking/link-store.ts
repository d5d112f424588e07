import { LIMITS } from '../../platform/limits.ts';
import type { ProjectDatabase, Row, Statement } from '../../storage/database.ts';
import type { AccountRow } from '../model/account-row.ts';
import { accountColumns } from '../model/account-row.ts';
import { LINK_ORDERS, type LinkOrder, type LinkPage } from './link-page.ts';
import { LINK_SHARE } from './link-weights.ts';

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

/** The position is always given, so that every page by score is one range of the index. */
function pageStatement(order: LinkOrder): Statement {
  const { column, type } = LINK_ORDERS[order];
  return {
    name: `link.find_pages:${column}`,
    text: `select p.id as parent_id, l.linked_account_id, l.score, l.kinds, l.first_seen as link_first_seen,
           l.last_seen as link_last_seen, ${accountColumns('n')}
         from unnest($2::uuid[]) as p (id) cross join lateral (
           select k.linked_account_id, k.score, k.kinds, k.first_seen, k.last_seen from links k
           where k.project_id = $1 and k.account_id = p.id and (k.${column}, k.linked_account_id) < ($3::${type}, $4::uuid)
             and (k.kinds & $6::int) <> 0 and k.score >= $7::float8
           order by k.${column} desc, k.linked_account_id desc limit $5
         ) l
         join accounts n on n.project_id = $1 and n.id = l.linked_account_id
         order by p.id, l.${column} desc, l.linked_account_id desc`,
  };
}

const FIND_PAGES: Record<LinkOrder, Statement> = {
  SCORE: pageStatement('SCORE'),
  FIRST_SEEN: pageStatement('FIRST_SEEN'),
  LAST_SEEN: pageStatement('LAST_SEEN'),
};

/** The next `limit` links of each account in their order; one statement for all of them. */
export async function findLinkPages(
  database: ProjectDatabase,
  accountIds: readonly string[],
  { order, value, id, kinds, minScore }: LinkPage,
  limit: number,
): Promise<LinkRow[]> {
  const rows = await database.query<Row>(FIND_PAGES[order], [
    database.projectId,
    accountIds,
    positionOf(order, value),
    id,
    limit,
    kinds,
    minScore,
  ]);
  return rows.map((row) => ({ ...row, account: row as AccountRow }));
}

function positionOf(order: LinkOrder, value: number): number | string | Date {
  if (LINK_ORDERS[order].type === 'float8') return value;
  return Number.isFinite(value) ? new Date(value) : 'infinity';
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
