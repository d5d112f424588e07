import { rm } from 'node:fs/promises';
import path from 'node:path';
import { print } from '@vouchgraph/terminal';
import type { App } from '../../app.ts';
import { writeSecretFile } from '../../storage/master-key-file.ts';

const FILE = 'first-administrator.txt';

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
  if (link === null || isTerminal) await rm(file, { force: true });
  if (link === null) return;
  if (isTerminal) return print(`  console     ${link} (first administrator; works once, for a day)`);
  await writeSecretFile(file, `${link}\n`);
  print(`  console     the link of the first administrator is in ${file}`);
}
