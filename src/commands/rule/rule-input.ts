import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import { AppError, invalidInput, OperatorError } from '@vouchgraph/platform/errors';
import { camelCase } from '@vouchgraph/platform/letter-case';
import { UsageError } from '@vouchgraph/terminal';

/** Flags of `rule create`; each replaces the same key of the file. */
export type RuleFlags = {
  file?: string;
  name?: string;
  description?: string;
  trigger?: string;
  expression?: string;
  action?: string[];
  state?: string;
};

/** Keys of a rule's file. The others of `rule show --json` are ignored: they belong to a stored rule. */
const KEYS = ['name', 'description', 'trigger', 'expression', 'actions', 'state'] as const;
const STORED_KEYS = [
  'rule_id',
  'paused',
  'position',
  'version',
  'built_in',
  'match_counts',
  'created_at',
  'updated_at',
];
const REQUIRED = ['name', 'trigger', 'expression'] as const;

/** Input of a new rule from a file and flags. Throws for a missing or malformed part. */
export async function readRuleInput(flags: RuleFlags): Promise<Record<string, unknown>> {
  const { file, action, ...values } = flags;
  const given: Record<string, unknown> = file === undefined ? {} : await readRuleFile(file);
  for (const key of KEYS) if (key !== 'actions' && values[key] !== undefined) given[key] = values[key];
  if (action !== undefined) given.actions = action.map(actionOfFlag);
  for (const key of REQUIRED)
    if (given[key] === undefined)
      throw new UsageError(`${key}: required; pass --${key}, or --file with this key`, key);
  return {
    ...given,
    trigger: enumValue('trigger', given.trigger),
    ...(given.state === undefined ? {} : { state: enumValue('state', given.state) }),
    ...(given.actions === undefined
      ? {}
      : { actions: actionsOf(given.actions, action ? '--action' : 'actions') }),
  };
}

function enumValue(key: string, value: unknown): string {
  if (typeof value === 'string') return value.toUpperCase();
  throw invalidInput(`${key}: must be a string`, ['file', key]);
}

async function readRuleFile(file: string): Promise<Record<string, unknown>> {
  const text = await (file === '-' ? readText(process.stdin) : readFile(file, 'utf8')).catch(
    (error: unknown) => {
      throw new OperatorError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
    },
  );
  let rule: unknown;
  try {
    rule = JSON.parse(text);
  } catch {
    throw invalidInput(`${file}: must contain JSON`, ['file']);
  }
  if (rule === null || typeof rule !== 'object' || Array.isArray(rule))
    throw invalidInput(`${file}: must contain a JSON object with the keys ${KEYS.join(', ')}`, ['file']);
  const unknown = Object.keys(rule).find((key) => ![...KEYS, ...STORED_KEYS].includes(key));
  if (unknown !== undefined)
    throw invalidInput(`${file}: unknown key ${JSON.stringify(unknown)}; a rule has ${KEYS.join(', ')}`, [
      'file',
    ]);
  const entries = Object.entries(rule).filter(([key, value]) => !STORED_KEYS.includes(key) && value !== null);
  return Object.fromEntries(entries);
}

/** add_to_list=block as {"add_to_list": "block"}. */
function actionOfFlag(text: string): Record<string, unknown> {
  const [, kind, value] = /^([a-z_]+)=(.+)$/s.exec(text) ?? [];
  if (kind === undefined)
    throw new UsageError(
      `--action must be kind=value, such as add_to_list=block: ${JSON.stringify(text)}`,
      'action',
    );
  return { [kind]: value };
}

export const ACTION_KINDS = [
  'add_to_list',
  'remove_from_list',
  'raise_flag',
  'emit_event',
  'decide',
  'require_verification',
];

/** Throws for an action that no rule has, of a flag or of a file. */
function checkKinds(actions: readonly object[], source: string): void {
  for (const [index, action] of actions.entries()) {
    const unknown = Object.keys(action).find((kind) => !ACTION_KINDS.includes(kind));
    if (unknown === undefined) continue;
    const message = `${source}: ${unknown} is not an action: use ${ACTION_KINDS.join(', ')}`;
    throw new AppError('graphql.invalid', 'invalid_input', message, { path: ['actions', index, unknown] });
  }
}

/** Actions whose value is of an enumeration. */
export const ENUM_ACTIONS: ReadonlySet<string> = new Set(['decide', 'require_verification']);

function actionsOf(actions: unknown, source: string): unknown[] {
  const isList = Array.isArray(actions) && actions.every((each) => each !== null && typeof each === 'object');
  if (!isList)
    throw invalidInput('actions: must be an array of objects, such as {"add_to_list": "block"}', [
      'file',
      'actions',
    ]);
  checkKinds(actions, source);
  return actions.map((action) =>
    Object.fromEntries(
      Object.entries(action as object).map(([kind, value]) => [
        camelCase(kind),
        ENUM_ACTIONS.has(kind) && typeof value === 'string' ? value.toUpperCase() : value,
      ]),
    ),
  );
}
