import { lstat, readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { locatePlaces } from './data-folder.ts';
import { ownerUrl } from './ownership.ts';
import { findPostmaster } from './postmaster.ts';
import { findSecret } from './secrets.ts';

/** The owner's connection string of the PostgreSQL that a running gateway keeps in a data folder, or null. */
export async function findRunningPostgres(dataDir: string): Promise<string | null> {
  const folder = await realpath(dataDir).catch(() => null);
  if (folder === null) return null;
  const password = await findSecret(folder, 'owner');
  if (password === null) return null;
  const { cluster } = await locatePlaces(folder);
  const postmaster = await findPostmaster(cluster);
  return postmaster?.isReady ? ownerUrl(postmaster.port, password) : null;
}

/** Whether a data folder contains a database, or the link to one. Creates nothing. */
export async function hasDatabase(dataDir: string): Promise<boolean> {
  const cluster = join(dataDir, 'postgres');
  try {
    // A new volume is an empty folder.
    return !(await lstat(cluster)).isDirectory() || (await readdir(cluster)).length > 0;
  } catch (error) {
    // The start of the database reports every other problem of the folder.
    return (error as NodeJS.ErrnoException).code !== 'ENOENT';
  }
}
