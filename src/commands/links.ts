import { systemClock } from '@vouchgraph/platform/clock';
import { count, createProgressLine, print, printJson, snakeKeys } from '@vouchgraph/terminal';
import type { Command } from 'commander';
import type { RebuildService } from '../domain/accounts/rebuild-service.ts';
import type { Viewer } from '../domain/projects/access-service.ts';
import { JSON_OPTION } from './support/arguments.ts';
import { inLocalProject, type LocalProject, localProjectCommand } from './support/project-command.ts';

/** Examples of a difference that the report shows. */
const SHOWN = 10;

/** Registers `links`. */
export function addLinksCommand(program: Command): void {
  localProjectCommand(
    program.command('links').description('links between accounts'),
    'rebuild',
    'recompute the links and identity groups of a project from the identifiers of its accounts',
  )
    .option(
      '--check',
      'compare the stored links with a recomputation, without changes; exit code 1 if they differ',
    )
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph links rebuild PROJECT_ID --check')
    .action(inLocalProject(8, rebuildLinks));
}

async function rebuildLinks(
  { viewer }: LocalProject,
  { check, json = false }: { check?: boolean; json?: boolean },
): Promise<void> {
  const rebuilding = await openRebuilding();
  const work = check ? checkLinks : rebuildAllLinks;
  if (!(await work(viewer, rebuilding, json))) process.exitCode = 1;
}

async function openRebuilding(): Promise<RebuildService> {
  const { openAccounts } = await import('./support/open-accounts.ts');
  const { createRebuildService } = await import('../domain/accounts/rebuild-service.ts');
  return createRebuildService({ accounts: openAccounts(), clock: systemClock });
}

/** Recomputes links and identities, and prints of how many accounts. */
async function rebuildAllLinks(
  viewer: Viewer,
  rebuilding: RebuildService,
  isJson: boolean,
): Promise<boolean> {
  const line = createProgressLine();
  const accounts = await rebuilding.rebuild(viewer, (done) => line.show(`${count(done)} accounts`));
  line.clear();
  if (isJson) printJson({ accounts });
  else print(`Recomputed the links of ${count(accounts)} accounts.`);
  return true;
}

/** Prints how stored links differ from a recomputation; true when they do not. */
async function checkLinks(viewer: Viewer, rebuilding: RebuildService, isJson: boolean): Promise<boolean> {
  const line = createProgressLine();
  const found = await rebuilding.check(viewer, (done) => line.show(`${count(done)} accounts`));
  line.clear();
  const { missing, surplus, different, counters, keys, identities } = found;
  const isRight =
    missing.length + surplus.length + different.length + counters.length + keys.length + identities === 0;
  if (isJson) {
    printJson(snakeKeys({ right: isRight, ...found }));
    return isRight;
  }
  print(`Compared ${count(found.accounts)} accounts and ${count(found.links)} links.`);
  if (found.notCompared > 0)
    print(
      `  ${count(found.notCompared)} accounts are in groups that are too large to store all links, and were not compared.`,
    );
  for (const [what, pairs] of [
    ['links are missing', missing],
    ['links are surplus', surplus],
    ['links have other values', different],
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
      `  ${count(keys.length)} accounts have stale match keys, such as ${keys.slice(0, SHOWN).join(', ')}`,
    );
  if (identities > 0) print(`  ${count(identities)} identity groups do not match the links.`);
  print(
    isRight
      ? 'Links and identity groups are correct.'
      : 'Run it without --check to recompute links and identity groups.',
  );
  return isRight;
}
