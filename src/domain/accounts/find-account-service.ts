import { LIMITS } from '@vouchgraph/platform/limits';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay, isLimited, isWithin } from '../projects/assert-may.ts';
import { Account } from './account.ts';
import { findAccountByAccountId } from './account-store.ts';
import {
  type AccountSelection,
  type AccountWithLinks,
  findAccountWithLinks,
} from './account-with-links-store.ts';

/** The account with the client's id, or null. */
export async function findAccount(viewer: Viewer, accountId: string): Promise<Account | null> {
  assertMay(viewer, 'account.read');
  if (!isWithin(viewer, { accountId }) || isTooLong(accountId)) return null;
  const row = await findAccountByAccountId(viewer.project.database, accountId);
  return row && new Account(viewer.project, row);
}

/** An account with its first links and latest session, for viewers that may read all of them; otherwise null. */
export async function readAccountWithLinks(
  viewer: Viewer,
  accountId: string,
  wanted: AccountSelection,
): Promise<AccountWithLinks | null> {
  assertMay(viewer, 'account.read');
  if (isLimited(viewer) || isTooLong(accountId)) return null;
  return findAccountWithLinks(viewer.project.database, accountId, wanted);
}

/** The length in characters, as in the validation of ids. */
function isTooLong(accountId: string): boolean {
  return accountId.length > LIMITS.accountIdLength && [...accountId].length > LIMITS.accountIdLength;
}
