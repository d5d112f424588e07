/*
 * Writes the tables of docs/rules.md from the code: `npm run generate:docs`. What stands between the markers is
 * replaced; the rest of the page is written by hand.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import {
  BUILT_IN_RULES,
  FIELDS,
  METADATA_FIELD,
  type RuleAction,
  type RuleField,
} from '@vouchgraph/decisions';
import { codeItem } from './code-list.ts';
import { replaceBetweenMarkers } from './page-markers.ts';

const FILE = new URL('../../docs/rules.md', import.meta.url);

const GROUPS: readonly (readonly [title: string, belongs: (name: string) => boolean])[] = [
  ['Session', (name) => name.startsWith('session.')],
  ['Account', (name) => name.startsWith('account.') || name === 'lists'],
  ['Velocity', (name) => name.startsWith('velocity.')],
  ['Verification', (name) => name.startsWith('verification.')],
];

function fieldTables(): string {
  return GROUPS.map(([title, belongs]) => {
    const fields = Object.entries({ ...FIELDS, 'account.metadata.*': METADATA_FIELD }).filter(([name]) =>
      belongs(name),
    );
    const rows = fields.map(
      ([name, field]) => `| \`${name}\` | ${field.type} | ${field.description}${details(field)} |`,
    );
    const lists = fields
      .filter(([, { values }]) => values && isListedBelow(values))
      .map(([name, { values }]) => codeItem(`\`${name}\``, values!));
    const below = lists.length === 0 ? [] : ['', 'Values:', '', ...lists];
    return [`### ${title}`, '', '| field | type | meaning |', '|---|---|---|', ...rows, ...below].join('\n');
  }).join('\n\n');
}

/** Longer lists of values are in the documents of their fields. */
const MAX_VALUES = 32;
/** Longer lists of values are below the table, in characters. */
const MAX_CELL = 110;

const isListedBelow = (values: readonly string[]) =>
  values.length <= MAX_VALUES && values.join('`, `').length > MAX_CELL;

function details({ range, unit, values, country }: RuleField): string {
  const parts: string[] = [];
  if (range) parts.push(unit && unit !== 'count' ? `${range}, in ${unit}` : range);
  if (country) parts.push('two letters');
  if (values && isListedBelow(values)) parts.push('values below the table');
  else if (values && values.length <= MAX_VALUES)
    parts.push(values.map((value) => `\`${value}\``).join(', '));
  return parts.length === 0 ? '' : `: ${parts.join('; ')}`;
}

function builtInTable(): string {
  const rows = BUILT_IN_RULES.map(
    ({ key, description, trigger, expression, actions }) =>
      `| \`${key}\` | ${description} | ${trigger} | \`${expression}\` | ${actions.map(actionText).join(', ')} |`,
  );
  return ['| key | effect | trigger | condition | actions |', '|---|---|---|---|---|', ...rows].join('\n');
}

function actionText(action: RuleAction): string {
  return Object.entries(action)
    .map(([kind, value]) => `${kind} \`${value}\``)
    .join(', ');
}

const page = readFileSync(FILE, 'utf8');
const withFields = replaceBetweenMarkers(page, 'fields', fieldTables());
writeFileSync(FILE, replaceBetweenMarkers(withFields, 'built-in', builtInTable()));
