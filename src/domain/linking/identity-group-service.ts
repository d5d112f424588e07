import { isUuid } from '@vouchgraph/platform/ids';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import {
  countOfGroups,
  findIdentityChanges,
  findIdentityGroups,
  findIdentityGroupsOf,
  findIdentityMembers,
  findRenamedGroups,
  type IdentityChangeRow,
  type IdentityGroupRow,
  type IdentityMemberRow,
} from './identity-store.ts';

export { IDENTITY_ACTIONS } from '@vouchgraph/linking';
export type { IdentityChangeRow, IdentityGroupRow, IdentityMemberRow } from './identity-store.ts';

/** Identity groups by their ids, or by ids of groups merged into them, in the same order; null for unknown ids. */
export async function readRenamedGroups(
  viewer: Viewer,
  groupIds: readonly string[],
): Promise<(IdentityGroupRow | null)[]> {
  assertMay(viewer, 'identity_group.read');
  const possible = groupIds.filter(isUuid);
  const rows = possible.length > 0 ? await findRenamedGroups(viewer.project.database, possible) : [];
  const byId = new Map(rows.map((row) => [row.wanted, row]));
  return groupIds.map((id) => byId.get(id.toLowerCase()) ?? null);
}

/** Identity groups by internal ids of accounts, in the same order; null for an account without a group. */
export async function readGroupsOfAccounts(
  viewer: Viewer,
  ids: readonly string[],
): Promise<(IdentityGroupRow | null)[]> {
  assertMay(viewer, 'identity_group.read');
  const rows = await findIdentityGroupsOf(viewer.project.database, ids);
  const byAccount = new Map(rows.map((row) => [row.account_id, row]));
  return ids.map((id) => byAccount.get(id) ?? null);
}

/** Identity groups by their current ids, in the same order; null for unknown ids. */
export async function readIdentityGroups(
  viewer: Viewer,
  groupIds: readonly string[],
): Promise<(IdentityGroupRow | null)[]> {
  assertMay(viewer, 'identity_group.read');
  const rows = await findIdentityGroups(viewer.project.database, groupIds);
  const byId = new Map(rows.map((row) => [row.group_id, row]));
  return groupIds.map((id) => byId.get(id) ?? null);
}

/** One page of changes per group, in the order of `groupIds`. */
export async function listGroupChanges(
  viewer: Viewer,
  groupIds: readonly string[],
  page: KeysetPage,
): Promise<IdentityChangeRow[][]> {
  assertMay(viewer, 'identity_group.read');
  const rows = await findIdentityChanges(viewer.project.database, groupIds, page);
  const byGroup = Map.groupBy(rows, (row) => row.group_id);
  return groupIds.map((id) => byGroup.get(id) ?? []);
}

/** One page of accounts per group, in the order of `groupIds`. */
export async function listGroupMembers(
  viewer: Viewer,
  groupIds: readonly string[],
  page: KeysetPage,
): Promise<IdentityMemberRow[][]> {
  assertMay(viewer, 'identity_group.read');
  const rows = await findIdentityMembers(viewer.project.database, groupIds, page);
  const byGroup = Map.groupBy(rows, (row) => row.group_id);
  return groupIds.map((id) => byGroup.get(id) ?? []);
}

/** Number of changes or accounts per group, in the order of `groupIds`, counted up to a limit. */
export async function countPartsOfGroups(
  viewer: Viewer,
  what: 'changes' | 'members',
  groupIds: readonly string[],
  limit: number,
): Promise<number[]> {
  assertMay(viewer, 'identity_group.read');
  return countOfGroups(viewer.project.database, what, groupIds, limit);
}
