import { accountMark } from '../audit/account-mark.ts';
import { type AuditPosition, type AuditRow, type AuditSearch, readAudit } from '../audit/audit-store.ts';
import type { Viewer } from './access-service.ts';
import { assertMay } from './assert-may.ts';

export type { AuditRow } from '../audit/audit-store.ts';

/** A page of the audit log, the newest first; with the client's own id of an account, only what names it. */
export function listAudit(
  viewer: Viewer,
  { accountId, ...search }: Omit<AuditSearch, 'account'> & { accountId: string | null },
  page: { after: AuditPosition | null; limit: number },
): Promise<AuditRow[]> {
  assertMay(viewer, 'audit.read');
  const { cipher, database } = viewer.project;
  const account = accountId === null ? null : accountMark(cipher, accountId);
  return readAudit(database, { ...search, account }, { order: 'newest', ...page });
}
