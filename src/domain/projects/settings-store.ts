import { NIL_UUID } from '@vouchgraph/platform/ids';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import { lockRow } from '../../storage/locks.ts';
import { type AuditEntry, auditCall } from '../audit/audit-store.ts';

const LOCK = lockRow('project.lock_settings', {
  table: 'projects',
  columns: 'settings',
  isForReferences: false,
});

/** Makes all accounts due for a recalculation, from the first one on. */
const RECALCULATE_ACCOUNTS: Statement = {
  name: 'standing.recalculate_all',
  text: `insert into standing_recalculations as r (project_id, position) values ($1, '${NIL_UUID}')
         on conflict (project_id) do update set generation = r.generation + 1, position = excluded.position,
           changed_xid = excluded.changed_xid, changed_at = excluded.changed_at`,
};

/** `changesAccounts`: whether the change affects scores or decisions of accounts. */
type StoredChange = { settings: object; audit: AuditEntry; changesAccounts: boolean };

/**
 * Stores the settings that `change` returns for the current ones, with the audit entry; nothing when it returns null. The
 * row of the project is locked, so that concurrent changes are serialized.
 */
export function replaceSettings(
  database: ProjectDatabase,
  change: (stored: unknown) => StoredChange | null,
): Promise<void> {
  const { projectId } = database;
  return database.transaction(async (transaction) => {
    const [rows] = await transaction.run([LOCK, [projectId]]);
    const changed = change(rows![0].settings);
    if (!changed) return;
    await transaction.prisma.project.updateMany({
      where: { projectId },
      data: { settings: changed.settings, settingsVersion: { increment: 1 } },
    });
    await transaction.commit(
      ...(changed.changesAccounts ? [[RECALCULATE_ACCOUNTS, [projectId]] as const] : []),
      auditCall(projectId, changed.audit),
    );
  });
}
