import type { Clock } from '@vouchgraph/platform/clock';
import { invalidInput } from '@vouchgraph/platform/errors';
import { newId } from '@vouchgraph/platform/ids';
import { PAST_TEXT } from '@vouchgraph/platform/wording';
import type { Call, Transaction } from '../../storage/database.ts';
import { accountHash } from '../audit/account-hash.ts';
import { authorOf } from '../audit/audit-entry.ts';
import { accountLockOf } from '../linking/rescore-service.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { listNotFound, targetListNotFound } from './errors.ts';
import { auditedReason, auditOf, hashes, hashesByList, marks } from './list-audit.ts';
import { type MembershipEvent, membershipEvent } from './list-events.ts';
import type { AccountsToAdd, AccountsToMove, AccountsToRemove, KeepOffsToLift } from './list-input.ts';
import type { StoredList } from './list-store.ts';
import {
  type AccountOutcome,
  type AddedAccount,
  additionsOf,
  type LiftOutcome,
  type MoveOutcome,
  outcomesOf,
  type RemoveOutcome,
} from './member-outcomes.ts';
import { encryptReason } from './member-reason.ts';
import {
  type AccountToMove,
  type Added,
  addMembers,
  eventCalls,
  type KnownAccount,
  liftKeepOffs,
  type Move,
  moveMembers,
  type Removed,
  removeMembers,
} from './member-store.ts';

type MovedAccounts = {
  source: StoredList;
  target: StoredList;
  results: AccountOutcome<MoveOutcome>[];
};

/** Options of an addition with other defaults than those of a client's call. */
type Addition = {
  /** Whether accounts that are on the list keep their reason and end. */
  readonly keepsMembers: boolean;
  /** Further entries of the audit line. */
  readonly audited: Readonly<Record<string, string>>;
};

const STATED: Addition = { keepsMembers: false, audited: {} };

export function addAccounts(
  clock: Clock,
  viewer: Viewer,
  requestId: string,
  input: AccountsToAdd,
  addition: Addition = STATED,
): Promise<{ list: StoredList; results: AddedAccount[] }> {
  assertMay(viewer, 'list.change_members');
  const now = clock.now();
  assertNotPast(input.expiresAt, now);
  return viewer.project.database.transaction(async (transaction) => {
    const { list, added } = await addTo(viewer, transaction, input, now, addition.keepsMembers);
    await transaction.commit(...addedCalls(viewer, requestId, input, list, added, now, addition));
    return { list, results: additionsOf(input.accountIds, added.known, input.expiresAt ?? null) };
  });
}

/** Refuses an end of memberships that is over. */
export function assertNotPast(expiresAt: Date | null | undefined, now: Date): void {
  if (expiresAt != null && expiresAt <= now) throw invalidInput(`expiresAt: ${PAST_TEXT}`, ['expiresAt']);
}

/** The author of a change, authorized by the service that calls. */
type Author = Pick<Viewer, 'project' | 'actor' | 'role' | 'address'>;

/** Adds the known accounts, under their locks. */
export async function addTo(
  { project, actor }: Author,
  transaction: Transaction,
  input: AccountsToAdd,
  now: Date,
  keepsMembers = false,
): Promise<{ list: StoredList; added: Added }> {
  const { reason = null, expiresAt = null } = input;
  const membership = membershipCall(project, input, now);
  const reasons =
    reason === null
      ? null
      : membership.accountIds.map((accountId) => encryptReason(project.cipher, accountId, reason));
  const call = { ...membership, actor, reasons, expiresAt, keepsMembers };
  const added = await addMembers(project.database, transaction, call);
  if (!added.list) throw listNotFound(input.list, 'list');
  return { list: added.list, added };
}

