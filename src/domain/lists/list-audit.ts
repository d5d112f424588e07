import { accountHash } from '../audit/account-hash.ts';
import {
  type AuditCaller,
  type AuditedChange,
  type AuditedReason,
  accountSubject,
  auditEntry,
} from '../audit/audit-entry.ts';
import { auditCall } from '../audit/audit-store.ts';
import type { Project } from '../projects/project.ts';
import type { Added } from './member-store.ts';

/** Audit entry of a change of a list. */
export function auditOf(
  caller: AuditCaller & { readonly project: Project },
  requestId: string,
  at: Date,
  { list, ...change }: Omit<AuditedChange, 'target'> & { readonly list: string },
) {
  const entry = auditEntry(caller, requestId, at, { ...change, target: `list:${list}` });
  return auditCall(caller.project.projectId, entry);
}

/** The caller's reason of a change of accounts, which is erased with each of them; `text`: null or '' for none. */
export function auditedReason(text: string | null, accounts: readonly string[]): AuditedReason {
  return { text: text ?? '', subjects: accounts.map(accountSubject) };
}

/** Accounts as the audit log names them. */
export function hashes(project: Project, accounts: readonly { accountId: string }[]): string[] {
  return marks(
    project,
    accounts.map(({ accountId }) => accountId),
  );
}

/** How the audit log names accounts. */
export function marks({ cipher }: Project, accountIds: readonly string[]): string[] {
  return accountIds.map((accountId) => accountHash(cipher, accountId).short);
}

export function hashesByList(project: Project, excluded: Added['excluded']): Record<string, string[]> {
  const byList = Map.groupBy(excluded, ({ list }) => list);
  return Object.fromEntries([...byList].map(([list, accounts]) => [list, hashes(project, accounts)]));
}
