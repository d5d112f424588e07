/*
 * Writes the tables of docs/signals.md from the code: `npm run generate:docs`. What stands between the markers is
 * replaced; the rest of the page is written by hand.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { ALL_CODES, type RiskScoreKey, scoreName } from '@vouchgraph/signals';
import { CODE_WEIGHTS } from '@vouchgraph/signals/internals/evidence/code-weights';
import { replaceBetweenMarkers } from './page-markers.ts';

const FILE = new URL('../../docs/signals.md', import.meta.url);

function codeTable(family: 'network' | 'device'): string {
  const codes = ALL_CODES.filter((code) => code.family === family);
  return [
    `### ${family === 'network' ? 'Network' : 'Device'}: ${codes.length}`,
    '',
    '| code | observation | maximum contribution |',
    '|---|---|---|',
    ...codes.map(({ code, describes }) => `| \`${code}\` | ${describes} | ${weightsOf(code)} |`),
    '',
    '| code | sources | does not mean |',
    '|---|---|---|',
    ...codes.map(({ code, needs, limits }) => `| \`${code}\` | ${needs} | ${limits} |`),
  ].join('\n');
}

function weightsOf(code: string): string {
  return Object.entries(CODE_WEIGHTS[code] ?? {})
    .map(([key, weight]) => `${scoreName(key as RiskScoreKey)} ${Math.round(weight * 100) / 100}`)
    .join(', ');
}

const page = readFileSync(FILE, 'utf8');
const codes = `${codeTable('network')}\n\n${codeTable('device')}`;
writeFileSync(FILE, replaceBetweenMarkers(page, 'codes', codes));
