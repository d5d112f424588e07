import type { Clock } from '../../platform/clock.ts';
import { invalidInput } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { PAST_TEXT } from '../../platform/wording.ts';
import type { Transaction } from '../../storage/database.ts';
import { accountMark } from '../audit/account-mark.ts';
import { type AuditEntry, auditCall } from '../audit/audit-store.ts';
import { accountLockOf } from '../linking/rescore-service.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { listExists, listInUse, listIsStandard, listNotFound, targetListNotFound } from './errors.ts';
import { type MembershipEvent, membershipEvent } from './list-events.ts';
import {
  type AccountsToAdd,
  type AccountsToMove,
  type AccountsToRemove,
  isListName,
  type KeepOffsToLift,
  type ListFields,
} from './list-input.ts';
import {
  createListRow,
  deleteListCall,
  findList,
  findLists,
  lockListForDelete,
  lockListForUpdate,
  type StoredList,
  takeOffMembers,
  updateListCall,
} from './list-store.ts';
import {
  type AccountOutcome,
  type AddOutcome,
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
  liftKeepOffs,
  type Move,
  moveMembers,
  removeMembers,
} from './member-store.ts';

export type { StoredList } from './list-store.ts';

/** So many accounts are taken off a list together when it is deleted. */
const TAKEN_OFF_AT_ONCE = 1000;

export type ListService = ReturnType<typeof createListService>;

