/*
 * Writes the tables of docs/authorization.md from the code: `npm run generate:docs`. What stands between the markers is
 * replaced; the rest of the page is written by hand.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { accessOf } from '../../src/domain/projects/actions.ts';
import { replaceBetweenMarkers } from '../../src/platform/page-markers.ts';
import {
  ALL_ACTIONS,
  endpoints,
  guardedFields,
  permissionOf,
  type RootKind,
  rootFields,
  VIEWERS,
} from './authorization.ts';

const FILE = new URL('../../docs/authorization.md', import.meta.url);

const table = (head: readonly string[], rows: readonly (readonly string[])[]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const matrix = table(
  ['action', ...VIEWERS, 'meaning'],
  ALL_ACTIONS.map((action) => [
    `\`${action}\``,
    ...VIEWERS.map((viewer) => permissionOf(action, viewer)),
    accessOf(action).description,
  ]),
);

const code = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(' or ');
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
page = replaceBetweenMarkers(page, 'actions', matrix);
page = replaceBetweenMarkers(page, 'fields', fields);
page = replaceBetweenMarkers(page, 'endpoints', rest);
writeFileSync(FILE, page);
