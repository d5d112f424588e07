import type { Decision } from '@vouchgraph/decisions';
import type { Direction, KeysetPage } from '@vouchgraph/platform/keyset';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import { countFound, findPage, selectionIn } from '../../storage/selection.ts';
import type { AccountRow } from '../model/account-row.ts';
import { accountColumns } from '../model/account-row.ts';
import { ACCOUNT_ORDERS, type AccountOrderField } from './account-order.ts';

type StoredIdentifier = { kind: number; hash: Buffer };

/** Filter of accounts; all conditions must match. */
export type AccountFilter = {
  /** Keyed hashes: accounts must have all of them. */
  identifiers: readonly StoredIdentifier[];
  /** Accounts with one of the keyed hashes, or with the client's id. */
  search?: { identifiers: readonly StoredIdentifier[]; accountId: string } | null;
  country?: string | null;
  group?: string | null;
  list?: string | null;
  lastSeenAfter?: Date | null;
  lastSeenBefore?: Date | null;
  decision?: Decision | null;
  minScore?: number | null;
  maxScore?: number | null;
  /** Accounts without a value of this column are excluded. */
  order: AccountOrderField;
};

export type AccountSearch = AccountFilter & { direction: Direction; page: KeysetPage };

/** An account with its sort value. */
export type FoundAccount = AccountRow & { order_value: Date | number };

type Parameter = (value: unknown) => string;

/** Selection of a filter, and the members of its list. */
function selectionOf(database: ProjectDatabase, filter: AccountFilter) {
  const selection = selectionIn(database, ['s.project_id = $1']);
  const { parameter, add } = selection;
  for (const identifier of filter.identifiers)
    add('identifier', `s.account_id in (${holdersOf([identifier], parameter)})`);
  if (filter.search) {
    const { identifiers, accountId } = filter.search;
    const byId = `select f.id from accounts f where f.project_id = $1 and f.account_id = ${parameter(accountId)}`;
    const found = identifiers.length === 0 ? [byId] : [holdersOf(identifiers, parameter), byId];
    add(`search${identifiers.length}`, `s.account_id in (${found.join(' union all ')})`);
  }
  if (filter.country) add('country', `s.country = ${parameter(filter.country)}`);
  if (filter.group != null) add('group', `s.account_group = ${parameter(filter.group)}`);
  if (filter.lastSeenAfter)
    add('seen_after', `s.last_seen >= ${parameter(filter.lastSeenAfter)}::timestamptz`);
  if (filter.lastSeenBefore)
    add('seen_before', `s.last_seen < ${parameter(filter.lastSeenBefore)}::timestamptz`);
  if (filter.decision) add('decision', `s.decision = ${parameter(filter.decision)}`);
  if (filter.minScore != null) add('min_score', `s.account_score >= ${parameter(filter.minScore)}::float8`);
  if (filter.maxScore != null) add('max_score', `s.account_score <= ${parameter(filter.maxScore)}::float8`);
  add(filter.order, `s.${ACCOUNT_ORDERS[filter.order].column} is not null`);
  if (!filter.list) return { selection, list: null };
  selection.shape.push('list');
  return { selection, list: parameter(filter.list) };
}

function holdersOf(identifiers: readonly StoredIdentifier[], parameter: Parameter): string {
  const pairs = identifiers.map(
    ({ kind, hash }) => `(${parameter(kind)}::smallint, ${parameter(hash)}::bytea)`,
  );
  return `select i.account_id from identifiers i where i.project_id = $1 and (i.kind, i.value_hash) in (${pairs.join(', ')})`;
}

/** Members of a list that are not expired; `condition` restricts them. */
function membersOf(list: string, condition = 'true'): string {
  return `select m.account_id from list_members m
          where m.project_id = $1 and m.list_id = (select l.list_id from lists l where l.project_id = $1 and l.name = ${list})
            and (m.expires_at is null or m.expires_at > now()) and ${condition}`;
}

/** Maximum size of lists that are read completely. For a longer list, a scan in sort order finds enough members quickly. */
const FEW_MEMBERS = 5000;

