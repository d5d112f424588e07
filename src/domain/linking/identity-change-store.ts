import type { OutboxEvent } from '@vouchgraph/events';
import type { Bridge, IdentityChange, IdentityPlan } from '@vouchgraph/linking';
import type { ProjectDatabase, Statement, Transaction } from '../../storage/database.ts';
import { tryLockByName } from '../../storage/locks.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { insertEvents } from '../events/insert-events-store.ts';

/*
 * Statements of the recalculation of identity groups. Each group has a spanning tree of bridges (`identity_members.parent_id`;
 * the root is its own parent). As long as all bridges of the tree exist, the group is connected, and its other bridges need
 * not be read. Pending recalculations are rows of `identity_recalculations`.
 */

/** One recalculation at a time per project. */
const TRY_LOCK = tryLockByName('identity.try_lock', 'identity');

const READ_PENDING: Statement = {
  name: 'identity.read_pending',
  text: `select recalculation_id, account_id, group_id from identity_recalculations where project_id = $1 order by created_at, recalculation_id limit $2`,
};

/**
 * Pending recalculations. `accounts`: accounts whose bridges changed. `removed`: groups of erased accounts. `whole`: groups that
 * are read completely.
 */
export type PendingIdentities = { ids: string[]; accounts: string[]; removed: string[]; whole: string[] };

/**
 * All statements of the transaction see one snapshot. Changes committed later enqueue recalculations of their own. A row that
 * another transaction updated since the snapshot causes a serialization failure, and the transaction is retried.
 */
const ONE_SNAPSHOT: Statement = {
  name: 'transaction.one_snapshot',
  text: 'set transaction isolation level repeatable read',
};

/** Locks the recalculation of the project and reads the oldest pending rows; null when another transaction has the lock. */
export async function claimPendingIdentities(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  limit: number,
): Promise<PendingIdentities | null> {
  const [, locked = [], rows = []] = await transaction.run(
    [ONE_SNAPSHOT, []],
    [TRY_LOCK, [projectId]],
    [READ_PENDING, [projectId, limit]],
  );
  if (!locked[0]?.is_locked) return null;
  return {
    ids: rows.map(({ recalculation_id }) => recalculation_id),
    accounts: [...new Set<string>(rows.flatMap(({ account_id }) => account_id ?? []))],
    removed: [...new Set<string>(rows.flatMap((row) => (row.account_id && row.group_id) ?? []))],
    whole: [...new Set<string>(rows.flatMap((row) => (row.account_id ? [] : (row.group_id ?? []))))],
  };
}

/**
 * Condition that rows exist, evaluated per row. With `exists` and statistics of a small table, the planner would hash all
 * bridges of the project instead, which takes 20 ms with 20,000 bridges.
 */
const isFound = (rows: string) => `((select count(*) from (select 1 ${rows} limit 1) found) > 0)`;

const bridgeOf = (a: string, b: string) =>
  isFound(
    `from links l where l.project_id = $1 and l.account_id = ${a} and l.linked_account_id = ${b} and l.bridges`,
  );
const hasChildren = (account: string) =>
  isFound(
    `from identity_members x where x.project_id = $1 and x.parent_id = ${account} and x.account_id <> ${account}`,
  );
const isUnplaced = (group: string) =>
  isFound(
    `from identity_members u where u.project_id = $1 and u.group_id = ${group} and u.parent_id is null`,
  );

/**
 * Changes around the pending accounts: each account with its group ('account'), its children in the tree whose bridge to it
 * no longer exists ('child'), and its bridges to other groups ('bridge').
 */
