import type { ProjectForCommandLine } from './app.ts';
import { createProgressLine } from './progress-line.ts';

const SHOWN = 10;
const print = (line: string): void => void process.stdout.write(`${line}\n`);
const count = (value: number) => value.toLocaleString('en');

/** Makes links and identities anew and says of how many accounts. */
export async function rebuildAllLinks(
  { viewer, rebuilding }: ProjectForCommandLine,
  isJson: boolean,
): Promise<boolean> {
  const line = createProgressLine();
  const accounts = await rebuilding.rebuild(viewer, (done) => line.show(`${count(done)} accounts`));
  line.clear();
  print(
    isJson ? JSON.stringify({ accounts }, null, 2) : `Made the links of ${count(accounts)} accounts anew.`,
  );
  return true;
}

/** Says whether what is stored is what a recomputation makes. */
export async function checkLinks(
  { viewer, rebuilding }: ProjectForCommandLine,
  isJson: boolean,
): Promise<boolean> {
  const line = createProgressLine();
  const found = await rebuilding.check(viewer, (done) => line.show(`${count(done)} accounts`));
  line.clear();
  const { missing, surplus, different, counters, keys, identities } = found;
  const isRight =
    missing.length + surplus.length + different.length + counters.length + keys.length + identities === 0;
  if (isJson) {
    print(JSON.stringify({ right: isRight, ...found }, null, 2));
    return isRight;
  }
  print(`Compared ${count(found.accounts)} accounts and ${count(found.links)} links.`);
  if (found.notCompared > 0)
    print(`  ${count(found.notCompared)} accounts are in too large rings, of which not all links are kept.`);
  for (const [what, pairs] of [
    ['links are missing', missing],
    ['links should not be there', surplus],
    ['links say something else', different],
  ] as const) {
    if (pairs.length === 0) continue;
    print(`  ${count(pairs.length)} ${what}, such as:`);
    for (const pair of pairs.slice(0, SHOWN)) print(`    ${pair.join('  -  ')}`);
  }
  if (counters.length > 0)
    print(
      `  ${count(counters.length)} accounts have wrong counts or averages, such as ${counters.slice(0, SHOWN).join(', ')}`,
    );
  if (keys.length > 0)
    print(
      `  ${count(keys.length)} accounts have match keys of earlier rules, such as ${keys.slice(0, SHOWN).join(', ')}`,
    );
  if (identities > 0) print(`  ${count(identities)} identity groups are not what the links make of them.`);
  print(
    isRight
      ? 'Links and identity groups are correct.'
      : 'Run it without --check to recompute links and identity groups.',
  );
  return isRight;
}
