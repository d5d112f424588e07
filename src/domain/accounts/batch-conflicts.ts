import {
  IDENTIFIER_KINDS,
  isLinkingKind,
  kindOfNumber,
  type Match,
  sessionIdentifiers,
} from '@vouchgraph/linking';
import type { ReadPerson } from '../linking/read-persons.ts';
import { createBatchHolders } from './batch-holders.ts';
import { countedHolders, type GroupedIdentifier, groupedKey, isBlock } from './batch-matches.ts';
import type { RequestedChangeContext } from './change-request.ts';
import type { ChangePlan } from './plan-change.ts';

/*
 * Changes of one batch. All of them read the state before the batch, so a change that depends on an earlier one of its batch
 * waits for the next batch. Changes of new accounts that share only match keys of near values do not depend on each other: each
 * is compared with the accounts before it in the batch.
 */

/** The changes that are planned so far. */
export type BatchConflicts = {
  /**
   * The inputs of a change with those that the earlier changes of its batch add; null when it depends on one of them. `group`: the
   * account's group after the change.
   */
  inputsAfter(context: RequestedChangeContext, group: string, now: Date): RequestedChangeContext | null;
  /** Adds a planned change. */
  add(plan: ChangePlan, context: RequestedChangeContext, person: ReadPerson): void;
};

export function createBatchConflicts(): BatchConflicts {
  /** Identifiers of the changes, and whether only new accounts have them, as match keys of near values. */
  const identifiers = new Map<string, 'exact' | 'near'>();
  const accounts = new Set<string>();
  const holders = createBatchHolders();
  const fromDomain = new Map<string, number>();
  const clientIds = new Map<string, string>();

  return {
    inputsAfter(context, group, now) {
      const isNew = context.account === null;
      const own = lockedIdentifiers(context, group);
      const isDependent = own.some(({ kind, key }) => {
        const found = identifiers.get(key);
        return found === 'exact' || (found === 'near' && !(isNew && isBlock(kind)));
      });
      if (isDependent || context.links.some(({ accountId }) => accounts.has(accountId))) return null;
      const blocks = isNew ? own.filter(({ kind }) => isBlock(kind)) : [];
      const stored = new Map(context.matches.map((match) => [groupedKey(group, match), match.others]));
      const inBatch = holders.matchesOf(blocks, ({ key }) => stored.get(key) ?? 0, now);
      const domain = domainOf(context);
      return (
        inBatch && {
          ...context,
          matches: [...context.matches, ...inBatch.matches],
          persons: [...context.persons, ...inBatch.persons],
          partnerIds:
            clientIds.size === 0 ? context.partnerIds : new Map([...context.partnerIds, ...clientIds]),
          othersFromDomain: context.othersFromDomain + (domain ? (fromDomain.get(domain) ?? 0) : 0),
        }
      );
    },
    add({ result, change }, context, person) {
      const isNew = context.account === null;
      const group = change.account.account_group;
      const own = lockedIdentifiers(context, group);
      for (const { kind, key } of own) identifiers.set(key, isNew && isBlock(kind) ? 'near' : 'exact');
      accounts.add(change.account.id);
      clientIds.set(change.account.id, result.account.row.account_id);
      if (isNew)
        holders.add(
          own.filter(({ kind }) => isBlock(kind)),
          person,
        );
      const domain = domainOf(context);
      if (domain && !context.mine.some((one) => isDomain(one) && keyOf(one.hash) === domain))
        fromDomain.set(domain, (fromDomain.get(domain) ?? 0) + 1);
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

const isOverLimit = ({ kind, others }: Match) => others >= countedHolders(kind);
const isDomain = ({ kind }: { kind: number }) => kind === IDENTIFIER_KINDS.email_domain;
const keyOf = (hash: Buffer) => hash.toString('latin1');

/** The domain of the account's email after the change. */
function domainOf({ requested, mine }: RequestedChangeContext): string | null {
  const domain = requested.find(isDomain) ?? mine.find(isDomain);
  return domain ? keyOf(domain.hash) : null;
}
