import type { LinkStrength } from '@vouchgraph/decisions';
import { IDENTIFIER_KINDS } from '@vouchgraph/linking';
import { LIMITS } from '@vouchgraph/platform/limits';
import { findLinkStrengths } from '../linking/link-store.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { Account } from './account.ts';
import {
  type AccountFilter,
  type AccountSearch,
  countAccounts as countStoredAccounts,
  type FoundAccount,
  searchAccounts,
} from './account-search-store.ts';
import { countFromDomains, findAccounts } from './account-store.ts';

export type { AccountFilter } from './account-search-store.ts';

/** Accounts by internal ids, in the same order; null for unknown ids. */
export async function readAccounts(viewer: Viewer, ids: readonly string[]): Promise<(Account | null)[]> {
  assertMay(viewer, 'account.read');
  const { project } = viewer;
  const rows = await findAccounts(project.database, ids);
  const byId = new Map(rows.map((row) => [row.id, new Account(project, row)]));
  return ids.map((id) => byId.get(id) ?? null);
}

/** A page of the project's accounts with their sort values, in the read direction. */
export async function listAccounts(
  viewer: Viewer,
  search: AccountSearch,
): Promise<{ account: Account; orderValue: FoundAccount['order_value'] }[]> {
  assertMay(viewer, 'account.search');
  const rows = await searchAccounts(viewer.project.database, search);
  return rows.map(({ order_value: orderValue, ...row }) => ({
    account: new Account(viewer.project, row),
    orderValue,
  }));
}

/** Number of accounts of the project, counted up to a limit. */
export function countAccounts(viewer: Viewer, filter: AccountFilter, limit: number): Promise<number> {
  assertMay(viewer, 'account.search');
  return countStoredAccounts(viewer.project.database, filter, limit);
}

/** Number of accounts with an email of each domain, in the same order; 0 for '', the domain of an invalid email. */
export async function countAccountsOfDomains(viewer: Viewer, domains: readonly string[]): Promise<number[]> {
  assertMay(viewer, 'account.read');
  const { cipher, database } = viewer.project;
  const hashes = domains.map((domain) => cipher.blindIndex('email_domain', domain));
  const wanted = hashes.filter((_, index) => domains[index] !== '');
  if (wanted.length === 0) return domains.map(() => 0);
  const kind = IDENTIFIER_KINDS.email_domain;
  const counts = await countFromDomains(database, kind, wanted, LIMITS.accountsFromDomain);
  const byHash = new Map(counts.map((row) => [row.value_hash.toString('hex'), row.accounts]));
  return hashes.map((hash) => byHash.get(hash.toString('hex')) ?? 0);
}

/** Link strength by internal ids of accounts, in the same order. */
export async function readLinkStrengths(viewer: Viewer, ids: readonly string[]): Promise<LinkStrength[]> {
  assertMay(viewer, 'account.read');
  const rows = await findLinkStrengths(viewer.project.database, ids);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return ids.map((id) => byId.get(id) ?? { count: 0, miss: 1 });
}
