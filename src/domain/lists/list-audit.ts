import { newId } from '@vouchgraph/platform/ids';
import { accountHash } from '../audit/account-hash.ts';
import { type AuditEntry, auditCall } from '../audit/audit-store.ts';
import type { Viewer } from '../projects/access-service.ts';
import type { Project } from '../projects/project.ts';
import type { Added } from './member-store.ts';

/** Audit entry of a change of a list. */
export function auditOf(
  { project, actor }: Pick<Viewer, 'project' | 'actor'>,
  requestId: string,
  at: Date,
  { action, list, before, after }: Pick<AuditEntry, 'action' | 'before' | 'after'> & { list: string },
) {
  const auditId = newId(at.getTime());
  const target = `list:${list}`;
  return auditCall(project.projectId, { auditId, at, actor, action, target, requestId, before, after });
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
