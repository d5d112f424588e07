import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { readBotDeclaration } from '@vouchgraph/signals/internals/device/bot-declaration';
import { isbot } from 'isbot';
import { printTable } from './support/report.ts';
import { userAgentsOf } from './support/signals/user-agent-files.ts';

/*
 * Number of user agents in a folder of public lists that are classified as programs: as proof, as a hint, and
 * by the bare list of bot words. Nothing is shipped or downloaded; the folder contains checkouts of such lists
 * (matomo-org/device-detector, omrilotan/isbot, monperrus/crawler-user-agents, faisalman/ua-parser-js), or text
 * files with one user agent a line. A class of strings is named by its file, without the number at its end.
 */
const { values } = parseArgs({
  options: { folder: { type: 'string' }, show: { type: 'string' }, missed: { type: 'string' } },
});
const { folder, show, missed } = values;
if (!folder || !existsSync(folder)) throw new Error('--folder names a folder with lists of user agents');

const classes = new Map<string, Set<string>>();
for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
  if (!entry.isFile() || !/\.(ya?ml|json|txt)$/.test(entry.name)) continue;
  const path = join(entry.parentPath, entry.name);
  const found = userAgentsOf(entry.name, readFileSync(path, 'utf8'));
  if (found.length === 0) continue;
  const name = path
    .slice(folder.length)
    .replace(/^\/+/, '')
    .replace(/(-\d+)?\.\w+$/, '');
  const all = classes.get(name) ?? new Set();
  for (const userAgent of found) all.add(userAgent);
  classes.set(name, all);
}

const measured = [...classes].map(([name, all]) => {
  const strengths = [...all].map((userAgent) => ({
    userAgent,
    strength: readBotDeclaration(userAgent)?.strength,
  }));
  const of = (strength: 'plain' | 'hint') => strengths.filter((each) => each.strength === strength);
  const words = [...all].filter((userAgent) => isbot(userAgent)).length;
  return { name, strings: all.size, words, plain: of('plain'), hint: of('hint'), strengths };
});

printTable(
  ['class', 'strings', 'bot words', '%', 'proof', '%', 'hint'],
  measured
    .toSorted((a, b) => a.name.localeCompare(b.name))
    .map(({ name, strings, words, plain, hint }) => [
      name,
      String(strings),
      String(words),
      percent(words / strings),
      String(plain.length),
      percent(plain.length / strings),
      String(hint.length),
    ]),
);
for (const { name, plain, strengths } of measured) {
  if (show && name.includes(show)) print(`${name}: proof`, plain);
  if (missed && name.includes(missed)) {
    print(
      `${name}: no proof`,
      strengths.filter(({ strength }) => strength !== 'plain'),
    );
  }
}

function print(title: string, found: readonly { userAgent: string }[]): void {
  console.log(`\n${title}`);
  for (const { userAgent } of found) console.log(`  ${userAgent}`);
}

function percent(share: number): string {
  return (share * 100).toFixed(2);
}
