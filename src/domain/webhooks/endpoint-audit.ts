import { newId } from '@vouchgraph/platform/ids';
import { type AuditEntry, auditCall } from '../audit/audit-store.ts';
import type { Viewer } from '../projects/access-service.ts';
import { targetOf } from './endpoint-store.ts';

/** The statement that adds an entry about an endpoint to the audit log. */
export function auditOf(
  { project, actor }: Viewer,
  requestId: string | null,
  at: Date,
  endpointId: string,
  { action, before, after }: Pick<AuditEntry, 'action' | 'before' | 'after'>,
) {
  const auditId = newId(at.getTime());
  const target = targetOf(endpointId);
  return auditCall(project.projectId, { auditId, at, actor, action, target, requestId, before, after });
}
