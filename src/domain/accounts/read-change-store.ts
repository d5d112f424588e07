import {
  dependsOnStored,
  mergeExpectedCountries,
  mergePersonal,
  NO_RULES,
  type RuleSet,
  requestedKinds,
} from '@vouchgraph/decisions';
import {
  CONTACT_KINDS,
  contactIdentifiers,
  IDENTIFIER_KINDS,
  type IdentifierKey,
  type Match,
} from '@vouchgraph/linking';
import { NO_PERSONAL_FIELDS } from '@vouchgraph/persons';
import type { Clock } from '@vouchgraph/platform/clock';
import { newId } from '@vouchgraph/platform/ids';
import type { LRUCache } from 'lru-cache';
import type { ProjectDatabase, Transaction } from '../../storage/database.ts';
import { accountLockOf } from '../linking/rescore-service.ts';
import { findClientIds } from '../linking/rescore-store.ts';
import type { AccountRow, ListMembership } from '../model/account-row.ts';
import { decryptPersonal } from '../model/decrypt-personal.ts';
import type { Project } from '../projects/project.ts';
import type { RuleSets } from '../rules/rule-set-service.ts';
import { type ChangeScope, lockAndRead, lockAndReadAccount, readLists } from './account-change-store.ts';
import type { ClientIds } from './account-events.ts';
import { createLists } from './account-lists-store.ts';
import { findAccountByAccountId } from './account-store.ts';
import { type ChangeInput, mergeContext, type RequestedChangeContext } from './change-request.ts';
import { DomainCounts } from './domain-counts.ts';
import { groupedKey, isOverLimit } from './grouped-identifiers.ts';
import type { ChangePlan } from './plan-change.ts';

/** Dependencies for reading the inputs of a change. */
export type ChangeReads = {
  readonly clock: Clock;
  /** Cached rules of projects. */
  readonly ruleSets: RuleSets;
  /** Domains at the maximum count, such as large providers: they are not counted for a minute. */
  readonly largeDomains: LRUCache<string, true>;
  /** Of an import: identifiers that were over their sharing limit a minute ago, by `groupedKey`. */
  readonly overLimit?: LRUCache<string, true>;
};

/** Remembers the identifiers of matches that are over their sharing limit. */
export function rememberOverLimit(
  { overLimit }: Pick<ChangeReads, 'overLimit'>,
  group: string,
  matches: readonly Match[],
): void {
  if (!overLimit) return;
  for (const match of matches) if (isOverLimit(match)) overLimit.set(groupedKey(group, match), true);
}

/** A change of a batch. `identifiers`: those of its request and of its verification. */
export type ChangeToRead = { readonly input: ChangeInput; readonly identifiers: readonly IdentifierKey[] };

/**
 * Trip 1: acquires the locks and reads the inputs of the changes of a project, in their order. Two trips after it if the only change
 * names lists that do not exist yet.
 */
export async function lockAndReadChanges(
  { ruleSets, largeDomains, clock }: ChangeReads,
  transaction: Transaction,
  { projectId, cipher, database }: Project,
  changes: readonly ChangeToRead[],
): Promise<RequestedChangeContext[]> {
  const ruled = ruleSets.known(projectId).listNames;
  const domains = new DomainCounts(projectId, changes, largeDomains);
  const namesOf = ({ options }: ChangeInput) => [
    ...new Set([...options.listNames, ...(options.sessionId === null ? [] : ruled)]),
  ];
  const names = [...new Set(changes.flatMap(({ input }) => namesOf(input)))];
  const scopes = changes.map(({ input, identifiers }, place): ChangeScope => {
    const { accountId, options, changes: requested } = input;
    return {
      accountLock: accountLockOf(cipher, accountId),
      accountId,
      sessionId: options.sessionId,
      group: requested.group ?? null,
      identifiers,
      domain: domains.scopeOf(place),
    };
  });
  const { contexts, lists: found } = await lockAndRead(database, transaction, scopes, names);
  const named = changes.length === 1 ? changes[0]!.input.options.listNames : [];
  const missing = named.filter((name) => !found.some((list) => list.name === name));
  const createdLists = await createMissing(database, transaction, missing, clock.now());
  const lists = [...found, ...(await readLists(database, transaction, missing))];
  return contexts.map((context, place) => {
    const { input, identifiers } = changes[place]!;
    const namedLists = namesOf(input);
    return {
      ...context,
      othersFromDomain: domains.othersOf(place, contexts),
      lists: lists.filter(({ name }) => namedLists.includes(name)),
      requested: identifiers,
      ...{ namedLists, createdLists },
    };
  });
}

