import { invalidInput } from '../../platform/errors.ts';
import { newId } from '../../platform/ids.ts';
import { isStandardList } from '../lists/standard-lists.ts';
import type { ListMembership } from './account.ts';

/** What a change does to an account's lists. */
export type ListChanges = {
  /** Lists that the project did not have. */
  readonly created: readonly ListMembership[];
  readonly added: readonly (ListMembership & { readonly reason: string })[];
  /** With what took the account off each. */
  readonly removed: readonly (ListMembership & {
    readonly reason: string;
    readonly takenBy: 'api' | 'rule';
  })[];
};

/** Refuses names of which an account can have one only. */
export function checkLists(names: readonly string[]): void {
  const standard = [...new Set(names)].filter(isStandardList);
  if (standard.length > 1) {
    throw invalidInput(`account.lists: an account is on one of ${standard.join(', ')} at most`, [
      'account',
      'lists',
    ]);
  }
}

/** The account's lists after the request: names that are new to the project become lists, nobody is removed. */
export function joinLists(
  before: readonly ListMembership[],
  known: readonly ListMembership[],
  names: readonly string[],
  by: { source: 'api' | 'import'; actor: string; now: Date },
): { lists: ListMembership[]; created: ListMembership[] } {
  const joined = [...new Set(names)];
  const created = joined
    .filter((name) => !known.some((list) => list.name === name))
    .map((name): ListMembership => newList(name, by.now));
  const leavesStandard = joined.some(isStandardList);
  const kept = before.filter((list) => !(leavesStandard && list.standard && !joined.includes(list.name)));
  const added = [...known, ...created]
    .filter((list) => joined.includes(list.name) && !before.some(({ name }) => name === list.name))
    .map((list) => ({ ...list, source: by.source, actor: by.actor }));
  return { lists: [...kept, ...added], created };
}

function newList(name: string, now: Date): ListMembership {
  return {
    listId: newId(now.getTime()),
    name,
    description: '',
    effect: 'none',
    standard: isStandardList(name),
    createdAt: now,
    source: '',
    actor: '',
  };
}

/** What is to be written and told, between the lists of before and of after. `ruleOf`: the rule that changed one. */
export function listChanges(
  before: readonly ListMembership[],
  after: readonly ListMembership[],
  ruleOf: (name: string) => string | undefined,
): Omit<ListChanges, 'created'> {
  const isOn = (lists: readonly ListMembership[], { name }: ListMembership) =>
    lists.some((list) => list.name === name);
  return {
    added: after
      .filter((list) => !isOn(before, list))
      .map((list) => ({ ...list, reason: ruleOf(list.name) ?? '' })),
    removed: before
      .filter((list) => !isOn(after, list))
      .map((list) => {
        const rule = ruleOf(list.name);
        // A request takes nobody off a list by itself: it puts the account on another standard one.
        return rule === undefined
          ? { ...list, reason: 'other_standard_list', takenBy: 'api' }
          : { ...list, reason: rule, takenBy: 'rule' };
      }),
  };
}
