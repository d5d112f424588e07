import {
  adjacencyOf,
  type Bridge,
  type Component,
  componentsOf,
  connect,
  type IdentityPlan,
  planIdentities,
  reroot,
} from '@vouchgraph/linking';
import type { ProjectDatabase, Transaction } from '../../storage/database.ts';
import {
  type Member,
  type PendingIdentities,
  type PlacedMember,
  readBridges,
  readChanges,
  readGroups,
  readMembers,
} from './identity-change-store.ts';

/*
 * Computes the changes of identity groups from pending recalculations. A bridge inside a group changes nothing. A bridge
 * between two groups attaches the smaller group to the larger one. A leaf of a group's tree whose bridge no longer exists is
 * recalculated alone. All accounts of a group are read only when a bridge to an inner account of the tree no longer exists.
 */

/** Group and parent of an account before the recalculation. */
type Place = { readonly groupId: string | null; readonly parentId: string | null };

/** State of one recalculation. */
class Exploration {
  /** Stored sizes of the affected groups. */
  readonly sizes = new Map<string, number>();
  /** Current number of accounts of the affected groups. */
  readonly present = new Map<string, number>();
  /** Groups whose accounts are all recalculated individually. */
  readonly explored = new Set<string>();
  /** Accounts that are recalculated individually. */
  readonly singles = new Map<string, Place>();
  readonly groupAt = new Map<string, string | null>();
  readonly bridges: Bridge[] = [];
  /** Accounts of groups that merge into others, as read. */
  readonly members = new Map<string, readonly Member[]>();

  addBridge(a: string, aGroup: string | null, b: string, bGroup: string | null): void {
    this.bridges.push({ a, b });
    for (const [account, groupId] of [
      [a, aGroup],
      [b, bGroup],
    ] as const) {
      this.groupAt.set(account, groupId);
      const isAlone = groupId === null && !this.singles.has(account);
      if (isAlone) this.singles.set(account, { groupId, parentId: null });
    }
  }

  /** The node of an account: itself if it is recalculated individually, otherwise its group. */
  nodeOf = (account: string): string => (this.singles.has(account) ? account : this.groupAt.get(account)!);

  /** Groups that stay connected, with the number of their accounts without the individual ones. */
  wholes(): Map<string, number> {
    const wholes = new Map([...this.present].filter(([groupId]) => !this.explored.has(groupId)));
    for (const { groupId } of this.singles.values()) {
      const count = groupId === null ? undefined : wholes.get(groupId);
      if (count !== undefined) wholes.set(groupId!, count - 1);
    }
    return wholes;
  }
}

export type IdentityUpdate = { readonly plan: IdentityPlan; readonly members: PlacedMember[] };

/** The groups after the pending recalculations; null without changes. */
export async function exploreIdentities(
  database: ProjectDatabase,
  transaction: Transaction,
  pending: PendingIdentities,
  newGroupId: () => string,
): Promise<IdentityUpdate | null> {
  const found = new Exploration();
  for (const groupId of pending.whole) found.explored.add(groupId);
  await readAround(database, transaction, pending.accounts, found);
  const { bridges, singles, explored } = found;
  if (bridges.length + singles.size + explored.size + pending.removed.length === 0) return null;
  await readConcerned(database, transaction, pending.removed, found);
  for (;;) {
    const components = partsOf(found);
    const memberships = new Map(
      [...singles].flatMap(([id, { groupId }]) => (groupId === null ? [] : [[id, groupId] as const])),
    );
    const plan = planIdentities(components, memberships, found.sizes, newGroupId);
    const placed = placeMembers(found, components, plan);
    if ('members' in placed) return { plan, members: placed.members };
    await readMoving(database, transaction, placed.unread, found);
  }
}

/** Reads the changes of pending accounts: bridges to other groups, and missing bridges of the trees. */
async function readAround(
  database: ProjectDatabase,
  transaction: Transaction,
  accounts: readonly string[],
  found: Exploration,
): Promise<void> {
  const around = await readChanges(database, transaction, accounts);
  for (const { what, a, a_group: groupId, is_lost, is_unplaced, has_children } of around) {
    if (what === 'bridge' || groupId === null) continue;
    if (is_unplaced || (is_lost && has_children)) found.explored.add(groupId);
    else if (is_lost) found.singles.set(a, { groupId, parentId: null });
  }
  for (const { what, a, a_group, b, b_group } of around)
    if (what === 'bridge') found.addBridge(a, a_group, b!, b_group);
}

