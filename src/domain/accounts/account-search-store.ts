import { type Direction, type KeysetPage, keysetOf } from '../../platform/keyset.ts';
import type { ProjectDatabase } from '../../storage/database.ts';
import type { AccountRow } from '../model/account-row.ts';
import { accountColumns } from '../model/account-row.ts';
import { ACCOUNT_ORDERS, type AccountOrderField } from './account-order.ts';

/** Which accounts; all conditions together. */
export type AccountFilter = {
  /** Keyed hashes: of each list the accounts have one. */
  identifiers: readonly (readonly { kind: number; hash: Buffer }[])[];
  country?: string | null;
  group?: string | null;
  list?: string | null;
  lastSeenAfter?: Date | null;
  lastSeenBefore?: Date | null;
  /** Accounts without a value of this column are left out. */
  order: AccountOrderField;
};

export type AccountSearch = AccountFilter & { direction: Direction; page: KeysetPage };

/** What a filter selects. Each combination of conditions is a statement of its own, prepared under its own name. */
function selectionOf(filter: AccountFilter, parameter: (value: unknown) => string) {
  const conditions = ['a.project_id = $1'];
  const shape: string[] = [filter.order];
  const add = (name: string, condition: string) => {
    shape.push(name);
    conditions.push(condition);
  };
  for (const alternatives of filter.identifiers) {
    const pairs = alternatives.map(
      ({ kind, hash }) => `(${parameter(kind)}::smallint, ${parameter(hash)}::bytea)`,
    );
    add(
      `identifier${pairs.length}`,
      `a.id in (select i.account_id from identifiers i
               where i.project_id = $1 and (i.kind, i.value_hash) in (${pairs.join(', ')}))`,
    );
  }
  if (filter.country) add('country', `a.country = ${parameter(filter.country)}`);
  if (filter.group != null) add('group', `a.account_group = ${parameter(filter.group)}`);
  if (filter.list) {
    add(
      'list',
      `a.id in (select m.account_id from list_members m join lists l on l.project_id = m.project_id and l.list_id = m.list_id
               where m.project_id = $1 and l.name = ${parameter(filter.list)}
                 and (m.expires_at is null or m.expires_at > now()))`,
    );
  }
  if (filter.lastSeenAfter)
    add('seen_after', `a.last_seen >= ${parameter(filter.lastSeenAfter)}::timestamptz`);
  if (filter.lastSeenBefore)
    add('seen_before', `a.last_seen < ${parameter(filter.lastSeenBefore)}::timestamptz`);
  conditions.push(`a.${ACCOUNT_ORDERS[filter.order].column} is not null`);
  return { conditions, shape };
}

/** A page of accounts in a total order. */
export function searchAccounts(
  database: ProjectDatabase,
  { direction, page, ...filter }: AccountSearch,
): Promise<AccountRow[]> {
  const values: unknown[] = [database.projectId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const { conditions, shape } = selectionOf(filter, parameter);
  const { column, type } = ACCOUNT_ORDERS[filter.order];
  const order = [
    { sql: `a.${column}`, type },
    { sql: 'a.id', type: 'uuid' },
  ];
  const keyset = keysetOf(order, direction, page, parameter);
  return database.query<AccountRow>(
    {
      name: `account.search:${keyset.shape}:${shape.join(',')}`,
      text: `select ${accountColumns('a')} from accounts a
             where ${[...conditions, ...keyset.conditions].join(' and ')} ${keyset.order}`,
    },
    values,
  );
}

/** Number of accounts, counted up to a limit. */
export async function countAccounts(
  database: ProjectDatabase,
  filter: AccountFilter,
  limit: number,
): Promise<number> {
  const values: unknown[] = [database.projectId];
  const parameter = (value: unknown) => `$${values.push(value)}`;
  const { conditions, shape } = selectionOf(filter, parameter);
  const rows = await database.query<{ total: number }>(
    {
      name: `account.count:${shape.join(',')}`,
      text: `select count(*)::int as total from (
               select from accounts a where ${conditions.join(' and ')} limit ${parameter(limit)}) found`,
    },
    values,
  );
  return rows[0]!.total;
}
