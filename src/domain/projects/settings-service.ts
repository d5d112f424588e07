import type { Clock } from '@vouchgraph/platform/clock';
import type { AuditAction } from '../audit/audit-action.ts';
import { auditEntry } from '../audit/audit-entry.ts';
import type { Viewer } from './access-service.ts';
import { assertMay } from './assert-may.ts';
import type { EmailDomainsChange } from './email-domains.ts';
import {
  type ChangedSettings,
  changeDomains,
  changeSettings,
  changesAccounts,
  type ProjectSettings,
  type SettingsChange,
} from './settings.ts';
import { replaceSettings } from './settings-store.ts';

export type SettingsService = ReturnType<typeof createSettingsService>;

/** Settings of projects. `onChange` receives the id of a project whose settings changed. */
export function createSettingsService(deps: { clock: Clock; onChange?: (projectId: string) => void }) {
  const { clock, onChange = () => {} } = deps;

  /** Changes the given settings and keeps the others. Returns the new settings. Throws `input.invalid`. */
  function update(
    viewer: Viewer,
    requestId: string | null,
    change: SettingsChange,
  ): Promise<ProjectSettings> {
    assertMay(viewer, 'settings.update');
    return replace(viewer, requestId, 'settings.update', (stored) => changeSettings(stored, change));
  }

  /**
   * Adds and removes single mail domains of the project, whatever others add and remove meanwhile; the settings as they
   * are then. Throws `input.invalid`.
   */
  function updateEmailDomains(
    viewer: Viewer,
    requestId: string | null,
    change: EmailDomainsChange,
  ): Promise<ProjectSettings> {
    assertMay(viewer, 'settings.update_email_domains');
    return replace(viewer, requestId, 'settings.update_email_domains', (stored) =>
      changeDomains(stored, change),
    );
  }

  async function replace(
    viewer: Viewer,
    requestId: string | null,
    action: AuditAction,
    change: (stored: unknown) => ChangedSettings,
  ): Promise<ProjectSettings> {
    const { project } = viewer;
    let result: ChangedSettings | undefined;
    await replaceSettings(project.database, (stored) => {
      result = change(stored);
      const { before, after } = result;
      if (Object.keys(after).length === 0) return null;
      const target = `project:${project.projectId}`;
      const audit = auditEntry(viewer, requestId, clock.now(), { action, target, before, after });
      return { settings: result.stored, audit, changesAccounts: changesAccounts(result) };
    });
    onChange(project.projectId);
    return result!.settings;
  }

  return { update, updateEmailDomains };
}