/** Reads the affected groups, the accounts of explored groups, and all bridges of individual accounts. */
async function readConcerned(
  database: ProjectDatabase,
  transaction: Transaction,
  removed: readonly string[],
  found: Exploration,
): Promise<void> {
  const { sizes, present, explored, singles, groupAt } = found;
  const readGroupIds = new Set<string>();
  const readMemberIds = new Set<string>();
  const readAccounts = new Set<string>();
  for (;;) {
    const members = await readMembers(database, transaction, addNew(explored, readMemberIds));
    for (const { account_id, group_id: groupId, parent_id: parentId } of members) {
      singles.set(account_id, { groupId, parentId });
      groupAt.set(account_id, groupId);
    }
    const apart = [...singles].flatMap(([id, { groupId }]) => (groupId === null ? [] : id));
    for (const { a, b, b_group } of await readBridges(database, transaction, addNew(apart, readAccounts)))
      found.addBridge(a, singles.get(a)!.groupId, b, b_group);
    const groups = [...singles.values()].map(({ groupId }) => groupId);
    const concerned = [
      ...removed,
      ...explored,
      ...[...groups, ...groupAt.values()].flatMap((id) => id ?? []),
    ];
    for (const group of await readGroups(database, transaction, addNew(concerned, readGroupIds), removed)) {
      const { group_id: groupId, size, members: counted, is_unplaced, is_stored } = group;
      if (is_stored) sizes.set(groupId, size);
      present.set(groupId, counted ?? size);
      if (is_unplaced) explored.add(groupId);
    }
    // A single remaining account is no group.
    for (const [groupId, count] of found.wholes()) if (count <= 1) explored.add(groupId);
    if ([...explored].every((groupId) => readMemberIds.has(groupId))) return;
  }
}

/** Adds ids to a set, and returns those that are new. */
function addNew(all: Iterable<string>, known: Set<string>): string[] {
  const added = [...new Set(all)].filter((id) => !known.has(id));
  for (const id of added) known.add(id);
  return added;
}

/**
 * An account was erased between two statements, so that their results are inconsistent. It has the code of a serialization
 * failure: the transaction is retried.
 */
class InconsistentReads extends Error {
  readonly code = '40001';
}

/** Connected components of individual accounts and whole groups, of at least two accounts. */
function partsOf(found: Exploration): Component[] {
  const wholes = found.wholes();
  const edges = found.bridges
    .map(({ a, b }) => ({ a: found.nodeOf(a), b: found.nodeOf(b) }))
    .filter(({ a, b }) => a !== b);
  const parts = componentsOf(edges).map((nodes): Component => {
    const groups = nodes.filter((node) => wholes.has(node));
    return {
      accounts: nodes.filter((node) => !wholes.has(node)),
      wholes: new Map(groups.map((groupId) => [groupId, wholes.get(groupId)!])),
    };
  });
  const connected = new Set(parts.flatMap((part) => [...part.wholes.keys()]));
  const alone = [...wholes].filter(([groupId]) => !connected.has(groupId));
  return [...parts, ...alone.map((whole): Component => ({ accounts: [], wholes: new Map([whole]) }))];
}

type Placed = { readonly members: PlacedMember[] } | { readonly unread: readonly string[] };

/** The new tree position of each account that moves; or the groups whose accounts must be read first. */
function placeMembers(found: Exploration, components: readonly Component[], plan: IdentityPlan): Placed {
  const outOf = adjacencyOf(found.bridges, found.nodeOf);
  const unread: string[] = [];
  const members: PlacedMember[] = [];
  for (const component of components) {
    const groupId = plan.groupOf.get(component)!;
    const { parents, attached } = connect(component, outOf, found.nodeOf);
    for (const accountId of component.accounts) {
      const before = found.singles.get(accountId);
      if (!before) throw new InconsistentReads('an account is no longer in the group that it was read with');
      const parentId = parents.get(accountId)!;
      const isSame = before.groupId === groupId && before.parentId === parentId;
      if (!isSame) members.push({ accountId, groupId, parentId });
    }
    for (const from of component.wholes.keys()) {
      const at = attached.get(from);
      if (from === groupId && !at) continue;
      const own = found.members.get(from);
      if (!own) {
        unread.push(from);
        continue;
      }
      const before = new Map(own.map(({ account_id, parent_id }) => [account_id, parent_id!]));
      const after = at ? reroot(before, at) : before;
      for (const [accountId, parentId] of after)
        if (from !== groupId || parentId !== before.get(accountId))
          members.push({ accountId, groupId, parentId });
    }
  }
  return unread.length > 0 ? { unread } : { members };
}

/** Reads and counts the accounts of groups that merge into others: an account may have been erased since. */
async function readMoving(
  database: ProjectDatabase,
  transaction: Transaction,
  groupIds: readonly string[],
  found: Exploration,
): Promise<void> {
  const { members, singles, present } = found;
  const byGroup = Map.groupBy(await readMembers(database, transaction, groupIds), ({ group_id }) => group_id);
  for (const groupId of groupIds) {
    const all = byGroup.get(groupId) ?? [];
    present.set(groupId, all.length);
    members.set(
      groupId,
      all.filter(({ account_id }) => !singles.has(account_id)),
    );
  }
}
