import { normalizeIp } from '@vouchgraph/platform/ip/ip-address';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import { accountHash } from '../audit/account-hash.ts';
import { addressHash } from '../audit/audit-entry.ts';
import { type AuditRow, type AuditSearch, countAudit, readAudit } from '../audit/audit-store.ts';
import type { Viewer } from './access-service.ts';
import { assertMay } from './assert-may.ts';

export type { AuditRow } from '../audit/audit-store.ts';

/** Conditions on entries. An account id, assigned by the client, selects the entries that name the account. */
export type AuditFilter = Omit<AuditSearch, 'account' | 'addressHash'> & {
  readonly accountId: string | null;
  /** Address of a client, in any notation. */
  readonly address?: string | null;
};

/** A page of the audit log, the newest line first. */
export function listAudit(viewer: Viewer, filter: AuditFilter, page: KeysetPage): Promise<AuditRow[]> {
  assertMay(viewer, 'audit.read');
  return readAudit(viewer.project.database, searchOf(viewer, filter), 'newest', page);
}

/** Number of lines of the audit log, counted up to a limit. */
export function countAuditEntries(viewer: Viewer, filter: AuditFilter, limit: number): Promise<number> {
  assertMay(viewer, 'audit.read');
  return countAudit(viewer.project.database, searchOf(viewer, filter), limit);
}

function searchOf(
  { project: { cipher } }: Viewer,
  { accountId, address, ...search }: AuditFilter,
): AuditSearch {
  return {
    ...search,
    account: accountId === null ? null : accountHash(cipher, accountId),
    addressHash: address == null ? null : addressHash(cipher, normalizeIp(address) ?? address),
  };
}
