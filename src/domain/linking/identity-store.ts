import type { IdentityAction } from '@vouchgraph/linking';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import { createPurge, type PurgeRun } from '../../storage/purge.ts';
import { countEach, countOfEach, findPage, selectionIn } from '../../storage/selection.ts';
import type { AccountRow } from '../model/account-row.ts';
import { accountColumns } from '../model/account-row.ts';

/** Retention of changes. Merges are kept, so that ids of merged groups can be resolved. */
const CHANGES_DAYS = 365;

const purgeChanges = createPurge({
  name: 'identity_change',
  table: 'identity_changes',
  key: ['change_id'],
  column: 'at',
  first: '-infinity',
  condition: `x.action <> 'merged'`,
  index: 'project',
});

/** Deletes changes of identity groups older than a year, except merges. */
export const purgeIdentityChanges = (run: PurgeRun): Promise<number> =>
  purgeChanges(run, new Date(run.now.getTime() - CHANGES_DAYS * 86_400_000));

export type IdentityGroupRow = { group_id: string; size: number; created_at: Date; updated_at: Date };

const FIND_RENAMED: Statement = {
  name: 'identity.find_renamed_groups',
  text: `with recursive name (wanted, group_id, steps) as (
      select id, id, 0 from unnest($2::uuid[]) as wanted (id)
      union
      select n.wanted, c.group_id, n.steps + 1 from name n cross join lateral (
        select group_id from identity_changes
        where project_id = $1 and other_group_id = n.group_id and action = 'merged'
        order by at desc, change_id desc limit 1
      ) c where n.steps < 100
    )
    select distinct on (n.wanted) n.wanted, g.group_id, g.size, g.created_at, g.updated_at from name n
    join identity_groups g on g.project_id = $1 and g.group_id = n.group_id order by n.wanted, n.steps desc`,
};

/** Groups by their current ids, or by ids of groups that were merged into them. */
export function findRenamedGroups(
  database: ProjectDatabase,
  groupIds: readonly string[],
): Promise<(IdentityGroupRow & { wanted: string })[]> {
  return database.query(FIND_RENAMED, [database.projectId, groupIds]);
}

const FIND_GROUPS_OF: Statement = {
  name: 'identity.find_groups_of_accounts',
  text: `select m.account_id, g.group_id, g.size, g.created_at, g.updated_at from identity_members m
         join identity_groups g on g.project_id = $1 and g.group_id = m.group_id
         where m.project_id = $1 and m.account_id = any($2::uuid[])`,
};

/** Groups of accounts. An account without bridges has none. */
export function findIdentityGroupsOf(
  database: ProjectDatabase,
  accountIds: readonly string[],
): Promise<(IdentityGroupRow & { account_id: string })[]> {
  return database.query(FIND_GROUPS_OF, [database.projectId, accountIds]);
}

const GROUP_COLUMNS = 'g.group_id, g.size, g.created_at, g.updated_at';

const FIND_GROUPS: Statement = {
  name: 'identity.find_groups',
  text: `select ${GROUP_COLUMNS} from identity_groups g where g.project_id = $1 and g.group_id = any($2::uuid[])`,
};

/** Groups by their current ids. */
export function findIdentityGroups(
  database: ProjectDatabase,
  groupIds: readonly string[],
): Promise<IdentityGroupRow[]> {
  return database.query(FIND_GROUPS, [database.projectId, groupIds]);
}

export type IdentityChangeRow = {
  group_id: string;
  change_id: string;
  at: Date;
  action: IdentityAction;
  other_group_id: string | null;
  size: number;
};

const BY_TIME = [
  { sql: 'x.at', type: 'timestamptz' },
  { sql: 'x.change_id', type: 'uuid' },
] as const;

/** A page of the changes of each group, in the read direction. */
export function findIdentityChanges(
  database: ProjectDatabase,
  groupIds: readonly string[],
  page: KeysetPage,
): Promise<IdentityChangeRow[]> {
  return findPage(
    selectionIn(database, ['x.project_id = $1', 'x.group_id = g.group_id'], [groupIds]),
    'identity.find_changes',
    { columns: BY_TIME, direction: 'DESC', page },
    ({ where, order, reads }) => `select g.group_id, c.change_id, c.at, c.action, c.other_group_id, c.size
         from unnest($2::uuid[]) as g (group_id)
         cross join lateral (
           select x.at, x.change_id, x.action, x.other_group_id, x.size from identity_changes x where ${where} ${order}
         ) c
         order by g.group_id, c.at ${reads}, c.change_id ${reads}`,
  );
}

export type IdentityMemberRow = AccountRow & { group_id: string };

/** A page of the accounts of each group by internal id, which is the order of creation. */
export function findIdentityMembers(
  database: ProjectDatabase,
  groupIds: readonly string[],
  page: KeysetPage,
): Promise<IdentityMemberRow[]> {
  return findPage(
    selectionIn(database, ['x.project_id = $1', 'x.group_id = g.group_id'], [groupIds]),
    'identity.find_members',
    { columns: [{ sql: 'x.account_id', type: 'uuid' }], direction: 'ASC', page },
    ({ where, order, reads }) => `select m.group_id, ${accountColumns('a')}
         from unnest($2::uuid[]) as g (group_id)
         cross join lateral (
           select x.group_id, x.account_id from identity_members x where ${where} ${order}
         ) m
         join accounts a on a.project_id = $1 and a.id = m.account_id
         order by m.group_id, m.account_id ${reads}`,
  );
}

const countStatement = (table: 'identity_changes' | 'identity_members') =>
  countOfEach(`identity.count:${table}`, `${table} x where x.project_id = $1 and x.group_id = p.id`);

const COUNT = {
  changes: countStatement('identity_changes'),
  members: countStatement('identity_members'),
};

/** Number of changes or accounts of each group, counted up to a limit. */
export function countOfGroups(
  database: ProjectDatabase,
  what: keyof typeof COUNT,
  groupIds: readonly string[],
  limit: number,
): Promise<number[]> {
  return countEach(database, COUNT[what], groupIds, limit);
}
