import { isStandardList } from '@vouchgraph/decisions';
import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import { invalidInput } from '@vouchgraph/platform/errors';
import { decryptReason } from '../lists/member-reason.ts';
import type { ListMembership } from '../model/account-row.ts';
import type { PendingMembership } from './account-change-store.ts';

/** A list that an account joins. `reason`: name of the rule, or the reason of a pending membership; '' for none. */
export type JoinedList = ListMembership & { readonly reason: string };

/** A list that an account leaves. `removedBy`: source of the removal. `reason`: name of the rule, or another reason. */
export type LeftList = ListMembership & { readonly reason: string; readonly removedBy: 'api' | 'rule' };

/** Rejects more than one standard list. */
export function checkLists(names: readonly string[]): void {
  const standard = [...new Set(names)].filter(isStandardList);
  if (standard.length > 1) {
    throw invalidInput(`account.lists: must have at most one of ${standard.join(', ')}`, [
      'account',
      'lists',
    ]);
  }
}

/** The list of a new account's pending membership, unless it has expired. */
export function pendingLists(
  cipher: ProjectCipher,
  accountId: string,
  waiting: PendingMembership | null,
  now: Date,
): ListMembership[] {
  if (waiting === null) return [];
  const { expiresAt: end, encryptedReason, ...list } = waiting;
  const expiresAt = end === null ? null : new Date(end);
  if (expiresAt !== null && expiresAt <= now) return [];
  const reason = decryptReason(cipher, accountId, encryptedReason);
  return [{ ...list, reason, waited: { expiresAt } }];
}

/** The account's lists after the request. A request removes an account only from another standard list. */
export function joinLists(
  before: readonly ListMembership[],
  known: readonly ListMembership[],
  names: readonly string[],
  by: { source: 'api' | 'import'; actor: string },
): ListMembership[] {
  const leavesStandard = names.some(isStandardList);
  const named = new Set(names);
  const current = new Set(before.map(({ name }) => name));
  const kept = before.filter((list) => !(leavesStandard && list.standard && !named.has(list.name)));
  const added = known
    .filter(({ name }) => named.has(name) && !current.has(name))
    .map((list) => ({ ...list, ...by }));
  return [...kept, ...added];
}

/** Differences between the lists before and after. `ruleOf`: name of the rule that changed a list. */
export function listChanges(
  before: readonly ListMembership[],
  after: readonly ListMembership[],
  ruleOf: (name: string) => string | undefined,
): { added: JoinedList[]; removed: LeftList[] } {
  const namesBefore = new Set(before.map(({ name }) => name));
  const namesAfter = new Set(after.map(({ name }) => name));
  return {
    added: after
      .filter(({ name }) => !namesBefore.has(name))
      .map((list) => ({ ...list, reason: ruleOf(list.name) ?? (list.waited && list.reason) ?? '' })),
    removed: before
      .filter(({ name }) => !namesAfter.has(name))
      .map((list) => {
        const rule = ruleOf(list.name);
        // A request removes an account from a list only by adding it to another standard list.
        return rule === undefined
          ? { ...list, reason: 'other_standard_list', removedBy: 'api' }
          : { ...list, reason: rule, removedBy: 'rule' };
      }),
  };
}

export function byName(lists: readonly ListMembership[]): ListMembership[] {
  return lists.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}
