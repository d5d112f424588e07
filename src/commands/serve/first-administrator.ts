import { mkdir, rm } from 'node:fs/promises';
import path from 'node:path';
import { print } from '@vouchgraph/terminal';
import type { App } from '../../app.ts';
import { writeSecretFile } from '../../storage/master-key-file.ts';

const FILE = 'first-administrator.txt';

/** Where the link is. A gateway whose data folder cannot be written serves without it. */
async function placeOf(dataDir: string, file: string, link: string): Promise<string> {
  try {
    await mkdir(dataDir, { recursive: true, mode: 0o700 });
    await writeSecretFile(file, `${link}\n`);
    return `the link of the first administrator is in ${file}`;
  } catch {
    return `${dataDir} cannot be written: invite the first administrator with vouchgraph user invite`;
  }
}

/**
 * Shows the link of the first administrator on a terminal. Without a terminal the output goes to a log: the link is then in a file
 * that its owner alone can read. The file is removed once an administrator exists.
 */
export async function showAdministratorLink(
  dataDir: string,
  isTerminal: boolean,
  app: Pick<App, 'firstAdministratorLink'>,
): Promise<void> {
  const file = path.join(dataDir, FILE);
  const link = await app.firstAdministratorLink();
  if (link === null || isTerminal) await rm(file, { force: true }).catch(() => {});
  if (link === null) return;
  if (isTerminal) return print(`  console     ${link} (first administrator; works once, for a day)`);
  print(`  console     ${await placeOf(dataDir, file, link)}`);
}
