/*
 * Writes the list of placeholders of docs/links.md from the code: `npm run generate:docs`. What stands between the markers is
 * replaced; the rest of the page is written by hand.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import {
  PLACEHOLDER_BIRTH_DATES,
  PLACEHOLDER_DOMAINS,
  PLACEHOLDER_FULL_NAMES,
  PLACEHOLDER_ID_NUMBERS,
  PLACEHOLDER_LOCAL_PARTS,
  PLACEHOLDER_NAME_PARTS,
  PLACEHOLDER_NAMES,
  PLACEHOLDER_USERNAMES,
} from '@vouchgraph/persons/internals/placeholders';
import { codeItem } from './code-list.ts';
import { replaceBetweenMarkers } from './page-markers.ts';

const FILE = new URL('../../docs/links.md', import.meta.url);

const FIELDS: readonly (readonly [field: string, words: readonly string[]])[] = [
  ['email, before the `@`', PLACEHOLDER_LOCAL_PARTS],
  ['email, domain', PLACEHOLDER_DOMAINS],
  ['first and last name together, in any order', PLACEHOLDER_FULL_NAMES],
  ['first or last name', PLACEHOLDER_NAME_PARTS],
  ['first and last name, each', PLACEHOLDER_NAMES],
  ['username', PLACEHOLDER_USERNAMES],
  ['date of birth', PLACEHOLDER_BIRTH_DATES],
  ['id number, without separators', PLACEHOLDER_ID_NUMBERS],
];

const list = FIELDS.map(([field, words]) => codeItem(field, words)).join('\n');
writeFileSync(FILE, replaceBetweenMarkers(readFileSync(FILE, 'utf8'), 'placeholders', list));
