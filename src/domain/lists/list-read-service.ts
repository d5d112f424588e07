import { readListName } from '@vouchgraph/decisions';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { List, ListKeepOff, ListMember } from '../../storage/generated/prisma/client.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import {
  countLists,
  countLiveMembers,
  countMembers,
  findAccountIdsOnLists,
  findKeepOffs,
  findLists,
  findListsByName,
  findListsOfAccount,
  findMembers,
  type KeepOffQuery,
} from './list-store.ts';

export type { KeepOffQuery } from './list-store.ts';

/** Lists by their names, in this order; null for names of no list. */
export async function readListsByName(viewer: Viewer, names: readonly string[]): Promise<(List | null)[]> {
  assertMay(viewer, 'list.read');
  const read = names.map(readListName);
  const possible = read.filter((name) => name !== null);
  const rows = possible.length > 0 ? await findListsByName(viewer.project.database, possible) : [];
  const byName = new Map(rows.map((list) => [list.name, list]));
  return read.map((name) => (name === null ? null : (byName.get(name) ?? null)));
}

/** A page of the lists of the project by name. */
export function listLists(viewer: Viewer, page: KeysetPage): Promise<List[]> {
  assertMay(viewer, 'list.read');
  return findLists(viewer.project.database, page);
}

/**
 * Whether a browser token reads lists, in the order of their ids: it reads those of accounts that it reads, and one that is
 * limited to a session none.
 */
export async function readableByToken(
  viewer: Viewer,
  listIds: readonly string[],
  now: Date,
): Promise<boolean[]> {
  assertMay(viewer, 'list.read_by_id');
  const { accountId, sessionId, project } = viewer;
  if (sessionId !== undefined) return listIds.map(() => false);
  const readable = new Set(await findListsOfAccount(project.database, listIds, accountId, now));
  return listIds.map((id) => readable.has(id));
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
  return countMembers(viewer.project.database, listIds, now);
}

/** Ids, assigned by the client, of all accounts on lists, in the order of the lists' ids. */
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
  return countLiveMembers(viewer.project.database, listIds, now, limit);
}

/** The same page of the memberships of several lists, in the order of the lists' ids. */
export function listMembersOfLists(
  viewer: Viewer,
  listIds: readonly string[],
  page: KeysetPage,
  now: Date,
): Promise<ListMember[][]> {
  assertMay(viewer, 'list.read');
  return findMembers(viewer.project.database, listIds, page, now);
}

/** Lists that rules may not add accounts to, by the accounts' internal ids, in this order. */
export async function readKeepOffs(
  viewer: Viewer,
  ids: readonly string[],
  query: KeepOffQuery,
): Promise<ListKeepOff[][]> {
  assertMay(viewer, 'list.read');
  const rows = await findKeepOffs(viewer.project.database, ids, query);
  const byAccount = Map.groupBy(rows, ({ accountId }) => accountId);
  return ids.map((id) => byAccount.get(id) ?? []);
}
