import type { Clock } from '../../platform/clock.ts';
import { newId } from '../../platform/ids.ts';
import type { Viewer } from './access-service.ts';
import {
  type ChangedSettings,
  changeSettings,
  type ProjectSettings,
  type SettingsChange,
} from './settings.ts';
import { replaceSettings } from './settings-store.ts';

export type SettingsService = ReturnType<typeof createSettingsService>;

/** What a project has chosen. `onChange` is told of a project whose settings are others now. */
export function createSettingsService(deps: { clock: Clock; onChange?: (projectId: string) => void }) {
  const { clock, onChange = () => {} } = deps;

  /** Changes what is given and leaves the rest; the settings as they are then. Throws `input.invalid`. */
  async function update(
    { project, actor }: Pick<Viewer, 'project' | 'actor'>,
    requestId: string | null,
    change: SettingsChange,
  ): Promise<ProjectSettings> {
    let result: ChangedSettings | undefined;
    await replaceSettings(project.database, (stored) => {
      result = changeSettings(stored, change);
      const { before, after } = result;
      if (Object.keys(after).length === 0) return null;
      const now = clock.now();
      const audit = {
        auditId: newId(now.getTime()),
        at: now,
        actor,
        action: 'settings.update',
        target: `project:${project.projectId}`,
        requestId,
        before,
        after,
      };
      return { settings: result.stored, audit };
    });
    onChange(project.projectId);
    return result!.settings;
  }

  return { update };
}