/** Finds, creates, changes and deletes lists, and adds, removes and moves their accounts. */
export function createListService({ clock }: { clock: Clock }) {
  /** The list of a name, or null. */
  async function find(viewer: Viewer, name: string): Promise<StoredList | null> {
    assertMay(viewer, 'list.read');
    const { project } = viewer;
    return isListName(name) ? findList(project.database, name) : null;
  }

  /** The lists of the project by name, all of them when `limit` is null. */
  function all(viewer: Viewer, limit: number | null): Promise<StoredList[]> {
    assertMay(viewer, 'list.read');
    const { project } = viewer;
    return findLists(project.database, limit);
  }

  function create(viewer: Viewer, requestId: string, fields: ListFields): Promise<StoredList> {
    assertMay(viewer, 'list.create');
    const { project } = viewer;
    const now = clock.now();
    return project.database.transaction(async (transaction) => {
      const created = await createListRow(project.database, transaction, {
        listId: newId(now.getTime()),
        name: fields.name,
        description: fields.description ?? '',
        effect: fields.effect ?? 'none',
        createdAt: now,
      });
      if (!created) throw listExists();
      const { description, effect } = created;
      const line = { action: 'list.create', list: fields.name, after: { description, effect } };
      await transaction.commit(auditOf(viewer, requestId, now, line));
      return created;
    });
  }

  /** Changes description and effect; what is absent stays. */
  function update(viewer: Viewer, requestId: string, fields: ListFields): Promise<StoredList> {
    assertMay(viewer, 'list.update');
    const { project } = viewer;
    return project.database.transaction(async (transaction) => {
      const list = await lockListForUpdate(project.database, transaction, fields.name);
      if (!list) throw listNotFound();
      const changes = changesOf(list, fields);
      if (!changes) return list;
      if (list.standard && 'effect' in changes.after) throw listIsStandard('keep their effect');
      const changed = { ...list, ...changes.after };
      const line = { action: 'list.update', list: list.name, ...changes };
      await transaction.commit(
        updateListCall(project.projectId, changed),
        auditOf(viewer, requestId, clock.now(), line),
      );
      return changed;
    });
  }

  /** Deletes a list for good; its accounts stay, and that each is off it is told. */
  function remove(viewer: Viewer, requestId: string, name: string): Promise<void> {
    assertMay(viewer, 'list.delete');
    const { project } = viewer;
    return project.database.transaction(async (transaction) => {
      const { list, rule } = await lockListForDelete(project.database, transaction, name);
      if (!list) throw listNotFound();
      if (list.standard) throw listIsStandard('cannot be deleted');
      if (rule !== null) throw listInUse(rule);
      const now = clock.now();
      const members = await takeAllOff(project, transaction, requestId, list, now);
      const { description, effect } = list;
      const line = { action: 'list.delete', list: name, before: { description, effect, members } };
      await transaction.commit(
        deleteListCall(project.projectId, list.listId),
        auditOf(viewer, requestId, now, line),
      );
    });
  }

  /** Adds accounts. Of those that are on the list already, only a reason or an end that is given is changed. */
  function addAccounts(
    viewer: Viewer,
    requestId: string,
    input: AccountsToAdd,
  ): Promise<{ list: StoredList; results: AccountOutcome<AddOutcome>[] }> {
    assertMay(viewer, 'list.change_members');
    const { project } = viewer;
    const now = clock.now();
    const { reason = null, expiresAt = null } = input;
    if (expiresAt !== null && expiresAt <= now) {
      throw invalidInput(`expiresAt: ${PAST_TEXT}`, ['expiresAt']);
    }
    return project.database.transaction(async (transaction) => {
      const membership = membershipCall(project, input, now);
      const reasons =
        reason === null
          ? null
          : membership.accountIds.map((accountId) => encryptReason(project.cipher, accountId, reason));
      const call = { ...membership, actor: viewer.actor, reasons, expiresAt };
      const { list, known, excluded, lifted } = await addMembers(project.database, transaction, call);
      if (!list) throw listNotFound();
      const isTold = reason !== null || expiresAt !== null;
      const written = known.filter(({ isMember }) => !isMember || isTold);
      const line = {
        action: 'list.add_accounts',
        list: list.name,
        after: {
          accounts: hashes(project, written),
          ...(expiresAt === null ? {} : { expiresAt }),
          ...(excluded.length === 0 ? {} : { takenOff: hashesByList(project, excluded) }),
          ...(lifted.length === 0 ? {} : { liftedKeepOff: marks(project, lifted) }),
        },
      };
      await transaction.commit(
        ...eventCalls(
          project.projectId,
          addedEvents(project, list.name, { known, excluded }, reason ?? '', now),
          requestId,
          now,
        ),
        ...(written.length + lifted.length === 0 ? [] : [auditOf(viewer, requestId, now, line)]),
      );
      const results = outcomesOf<(typeof known)[number], AddOutcome>(
        input.accountIds,
        known,
        ({ isMember }) => (isMember ? 'ALREADY_ON_LIST' : 'ADDED'),
      );
      return { list, results };
    });
  }

  /**
   * Takes accounts off a list; of those that are not on it, nothing is changed. With `keepOff` rules may put none of
   * them there until somebody else does.
   */
  function removeAccounts(
    viewer: Viewer,
    requestId: string,
    input: AccountsToRemove,
  ): Promise<{ list: StoredList; results: AccountOutcome<RemoveOutcome>[] }> {
    assertMay(viewer, 'list.change_members');
    const { project } = viewer;
    const now = clock.now();
    return project.database.transaction(async (transaction) => {
      const call = { ...membershipCall(project, input, now), keepOff: input.keepOff ?? false };
      const { list, known, keptOff } = await removeMembers(project.database, transaction, {
        ...call,
        actor: viewer.actor,
      });
      if (!list) throw listNotFound();
      const gone = known.filter(({ isMember }) => isMember);
      const events = gone.map((account) =>
        membershipEvent(
          project.cipher,
          'list.account_removed',
          { ...account, list: list.name, source: 'api', reason: '' },
          now,
        ),
      );
      const line = {
        action: 'list.remove_accounts',
        list: list.name,
        before: { accounts: hashes(project, gone) },
        ...(keptOff.length === 0 ? {} : { after: { keptOff: marks(project, keptOff) } }),
      };
      await transaction.commit(
        ...eventCalls(project.projectId, events, requestId, now),
        ...(gone.length + keptOff.length === 0 ? [] : [auditOf(viewer, requestId, now, line)]),
      );
      const results = outcomesOf<(typeof known)[number], RemoveOutcome>(
        input.accountIds,
        known,
        ({ isMember }) => (isMember ? 'REMOVED' : 'NOT_ON_LIST'),
      );
      return { list, results };
    });
  }

  /** Lets rules put accounts on a list again that an operator kept off it. */
  function liftKeepOff(
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
      if (!list) throw listNotFound();
      const line = {
        action: 'list.lift_keep_off',
        list: list.name,
        before: { keptOff: marks(project, lifted) },
      };
      await transaction.commit(...(lifted.length === 0 ? [] : [auditOf(viewer, requestId, now, line)]));
      const isLifted = new Set(lifted);
      const results = outcomesOf<(typeof known)[number], LiftOutcome>(
        input.accountIds,
        known,
        ({ accountId }) => (isLifted.has(accountId) ? 'LIFTED' : 'NOT_KEPT_OFF'),
      );
      return { list, results };
    });
  }

  /** Moves accounts from one list to another, all that can be moved in one transaction. */
  function moveAccounts(viewer: Viewer, requestId: string, input: AccountsToMove): Promise<MovedAccounts> {
    assertMay(viewer, 'list.change_members');
    const { project } = viewer;
    const move = planMove(viewer, requestId, input, clock.now());
    return project.database.transaction(async (transaction) => {
      const { source, target, outcomes } = await moveMembers(project.database, transaction, move);
      if (!source) throw listNotFound();
      if (!target) throw targetListNotFound();
      await transaction.commit();
      const results = move.accounts.map(({ accountId }, index) => ({
        accountId,
        outcome: outcomes[index]!,
      }));
      return { source, target, results };
    });
  }

  return { find, all, create, update, remove, addAccounts, removeAccounts, liftKeepOff, moveAccounts };
}

