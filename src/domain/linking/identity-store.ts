import { type KeysetPage, keysetOf } from '../../platform/keyset.ts';
import type { ProjectDatabase, Statement, Transaction } from '../../storage/database.ts';
import { createPurge, type PurgeRun } from '../../storage/purge.ts';
import { insertEvents } from '../events/insert-events-store.ts';
import type { OutboxEvent } from '../events/outbox-event.ts';
import type { AccountRow } from '../model/account-row.ts';
import { accountColumns } from '../model/account-row.ts';
import type { Bridge, IdentityAction, IdentityChange, IdentityPlan } from './identity-groups.ts';

/** One at a time in a project; whoever comes second leaves the marks to the first. */
const TRY_LOCK: Statement = {
  name: 'identity.try_lock',
  text: `select pg_try_advisory_xact_lock(hashtextextended('identity ' || $1::text, 0)) as held`,
};

const TAKE_MARKS: Statement = {
  name: 'identity.take_marks',
  text: `select mark_id, account_id, group_id from identity_marks where project_id = $1 order by created_at, mark_id limit $2`,
};

export type IdentityMarks = { ids: string[]; accounts: string[]; groups: string[] };

/** The marks that wait, while nobody else is at them; null when somebody is. */
export async function takeMarks(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  limit: number,
): Promise<IdentityMarks | null> {
  const [locked = [], rows = []] = await transaction.run(
    [TRY_LOCK, [projectId]],
    [TAKE_MARKS, [projectId, limit]],
  );
  if (!locked[0]?.held) return null;
  return {
    ids: rows.map(({ mark_id }) => mark_id),
    accounts: rows.flatMap(({ account_id }) => account_id ?? []),
    groups: rows.flatMap(({ group_id }) => group_id ?? []),
  };
}

/** The accounts, those of their groups and of the groups, and all that bridges lead to from there. */
const READ_REACH: Statement = {
  name: 'identity.read_reach',
  text: `with recursive named as (
      select group_id from unnest($3::uuid[]) as g (group_id)
      union select m.group_id from identity_members m where m.project_id = $1 and m.account_id = any($2::uuid[])
    ), reach (id) as (
      select id from unnest($2::uuid[]) as a (id)
      union select m.account_id from identity_members m join named n on n.group_id = m.group_id where m.project_id = $1
      union select l.linked_account_id from reach r
        join links l on l.project_id = $1 and l.account_id = r.id and l.bridges
    )
    select r.id, m.group_id from reach r
    left join identity_members m on m.project_id = $1 and m.account_id = r.id`,
};

/** Among them only: one that came since leads to accounts whose groups were not read, and has a mark of its own. */
const READ_BRIDGES: Statement = {
  name: 'identity.read_bridges',
  text: `select account_id as a, linked_account_id as b from links
         where project_id = $1 and account_id = any($2::uuid[]) and linked_account_id = any($2::uuid[])
           and account_id < linked_account_id and bridges`,
};

export type Reached = { id: string; group_id: string | null };

export async function readReach(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  accounts: readonly string[],
  groups: readonly string[],
): Promise<Reached[]> {
  const [reached = []] = await transaction.run([READ_REACH, [projectId, accounts, groups]]);
  return reached;
}

const READ_GROUPS: Statement = {
  name: 'identity.read_groups',
  text: `select g.group_id, g.size, (
           select count(*)::int from identity_members m where m.project_id = $1 and m.group_id = g.group_id
         ) as members
         from identity_groups g where g.project_id = $1 and g.group_id = any($2::uuid[])`,
};

/** How many accounts groups are told to have, and how many are there. */
export async function readGroups(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  groupIds: readonly string[],
): Promise<{ group_id: string; size: number; members: number }[]> {
  const [rows = []] = await transaction.run([READ_GROUPS, [projectId, groupIds]]);
  return rows;
}

export async function readBridges(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  accounts: readonly string[],
): Promise<Bridge[]> {
  const [bridges = []] = await transaction.run([READ_BRIDGES, [projectId, accounts]]);
  return bridges;
}

