import type { Viewer } from '../../domain/projects/access-service.ts';
import {
  BROWSER_TOKEN_OPERATIONS,
  type BrowserTokenOperations,
} from '../../domain/projects/browser-token-operations.ts';
import type { ProjectSettings, SettingsChange } from '../../domain/projects/settings.ts';
import { FACE_MATCHING_LEVELS, type FaceMatchingLevel } from '../../domain/vision/faces/face-thresholds.ts';
import { systemClock } from '../../platform/clock.ts';
import { snakeCase } from '../../platform/letter-case.ts';
import { snakeKeys } from '../support/json-names.ts';
import { print, printJson } from '../support/print.ts';
import { UsageError } from '../support/usage-error.ts';

/** Shows the settings of a project, after the changes given as `name=value`. */
export async function showSettings(
  viewer: Viewer,
  changes: readonly string[],
  isJson: boolean,
): Promise<void> {
  const shown =
    changes.length === 0
      ? viewer.project.settings
      : await changeSettings(viewer, readSettingsChange(changes));
  if (isJson) return printJson(snakeKeys(shown));
  for (const name of Object.keys(shown) as (keyof ProjectSettings)[])
    print(`${name.padEnd(26)}  ${textOf(shown[name])}`);
  if (changes.length > 0) print('Takes effect within a second.');
}

async function changeSettings(viewer: Viewer, change: SettingsChange): Promise<ProjectSettings> {
  const { createSettingsService } = await import('../../domain/projects/settings-service.ts');
  return createSettingsService({ clock: systemClock }).update(viewer, null, change);
}

const READERS: { [Name in keyof Required<SettingsChange>]: (text: string) => SettingsChange[Name] | null } = {
  suspiciousFrom: readNumber,
  fakeFrom: readNumber,
  verificationSuspiciousFrom: readNumber,
  verificationFakeFrom: readNumber,
  seenFaceDays: readNumber,
  faceMatching: readFaceMatching,
  plainVerificationLinks: readBoolean,
  twoValuedDecision: readBoolean,
  allowedOrigins: readList,
  browserTokenOperations: readBrowserTokenOperations,
  introspection: readBoolean,
  disposableDomains: readList,
  trustedDomains: readList,
};

/** The settings with their accepted values, a line each, for `--help`. */
export function settingLines(): string {
  return (Object.keys(READERS) as (keyof typeof READERS)[])
    .map((name) => `  ${name.padEnd(26)}  ${VALUES[name]}`)
    .join('\n');
}

const VALUES: Readonly<Record<keyof typeof READERS, string>> = {
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

const ACCEPTED: Readonly<Record<keyof typeof READERS, string>> = {
  suspiciousFrom: 'must be a number',
  fakeFrom: 'must be a number',
  verificationSuspiciousFrom: 'must be a number',
  verificationFakeFrom: 'must be a number',
  seenFaceDays: 'must be a number',
  faceMatching: `must be one of ${FACE_MATCHING_LEVELS.join(', ')}`,
  plainVerificationLinks: 'must be true or false',
  twoValuedDecision: 'must be true or false',
  allowedOrigins: 'must be a list',
  browserTokenOperations: `must be one of ${BROWSER_TOKEN_OPERATIONS.join(', ')}`,
  introspection: 'must be true or false',
  disposableDomains: 'must be a list',
  trustedDomains: 'must be a list',
};

/** A change from `name=value`; lists are separated by commas. Throws a UsageError. */
function readSettingsChange(texts: readonly string[]): SettingsChange {
  const change: Record<string, unknown> = {};
  for (const text of texts) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    const setting = settingOf(name);
    if (!setting)
      throw new UsageError(
        `--set: must be name=value, with one of ${Object.keys(READERS).join(', ')} as the name: ${JSON.stringify(text)}`,
        'set',
      );
    const given = READERS[setting](value.trim());
    if (given === null) throw new UsageError(`${name}: ${ACCEPTED[setting]}`, snakeCase(setting));
    change[setting] = given;
  }
  return change;
}

/** The setting of a name, which may be written as in JSON output: fake_from. */
function settingOf(name: string): keyof typeof READERS | undefined {
  const settings = Object.keys(READERS) as (keyof typeof READERS)[];
  return settings.find((setting) => setting === name || snakeCase(setting) === name);
}

function readList(text: string): string[] {
  return text === '' ? [] : text.split(',').map((entry) => entry.trim());
}

function readFaceMatching(text: string): FaceMatchingLevel | null {
  return FACE_MATCHING_LEVELS.find((level) => level === text) ?? null;
}

function readBrowserTokenOperations(text: string): BrowserTokenOperations | null {
  return BROWSER_TOKEN_OPERATIONS.find((each) => each === text) ?? null;
}

function readNumber(text: string): number | null {
  const number = Number(text);
  return text === '' || Number.isNaN(number) ? null : number;
}

function readBoolean(text: string): boolean | null {
  return text === 'true' ? true : text === 'false' ? false : null;
}

function textOf(value: ProjectSettings[keyof ProjectSettings]): string {
  if (!Array.isArray(value)) return String(value);
  return value.length === 0 ? 'none' : value.join(', ');
}