const READ_CHANGES: Statement = {
  name: 'identity.read_changes',
  text: `with pending as materialized (
      select a.id, m.group_id, m.parent_id from unnest($2::uuid[]) as a (id)
      left join identity_members m on m.project_id = $1 and m.account_id = a.id
    )
    select 'account' as what, k.id as a, k.group_id as a_group, null::uuid as b, null::uuid as b_group,
      k.parent_id <> k.id and not ${bridgeOf('k.id', 'k.parent_id')} as is_lost, ${hasChildren('k.id')} as has_children,
      ${isUnplaced('k.group_id')} as is_unplaced
    from pending k
    union all
    select 'child', c.account_id, c.group_id, k.id, null, true, ${hasChildren('c.account_id')}, false
    from pending k cross join lateral (
      select x.account_id, x.group_id from identity_members x
      where x.project_id = $1 and x.parent_id = k.id and x.account_id <> k.id offset 0
    ) c
    where not ${bridgeOf('k.id', 'c.account_id')}
    union all
    select 'bridge', k.id, k.group_id, l.linked_account_id, o.group_id, false, false, false
    from pending k cross join lateral (
      select x.linked_account_id from links x where x.project_id = $1 and x.account_id = k.id and x.bridges offset 0
    ) l
    left join lateral (
      select x.group_id from identity_members x where x.project_id = $1 and x.account_id = l.linked_account_id offset 0
    ) o on true
    where k.group_id is null or o.group_id is distinct from k.group_id`,
};

export type ChangeAround = {
  what: 'account' | 'child' | 'bridge';
  a: string;
  a_group: string | null;
  b: string | null;
  b_group: string | null;
  is_lost: boolean | null;
  has_children: boolean;
  is_unplaced: boolean;
};

export async function readChanges(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  accounts: readonly string[],
): Promise<ChangeAround[]> {
  if (accounts.length === 0) return [];
  const [rows = []] = await transaction.run([READ_CHANGES, [projectId, accounts]]);
  return rows;
}

/** `members`: number of accounts of the groups in $3; null for other groups. */
const READ_GROUPS: Statement = {
  name: 'identity.read_groups',
  text: `select w.id as group_id, coalesce(g.size, 0) as size, case when w.id = any($3::uuid[]) then (
        select count(*)::int from identity_members m where m.project_id = $1 and m.group_id = w.id
      ) end as members,
      ${isUnplaced('w.id')} as is_unplaced, g.group_id is not null as is_stored
    from unnest($2::uuid[]) as w (id) left join identity_groups g on g.project_id = $1 and g.group_id = w.id`,
};

export type GroupRead = {
  group_id: string;
  size: number;
  members: number | null;
  is_unplaced: boolean;
  is_stored: boolean;
};

/** Groups with their stored sizes. The accounts of groups in `counted` are counted as well. */
export async function readGroups(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  groupIds: readonly string[],
  counted: readonly string[],
): Promise<GroupRead[]> {
  if (groupIds.length === 0) return [];
  const [rows = []] = await transaction.run([READ_GROUPS, [projectId, groupIds, counted]]);
  return rows;
}

const READ_MEMBERS: Statement = {
  name: 'identity.read_members',
  text: `select account_id, group_id, parent_id from identity_members where project_id = $1 and group_id = any($2::uuid[])`,
};

export type Member = { account_id: string; group_id: string; parent_id: string | null };

/** All accounts of groups. */
export async function readMembers(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  groupIds: readonly string[],
): Promise<Member[]> {
  if (groupIds.length === 0) return [];
  const [rows = []] = await transaction.run([READ_MEMBERS, [projectId, groupIds]]);
  return rows;
}

/** All bridges of accounts, each once, with the group of the other account. */
const READ_BRIDGES: Statement = {
  name: 'identity.read_bridges',
  text: `with x as materialized (select id from unnest($2::uuid[]) as x (id))
    select l.account_id as a, l.linked_account_id as b, o.group_id as b_group
    from x join links l on l.project_id = $1 and l.account_id = x.id and l.bridges
    left join identity_members o on o.project_id = $1 and o.account_id = l.linked_account_id
    where l.account_id < l.linked_account_id or l.linked_account_id <> all($2::uuid[])`,
};

export async function readBridges(
  { projectId }: ProjectDatabase,
  transaction: Transaction,
  accounts: readonly string[],
): Promise<(Bridge & { b_group: string | null })[]> {
  if (accounts.length === 0) return [];
  const [bridges = []] = await transaction.run([READ_BRIDGES, [projectId, accounts]]);
  return bridges;
}

const DELETE_PENDING: Statement = {
  name: 'identity.delete_pending',
  text: 'delete from identity_recalculations where project_id = $1 and recalculation_id = any($2::uuid[])',
};