export type MovedAccounts = {
  source: StoredList;
  target: StoredList;
  results: AccountOutcome<MoveOutcome>[];
};

/** What differs of the fields that are given, before and after; null when nothing does. */
function changesOf(list: StoredList, { description, effect }: ListFields) {
  const after = {
    ...(description == null || description === list.description ? {} : { description }),
    ...(effect == null || effect === list.effect ? {} : { effect }),
  };
  const keys = Object.keys(after) as (keyof typeof after)[];
  return keys.length === 0
    ? null
    : { before: Object.fromEntries(keys.map((key) => [key, list[key]])), after };
}

function auditOf(
  { project, actor }: Viewer,
  requestId: string,
  at: Date,
  { action, list, before, after }: Pick<AuditEntry, 'action' | 'before' | 'after'> & { list: string },
) {
  const auditId = newId(at.getTime());
  const target = `list:${list}`;
  return auditCall(project.projectId, { auditId, at, actor, action, target, requestId, before, after });
}

function hashes(project: Project, accounts: readonly { accountId: string }[]): string[] {
  return marks(
    project,
    accounts.map(({ accountId }) => accountId),
  );
}

/** How the audit log names accounts. */
function marks({ cipher }: Project, accountIds: readonly string[]): string[] {
  return accountIds.map((accountId) => accountMark(cipher, accountId).short);
}

function hashesByList(project: Project, excluded: Added['excluded']): Record<string, string[]> {
  const byList = Map.groupBy(excluded, ({ list }) => list);
  return Object.fromEntries([...byList].map(([list, accounts]) => [list, hashes(project, accounts)]));
}

function membershipCall({ cipher }: Project, input: KeepOffsToLift, now: Date) {
  const accountIds = [...new Set(input.accountIds)];
  const locks = accountIds.map((accountId) => accountLockOf(cipher, accountId));
  return { list: input.list, accountIds, locks, now };
}

function addedEvents(
  { cipher }: Project,
  list: string,
  { known, excluded }: Pick<Added, 'known' | 'excluded'>,
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
  const ended = known
    .filter(({ hadEnded }) => hadEnded)
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

/** Takes all accounts off a list that is locked for deletion, and tells it of each; how many there were. */
async function takeAllOff(
  { cipher, database, projectId }: Project,
  transaction: Transaction,
  requestId: string,
  { listId, name: list }: StoredList,
  now: Date,
): Promise<number> {
  let count = 0;
  for (;;) {
    const accounts = await takeOffMembers(database, transaction, listId, TAKEN_OFF_AT_ONCE);
    if (accounts.length === 0) return count;
    count += accounts.length;
    const events = accounts.map((account) =>
      membershipEvent(
        cipher,
        'list.account_removed',
        { ...account, list, source: 'api', reason: 'list_deleted' },
        now,
      ),
    );
    await transaction.run(...eventCalls(projectId, events, requestId, now));
  }
}

function planMove(
  { project, actor }: Viewer,
  requestId: string,
  { sourceList, targetList, accountIds }: AccountsToMove,
  now: Date,
): Move {
  return {
    sourceList,
    targetList,
    accounts: [...new Set(accountIds)].map((accountId) =>
      accountToMove(project, accountId, sourceList, targetList, now),
    ),
    actor,
    now,
    requestId,
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
    auditHash: accountMark(cipher, accountId).short,
    removed: membershipEvent(cipher, 'list.account_removed', { ...change, list: sourceList }, now),
    added: membershipEvent(cipher, 'list.account_added', { ...change, list: targetList }, now),
  };
}
