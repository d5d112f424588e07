import { type AuditedChange, auditEntry } from '../audit/audit-entry.ts';
import { auditCall } from '../audit/audit-store.ts';
import type { Viewer } from '../projects/access-service.ts';
import { targetOf } from './endpoint-store.ts';

/** The statement that adds an entry about an endpoint to the audit log. */
export function auditOf(
  viewer: Viewer,
  requestId: string | null,
  at: Date,
  endpointId: string,
  change: Omit<AuditedChange, 'target' | 'reason'>,
) {
  const entry = auditEntry(viewer, requestId, at, { ...change, target: targetOf(endpointId) });
  return auditCall(viewer.project.projectId, entry);
}
