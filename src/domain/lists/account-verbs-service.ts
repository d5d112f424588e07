import { readListName } from '@vouchgraph/decisions';
import type { Clock } from '@vouchgraph/platform/clock';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { Transaction } from '../../storage/database.ts';
import type { PendingListMember } from '../../storage/generated/prisma/client.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { accountToKeepOffNotFound } from './errors.ts';
import { auditedReason, auditOf, marks } from './list-audit.ts';
import type { AccountToClear, AccountVerb } from './list-input.ts';
import { addedCalls, addTo, assertNotPast, removedCalls, removeFrom } from './list-members-service.ts';
import type { StoredList } from './list-store.ts';
import { encryptReason } from './member-reason.ts';
import {
  countPendingMembers,
  deletePendingCall,
  findPendingMembers,
  type PendingMemberQuery,
  type PendingMemberSearch,
  removePendingMember,
  setPendingMember,
} from './pending-member-store.ts';

export type { PendingMemberQuery, PendingMemberSearch } from './pending-member-store.ts';

/** State of an account after block, allow or clear. */
export type AccountVerbResult = {
  /** Internal id of the account; null while it does not exist. */
  readonly id: string | null;
  /** The list that waits for the account. */
  readonly pending: StoredList | null;
  /** Names of the standard lists that the account, or its entry, was removed from. */
  readonly removedFrom: readonly string[];
};

/** Adds an account to a standard list; one that does not exist gets an entry that waits for it. */
export function addToStandardList(
  clock: Clock,
  viewer: Viewer,
  requestId: string,
  list: 'block' | 'allow',
  verb: AccountVerb,
): Promise<AccountVerbResult> {
  assertMay(viewer, 'list.change_members');
  const now = clock.now();
  assertNotPast(verb.expiresAt, now);
  const { database, projectId } = viewer.project;
  return database.transaction(async (transaction) => {
    const input = { ...verb, list, accountIds: [verb.accountId] };
    const { list: found, added } = await addTo(viewer, transaction, input, now);
    const [known] = added.known;
    if (!known) return storePending(viewer, transaction, requestId, list, verb, now);
    await transaction.commit(
      ...addedCalls(viewer, requestId, verb, found, added, now),
      deletePendingCall(projectId, verb.accountId),
    );
    return { id: known.id, pending: null, removedFrom: added.excluded.map((excluded) => excluded.list) };
  });
}

/** Stores the pending membership of an account that does not exist. Its lock is held. */
async function storePending(
  viewer: Viewer,
  transaction: Transaction,
  requestId: string,
  list: string,
  { accountId, reason = null, expiresAt = null }: AccountVerb,
  now: Date,
): Promise<AccountVerbResult> {
  const { project, actor } = viewer;
  const stored = await setPendingMember(project.database, transaction, {
    list,
    accountId,
    actor,
    reason: reason === null ? null : { encrypted: encryptReason(project.cipher, accountId, reason) },
    expiresAt,
    now,
  });
  const accounts = marks(project, [accountId]);
  const isMoved = stored.before !== null && stored.before !== list;
  const entry = {
    action: 'list.add_pending_account' as const,
    list,
    ...(isMoved ? { before: { list: stored.before } } : {}),
    reason: auditedReason(reason, accounts),
    after: { accounts, ...(expiresAt === null ? {} : { expiresAt }) },
  };
  await transaction.commit(...(stored.isWritten ? [auditOf(viewer, requestId, now, entry)] : []));
  return { id: null, pending: stored.list, removedFrom: isMoved ? [stored.before!] : [] };
}

/** Removes an account from block and allow, or the entry that waits for it. */
export function clearStandardLists(
  clock: Clock,
  viewer: Viewer,
  requestId: string,
  { accountId, reason, keepOff }: AccountToClear,
): Promise<AccountVerbResult> {
  assertMay(viewer, 'list.change_members');
  const now = clock.now();
  const { project } = viewer;
  return project.database.transaction(async (transaction) => {
    const input = { accountIds: [accountId], keepOff: keepOff ?? false };
    const block = await removeFrom(viewer, transaction, { ...input, list: 'block' }, now);
    const allow = await removeFrom(viewer, transaction, { ...input, list: 'allow' }, now);
    const [known] = block.removed.known;
    if (!known && keepOff) throw accountToKeepOffNotFound();
    const waited = await removePendingMember(project.database, transaction, accountId, now);
    const both = [block, allow];
    const accounts = marks(project, [accountId]);
    const entry = {
      action: 'list.remove_pending_account' as const,
      reason: auditedReason(reason ?? '', accounts),
      before: { accounts },
    };
    await transaction.commit(
      ...both.flatMap(({ list, removed }) =>
        removedCalls(viewer, requestId, list, removed, reason ?? '', now),
      ),
      ...(waited === null ? [] : [auditOf(viewer, requestId, now, { ...entry, list: waited })]),
    );
    const formerLists = both.filter(({ removed }) => removed.known.some(({ isMember }) => isMember));
    const removedFrom = [...formerLists.map(({ list }) => list.name), ...(waited === null ? [] : [waited])];
    return { id: known?.id ?? null, pending: null, removedFrom };
  });
}

/** A page of the entries that wait for accounts, the latest first. */
export async function listPendingMembers(
  viewer: Viewer,
  search: PendingMemberSearch,
  page: KeysetPage,
  now: Date,
  query: PendingMemberQuery,
): Promise<PendingListMember[]> {
  assertMay(viewer, 'list.read');
  const list = search.list == null ? null : readListName(search.list);
  if (search.list != null && list === null) return [];
  return findPendingMembers(viewer.project.database, { ...search, list }, page, now, query);
}

/** Number of entries that wait for accounts, counted up to a limit. */
export async function countAllPendingMembers(
  viewer: Viewer,
  search: PendingMemberSearch,
  now: Date,
  limit: number,
): Promise<number> {
  assertMay(viewer, 'list.read');
  const list = search.list == null ? null : readListName(search.list);
  if (search.list != null && list === null) return 0;
  return countPendingMembers(viewer.project.database, { ...search, list }, now, limit);
}
