import type { ProjectCipher } from '../../platform/crypto.ts';
import { invalidInput } from '../../platform/errors.ts';
import { decryptReason } from '../lists/member-reason.ts';
import type { ListMembership } from '../model/account-row.ts';
import { isStandardList } from '../projects/standard-lists.ts';
import type { WaitingMembership } from './account-change-store.ts';

/** A list that an account leaves, with what took it off; `reason`: the rule's name, or why. */
export type LeftList = ListMembership & { readonly takenBy: 'api' | 'rule' };

/** Refuses names of which an account can have one only. */
export function checkLists(names: readonly string[]): void {
  const standard = [...new Set(names)].filter(isStandardList);
  if (standard.length > 1) {
    throw invalidInput(`account.lists: must have at most one of ${standard.join(', ')}`, [
      'account',
      'lists',
    ]);
  }
}

/** The list that waited for a new account, unless it no longer does; none for most. */
export function waitedLists(
  cipher: ProjectCipher,
  accountId: string,
  waiting: WaitingMembership | null,
  now: Date,
): ListMembership[] {
  if (waiting === null) return [];
  const { expiresAt: end, ...list } = waiting;
  const expiresAt = end === null ? null : new Date(end);
  if (expiresAt !== null && expiresAt <= now) return [];
  const reason = decryptReason(cipher, accountId, list);
  return [{ ...list, reason, sealedReason: null, waited: { expiresAt } }];
}

/** The account's lists after the request, which names lists that are known; nobody is removed but from a standard list. */
export function joinLists(
  before: readonly ListMembership[],
  known: readonly ListMembership[],
  names: readonly string[],
  by: { source: 'api' | 'import'; actor: string },
): ListMembership[] {
  const leavesStandard = names.some(isStandardList);
  const named = new Set(names);
  const held = new Set(before.map(({ name }) => name));
  const kept = before.filter((list) => !(leavesStandard && list.standard && !named.has(list.name)));
  const added = known
    .filter(({ name }) => named.has(name) && !held.has(name))
    .map((list) => ({ ...list, ...by }));
  return [...kept, ...added];
}

/** What differs between the lists of before and of after. `ruleOf`: the rule that changed one. */
export function listChanges(
  before: readonly ListMembership[],
  after: readonly ListMembership[],
  ruleOf: (name: string) => string | undefined,
): { added: ListMembership[]; removed: LeftList[] } {
  const namesBefore = new Set(before.map(({ name }) => name));
  const namesAfter = new Set(after.map(({ name }) => name));
  return {
    added: after
      .filter(({ name }) => !namesBefore.has(name))
      .map((list) => ({ ...list, reason: ruleOf(list.name) ?? (list.waited ? list.reason : '') })),
    removed: before
      .filter(({ name }) => !namesAfter.has(name))
      .map((list) => {
        const rule = ruleOf(list.name);
        // A request takes nobody off a list by itself: it puts the account on another standard one.
        return rule === undefined
          ? { ...list, reason: 'other_standard_list', takenBy: 'api' }
          : { ...list, reason: rule, takenBy: 'rule' };
      }),
  };
}

export function byName(lists: readonly ListMembership[]): ListMembership[] {
  return lists.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
