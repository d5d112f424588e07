import { readMailDomain } from '@vouchgraph/email';
import { invalidInput } from '@vouchgraph/platform/errors';
import { snakeCase } from '@vouchgraph/platform/letter-case';
import { print, printJson, snakeKeys, UsageError, wordOf } from '@vouchgraph/terminal';
import type { ProjectSettings } from '../../domain/projects/settings.ts';
import type { Api } from '../support/api.ts';
import { PROJECT_SETTINGS, UPDATE_DOMAINS, UPDATE_SETTINGS } from './documents.ts';
import { CHOICES, type ChangeableSetting, SETTING_NAMES } from './setting-lines.ts';

type SettingsOptions = { set?: string[]; yes?: boolean; json?: boolean };
type Change = Partial<Record<ChangeableSetting, unknown>>;

/** Prints the settings of the project, after the changes given as `name=value`. */
export async function showSettings(api: Api, { set = [], yes, json }: SettingsOptions): Promise<void> {
  const { project } = await api.run<{ project: { settings: ProjectSettings } }>(PROJECT_SETTINGS);
  const present = withWords(project.settings);
  const change = readChange(set, present);
  const shown = set.length === 0 ? present : withWords(await changeSettings(api, change, present, yes));
  if (json) return printJson(snakeKeys(shown));
  for (const name of Object.keys(shown) as (keyof ProjectSettings)[])
    print(`${name.padEnd(26)}  ${textOf(shown[name])}`);
  if (set.length > 0) print('Takes effect within a second.');
}

/** The settings with the words of enum values: strict, any. */
function withWords(settings: ProjectSettings): ProjectSettings {
  const words = ENUMS.map((name) => [name, wordOf(settings[name])]);
  return { ...settings, ...Object.fromEntries(words) };
}

async function changeSettings(
  api: Api,
  change: Change,
  present: ProjectSettings,
  confirm = false,
): Promise<ProjectSettings> {
  const { disposableDomains, trustedDomains, ...others } = change;
  if (disposableDomains === undefined && trustedDomains === undefined) {
    const words = ENUMS.filter((name) => name in others);
    const values = words.map((name) => [name, String(others[name]).toUpperCase()]);
    return update(api, UPDATE_SETTINGS, { ...others, ...Object.fromEntries(values), confirm });
  }
  if (Object.keys(others).length > 0)
    throw new UsageError(
      '--set: disposableDomains and trustedDomains cannot be changed together with other settings',
      'set',
    );
  const [addDisposable, removeDisposable] = replacing(
    present.disposableDomains,
    disposableDomains as string[] | undefined,
  );
  const [addTrusted, removeTrusted] = replacing(
    present.trustedDomains,
    trustedDomains as string[] | undefined,
  );
  return update(api, UPDATE_DOMAINS, { addDisposable, removeDisposable, addTrusted, removeTrusted });
}

/** The domains to add and to remove, so that the wanted ones are left; none without wanted ones. */
function replacing(present: readonly string[], wanted: readonly string[] | undefined): readonly string[][] {
  if (wanted === undefined) return [[], []];
  const stored = wanted.map((text) => {
    const read = readMailDomain(text);
    return 'domain' in read ? read.domain : text;
  });
  return [stored, present.filter((domain) => !stored.includes(domain))];
}

async function update(api: Api, document: string, input: object): Promise<ProjectSettings> {
  return (await api.run<{ changed: { settings: ProjectSettings } }>(document, { input })).changed.settings;
}

const ENUMS = Object.keys(CHOICES) as (keyof typeof CHOICES)[];

/**
 * A change from `name=value`; items of lists are separated by commas. A value has the type of the present one. Throws a
 * UsageError for another name, and `input.invalid` for another value.
 */
function readChange(texts: readonly string[], settings: ProjectSettings): Change {
  const change: Change = {};
  for (const text of texts) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    // A name can be written as in JSON output: fake_from.
    const setting = SETTING_NAMES.find((each) => each === name || snakeCase(each) === name);
    if (!setting)
      throw new UsageError(
        `--set: must be name=value, with one of ${SETTING_NAMES.join(', ')} as the name: ${JSON.stringify(text)}`,
        'set',
      );
    change[setting] = readValue(setting, value.trim(), settings[setting]);
  }
  return change;
}

function readValue(name: ChangeableSetting, text: string, present: unknown): unknown {
  if (Array.isArray(present)) return text === '' ? [] : text.split(',').map((entry) => entry.trim());
  const choices: readonly string[] | undefined = CHOICES[name as keyof typeof CHOICES];
  if (choices?.includes(text)) return text;
  if (typeof present === 'number' && text !== '' && Number.isFinite(Number(text))) return Number(text);
  if (typeof present === 'boolean' && /^(true|false)$/.test(text)) return text === 'true';
  const accepted = choices
    ? `one of ${choices.join(', ')}`
    : typeof present === 'number'
      ? 'a number'
      : 'true or false';
  throw invalidInput(`${name}: must be ${accepted}`, [name]);
}

function textOf(value: ProjectSettings[keyof ProjectSettings]): string {
  if (!Array.isArray(value)) return String(value);
  return value.length === 0 ? 'none' : value.join(', ');
}
