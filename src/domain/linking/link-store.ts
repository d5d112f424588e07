import { LINK_SHARE } from '@vouchgraph/linking';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { Call, ProjectDatabase, Row, Statement } from '../../storage/database.ts';
import { countEach, countOfEach, findPage, selectionIn } from '../../storage/selection.ts';
import type { AccountRow } from '../model/account-row.ts';
import { accountColumns } from '../model/account-row.ts';
import type { PairKey } from './evidence-store.ts';
import { LINK_ORDERS, type LinkFilter, type LinkPage } from './link-page.ts';
/** A link of the account `parent_id`, with the linked account. */
export type LinkRow = {
  parent_id: string;
  linked_account_id: string;
  score: number;
  kinds: number;
  link_first_seen: Date;
  link_last_seen: Date;
  account: AccountRow;
};

/** A page of the links of each account, in the read direction. One statement for all accounts. */
export async function findLinkPages(
  database: ProjectDatabase,
  accountIds: readonly string[],
  { order, direction, kinds, minScore, page }: LinkPage,
): Promise<LinkRow[]> {
  const { column, type } = LINK_ORDERS[order];
  const columns = [
    { sql: `k.${column}`, type },
    { sql: 'k.linked_account_id', type: 'uuid' },
  ];
  const rows = await findPage<Row>(
    selectionIn(database, [ofAccount('$3', '$4')], [accountIds, kinds, minScore]),
    `link.find_pages:${column}`,
    { columns, direction, page },
    (
      parts,
    ) => `select p.id as parent_id, l.linked_account_id, l.score, l.kinds, l.first_seen as link_first_seen,
               l.last_seen as link_last_seen, ${accountColumns('n')}
             from unnest($2::uuid[]) as p (id) cross join lateral (
               select k.linked_account_id, k.score, k.kinds, k.first_seen, k.last_seen from links k
               where ${parts.where} ${parts.order}
             ) l
             join accounts n on n.project_id = $1 and n.id = l.linked_account_id
             order by p.id, l.${column} ${parts.reads}, l.linked_account_id ${parts.reads}`,
  );
  return rows.map((row) => ({ ...row, account: row as AccountRow }));
}

const FIND_LINKS: Statement = {
  name: 'link.find',
  text: `select k.account_id as parent_id, k.linked_account_id, k.score, k.kinds, k.first_seen as link_first_seen,
           k.last_seen as link_last_seen, ${accountColumns('n')}
         from unnest($2::uuid[], $3::uuid[]) as p (a, b)
         join links k on k.project_id = $1 and k.account_id = p.a and k.linked_account_id = p.b
         join accounts n on n.project_id = $1 and n.id = p.b`,
};

/** The links of pairs: of the account `a`, with the account `b`. A pair without a link is absent. */
export async function findLinks(database: ProjectDatabase, pairs: readonly PairKey[]): Promise<LinkRow[]> {
  const values = [database.projectId, pairs.map(({ a }) => a), pairs.map(({ b }) => b)];
  const rows = await database.query<Row>(FIND_LINKS, values);
  return rows.map((row) => ({ ...row, account: row as AccountRow })) as LinkRow[];
}

/** Conditions of the links `k` of an account `p`, by the placeholders of their kinds and score. */
const ofAccount = (kinds: string, minScore: string) =>
  `k.project_id = $1 and k.account_id = p.id and (k.kinds & ${kinds}::int) <> 0 and k.score >= ${minScore}::float8`;

const COUNT = countOfEach('link.count', `links k where ${ofAccount('$4', '$5')}`);

/** Number of links of each account, counted up to a limit. */
export function countLinks(
  database: ProjectDatabase,
  accountIds: readonly string[],
  { kinds, minScore }: LinkFilter,
  limit: number,
): Promise<number[]> {
  return countEach(database, COUNT, accountIds, limit, kinds, minScore);
}

/** The exponent is bounded: for a large ring, `exp` would underflow, which is an error in PostgreSQL. */
const STRENGTHS = {
  name: 'link.strengths',
  text: `select p.id, s.count, s.miss from unnest($2::uuid[]) as p (id) cross join lateral (
           select count(*)::int as count, exp(greatest(coalesce(sum(ln(1 - $3::float8 * t.score)), 0), -600)) as miss from (
             select k.score from links k where k.project_id = $1 and k.account_id = p.id
             order by k.score desc, k.linked_account_id desc limit $4
           ) t
         ) s`,
};

/** Number of links of each account (up to the limit), and the product of their complements (`miss`). */
export function findLinkStrengths(
  database: ProjectDatabase,
  accountIds: readonly string[],
): Promise<{ id: string; count: number; miss: number }[]> {
  return database.query(...linkStrengthsCall(database.projectId, accountIds));
}

export function linkStrengthsCall(projectId: string, accountIds: readonly string[]): Call {
  return [STRENGTHS, [projectId, accountIds, LINK_SHARE, LIMITS.linksPerAccount]];
}