/** Reads the account's row without a lock. One trip. */
export function readStored({ project, accountId }: ChangeInput): Promise<AccountRow | null> {
  return findAccountByAccountId(project.database, accountId);
}

/** Acquires the account's lock, and reads the row on which the identifiers of its change depend. */
export function lockAndReadStored(
  transaction: Transaction,
  { project, accountId }: ChangeInput,
): Promise<AccountRow | null> {
  const lock = accountLockOf(project.cipher, accountId);
  return lockAndReadAccount(project.database, transaction, lock, accountId);
}

/** Whether identifiers that were computed from one row are those of another. */
export function isSameStored(before: AccountRow | null, now: AccountRow | null): boolean {
  if (!before || !now) return before === now;
  return (
    Buffer.compare(before.personal, now.personal) === 0 &&
    before.expected_countries.join() === now.expected_countries.join()
  );
}

/** Whether the identifiers of a change depend on the account's stored fields. */
export function readsStoredFields({ changes, options }: Pick<ChangeInput, 'changes' | 'options'>): boolean {
  return options.recomputes !== undefined || dependsOnStored(changes, options.document ?? null);
}

/** Creates missing lists before they are used: a concurrent transaction can create them too. */
async function createMissing(
  database: ProjectDatabase,
  transaction: Transaction,
  names: readonly string[],
  now: Date,
): Promise<string[]> {
  if (names.length === 0) return [];
  const lists = [...new Set(names)].map((name) => ({ listId: newId(now.getTime()), name }));
  return createLists(database, transaction, lists, now);
}

/**
 * The rules that apply to changes with a session, and the lists of their actions that one of the changes did not read. No trip,
 * unless the rules changed since this process read them.
 */
export async function readRules(
  { ruleSets }: Pick<ChangeReads, 'ruleSets'>,
  transaction: Transaction,
  { database }: Project,
  contexts: readonly RequestedChangeContext[],
): Promise<{ rules: RuleSet; lists: ListMembership[] }> {
  const context = contexts.find(({ session }) => session !== null);
  if (!context) return { rules: NO_RULES, lists: [] };
  const rules = await ruleSets.current(database, transaction, context.rulesVersion);
  const ruled = contexts.filter(({ session }) => session !== null);
  const unread = rules.listNames.filter((name) => ruled.some(({ namedLists }) => !namedLists.includes(name)));
  return { rules, lists: await readLists(database, transaction, unread) };
}

/**
 * The client's ids of accounts with added or removed links, or of all linked accounts (`isAll`). No trip if all of them were
 * read.
 */
export async function readLinkedIds(
  database: ProjectDatabase,
  transaction: Transaction,
  changes: readonly { plan: ChangePlan; partnerIds: ClientIds; isAll: boolean }[],
): Promise<ClientIds> {
  const known = new Map(
    changes.flatMap(({ plan, partnerIds }): [string, string][] => [
      ...partnerIds,
      [plan.change.account.id, plan.change.account.account_id],
    ]),
  );
  const ids = changes.flatMap(({ plan: { eventInput }, isAll }) => {
    const { links } = eventInput;
    return [...(isAll ? links.links : links.added).map(({ accountId }) => accountId), ...links.removed];
  });
  const unread = [...new Set(ids.filter((id) => !known.has(id)))];
  if (unread.length === 0) return known;
  for (const { id, account_id } of await findClientIds(database, transaction, unread))
    known.set(id, account_id);
  return known;
}

const ALL_CONTACT_KINDS: readonly number[] = CONTACT_KINDS.map((kind) => IDENTIFIER_KINDS[kind]);

/** Identifiers of a change's kinds, derived from the account's fields after it. */
export function identifiersAfter(
  { project, changes, options }: ChangeInput,
  stored: AccountRow | null,
): IdentifierKey[] {
  const kinds = options.recomputes ? ALL_CONTACT_KINDS : requestedKinds(changes, options.document ?? null);
  if (kinds.length === 0) return [];
  const merge = mergeContext(project, options);
  const before = stored ? decryptPersonal(project, stored) : NO_PERSONAL_FIELDS;
  const fields = mergePersonal(before, changes, merge);
  const countries = mergeExpectedCountries(stored?.expected_countries ?? [], changes);
  return contactIdentifiers(fields, countries, merge.blindIndex).filter(({ kind }) => kinds.includes(kind));
}
