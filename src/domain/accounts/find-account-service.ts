import { forbidden } from '../../platform/errors.ts';
import { LIMITS } from '../../platform/limits.ts';
import type { Viewer } from '../projects/access-service.ts';
import { Account } from './account.ts';
import {
  type AccountWithNeighbours,
  findAccountWithNeighbours,
  type WantedNeighbours,
} from './account-neighbours-store.ts';
import { findAccountByAccountId } from './account-store.ts';
import { accountNotFound } from './errors.ts';

/** The account with the client's id, or null. */
export async function findAccount(viewer: Viewer, accountId: string): Promise<Account | null> {
  if (viewer.accountId !== undefined && viewer.accountId !== accountId) return null;
  if (viewer.sessionId !== undefined || isTooLong(accountId)) return null;
  const row = await findAccountByAccountId(viewer.project.database, accountId);
  return row && new Account(viewer.project, row);
}

/** A row with its first links and its latest session, for who may read them all. */
export async function findAccountAndNeighbours(
  viewer: Viewer,
  accountId: string,
  wanted: WantedNeighbours,
): Promise<AccountWithNeighbours | null> {
  if (viewer.accountId !== undefined || viewer.sessionId !== undefined) return null;
  if (isTooLong(accountId)) return null;
  return findAccountWithNeighbours(viewer.project.database, accountId, wanted);
}

/** The account with the client's id. Throws `account.not_found`. */
export async function getAccount(viewer: Viewer, accountId: string): Promise<Account> {
  if (viewer.sessionId !== undefined) throw forbidden('This token is limited to one session');
  const account = await findAccount(viewer, accountId);
  if (!account) throw accountNotFound();
  return account;
}

/** Counted in characters, as where ids are taken. */
function isTooLong(accountId: string): boolean {
  return accountId.length > LIMITS.accountIdLength && [...accountId].length > LIMITS.accountIdLength;
}
