import type { Clock } from '@vouchgraph/platform/clock';
import { newId } from '@vouchgraph/platform/ids';
import type { Transaction } from '../../storage/database.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import { addToStandardList, clearStandardLists } from './account-verbs-service.ts';
import { listExists, listInUse, listIsStandard, listNotFound, rejectResembling } from './errors.ts';
import { auditOf } from './list-audit.ts';
import { membershipEvent } from './list-events.ts';
import type {
  AccountsToAdd,
  AccountsToMove,
  AccountsToRemove,
  AccountToClear,
  AccountVerb,
  KeepOffsToLift,
  ListFields,
} from './list-input.ts';
import { addAccounts, liftKeepOff, moveAccounts, removeAccounts } from './list-members-service.ts';
import {
  createListRow,
  deleteListRow,
  FIND_EFFECTIVE,
  flagMembersCall,
  lockListForDelete,
  lockListForUpdate,
  removeMembersOfList,
  type StoredList,
  updateListRow,
} from './list-store.ts';
import { eventCalls } from './member-store.ts';

export type { StoredList } from './list-store.ts';

/** Number of accounts removed together when their list is deleted. */
const REMOVED_PER_TRANSACTION = 1000;

export type ListService = ReturnType<typeof createListService>;

/** Finds, creates, changes and deletes lists, and adds, removes and moves their accounts. */
export function createListService({ clock }: { clock: Clock }) {
  return {
    create: (viewer: Viewer, requestId: string, fields: ListFields, listId?: string) =>
      create(clock, viewer, requestId, fields, listId),
    /** Changes description and effect. An absent field keeps its value. */
    update: (viewer: Viewer, requestId: string, fields: ListFields) =>
      update(clock, viewer, requestId, fields),
    /** Deletes a list and returns the deleted row. Its accounts are kept, and an event is emitted for each. */
    remove: (viewer: Viewer, requestId: string, name: string) => remove(clock, viewer, requestId, name),
    /** Adds accounts. Of a current member, only a given reason or expiry is changed. */
    addAccounts: (viewer: Viewer, requestId: string, input: AccountsToAdd) =>
      addAccounts(clock, viewer, requestId, input),
    /** Removes accounts from a list. With `keepOff`, rules cannot add them again until a caller does. */
    removeAccounts: (viewer: Viewer, requestId: string, input: AccountsToRemove) =>
      removeAccounts(clock, viewer, requestId, input),
    /** Blocks or allows an account, also one that does not exist yet. */
    putOnStandardList: (viewer: Viewer, requestId: string, list: 'block' | 'allow', verb: AccountVerb) =>
      addToStandardList(clock, viewer, requestId, list, verb),
    /** Removes an account from block and allow. With `keepOff`, rules cannot add it again until a caller does. */
    clearStandardLists: (viewer: Viewer, requestId: string, input: AccountToClear) =>
      clearStandardLists(clock, viewer, requestId, input),
    /** Allows rules to add accounts to a list that an operator kept off it. */
    liftKeepOff: (viewer: Viewer, requestId: string, input: KeepOffsToLift) =>
      liftKeepOff(clock, viewer, requestId, input),
    /** Moves accounts from one list to another, all that can be moved in one transaction. */
    moveAccounts: (viewer: Viewer, requestId: string, input: AccountsToMove) =>
      moveAccounts(clock, viewer, requestId, input),
  };
}

function create(
  clock: Clock,
  viewer: Viewer,
  requestId: string,
  fields: ListFields,
  /** A new one by default. */
  listId?: string,
): Promise<StoredList> {
  assertMay(viewer, 'list.create');
  const { project } = viewer;
  const now = clock.now();
  return project.database.transaction(async (transaction) => {
    const [effective = []] = await transaction.run([FIND_EFFECTIVE, [project.projectId]]);
    rejectResembling(
      [fields.name],
      effective.map(({ name }) => name),
      'name',
    );
    const created = await createListRow(project.database, transaction, {
      listId: listId ?? newId(now.getTime()),
      name: fields.name,
      description: fields.description ?? '',
      effect: fields.effect ?? 'none',
      createdAt: now,
    });
    if (!created) throw listExists();
    const { description, effect } = created;
    const entry = { action: 'list.create' as const, list: fields.name, after: { description, effect } };
    await transaction.commit(auditOf(viewer, requestId, now, entry));
    return created;
  });
}

function update(clock: Clock, viewer: Viewer, requestId: string, fields: ListFields): Promise<StoredList> {
  assertMay(viewer, 'list.update');
  const { project } = viewer;
  return project.database.transaction(async (transaction) => {
    const list = await lockListForUpdate(project.database, transaction, fields.name, fields.effect != null);
    if (!list) throw listNotFound(fields.name, 'name');
    const changes = changesOf(list, fields);
    if (!changes) return list;
    if (list.standard && 'effect' in changes.after) throw listIsStandard('keep their effect', 'effect');
    const changed = { ...list, ...changes.after };
    const entry = { action: 'list.update' as const, list: list.name, ...changes };
    await updateListRow(project.database, transaction, list.listId, changes.after);
    await transaction.commit(
      ...('effect' in changes.after ? [flagMembersCall(project.projectId, list.listId)] : []),
      auditOf(viewer, requestId, clock.now(), entry),
    );
    return changed;
  });
}

function remove(clock: Clock, viewer: Viewer, requestId: string, name: string): Promise<StoredList> {
  assertMay(viewer, 'list.delete');
  const { project } = viewer;
  return project.database.transaction(async (transaction) => {
    const { list, rule } = await lockListForDelete(project.database, transaction, name);
    if (!list) throw listNotFound(name, 'name');
    if (list.standard) throw listIsStandard('cannot be deleted', 'name');
    if (rule !== null) throw listInUse(rule);
    const now = clock.now();
    const members = await removeAllMembers(project, transaction, requestId, list, now);
    const { description, effect } = list;
    const entry = { action: 'list.delete' as const, list: name, before: { description, effect, members } };
    await deleteListRow(project.database, transaction, list.listId);
    await transaction.commit(auditOf(viewer, requestId, now, entry));
    return list;
  });
}

/** The given fields that differ, before and after; null without a difference. */
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

/** Removes all accounts from a list that is locked for deletion, with an event for each. Returns their number. */
async function removeAllMembers(
  { cipher, database, projectId }: Project,
  transaction: Transaction,
  requestId: string,
  { listId, name: list }: StoredList,
  now: Date,
): Promise<number> {
  let count = 0;
  for (;;) {
    const accounts = await removeMembersOfList(database, transaction, listId, REMOVED_PER_TRANSACTION);
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