/** Events and audit entry of accounts that were added. */
export function addedCalls(
  author: Author,
  requestId: string,
  { reason = null, expiresAt = null }: Pick<AccountsToAdd, 'reason' | 'expiresAt'>,
  list: StoredList,
  { known, excluded, expired, lifted }: Added,
  now: Date,
  { keepsMembers, audited }: Addition = STATED,
): Call[] {
  const { project } = author;
  const isChange = !keepsMembers && (reason !== null || expiresAt !== null);
  const written = known.filter(({ isMember }) => !isMember || isChange);
  const accounts = hashes(project, written);
  const entry = {
    action: 'list.add_accounts' as const,
    list: list.name,
    reason: auditedReason(reason, accounts),
    after: {
      accounts,
      ...audited,
      ...(expiresAt === null ? {} : { expiresAt }),
      ...(excluded.length === 0 ? {} : { takenOff: hashesByList(project, excluded) }),
      ...(lifted.length === 0 ? {} : { liftedKeepOff: marks(project, lifted) }),
    },
  };
  const events = addedEvents(project, list.name, { known, excluded, expired }, reason ?? '', now);
  return [
    ...eventCalls(project.projectId, events, requestId, now),
    ...(written.length + lifted.length === 0 ? [] : [auditOf(author, requestId, now, entry)]),
  ];
}

export function removeAccounts(
  clock: Clock,
  viewer: Viewer,
  requestId: string,
  input: AccountsToRemove,
): Promise<{ list: StoredList; results: AccountOutcome<RemoveOutcome>[] }> {
  assertMay(viewer, 'list.change_members');
  const { project } = viewer;
  const now = clock.now();
  return project.database.transaction(async (transaction) => {
    const { list, removed } = await removeFrom(viewer, transaction, input, now);
    await transaction.commit(...removedCalls(viewer, requestId, list, removed, '', now));
    const { known } = removed;
    const results = outcomesOf<KnownAccount, RemoveOutcome>(input.accountIds, known, ({ isMember }) =>
      isMember ? 'REMOVED' : 'NOT_ON_LIST',
    );
    return { list, results };
  });
}

/** Removes the known accounts, under their locks. */
export async function removeFrom(
  { project, actor }: Author,
  transaction: Transaction,
  input: AccountsToRemove,
  now: Date,
): Promise<{ list: StoredList; removed: Removed }> {
  const call = { ...membershipCall(project, input, now), keepOff: input.keepOff ?? false, actor };
  const removed = await removeMembers(project.database, transaction, call);
  if (!removed.list) throw listNotFound(input.list, 'list');
  return { list: removed.list, removed };
}

/** Events and audit entry of accounts that were removed; `reason`: of the events, '' for none. */
export function removedCalls(
  author: Author,
  requestId: string,
  list: StoredList,
  { known, keptOff }: Removed,
  reason: string,
  now: Date,
): Call[] {
  const { project } = author;
  const gone = known.filter(({ isMember }) => isMember);
  const change = { list: list.name, source: 'api', reason } as const;
  const events = gone.map((account) =>
    membershipEvent(project.cipher, 'list.account_removed', { ...account, ...change }, now),
  );
  const accounts = hashes(project, gone);
  const entry = {
    action: 'list.remove_accounts' as const,
    list: list.name,
    reason: auditedReason(reason, [...accounts, ...marks(project, keptOff)]),
    before: { accounts },
    ...(keptOff.length === 0 ? {} : { after: { keptOff: marks(project, keptOff) } }),
  };
  return [
    ...eventCalls(project.projectId, events, requestId, now),
    ...(gone.length + keptOff.length === 0 ? [] : [auditOf(author, requestId, now, entry)]),
  ];
}