/*
 * Accounts and the members of a short list are joined by look-ups (`lateral … limit 1`), which every plan does by the primary
 * keys. A join would be planned by statistics. They do not include the distribution of members in the sort order, and a plan
 * that a connection made while the tables were small compares every member with every account once they have grown. Counts of
 * long lists are joins without nested loops.
 */

/** Standings of the members of a list that match the conditions. */
function standingsOfMembers(members: string, columns: string, where: string): string {
  return `select ${columns} from ${members} m cross join lateral (
            select ${columns} from account_standing s where s.account_id = m.account_id and ${where} limit 1) s`;
}

/** A page of the standings of a list: from all its members if they are few, else from the accounts in sort order. */
function pageOfMembers(list: string, column: string, where: string, order: string): string {
  const columns = `s.account_id, s.${column}`;
  return `with member as materialized (${membersOf(list)} limit ${FEW_MEMBERS + 1}),
      list as materialized (select count(*) <= ${FEW_MEMBERS} as is_small from member)
    select s.account_id, s.${column} from (
      (${standingsOfMembers('member', columns, where)} where (select is_small from list) ${order})
      union all
      (select ${columns} from account_standing s
       cross join lateral (${membersOf(list, 'm.account_id = s.account_id')} limit 1) m
       where not (select is_small from list) and ${where} ${order})
    ) s ${order}`;
}

/** A page of accounts in a sort order. */
export function searchAccounts(
  database: ProjectDatabase,
  { direction, page, ...filter }: AccountSearch,
): Promise<FoundAccount[]> {
  const { selection, list } = selectionOf(database, filter);
  const { column, type } = ACCOUNT_ORDERS[filter.order];
  const columns = [
    { sql: `s.${column}`, type },
    { sql: 's.account_id', type: 'uuid' },
  ];
  return findPage(selection, 'account.search', { columns, direction, page }, ({ where, order, by }) => {
    const found = list
      ? pageOfMembers(list, column, where, order)
      : `select s.account_id, s.${column} from account_standing s where ${where} ${order}`;
    return `select ${accountColumns('a')}, s.${column} as order_value
            from (${found}) s
            join accounts a on a.project_id = $1 and a.id = s.account_id ${by}`;
  });
}

/** Number of accounts, counted up to a limit. */
export async function countAccounts(
  database: ProjectDatabase,
  filter: AccountFilter,
  limit: number,
): Promise<number> {
  const isLong = filter.list ? await isLongList(database, filter.list) : false;
  const { selection, list } = selectionOf(isLong ? withoutNestedLoops(database) : database, filter);
  if (isLong) selection.shape.push('long');
  return countFound(selection, 'account.count', limit, (where, most) => {
    if (list && !isLong) return `${standingsOfMembers(`(${membersOf(list)})`, '', where)} limit ${most}`;
    const isMember = list ? ` and s.account_id in (${membersOf(list)})` : '';
    return `select from account_standing s where ${where}${isMember} limit ${most}`;
  });
}

const LIST_IS_LONG: Statement = {
  name: 'account.list_is_long',
  text: `select count(*) > ${FEW_MEMBERS} as is_long from (${membersOf('$2')} limit ${FEW_MEMBERS + 1}) m`,
};

/** Whether a list has too many members to look each of them up. */
async function isLongList(database: ProjectDatabase, list: string): Promise<boolean> {
  const [row] = await database.query<{ is_long: boolean }>(LIST_IS_LONG, [database.projectId, list]);
  return row!.is_long;
}

/** Plans for the values: with a kept plan a count of 200,000 members by country took ten times as long. */
const NO_NESTED_LOOPS: Statement = {
  name: 'account.no_nested_loops',
  text: `select set_config('enable_nestloop', 'off', true), set_config('plan_cache_mode', 'force_custom_plan', true)`,
};

/** The same database, whose queries join by hashes or by order: at most, they read both sides once. */
function withoutNestedLoops(database: ProjectDatabase): ProjectDatabase {
  const query = <T>(statement: Statement, values: readonly unknown[]) =>
    database.transaction<T[]>(async (transaction) => {
      const [, rows] = await transaction.run([NO_NESTED_LOOPS, []], [statement, values]);
      return rows!;
    });
  return { ...database, query };
}
