import type { Clock } from '@vouchgraph/platform/clock';
import { isUuid } from '@vouchgraph/platform/ids';
import type { List } from '../../../storage/generated/prisma/client.ts';
import { listNotFound } from '../../lists/errors.ts';
import type { AccountsToAdd } from '../../lists/list-input.ts';
import { addAccounts, assertNotPast } from '../../lists/list-members-service.ts';
import { readListsByName } from '../../lists/list-read-service.ts';
import type { Viewer } from '../../projects/access-service.ts';
import { assertMay } from '../../projects/assert-may.ts';
import {
  backtestMatchesExpired,
  backtestNotDone,
  backtestNotFound,
  tooManyMatchedAccounts,
} from '../../rules/errors.ts';
import { type Backtest, MATCH_DAYS } from './backtest.ts';
import { findOnList, readMatchedAccounts } from './backtest-list-store.ts';
import { findBacktest } from './backtest-store.ts';

/** Different accounts of a backtest that can be added to a list. */
export const MAX_MATCHED_ACCOUNTS = 100_000;

/** Accounts of one transaction: it takes a fraction of a second. */
const ACCOUNTS_AT_ONCE = 500;

/** A call ends after the current batch, so that its response arrives; the next call continues. */
const MAX_SECONDS = 20;

export type MatchesToAdd = Pick<AccountsToAdd, 'list' | 'reason' | 'expiresAt'> & {
  readonly backtestId: string;
};

export type AddedMatches = {
  readonly list: List;
  /** Number of accounts that this call added, and of those that were on the list already. */
  readonly added: number;
  readonly alreadyMember: number;
  /** Number of accounts that remain for another call. */
  readonly remaining: number;
};

/**
 * Adds the accounts that a backtest matched to a list, in one transaction per batch. Added accounts stay when a later batch
 * fails. A repeated call adds the missing accounts: accounts on the list keep their reason and expiry.
 */
export async function addMatchesToList(
  clock: Clock,
  viewer: Viewer,
  requestId: string,
  { backtestId, list: name, reason, expiresAt = null }: MatchesToAdd,
): Promise<AddedMatches> {
  assertMay(viewer, 'backtest.add_matches');
  const { database } = viewer.project;
  assertNotPast(expiresAt, clock.now());
  assertUsable(isUuid(backtestId) ? await findBacktest(database, backtestId) : null, clock.now());
  const [list] = await readListsByName(viewer, [name]);
  if (!list) throw listNotFound(name, 'list');
  const accounts = await readMatchedAccounts(database, backtestId);
  const endsAt = performance.now() + MAX_SECONDS * 1000;
  let added = 0;
  let alreadyMember = 0;
  for (let from = 0; from < accounts.length; from += ACCOUNTS_AT_ONCE) {
    if (performance.now() > endsAt) return { list, added, alreadyMember, remaining: accounts.length - from };
    const part = accounts.slice(from, from + ACCOUNTS_AT_ONCE);
    const found = await findOnList(database, part, list.listId, clock.now());
    const accountIds = found.filter(({ isMember }) => !isMember).map(({ accountId }) => accountId);
    alreadyMember += found.length - accountIds.length;
    if (accountIds.length === 0) continue;
    const input = { list: name, accountIds, reason, expiresAt };
    const addition = { keepsMembers: true, audited: { backtest: backtestId } };
    const { results } = await addAccounts(clock, viewer, requestId, input, addition);
    added += results.filter(({ outcome }) => outcome === 'ADDED').length;
    alreadyMember += results.filter(({ outcome }) => outcome === 'ALREADY_ON_LIST').length;
  }
  return { list, added, alreadyMember, remaining: 0 };
}

/** Throws unless all matches of a backtest are stored. */
function assertUsable(backtest: Backtest | null, now: Date): void {
  if (!backtest) throw backtestNotFound();
  if (backtest.state !== 'done') throw backtestNotDone();
  if (backtest.createdAt.getTime() <= now.getTime() - MATCH_DAYS * 86_400_000)
    throw backtestMatchesExpired(MATCH_DAYS);
  if (backtest.accounts > MAX_MATCHED_ACCOUNTS) throw tooManyMatchedAccounts(MAX_MATCHED_ACCOUNTS);
}
