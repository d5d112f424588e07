import { LIMITS } from '../../platform/limits.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay, isLimited, isWithin } from '../projects/assert-may.ts';
import { Account } from './account.ts';
import {
  type AccountWithNeighbours,
  findAccountWithNeighbours,
  type WantedNeighbours,
} from './account-neighbours-store.ts';
import { findAccountByAccountId } from './account-store.ts';

/** The account with the client's id, or null. */
export async function findAccount(viewer: Viewer, accountId: string): Promise<Account | null> {
  assertMay(viewer, 'account.read');
  if (!isWithin(viewer, { accountId }) || isTooLong(accountId)) return null;
  const row = await findAccountByAccountId(viewer.project.database, accountId);
  return row && new Account(viewer.project, row);
}

/** A row with its first links and its latest session, for who may read them all. */
export async function findAccountAndNeighbours(
  viewer: Viewer,
  accountId: string,
  wanted: WantedNeighbours,
): Promise<AccountWithNeighbours | null> {
  assertMay(viewer, 'account.read');
  if (isLimited(viewer) || isTooLong(accountId)) return null;
  return findAccountWithNeighbours(viewer.project.database, accountId, wanted);
}

/** Counted in characters, as where ids are taken. */
function isTooLong(accountId: string): boolean {
  return accountId.length > LIMITS.accountIdLength && [...accountId].length > LIMITS.accountIdLength;
}
