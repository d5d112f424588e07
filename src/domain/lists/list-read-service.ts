import type { KeysetPage } from '../../platform/keyset.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import {
  countLists,
  countLiveMembers,
  countMembers,
  findAccountIdsOnLists,
  findKeptOff,
  findLists,
  findListsByIds,
  findListsOfAccounts,
  findMembers,
  type KeptOffRow,
  type ListMemberRow,
  type StoredList,
} from './list-store.ts';

export type { KeptOffRow, ListMemberRow, StoredList } from './list-store.ts';

/** A page of the lists of the project by name. */
export function listLists(viewer: Viewer, page: KeysetPage): Promise<StoredList[]> {
  assertMay(viewer, 'list.read');
  return findLists(viewer.project.database, page);
}

/**
 * Lists by their ids, in this order; null for unknown ones. A browser token reads the lists of accounts that it reads, and
 * one that is limited to a session none.
 */
export async function readLists(viewer: Viewer, listIds: readonly string[]): Promise<(StoredList | null)[]> {
  assertMay(viewer, 'list.read_by_id');
  const { kind, accountId, sessionId, project } = viewer;
  if (sessionId !== undefined) return listIds.map(() => null);
  const lists =
    kind === 'browser_token'
      ? await findListsOfAccounts(project.database, listIds, accountId ?? null)
      : await findListsByIds(project.database, listIds);
  const byId = new Map(lists.map((list) => [list.listId, list]));
  return listIds.map((id) => byId.get(id) ?? null);
}

/** Number of lists of the project, counted up to a limit. */
export function countAllLists(viewer: Viewer, limit: number): Promise<number> {
  assertMay(viewer, 'list.read');
  return countLists(viewer.project.database, limit);
}

/** Number of accounts on lists, in the order of their ids; expired members do not count. */
export async function countListMembers(
  viewer: Viewer,
  listIds: readonly string[],
  now: Date,
): Promise<number[]> {
  assertMay(viewer, 'list.read');
  const rows = await countMembers(viewer.project.database, listIds, now);
  const byList = new Map(rows.map((row) => [row.list_id, row.members]));
  return listIds.map((id) => byList.get(id) ?? 0);
}

/** The clients' own ids of all accounts on lists, in the order of the lists' ids. */
export async function readAccountIdsOfLists(
  viewer: Viewer,
  listIds: readonly string[],
  now: Date,
): Promise<string[][]> {
  assertMay(viewer, 'list.read');
  const rows = await findAccountIdsOnLists(viewer.project.database, listIds, now);
  const byList = new Map(rows.map((row) => [row.list_id, row.account_ids]));
  return listIds.map((id) => byList.get(id) ?? []);
}

/** Number of accounts on lists, in the order of their ids, counted up to a limit; expired members do not count. */
export async function countMembersUpTo(
  viewer: Viewer,
  listIds: readonly string[],
  now: Date,
  limit: number,
): Promise<number[]> {
  assertMay(viewer, 'list.read');
  const rows = await countLiveMembers(viewer.project.database, listIds, now, limit);
  const byList = new Map(rows.map((row) => [row.list_id, row.members]));
  return listIds.map((id) => byList.get(id) ?? 0);
}

/** The same page of the accounts on several lists, in the order of the lists' ids. */
export async function listMembersOfLists(
  viewer: Viewer,
  listIds: readonly string[],
  page: KeysetPage,
  now: Date,
): Promise<ListMemberRow[][]> {
  assertMay(viewer, 'list.read');
  const rows = await findMembers(viewer.project.database, listIds, page, now);
  const byList = Map.groupBy(rows, (row) => row.list_id);
  return listIds.map((id) => byList.get(id) ?? []);
}

/** Lists that rules may not add accounts to, by the accounts' internal ids, in this order. */
export async function readKeptOffLists(viewer: Viewer, ids: readonly string[]): Promise<KeptOffRow[][]> {
  assertMay(viewer, 'list.read');
  const byAccount = Map.groupBy(await findKeptOff(viewer.project.database, ids), (row) => row.account);
  return ids.map((id) => byAccount.get(id) ?? []);
}
