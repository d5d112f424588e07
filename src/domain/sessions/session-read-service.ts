import { isUuid } from '@vouchgraph/platform/ids';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { Session } from './session.ts';
import { conditionsOf, type SessionFilter, type SessionSearch } from './session-filter.ts';
import {
  countSessions as countStoredSessions,
  countSessionsOfAccounts as countStoredSessionsOfAccounts,
  findSessionIdsOfAccount,
  searchSessions,
  searchSessionsOfAccounts,
} from './session-search-store.ts';
import { findAccountIdsOfSessions, findSessions } from './session-store.ts';

export type { SessionFilter, SessionSearch } from './session-filter.ts';

/** Sessions by their ids, in this order; null for unknown ones. */
export async function readSessions(viewer: Viewer, ids: readonly string[]): Promise<(Session | null)[]> {
  assertMay(viewer, 'session.read');
  const { project } = viewer;
  const rows = await findSessions(project.database, ids);
  const byId = new Map(rows.map((row) => [row.session_id, new Session(project, row)]));
  return ids.map((id) => byId.get(id) ?? null);
}

/**
 * The sessions among these that a viewer may read by id, in lower case: all of them, those bound to the account that a
 * token is limited to, or the one session of a token.
 */
export async function visibleSessionIds(viewer: Viewer, ids: readonly string[]): Promise<Set<string>> {
  assertMay(viewer, 'session.read');
  const { accountId, sessionId, project } = viewer;
  const wanted = ids.filter(isUuid).map((id) => id.toLowerCase());
  if (sessionId !== undefined) return new Set(wanted.filter((id) => id === sessionId));
  if (accountId === undefined || wanted.length === 0) return new Set(wanted);
  const rows = await findAccountIdsOfSessions(project.database, wanted);
  return new Set(rows.filter((row) => row.account_id === accountId).map((row) => row.session_id));
}

/** A page of the sessions of the project, in the order in which it is read. */
export async function listSessions(viewer: Viewer, search: SessionSearch): Promise<Session[]> {
  assertMay(viewer, 'session.search');
  const { project } = viewer;
  const { direction, page, ...filter } = search;
  const conditions = conditionsOf(viewer, filter);
  if (!conditions) return [];
  const rows = await searchSessions(project.database, { ...conditions, direction, page });
  return rows.map((row) => new Session(project, row));
}

/** Number of sessions of the project, counted up to a limit. */
export async function countSessions(viewer: Viewer, filter: SessionFilter, limit: number): Promise<number> {
  assertMay(viewer, 'session.search');
  const { database } = viewer.project;
  const conditions = conditionsOf(viewer, filter);
  return conditions ? countStoredSessions(database, conditions, limit) : 0;
}

/**
 * The same page of the sessions of accounts that the viewer has read, by their internal ids, in this order; sessions
 * as they are read.
 */
export async function listSessionsOfAccounts(
  viewer: Viewer,
  accountIds: readonly string[],
  search: SessionSearch,
): Promise<Session[][]> {
  assertMay(viewer, 'account.read');
  const { project } = viewer;
  const { direction, page, ...filter } = search;
  const conditions = conditionsOf(viewer, filter);
  if (!conditions) return accountIds.map(() => []);
  const range = { ...conditions, direction, page };
  const rows = await searchSessionsOfAccounts(project.database, accountIds, range);
  const byAccount = Map.groupBy(rows, (row) => row.parent_id);
  return accountIds.map((id) => (byAccount.get(id) ?? []).map((row) => new Session(project, row)));
}

/** Number of sessions of accounts that the viewer has read, in the order of their internal ids, counted up to a limit. */
export async function countSessionsOfAccounts(
  viewer: Viewer,
  accountIds: readonly string[],
  filter: SessionFilter,
  limit: number,
): Promise<number[]> {
  assertMay(viewer, 'account.read');
  const { database } = viewer.project;
  const conditions = conditionsOf(viewer, filter);
  if (!conditions) return accountIds.map(() => 0);
  return countStoredSessionsOfAccounts(database, accountIds, conditions, limit);
}

/** Ids of the sessions of an account that the viewer has read, by its internal id, the newest first. */
export function listSessionIds(viewer: Viewer, accountId: string, limit: number): Promise<string[]> {
  assertMay(viewer, 'account.read');
  return findSessionIdsOfAccount(viewer.project.database, accountId, limit);
}

/** Ids of the accounts of sessions, assigned by the client. A token limited to an account receives only that account. */
export async function readAccountIdsOfSessions(
  viewer: Viewer,
  sessionIds: readonly string[],
): Promise<string[][]> {
  assertMay(viewer, 'session.read_accounts', { accountId: viewer.accountId });
  const { accountId } = viewer;
  const rows = await findAccountIdsOfSessions(viewer.project.database, sessionIds);
  const seen = accountId === undefined ? rows : rows.filter((row) => row.account_id === accountId);
  const bySession = Map.groupBy(seen, (row) => row.session_id);
  return sessionIds.map((id) => (bySession.get(id) ?? []).map((row) => row.account_id));
}
