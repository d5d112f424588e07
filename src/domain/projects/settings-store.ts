import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import { type AuditEntry, auditCall } from '../audit/audit-store.ts';

const LOCK: Statement = {
  name: 'project.lock_settings',
  text: 'select settings from projects where project_id = $1 for no key update',
};

const UPDATE: Statement = {
  name: 'project.update_settings',
  text: 'update projects set settings = $2 where project_id = $1',
};

/**
 * Stores what `change` makes of the settings as they are, together with its audit line; nothing when it returns null.
 * The project's row is held meanwhile, so that no change is made of settings that another one replaces.
 */
export function replaceSettings(
  database: ProjectDatabase,
  change: (stored: unknown) => { settings: object; audit: AuditEntry } | null,
): Promise<void> {
  const { projectId } = database;
  return database.transaction(async (transaction) => {
    const [rows] = await transaction.run([LOCK, [projectId]]);
    const changed = change(rows![0].settings);
    if (!changed) return;
    await transaction.commit(
      [UPDATE, [projectId, JSON.stringify(changed.settings)]],
      auditCall(projectId, changed.audit),
    );
  });
}
