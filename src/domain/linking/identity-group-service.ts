import { isUuid } from '../../platform/ids.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import {
  findIdentityChanges,
  findIdentityGroup,
  findIdentityGroupsOf,
  findIdentityMembers,
  type IdentityChangeRow,
  type IdentityGroupRow,
  type IdentityMemberRow,
} from './identity-store.ts';

export type { IdentityChangeRow, IdentityGroupRow, IdentityMemberRow } from './identity-store.ts';

/** An identity group by its id, or by an id of a group that was merged into it; null when unknown. */
export async function readIdentityGroup(viewer: Viewer, groupId: string): Promise<IdentityGroupRow | null> {
  assertMay(viewer, 'identity_group.read');
  return isUuid(groupId) ? findIdentityGroup(viewer.project.database, groupId) : null;
}

/** Identity groups of accounts, by their internal ids, in this order; null for an account without a group. */
export async function readGroupsOfAccounts(
  viewer: Viewer,
  ids: readonly string[],
): Promise<(IdentityGroupRow | null)[]> {
  assertMay(viewer, 'identity_group.read');
  const rows = await findIdentityGroupsOf(viewer.project.database, ids);
  const byAccount = new Map(rows.map((row) => [row.account_id, row]));
  return ids.map((id) => byAccount.get(id) ?? null);
}

/** The latest changes of several groups, in the order of their ids. */
export async function listGroupChanges(
  viewer: Viewer,
  groupIds: readonly string[],
  limit: number,
): Promise<IdentityChangeRow[][]> {
  assertMay(viewer, 'identity_group.read');
  const rows = await findIdentityChanges(viewer.project.database, groupIds, limit);
  const byGroup = Map.groupBy(rows, (row) => row.group_id);
  return groupIds.map((id) => byGroup.get(id) ?? []);
}

/** The same page of the accounts of several groups, in the order of their ids. */
export async function listGroupMembers(
  viewer: Viewer,
  groupIds: readonly string[],
  after: string | null,
  limit: number,
): Promise<IdentityMemberRow[][]> {
  assertMay(viewer, 'identity_group.read');
  const rows = await findIdentityMembers(viewer.project.database, groupIds, after, limit);
  const byGroup = Map.groupBy(rows, (row) => row.group_id);
  return groupIds.map((id) => byGroup.get(id) ?? []);
}
