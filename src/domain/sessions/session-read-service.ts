import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { Session } from './session.ts';
import { findSessionIdsOfAccount, type SessionSearch, searchSessions } from './session-search-store.ts';
import { findAccountIdsOfSessions, findSessions } from './session-store.ts';

export type { SessionSearch } from './session-search-store.ts';

/** Sessions by their ids, in this order; null for unknown ones. */
export async function readSessions(viewer: Viewer, ids: readonly string[]): Promise<(Session | null)[]> {
  assertMay(viewer, 'session.read');
  const { project } = viewer;
  const rows = await findSessions(project.database, ids);
  const byId = new Map(rows.map((row) => [row.session_id, new Session(project, row)]));
  return ids.map((id) => byId.get(id) ?? null);
}

/** A page of the sessions of the project. */
export function listSessions(viewer: Viewer, search: Omit<SessionSearch, 'accountId'>): Promise<Session[]> {
  assertMay(viewer, 'session.search');
  return findPage(viewer, search);
}

/** A page of the sessions of an account that the viewer has read, by its internal id. */
export function listSessionsOfAccount(
  viewer: Viewer,
  accountId: string,
  search: Omit<SessionSearch, 'accountId'>,
): Promise<Session[]> {
  assertMay(viewer, 'account.read');
  return findPage(viewer, { ...search, accountId });
}

async function findPage({ project }: Viewer, search: SessionSearch): Promise<Session[]> {
  const rows = await searchSessions(project.database, search);
  return rows.map((row) => new Session(project, row));
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
