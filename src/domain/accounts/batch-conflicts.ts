import { isBlockingKind, isLinkingKind, kindOfNumber, sessionIdentifiers } from '@vouchgraph/linking';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { ReadPerson } from '../linking/read-persons.ts';
import { createBatchHolders } from './batch-holders.ts';
import type { RequestedChangeContext } from './change-request.ts';
import { domainAmong } from './domain-counts.ts';
import { type GroupedIdentifier, groupedKey, isOverLimit } from './grouped-identifiers.ts';
import type { ChangePlan } from './plan-change.ts';

/*
 * Changes of one batch. All of them read the state before the batch, so a change that depends on an earlier one of its batch
 * waits for the next batch. Changes of new accounts that share only blocking keys do not depend on each other: each
 * is compared with the accounts before it in the batch.
 */

/** The changes that are planned so far. */
export type BatchConflicts = {
  /**
   * The inputs of a change with those that the earlier changes of its batch add, or what it shares with one of them on which it
   * depends. `group`: the account's group after the change.
   */
  inputsAfter(
    context: RequestedChangeContext,
    group: string,
    now: Date,
  ): { context: RequestedChangeContext } | { dependsOn: string };
  /** Adds a planned change. */
  add(plan: ChangePlan, context: RequestedChangeContext, person: ReadPerson): void;
};

export function createBatchConflicts(): BatchConflicts {
  /** Identifiers of the changes, and whether only new accounts have them, as blocking keys. */
  const identifiers = new Map<string, 'exact' | 'near'>();
  const accounts = new Set<string>();
  const holders = createBatchHolders();
  const fromDomain = new Map<string, number>();
  const clientIds = new Map<string, string>();

  return {
    inputsAfter(context, group, now) {
      const isNew = context.account === null;
      const own = lockedIdentifiers(context, group);
      const shared = own.find(({ kind, key }) => {
        const found = identifiers.get(key);
        return found === 'exact' || (found === 'near' && !(isNew && isBlockingKind(kind)));
      });
      if (shared) return { dependsOn: `identifier ${shared.key}` };
      const linked = context.links.find(({ accountId }) => accounts.has(accountId));
      if (linked) return { dependsOn: `link ${linked.accountId}` };
      const blocks = isNew ? own.filter(({ kind }) => isBlockingKind(kind)) : [];
      const stored = new Map(context.matches.map((match) => [groupedKey(group, match), match.others]));
      const inBatch = holders.matchesOf(blocks, ({ key }) => stored.get(key) ?? 0, now);
      const domain = domainOf(context);
      if (!inBatch) return { dependsOn: `limit ${blocks[0]!.key}` };
      const { othersFromDomain } = context;
      const isCounted = othersFromDomain < LIMITS.accountsFromDomain;
      const added = domain ? (fromDomain.get(domain) ?? 0) : 0;
      return {
        context: {
          ...context,
          matches: [...context.matches, ...inBatch.matches],
          persons: [...context.persons, ...inBatch.persons],
          partnerIds:
            clientIds.size === 0 ? context.partnerIds : new Map([...context.partnerIds, ...clientIds]),
          othersFromDomain: isCounted ? Math.max(0, othersFromDomain + added) : othersFromDomain,
        },
      };
    },
    add({ result, change }, context, person) {
      const isNew = context.account === null;
      const group = change.account.account_group;
      const own = lockedIdentifiers(context, group);
      for (const { kind, key } of own) identifiers.set(key, isNew && isBlockingKind(kind) ? 'near' : 'exact');
      accounts.add(change.account.id);
      clientIds.set(change.account.id, result.account.row.account_id);
      if (isNew)
        holders.add(
          own.filter(({ kind }) => isBlockingKind(kind)),
          person,
        );
      const before = domainAmong(context.mine);
      const after = domainOf(context);
      if (before === after) return;
      if (before) fromDomain.set(before, (fromDomain.get(before) ?? 0) - 1);
      if (after) fromDomain.set(after, (fromDomain.get(after) ?? 0) + 1);
    },
  };
}

/** Identifiers by which changes depend on each other: those that are locked exclusively. */
function lockedIdentifiers(context: RequestedChangeContext, group: string): GroupedIdentifier[] {
  const { requested, mine, session, matches } = context;
  const overLimit = new Set(matches.filter(isOverLimit).map((match) => groupedKey(group, match)));
  const all = [...requested, ...mine, ...(session ? sessionIdentifiers(session) : [])];
  const byKey = new Map<string, GroupedIdentifier>();
  for (const { kind, hash } of all) {
    if (!isLinkingKind(kindOfNumber(kind))) continue;
    const key = groupedKey(group, { kind, hash });
    if (!overLimit.has(key)) byKey.set(key, { kind, hash, group, key });
  }
  return [...byKey.values()];
}

/** The domain of the account's email after the change. */
function domainOf({ requested, mine }: RequestedChangeContext): string | null {
  return domainAmong(requested) ?? domainAmong(mine);
}
