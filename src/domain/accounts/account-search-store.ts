import type { ProjectDatabase } from '../../storage/database.ts';
import type { AccountRow } from '../model/account-row.ts';
import { accountColumns } from '../model/account-row.ts';
import { ACCOUNT_ORDERS, type AccountOrderField } from './account-order.ts';

export type Direction = 'ASC' | 'DESC';

/** What to look for. */
export type AccountSearch = {
  /** Keyed hashes: of each list the accounts hold one. */
  identifiers: readonly (readonly { kind: number; hash: Buffer }[])[];
  country?: string | null;
  group?: string | null;
  list?: string | null;
  lastSeenAfter?: Date | null;
  lastSeenBefore?: Date | null;
  order: AccountOrderField;
  direction: Direction;
  /** Sort value and id to go on behind, or null for the first page. */
  after: readonly [value: string | number, id: string] | null;
  limit: number;
};

/** Accounts in a total order. Each combination of filters is a statement of its own, prepared under its own name. */
export function searchAccounts(database: ProjectDatabase, search: AccountSearch): Promise<AccountRow[]> {
  const values: unknown[] = [database.projectId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const conditions = ['a.project_id = $1'];
  const shape: string[] = [];
  const add = (name: string, condition: string) => {
    shape.push(name);
    conditions.push(condition);
  };
  for (const alternatives of search.identifiers) {
    const pairs = alternatives.map(
      ({ kind, hash }) => `(${parameter(kind)}::smallint, ${parameter(hash)}::bytea)`,
    );
    add(
      `identifier${pairs.length}`,
      `a.id in (select i.account_id from identifiers i
               where i.project_id = $1 and (i.kind, i.value_hash) in (${pairs.join(', ')}))`,
    );
  }
  if (search.country) add('country', `a.country = ${parameter(search.country)}`);
  if (search.group != null) add('group', `a.account_group = ${parameter(search.group)}`);
  if (search.list) {
    add(
      'list',
      `a.id in (select m.account_id from list_members m join lists l on l.project_id = m.project_id and l.list_id = m.list_id
               where m.project_id = $1 and l.name = ${parameter(search.list)}
                 and (m.expires_at is null or m.expires_at > now()))`,
    );
  }
  if (search.lastSeenAfter)
    add('seen_after', `a.last_seen >= ${parameter(search.lastSeenAfter)}::timestamptz`);
  if (search.lastSeenBefore)
    add('seen_before', `a.last_seen < ${parameter(search.lastSeenBefore)}::timestamptz`);
  const { column, type } = ACCOUNT_ORDERS[search.order];
  if (search.after) {
    const compare = search.direction === 'DESC' ? '<' : '>';
    const [value, id] = search.after;
    add('after', `(a.${column}, a.id) ${compare} (${parameter(value)}::${type}, ${parameter(id)}::uuid)`);
  } else {
    conditions.push(`a.${column} is not null`);
  }
  return database.query<AccountRow>(
    {
      name: `account.search:${search.order}:${search.direction}:${shape.join(',')}`,
      text: `select ${accountColumns('a')} from accounts a where ${conditions.join(' and ')}
             order by a.${column} ${search.direction}, a.id ${search.direction} limit ${parameter(search.limit)}`,
    },
    values,
  );
}
