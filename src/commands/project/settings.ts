import type { Viewer } from '../../domain/projects/access-service.ts';
import { BROWSER_TOKEN_OPERATIONS } from '../../domain/projects/browser-token-operations.ts';
import type { ChangeableSettings, ProjectSettings, SettingsChange } from '../../domain/projects/settings.ts';
import { FACE_MATCHING_LEVELS } from '../../domain/vision/faces/face-thresholds.ts';
import { systemClock } from '../../platform/clock.ts';
import { snakeCase } from '../../platform/letter-case.ts';
import { snakeKeys } from '../support/json-names.ts';
import { print, printJson } from '../support/print.ts';
import { UsageError } from '../support/usage-error.ts';

/** Shows the settings of a project, after the changes given as `name=value`. */
export async function showSettings(
  viewer: Viewer,
  changes: readonly string[],
  { json: isJson = false, yes = false }: { readonly json?: boolean; readonly yes?: boolean },
): Promise<void> {
  const shown =
    changes.length === 0
      ? viewer.project.settings
      : await changeSettings(viewer, {
          ...readSettingsChange(changes, viewer.project.settings),
          confirm: yes,
        });
  if (isJson) return printJson(snakeKeys(shown));
  for (const name of Object.keys(shown) as (keyof ProjectSettings)[])
    print(`${name.padEnd(26)}  ${textOf(shown[name])}`);
  if (changes.length > 0) print('Takes effect within a second.');
}

async function changeSettings(viewer: Viewer, change: SettingsChange): Promise<ProjectSettings> {
  const { createSettingsService } = await import('../../domain/projects/settings-service.ts');
  return createSettingsService({ clock: systemClock }).update(viewer, null, change);
}

const VALUES: Readonly<Record<keyof ChangeableSettings, string>> = {
  suspiciousFrom: 'account score from which the decision is Suspicious, 0 to 1',
  fakeFrom: 'account score from which the decision is Fake, 0 to 1',
  verificationSuspiciousFrom: 'verification score from which the decision is Suspicious, 0 to 1',
  verificationFakeFrom: 'verification score from which the decision is Fake, 0 to 1',
  seenFaceDays: 'days for which seen faces and documents are compared',
  faceMatching: `matching level of faces: ${FACE_MATCHING_LEVELS.join(', ')}`,
  plainVerificationLinks: 'accept verification links without a secret: true, false',
  twoValuedDecision: 'REST shows Suspicious as Real: true, false',
  allowedOrigins: 'origins for redirects and browser tokens',
  browserTokenOperations: `operations that browser tokens can execute; registered excludes REST: ${BROWSER_TOKEN_OPERATIONS.join(', ')}`,
  introspection: 'introspection by keys without the role operator: true, false',
  disposableDomains: 'disposable email domains',
  trustedDomains: 'trusted email domains',
};

const NAMES = Object.keys(VALUES) as (keyof ChangeableSettings)[];

/** The settings with their accepted values, a line each, for `--help`. */
export function settingLines(): string {
  return NAMES.map((name) => `  ${name.padEnd(26)}  ${VALUES[name]}`).join('\n');
}

/**
 * A change from `name=value`; items of lists are separated by commas. A value has the type of the present one; the service
 * rejects text that is no value of this type. Throws a UsageError.
 */
function readSettingsChange(texts: readonly string[], settings: ProjectSettings): SettingsChange {
  const change: Record<string, unknown> = {};
  for (const text of texts) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    // A name can be written as in JSON output: fake_from.
    const setting = NAMES.find((each) => each === name || snakeCase(each) === name);
    if (!setting)
      throw new UsageError(
        `--set: must be name=value, with one of ${NAMES.join(', ')} as the name: ${JSON.stringify(text)}`,
        'set',
      );
    change[setting] = readValue(value.trim(), settings[setting]);
  }
  return change as SettingsChange;
}

function readValue(text: string, present: ProjectSettings[keyof ProjectSettings]): unknown {
  if (Array.isArray(present)) return text === '' ? [] : text.split(',').map((entry) => entry.trim());
  if (typeof present === 'number') return text === '' ? Number.NaN : Number(text);
  if (typeof present === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  return text;
}

function textOf(value: ProjectSettings[keyof ProjectSettings]): string {
  if (!Array.isArray(value)) return String(value);
  return value.length === 0 ? 'none' : value.join(', ');
}
