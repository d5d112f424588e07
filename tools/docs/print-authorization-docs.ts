/*
 * Writes the tables of docs/authorization.md from the code: `npm run generate:docs`. What stands between the markers is
 * replaced; the rest of the page is written by hand.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { type Action, accessOf } from '../../src/domain/projects/actions.ts';
import { ALL_TOKEN_SCOPES, TOKEN_SCOPES } from '../../src/domain/projects/token-scope.ts';
import { type FieldRule, TOKEN_FIELDS } from '../../src/graphql/kernel/token-fields.ts';
import {
  ALL_ACTIONS,
  endpoints,
  guardedFields,
  permissionOf,
  type RootKind,
  rootFields,
  type ViewerKind,
} from './authorization.ts';
import { replaceBetweenMarkers } from './page-markers.ts';

const FILE = new URL('../../docs/authorization.md', import.meta.url);

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(' or ');
const SHOWN = [
  'key read',
  'key server',
  'key operator',
  'page',
  'app',
] as const satisfies readonly ViewerKind[];

/** What tokens with one of the scopes of an action may do: the same for each scope. */
function tokenCells(action: Action): string[] {
  const { tokens } = accessOf(action);
  if (!tokens) return ['', 'no', 'no'];
  const { scopes, also, reach } = tokens;
  const text = (of: readonly string[]) => of.map((scope) => `\`${scope}\``).join(', ');
  return [
    scopes.length === ALL_TOKEN_SCOPES.length
      ? 'any'
      : `${text(scopes)}${also ? ` and one of ${text(also)}` : ''}`,
    reach === 'project' ? 'no' : reach,
    'yes',
  ];
}

const matrix = table(
  ['action', ...SHOWN, 'scopes', 'token', 'project token', 'meaning'],
  ALL_ACTIONS.map((action) => [
    `\`${action}\``,
    ...SHOWN.map((viewer) => permissionOf(action, viewer)),
    ...tokenCells(action),
    accessOf(action).description,
  ]),
);

const scopes = table(
  ['scope', 'readable'],
  ALL_TOKEN_SCOPES.map((scope) => [`\`${scope}\``, TOKEN_SCOPES[scope]]),
);

const ruleText = (rule: FieldRule) => (rule === 'never' ? 'key only' : code(rule));
/** Types that need a scope of their own; the fields of the others are those of their parents. */
const tokenFields = table(
  ['type', 'fields', 'scope'],
  Object.entries(TOKEN_FIELDS).flatMap(([type, { rule, fields = {} }]) => {
    const byRule = Map.groupBy(Object.keys(fields), (field) => ruleText(fields[field]!));
    const all =
      rule === ALL_TOKEN_SCOPES
        ? []
        : [[`\`${type}\``, byRule.size === 0 ? 'all' : 'all others', ruleText(rule)]];
    const named = [...byRule].map(([text, names]) => [
      `\`${type}\``,
      names.map((name) => `\`${name}\``).join(', '),
      text,
    ]);
    return [...named, ...all];
  }),
);

const fieldRows = (kind: RootKind) =>
  rootFields(kind).map(({ name, actions }) => [kind, `\`${name}\``, code(actions)]);
const fields = table(
  ['type', 'field', 'action'],
  [
    ...fieldRows('query'),
    ...fieldRows('mutation'),
    ...fieldRows('subscription'),
    ...guardedFields().map(({ name, actions }) => ['object', `\`${name}\``, code(actions)]),
  ],
);

const rest = table(
  ['endpoint', 'action'],
  endpoints().map(({ method, path, actions }) => [`\`${method} ${path}\``, code(actions)]),
);

let page = readFileSync(FILE, 'utf8');
page = replaceBetweenMarkers(page, 'scopes', scopes);
page = replaceBetweenMarkers(page, 'tokens', tokenFields);
page = replaceBetweenMarkers(page, 'actions', matrix);
page = replaceBetweenMarkers(page, 'fields', fields);
page = replaceBetweenMarkers(page, 'endpoints', rest);
writeFileSync(FILE, page);