/** Deletes pending recalculations without changes. */
export function deletePendingIdentities(
  projectId: string,
  pendingIds: readonly string[],
): readonly [Statement, readonly unknown[]] {
  return [DELETE_PENDING, [projectId, pendingIds]];
}

const WRITE = namedStatement(
  'identity.write',
  `with processed as (
      delete from identity_recalculations where project_id = :projectId and recalculation_id = any(:pendingIds::uuid[])
    ), left_group as (
      delete from identity_members where project_id = :projectId and account_id = any(:removedAccounts::uuid[])
    ), dissolved as (
      delete from identity_groups where project_id = :projectId and group_id = any(:dissolvedGroups::uuid[])
    ), grouped as (
      insert into identity_groups (project_id, group_id, size, created_at, updated_at)
      select :projectId, g.group_id, g.size, :now, :now from unnest(:groupIds::uuid[], :groupSizes::int[]) as g (group_id, size)
      on conflict (project_id, group_id) do update set size = excluded.size, updated_at = excluded.updated_at
    ), joined as (
      insert into identity_members (project_id, account_id, group_id, parent_id, joined_at)
      select :projectId, j.account_id, j.group_id, j.parent_id, :now
      from unnest(:memberIds::uuid[], :memberGroups::uuid[], :memberParents::uuid[]) as j (account_id, group_id, parent_id)
      on conflict (project_id, account_id) do update set group_id = excluded.group_id, parent_id = excluded.parent_id,
        joined_at = case when identity_members.group_id = excluded.group_id then identity_members.joined_at
          else excluded.joined_at end
    ), changed as (
      insert into identity_changes (project_id, change_id, at, group_id, action, other_group_id, size)
      select :projectId, c.change_id, :now, c.group_id, c.action, c.other_group_id, c.size
      from unnest(:changeIds::uuid[], :changedGroups::uuid[], :changeActions::text[], :changeOtherGroups::uuid[],
        :changeSizes::int[])
        as c (change_id, group_id, action, other_group_id, size)
    ), ${insertEvents(
      { createdAt: ':now', eventId: 'e.event_id', type: 'e.type', payload: 'e.payload' },
      'from unnest(:eventIds::uuid[], :eventTypes::text[], :eventPayloads::bytea[]) as e (event_id, type, payload)',
    )}`,
  ['eventIds', 'eventTypes', 'eventPayloads'],
);

/** An account with its group and its parent in the tree of the group. */
export type PlacedMember = {
  readonly accountId: string;
  readonly groupId: string;
  readonly parentId: string;
};

export type IdentityWrites = {
  readonly pendingIds: readonly string[];
  readonly plan: Pick<IdentityPlan, 'removed' | 'groups' | 'dissolved'>;
  readonly members: readonly PlacedMember[];
  readonly changes: readonly (IdentityChange & { changeId: string })[];
  readonly events: readonly OutboxEvent[];
};

export function writeIdentities(
  projectId: string,
  { pendingIds, plan: { removed, groups, dissolved }, members, changes, events }: IdentityWrites,
  now: Date,
): readonly [Statement, readonly unknown[]] {
  return WRITE.call({
    projectId,
    pendingIds,
    removedAccounts: removed,
    dissolvedGroups: dissolved,
    now,
    groupIds: groups.map(({ groupId }) => groupId),
    groupSizes: groups.map(({ size }) => size),
    memberIds: members.map(({ accountId }) => accountId),
    memberGroups: members.map(({ groupId }) => groupId),
    changeIds: changes.map(({ changeId }) => changeId),
    changedGroups: changes.map(({ groupId }) => groupId),
    changeActions: changes.map(({ action }) => action),
    changeOtherGroups: changes.map(({ otherGroupId }) => otherGroupId),
    changeSizes: changes.map(({ size }) => size),
    eventIds: events.map(({ eventId }) => eventId),
    eventTypes: events.map(({ type }) => type),
    eventPayloads: events.map(({ payload }) => payload),
    memberParents: members.map(({ parentId }) => parentId),
  });
}
