import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { Session } from './session.ts';
import {
  countSessions as countStoredSessions,
  findSessionIdsOfAccount,
  type SessionFilter,
  type SessionSearch,
  searchSessions,
} from './session-search-store.ts';
import { findAccountIdsOfSessions, findSessions } from './session-store.ts';

export type { SessionFilter } from './session-search-store.ts';

/** Sessions by their ids, in this order; null for unknown ones. */
export async function readSessions(viewer: Viewer, ids: readonly string[]): Promise<(Session | null)[]> {
  assertMay(viewer, 'session.read');
  const { project } = viewer;
  const rows = await findSessions(project.database, ids);
  const byId = new Map(rows.map((row) => [row.session_id, new Session(project, row)]));
  return ids.map((id) => byId.get(id) ?? null);
}

/** A page of the sessions of the project, or of an account that the viewer has read, in the order in which it is read. */
export async function listSessions(viewer: Viewer, search: SessionSearch): Promise<Session[]> {
  assertMay(viewer, search.accountId == null ? 'session.search' : 'account.read');
  const { project } = viewer;
  const rows = await searchSessions(project.database, search);
  return rows.map((row) => new Session(project, row));
}

/** Number of sessions of the project, or of an account that the viewer has read, counted up to a limit. */
export function countSessions(viewer: Viewer, filter: SessionFilter, limit: number): Promise<number> {
  assertMay(viewer, filter.accountId == null ? 'session.search' : 'account.read');
  return countStoredSessions(viewer.project.database, filter, limit);
}

/** Ids of the sessions of an account that the viewer has read, by its internal id, the newest first. */
export function listSessionIds(viewer: Viewer, accountId: string, limit: number): Promise<string[]> {
  assertMay(viewer, 'account.read');
  return findSessionIdsOfAccount(viewer.project.database, accountId, limit);
}

/** The client's own ids of the accounts of sessions; of a token that is limited to an account, that account alone. */
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
