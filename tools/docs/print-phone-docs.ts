/*
 * Writes the table of docs/phone.md from the code: `npm run generate:docs`. What stands between the markers is replaced;
 * the rest of the page is written by hand.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { PHONE_SIGNALS } from '@vouchgraph/phone';
import { replaceBetweenMarkers } from './page-markers.ts';

const FILE = new URL('../../docs/phone.md', import.meta.url);

const rows = Object.entries(PHONE_SIGNALS).map(
  ([code, { weight, group, description }]) => `| \`${code}\` | ${weight} | ${group} | ${description} |`,
);
const table = ['| signal | weight | group | meaning |', '|---|---|---|---|', ...rows].join('\n');
writeFileSync(FILE, replaceBetweenMarkers(readFileSync(FILE, 'utf8'), 'signals', table));