const WRITE: Statement = {
  name: 'identity.write',
  text: `with forgotten as (
      delete from identity_marks where project_id = $1 and mark_id = any($2::uuid[])
    ), left_group as (
      delete from identity_members where project_id = $1 and account_id = any($3::uuid[])
    ), dissolved as (
      delete from identity_groups where project_id = $1 and group_id = any($4::uuid[])
    ), grouped as (
      insert into identity_groups (project_id, group_id, size, created_at, updated_at)
      select $1, g.group_id, g.size, $5, $5 from unnest($6::uuid[], $7::int[]) as g (group_id, size)
      on conflict (project_id, group_id) do update set size = excluded.size, updated_at = excluded.updated_at
    ), joined as (
      insert into identity_members (project_id, account_id, group_id, joined_at)
      select $1, j.account_id, j.group_id, $5 from unnest($8::uuid[], $9::uuid[]) as j (account_id, group_id)
      on conflict (project_id, account_id) do update set group_id = excluded.group_id, joined_at = excluded.joined_at
    ), changed as (
      insert into identity_changes (project_id, change_id, at, group_id, action, other_group_id, size)
      select $1, c.change_id, $5, c.group_id, c.action, c.other_group_id, c.size
      from unnest($10::uuid[], $11::uuid[], $12::text[], $13::uuid[], $14::int[])
        as c (change_id, group_id, action, other_group_id, size)
    )
    ${insertEvents(
      { createdAt: '$5', eventId: 'e.event_id', type: 'e.type', payload: 'e.payload' },
      'from unnest($15::uuid[], $16::text[], $17::bytea[]) as e (event_id, type, payload)',
    )}`,
};

export function writeIdentities(
  projectId: string,
  markIds: readonly string[],
  { joined, left, groups, dissolved }: IdentityPlan,
  changes: readonly (IdentityChange & { changeId: string })[],
  events: readonly OutboxEvent[],
  now: Date,
): readonly [Statement, readonly unknown[]] {
  return [
    WRITE,
    [
      projectId,
      markIds,
      left,
      dissolved,
      now,
      groups.map(({ groupId }) => groupId),
      groups.map(({ size }) => size),
      joined.map(({ accountId }) => accountId),
      joined.map(({ groupId }) => groupId),
      changes.map(({ changeId }) => changeId),
      changes.map(({ groupId }) => groupId),
      changes.map(({ action }) => action),
      changes.map(({ otherGroupId }) => otherGroupId),
      changes.map(({ size }) => size),
      events.map(({ eventId }) => eventId),
      events.map(({ type }) => type),
      events.map(({ payload }) => payload),
    ],
  ];
}

/** Changes that are older are removed; those that say where a merged group went stay, so that old ids are found. */
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

/** Removes what became of identity groups a year ago, but for merges. */
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

/** Groups by ids that they have, or had before they were merged into the present ones. */
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

/** The groups of accounts; an account that is alone has none. */
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

/** Groups by their present ids. */
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

/** A page of the changes of each group, in the order in which it is read. */
export function findIdentityChanges(
  database: ProjectDatabase,
  groupIds: readonly string[],
  page: KeysetPage,
): Promise<IdentityChangeRow[]> {
  const values: unknown[] = [database.projectId, groupIds];
  const keyset = keysetOf(BY_TIME, 'DESC', page, (value) => `$${values.push(value)}`);
  const { shape, reads, conditions, order } = keyset;
  return database.query<IdentityChangeRow>(
    {
      name: `identity.find_changes:${shape}`,
      text: `select g.group_id, c.change_id, c.at, c.action, c.other_group_id, c.size from unnest($2::uuid[]) as g (group_id)
         cross join lateral (
           select x.at, x.change_id, x.action, x.other_group_id, x.size from identity_changes x
           where ${['x.project_id = $1', 'x.group_id = g.group_id', ...conditions].join(' and ')} ${order}
         ) c
         order by g.group_id, c.at ${reads}, c.change_id ${reads}`,
    },
    values,
  );
}

export type IdentityMemberRow = AccountRow & { group_id: string };

/** A page of the accounts of each group by internal id, which is the order in which they were created. */
export function findIdentityMembers(
  database: ProjectDatabase,
  groupIds: readonly string[],
  page: KeysetPage,
): Promise<IdentityMemberRow[]> {
  const values: unknown[] = [database.projectId, groupIds];
  const byAccount = [{ sql: 'x.account_id', type: 'uuid' }];
  const keyset = keysetOf(byAccount, 'ASC', page, (value) => `$${values.push(value)}`);
  const { shape, reads, conditions, order } = keyset;
  return database.query<IdentityMemberRow>(
    {
      name: `identity.find_members:${shape}`,
      text: `select m.group_id, ${accountColumns('a')} from unnest($2::uuid[]) as g (group_id)
         cross join lateral (
           select x.group_id, x.account_id from identity_members x
           where ${['x.project_id = $1', 'x.group_id = g.group_id', ...conditions].join(' and ')} ${order}
         ) m
         join accounts a on a.project_id = $1 and a.id = m.account_id
         order by m.group_id, m.account_id ${reads}`,
    },
    values,
  );
}

const countStatement = (table: 'identity_changes' | 'identity_members'): Statement => ({
  name: `identity.count:${table}`,
  text: `select g.id, c.total from unnest($2::uuid[]) as g (id) cross join lateral (
           select count(*)::int as total from (
             select from ${table} x where x.project_id = $1 and x.group_id = g.id limit $3
           ) found
         ) c`,
});

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
): Promise<{ id: string; total: number }[]> {
  return database.query(COUNT[what], [database.projectId, groupIds, limit]);
}
