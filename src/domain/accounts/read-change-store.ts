import {
  dependsOnStored,
  mergeExpectedCountries,
  mergePersonal,
  NO_RULES,
  type RuleSet,
  requestedKinds,
} from '@vouchgraph/decisions';
import { CONTACT_KINDS, contactIdentifiers, IDENTIFIER_KINDS, type IdentifierKey } from '@vouchgraph/linking';
import { NO_PERSONAL_FIELDS } from '@vouchgraph/persons';
import type { Clock } from '@vouchgraph/platform/clock';
import { newId } from '@vouchgraph/platform/ids';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { LRUCache } from 'lru-cache';
import type { Transaction } from '../../storage/database.ts';
import { accountLockOf } from '../linking/rescore-service.ts';
import { findClientIds } from '../linking/rescore-store.ts';
import type { AccountRow } from '../model/account-row.ts';
import { decryptPersonal } from '../model/decrypt-personal.ts';
import type { Project } from '../projects/project.ts';
import type { RuleSets } from '../rules/rule-set-service.ts';
import { lockAndRead, lockAndReadAccount, readLists } from './account-change-store.ts';
import type { ClientIds } from './account-events.ts';
import { createLists } from './account-lists-store.ts';
import { type ChangeInput, mergeContext, type RequestedChangeContext } from './change-request.ts';
import type { ChangePlan } from './plan-change.ts';

/** Dependencies for reading the inputs of a change. */
export type ChangeReads = {
  readonly clock: Clock;
  /** Cached rules of projects. */
  readonly ruleSets: RuleSets;
  /** Domains at the maximum count, such as large providers: they are not counted for a minute. */
  readonly largeDomains: LRUCache<string, true>;
};

/**
 * Trip 1: acquires the locks and reads the inputs of the change. One trip before it if identifiers depend on stored fields, two
 * after it if the request names lists that do not exist yet. `found`: identifiers of a verification.
 */
export async function lockAndReadChange(
  { ruleSets, largeDomains, clock }: ChangeReads,
  transaction: Transaction,
  { project, accountId, changes, options }: ChangeInput,
  found: readonly IdentifierKey[],
): Promise<RequestedChangeContext> {
  const accountLock = accountLockOf(project.cipher, accountId);
  const { document = null } = options;
  const stored =
    options.recomputes || dependsOnStored(changes, document)
      ? await lockAndReadAccount(project.database, transaction, accountLock, accountId)
      : null;
  const kinds = options.recomputes ? ALL_CONTACT_KINDS : requestedKinds(changes, document);
  const identifiers = [...requestedIdentifiers({ project, changes, options }, stored, kinds), ...found];
  const domain = identifiers.find(({ kind }) => kind === IDENTIFIER_KINDS.email_domain)?.hash;
  const domainKey = domain && `${project.projectId}:${domain.toString('latin1')}`;
  const ruled = options.sessionId === null ? [] : ruleSets.known(project.projectId).listNames;
  const namedLists = [...new Set([...options.listNames, ...ruled])];
  const context = await lockAndRead(project.database, transaction, {
    accountLock,
    accountId,
    sessionId: options.sessionId,
    group: changes.group ?? null,
    identifiers,
    listNames: namedLists,
    domain: domainKey && largeDomains.has(domainKey) ? 'uncounted' : (domain ?? 'own'),
  });
  if (domainKey && context.othersFromDomain >= LIMITS.accountsFromDomain) largeDomains.set(domainKey, true);
  const missing = options.listNames.filter((name) => !context.lists.some((list) => list.name === name));
  const createdLists = await createMissing(project, transaction, missing, clock.now());
  const lists = [...context.lists, ...(await readLists(project.database, transaction, missing))];
  return { ...context, lists, requested: identifiers, namedLists, createdLists };
}

/** Creates missing lists before they are used: a concurrent transaction can create them too. */
async function createMissing(
  { database }: Project,
  transaction: Transaction,
  names: readonly string[],
  now: Date,
): Promise<string[]> {
  if (names.length === 0) return [];
  const lists = [...new Set(names)].map((name) => ({ listId: newId(now.getTime()), name }));
  return createLists(database, transaction, lists, now);
}

/**
 * The rules that apply to a session, with the lists of their actions. No trip, unless the rules changed since this process read
 * them.
 */
export async function readRules(
  { ruleSets }: ChangeReads,
  transaction: Transaction,
  { project: { database }, options: { sessionId } }: ChangeInput,
  context: RequestedChangeContext,
): Promise<{ ruled: RequestedChangeContext; rules: RuleSet }> {
  if (sessionId === null) return { ruled: context, rules: NO_RULES };
  const rules = await ruleSets.current(database, transaction, context.rulesVersion);
  const lists = await readLists(
    database,
    transaction,
    rules.listNames.filter((name) => !context.namedLists.includes(name)),
  );
  return { ruled: { ...context, lists: [...context.lists, ...lists] }, rules };
}

/** The client's ids of accounts with added or removed links, or of all linked accounts. No trip if all of them were read. */
export async function readLinkedIds(
  { database }: Project,
  transaction: Transaction,
  { partnerIds }: RequestedChangeContext,
  { eventInput: { links } }: ChangePlan,
  isAll: boolean,
): Promise<ClientIds> {
  const named = isAll ? links.links : links.added;
  const ids = [...named.map(({ accountId }) => accountId), ...links.removed];
  const unread = ids.filter((id) => !partnerIds.has(id));
  if (unread.length === 0) return partnerIds;
  const rows = await findClientIds(database, transaction, unread);
  return new Map([...partnerIds, ...rows.map(({ id, account_id }) => [id, account_id] as const)]);
}

const ALL_CONTACT_KINDS: readonly number[] = CONTACT_KINDS.map((kind) => IDENTIFIER_KINDS[kind]);

/** Identifiers of the given kinds derived from the account's fields after the change. */
export function requestedIdentifiers(
  { project, changes, options }: Pick<ChangeInput, 'project' | 'changes' | 'options'>,
  stored: AccountRow | null,
  kinds: readonly number[],
): IdentifierKey[] {
  if (kinds.length === 0) return [];
  const merge = mergeContext(project, options);
  const before = stored ? decryptPersonal(project, stored) : NO_PERSONAL_FIELDS;
  const fields = mergePersonal(before, changes, merge);
  const countries = mergeExpectedCountries(stored?.expected_countries ?? [], changes);
  return contactIdentifiers(fields, countries, merge.blindIndex).filter(({ kind }) => kinds.includes(kind));
}
