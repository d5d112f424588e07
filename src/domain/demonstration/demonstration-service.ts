import type { Clock } from '@vouchgraph/platform/clock';
import { newId } from '@vouchgraph/platform/ids';
import type { AuditAction } from '../audit/audit-action.ts';
import { type AuditEntry, auditEntry } from '../audit/audit-entry.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import {
  commitWith,
  type DemonstrationData,
  findDemonstration,
  insertDemonstration,
  requestRemoval,
  retryDemonstration,
} from './demonstration-store.ts';
import {
  demonstrationDataExists,
  demonstrationDataInProduction,
  demonstrationDataNotFound,
} from './errors.ts';
import { demonstrationPlan } from './plan/demonstration-plan.ts';
import { newSetIds } from './set-ids.ts';

export type { DemonstrationData, DemonstrationState } from './demonstration-store.ts';

export type DemonstrationService = ReturnType<typeof createDemonstrationService>;

/** Starts the creation and the removal of demonstration data; any free process does the work. */
export function createDemonstrationService(deps: { clock: Clock; onAdded: () => void }) {
  const { clock, onAdded } = deps;

  /** Starts to fill the project, or continues a failed filling. A project has at most one set. */
  async function create(viewer: Viewer, requestId: string): Promise<DemonstrationData> {
    assertMay(viewer, 'demonstration_data.manage');
    const { project, actor } = viewer;
    const { database, projectId } = project;
    if (project.environment !== 'sandbox') throw demonstrationDataInProduction();
    const now = clock.now();
    const ids = newSetIds(demonstrationPlan(), now);
    const set = { setId: newId(now.getTime()), ids, actor, at: now };
    const stored = await database.transaction(async (transaction) => {
      const isStarted =
        (await insertDemonstration(transaction, projectId, set)) ||
        (await retryDemonstration(transaction, projectId));
      if (!isStarted) return null;
      const audit = auditOf(viewer, requestId, 'demonstration_data.create', now);
      return commitWith(transaction, projectId, audit);
    });
    if (!stored) throw demonstrationDataExists((await findDemonstration(database))?.state ?? 'removing');
    onAdded();
    return stored;
  }

  /** Starts to remove the set, also one that is being filled. A set that is being removed does not change. */
  async function remove(viewer: Viewer, requestId: string): Promise<DemonstrationData> {
    assertMay(viewer, 'demonstration_data.manage');
    const { actor, project } = viewer;
    const { database, projectId } = project;
    const stored = await database.transaction(async (transaction) => {
      if (!(await requestRemoval(transaction, projectId, actor))) return null;
      const audit = auditOf(viewer, requestId, 'demonstration_data.remove', clock.now());
      return commitWith(transaction, projectId, audit);
    });
    const removed = stored ?? (await findDemonstration(database));
    if (!removed) throw demonstrationDataNotFound();
    onAdded();
    return removed;
  }

  return { create, remove, find };
}

/** The demonstration data of the project; null without any. */
async function find(viewer: Viewer): Promise<DemonstrationData | null> {
  assertMay(viewer, 'demonstration_data.read');
  return findDemonstration(viewer.project.database);
}

function auditOf(viewer: Viewer, requestId: string, action: AuditAction, at: Date): AuditEntry {
  return auditEntry(viewer, requestId, at, { action, target: 'demonstration_data' });
}
