import { createHash } from 'node:crypto';
import { chmod, lstat, mkdir, readlink, realpath, rename, stat, symlink } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { type Account, canEnter, defaultAccount } from './account.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

/** Paths of one data folder. Secrets, lock and log are always in `dataDir` itself. */
export type Places = {
  dataDir: string;
  /** Holds the cluster and, if need be, a copy of the programs: `dataDir`, or a folder below /var/lib. */
  home: string;
  cluster: string;
  account: Account;
};

const RELOCATED_HOMES = '/var/lib/vouchgraph';

/** Creates the folder when missing; answers its one true path, so that every spelling meets the same lock. */
export async function prepareDataDir(dataDir: string): Promise<string> {
  await makeFolder(resolve(dataDir), 0o700);
  return realpath(dataDir);
}

/**
 * Not by mkdir's own `recursive`: in Node it never returns on file systems without new folders, like /proc. The parent
 * folders get the default mode, since the server's user has to traverse them.
 */
async function makeFolder(folder: string, mode: number): Promise<void> {
  if (await isFolder(folder)) return;
  if (dirname(folder) !== folder) await makeFolder(dirname(folder), 0o777);
  await mkdir(folder, { mode }).catch(async (error: unknown) => {
    // Made by another gateway this moment.
    if (!(await isFolder(folder))) throw error;
  });
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (entry) => entry.isDirectory(),
    () => false,
  );
}

export async function locatePlaces(dataDir: string): Promise<Places> {
  const link = join(dataDir, 'postgres');
  const entry = await lstat(link).catch(() => null);
  const account = await accountFor(link);
  if (entry?.isSymbolicLink()) return followLink(dataDir, link, account);
  if (await allowTraversal(dataDir, account)) return { dataDir, home: dataDir, cluster: link, account };
  if (entry !== null) throw cannotEnter(dataDir, account);
  const home = await relocate(dataDir, account);
  return { dataDir, home, cluster: join(home, 'postgres'), account };
}

/** A cluster made by an ordinary user stays theirs when root starts the gateway once. */
async function accountFor(cluster: string): Promise<Account> {
  const account = defaultAccount();
  const owner = account === null ? null : await stat(cluster).catch(() => null);
  return owner === null || owner.uid === 0 ? account : { uid: owner.uid, gid: owner.gid };
}

async function followLink(dataDir: string, link: string, account: Account): Promise<Places> {
  const cluster = resolve(dataDir, await readlink(link));
  if ((await stat(cluster).catch(() => null)) === null) {
    throw new EmbeddedPostgresError(
      `The database of DATA_DIR ${dataDir} is missing: ${link} points to ${cluster}. Restore it, or remove the link to start with an empty database`,
    );
  }
  const home = dirname(cluster);
  if (!(await canEnter(home, account))) throw cannotEnter(home, account);
  return { dataDir, home, cluster, account };
}

/** Mode 711 allows the account to reach its cluster without listing other files. */
async function allowTraversal(folder: string, account: Account): Promise<boolean> {
  if (await canEnter(folder, account)) return true;
  const { mode } = await stat(folder);
  await chmod(folder, (mode & 0o7777) | 0o011);
  if (await canEnter(folder, account)) return true;
  await chmod(folder, mode & 0o7777);
  return false;
}

function cannotEnter(folder: string, account: Account): EmbeddedPostgresError {
  return new EmbeddedPostgresError(
    `PostgreSQL runs as uid ${account?.uid}, which cannot access ${folder}: set mode o+x on that folder and all folders above it`,
  );
}

async function relocate(dataDir: string, account: Account): Promise<string> {
  const home = join(RELOCATED_HOMES, createHash('sha256').update(dataDir).digest('hex').slice(0, 16));
  await mkdir(home, { recursive: true, mode: 0o711 });
  await chmod(RELOCATED_HOMES, 0o711);
  await chmod(home, 0o711);
  if (!(await canEnter(home, account))) throw cannotEnter(home, account);
  return home;
}

/**
 * DATA_DIR was emptied but its relocated cluster is still there. An empty folder can also be a disk that is not
 * mounted, so the cluster is kept, under another name.
 */
export async function moveForeignHomeAside(places: Places, log: (line: string) => void): Promise<void> {
  const isRelocated = places.home !== places.dataDir;
  const isLinked = (await lstat(join(places.dataDir, 'postgres')).catch(() => null)) !== null;
  if (!isRelocated || isLinked || (await lstat(places.cluster).catch(() => null)) === null) return;
  const kept = `${places.cluster}.left-${Date.now()}`;
  await rename(places.cluster, kept);
  log(`DATA_DIR ${places.dataDir} is new; the database of an earlier folder of that name is kept in ${kept}`);
}

/** The link is also the memory of the choice: later changes of folder modes do not lose the database. */
export async function linkRelocatedCluster({ dataDir, home, cluster }: Places): Promise<void> {
  const link = join(dataDir, 'postgres');
  if (home === dataDir || (await lstat(link).catch(() => null)) !== null) return;
  await symlink(cluster, link);
}