export function liftKeepOff(
  clock: Clock,
  viewer: Viewer,
  requestId: string,
  input: KeepOffsToLift,
): Promise<{ list: StoredList; results: AccountOutcome<LiftOutcome>[] }> {
  assertMay(viewer, 'list.change_members');
  const { project } = viewer;
  const now = clock.now();
  return project.database.transaction(async (transaction) => {
    const call = membershipCall(project, input, now);
    const { list, known, lifted } = await liftKeepOffs(project.database, transaction, call);
    if (!list) throw listNotFound(input.list, 'list');
    const entry = {
      action: 'list.lift_keep_off' as const,
      list: list.name,
      before: { keptOff: marks(project, lifted) },
    };
    await transaction.commit(...(lifted.length === 0 ? [] : [auditOf(viewer, requestId, now, entry)]));
    const isLifted = new Set(lifted);
    const results = outcomesOf<(typeof known)[number], LiftOutcome>(
      input.accountIds,
      known,
      ({ accountId }) => (isLifted.has(accountId) ? 'LIFTED' : 'NOT_KEPT_OFF'),
    );
    return { list, results };
  });
}

export function moveAccounts(
  clock: Clock,
  viewer: Viewer,
  requestId: string,
  input: AccountsToMove,
): Promise<MovedAccounts> {
  assertMay(viewer, 'list.change_members');
  const { project } = viewer;
  const move = planMove(viewer, requestId, input, clock.now());
  return project.database.transaction(async (transaction) => {
    const { source, target, outcomes } = await moveMembers(project.database, transaction, move);
    if (!source) throw listNotFound(input.sourceList, 'sourceList');
    if (!target) throw targetListNotFound(input.targetList);
    await transaction.commit();
    const results = move.accounts.map(({ accountId }, index) => ({
      accountId,
      outcome: outcomes[index]!,
    }));
    return { source, target, results };
  });
}

function membershipCall({ cipher }: Project, input: KeepOffsToLift, now: Date) {
  const accountIds = [...new Set(input.accountIds)];
  const locks = accountIds.map((accountId) => accountLockOf(cipher, accountId));
  return { list: input.list, accountIds, locks, now };
}

function addedEvents(
  { cipher }: Project,
  list: string,
  { known, excluded, expired }: Pick<Added, 'known' | 'excluded' | 'expired'>,
  reason: string,
  now: Date,
): MembershipEvent[] {
  const removed = excluded.map((account) =>
    membershipEvent(
      cipher,
      'list.account_removed',
      { ...account, source: 'api', reason: 'other_standard_list' },
      now,
    ),
  );
  const replaced = new Set(expired);
  const ended = known
    .filter(({ accountId }) => replaced.has(accountId))
    .map((account) =>
      membershipEvent(
        cipher,
        'list.account_removed',
        { ...account, list, source: 'system', reason: 'expired' },
        now,
      ),
    );
  const added = known
    .filter(({ isMember }) => !isMember)
    .map((account) =>
      membershipEvent(cipher, 'list.account_added', { ...account, list, source: 'api', reason }, now),
    );
  return [...removed, ...ended, ...added];
}

function planMove(
  viewer: Viewer,
  requestId: string,
  { sourceList, targetList, accountIds }: AccountsToMove,
  now: Date,
): Move {
  const { project } = viewer;
  return {
    sourceList,
    targetList,
    accounts: [...new Set(accountIds)].map((accountId) =>
      accountToMove(project, accountId, sourceList, targetList, now),
    ),
    now,
    author: authorOf(viewer, requestId),
    audit: { auditId: newId(now.getTime()), target: `list:${sourceList}` },
  };
}

/** The internal id is not known yet: the statement writes it beside the events. */
function accountToMove(
  { cipher }: Project,
  accountId: string,
  sourceList: string,
  targetList: string,
  now: Date,
): AccountToMove {
  const change = { id: '', accountId, source: 'api', reason: '' } as const;
  return {
    accountId,
    lock: accountLockOf(cipher, accountId),
    auditHash: accountHash(cipher, accountId).short,
    removed: membershipEvent(cipher, 'list.account_removed', { ...change, list: sourceList }, now),
    added: membershipEvent(cipher, 'list.account_added', { ...change, list: targetList }, now),
    expired: membershipEvent(
      cipher,
      'list.account_removed',
      { ...change, list: targetList, source: 'system', reason: 'expired' },
      now,
    ),
  };
}
