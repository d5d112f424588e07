/*
 * Writes the tables of docs/signals.md from the code: `npm run generate:docs`. What stands between the markers is
 * replaced; the rest of the page is written by hand.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { ALL_CODES, RISK_SCORES, type RiskScoreKey, scoreName } from '@vouchgraph/signals';
import { replaceBetweenMarkers } from './page-markers.ts';

const FILE = new URL('../../docs/signals.md', import.meta.url);

function codeTable(family: 'network' | 'device'): string {
  const codes = ALL_CODES.filter((code) => code.family === family);
  return [
    `### ${family === 'network' ? 'Network' : 'Device'}: ${codes.length}`,
    '',
    '| code | observation | maximum contribution |',
    '|---|---|---|',
    ...codes.map(
      ({ code, describes, weights }) => `| \`${code}\` | ${describes} | ${contributions(weights)} |`,
    ),
    '',
    '| code | sources | does not mean |',
    '|---|---|---|',
    ...codes.map(({ code, needs, limits }) => `| \`${code}\` | ${needs} | ${limits} |`),
  ].join('\n');
}

function contributions(weights: (typeof ALL_CODES)[number]['weights']): string {
  return Object.entries(weights)
    .map(([key, weight]) => `${scoreName(key as RiskScoreKey)} ${Math.round(weight * 100) / 100}`)
    .join(', ');
}

function signalTable(): string {
  return [
    '| signal | raised when | requires |',
    '|---|---|---|',
    ...RISK_SCORES.map(
      ({ key, raisedWhen, requires }) => `| \`${scoreName(key)}\` | ${raisedWhen} | ${requires} |`,
    ),
  ].join('\n');
}

const page = readFileSync(FILE, 'utf8');
const codes = `${codeTable('network')}\n\n${codeTable('device')}`;
const withSignals = replaceBetweenMarkers(page, 'signals', signalTable());
writeFileSync(FILE, replaceBetweenMarkers(withSignals, 'codes', codes));
