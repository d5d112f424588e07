import { requestedKinds } from '@vouchgraph/decisions';
import { IDENTIFIER_KINDS, type IdentifierKey, isLinkingKind, kindOfNumber } from '@vouchgraph/linking';
import { LRUCache } from 'lru-cache';
import type { ReadPerson } from '../../linking/read-persons.ts';
import { type GroupedIdentifier, groupedKey, isBlock } from '../batch-matches.ts';
import type { ConflictKeys } from '../change-batches.ts';
import type { ChangeInput } from '../change-request.ts';
import { requestedIdentifiers } from '../read-change-store.ts';

/** An account to import, with the identifiers that follow from its fields. */
export type ImportedAccount = { readonly input: ChangeInput; readonly identifiers: readonly IdentifierKey[] };

/** Computes the identifiers of an account to import. */
export function importedAccount(input: ChangeInput): ImportedAccount {
  const kinds = requestedKinds(input.changes, null);
  return { input, identifiers: requestedIdentifiers(input, null, kinds) };
}

/** Identifiers of kinds that link accounts. */
const linkingIdentifiers = ({ identifiers }: ImportedAccount): IdentifierKey[] =>
  identifiers.filter(({ kind }) => isLinkingKind(kindOfNumber(kind)));

/** Cache of data that the batches of an import read. */
export type ImportMemory = {
  /** Identifiers over their sharing limit at the last read, by group. Accounts that share one can be in the same batch. */
  readonly overLimit: Set<string>;
  /** Persons of accounts, with the version of the row from which they were read. */
  readonly persons: LRUCache<string, { readonly version: string; readonly person: ReadPerson }>;
  /** Number of accounts with an email of a domain, by its hash: counted once a minute, and increased by stored accounts. */
  readonly fromDomain: LRUCache<string, number>;
};

const MAX_PERSONS = 200_000;
const MAX_DOMAINS = 20_000;
/** The time for which other changes do not count a domain of many accounts. */
const DOMAIN_TTL_MS = 60_000;

export const createImportMemory = (): ImportMemory => {
  return {
    overLimit: new Set(),
    persons: new LRUCache({ max: MAX_PERSONS }),
    fromDomain: new LRUCache({ max: MAX_DOMAINS, ttl: DOMAIN_TTL_MS, noUpdateTTL: true }),
  };
};

/** Linking identifiers of an account, with the group in which they link. */
export function groupedIdentifiers(account: ImportedAccount): GroupedIdentifier[] {
  const group = account.input.changes.group ?? '';
  return linkingIdentifiers(account).map((one) => ({ ...one, group, key: groupedKey(group, one) }));
}

/**
 * Keys that an account must not share with other accounts that are stored concurrently. Accounts of one batch can share blocking
 * keys: each is compared with the accounts before it in the batch.
 */
export function conflictKeys(account: ImportedAccount, { overLimit }: ImportMemory): ConflictKeys {
  const inBatch = [`account ${account.input.accountId}`];
  const acrossBatches: string[] = [];
  for (const { kind, key } of groupedIdentifiers(account))
    if (!overLimit.has(key)) (isBlock(kind) ? acrossBatches : inBatch).push(key);
  return { inBatch, acrossBatches };
}

/** Hash of the domain of the account's email. */
export const domainOf = ({ identifiers }: ImportedAccount) =>
  identifiers.find(({ kind }) => kind === IDENTIFIER_KINDS.email_domain)?.hash;
