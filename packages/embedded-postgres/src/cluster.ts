import { randomUUID } from 'node:crypto';
import {
  chmod,
  chown,
  lchown,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { type Account, runProgram } from './account.ts';
import type { Binaries } from './binaries.ts';
import { linkRelocatedCluster, moveForeignHomeAside, type Places } from './data-folder.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { findOrCreateSecret, findSecret } from './secrets.ts';

const UNFINISHED_PREFIX = 'postgres.unfinished-';

/** Leaves a complete cluster of the right version in its place. The caller holds the folder's lock. */
export async function prepareCluster(
  places: Places,
  binaries: Binaries,
  log: (line: string) => void,
): Promise<void> {
  await removeUnfinished(places.home);
  await moveForeignHomeAside(places, log);
  if (await isMissing(places.cluster)) await createCluster(places, binaries);
  else await checkCluster(places, binaries);
  await linkRelocatedCluster(places);
}

/** Missing or an empty folder, as in a new volume. */
async function isMissing(cluster: string): Promise<boolean> {
  try {
    return (await readdir(cluster)).length === 0;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return true;
    throw error;
  }
}

/**
 * initdb works in a folder of another name, which becomes the cluster by a rename: whatever an interrupted start left
 * behind is never taken for a database. The name is new each time, because the initdb of a killed gateway may still
 * be writing to its own.
 */
async function createCluster({ dataDir, home, cluster, account }: Places, binaries: Binaries): Promise<void> {
  const unfinished = join(home, `${UNFINISHED_PREFIX}${randomUUID()}`);
  const passwordFile = `${unfinished}.password`;
  await mkdir(unfinished, { mode: 0o700 });
  // The secret itself stays owned by root; initdb gets a copy that exists while it runs.
  await writeFile(passwordFile, await findOrCreateSecret(dataDir, 'superuser'), { mode: 0o600, flag: 'wx' });
  try {
    if (account !== null) await chown(unfinished, account.uid, account.gid);
    if (account !== null) await chown(passwordFile, account.uid, account.gid);
    await runInitdb(binaries, unfinished, passwordFile, account);
    await rename(unfinished, cluster);
    await syncFolder(home);
  } finally {
    await removeUnfinished(home);
  }
}

/** As far as possible: files that a killed initdb still writes are removed at a later start. */
async function removeUnfinished(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    if (!name.startsWith(UNFINISHED_PREFIX)) continue;
    await rm(join(home, name), { recursive: true, force: true }).catch(() => undefined);
  }
}

async function runInitdb(
  { initdb }: Binaries,
  folder: string,
  passwordFile: string,
  account: Account,
): Promise<void> {
  const result = await runProgram(
    initdb,
    [
      `--pgdata=${folder}`,
      '--username=postgres',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--encoding=UTF8',
      '--locale=C',
      '--locale-provider=builtin',
      '--builtin-locale=C.UTF-8',
    ],
    account,
  );
  if (result.exitCode === 0) return;
  const lines = result.output.trim().split('\n');
  const reason = lines.find((line) => /error|fatal/i.test(line)) ?? lines.at(-1);
  const status = result.spawnError ?? `exit code ${result.exitCode}`;
  throw new EmbeddedPostgresError(`The database could not be created in ${folder} (${status}): ${reason}`);
}

/** Makes the rename last through a power failure. Windows cannot open folders, and needs it less. */
async function syncFolder(folder: string): Promise<void> {
  if (process.platform === 'win32') return;
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
}

async function checkCluster({ dataDir, cluster, account }: Places, binaries: Binaries): Promise<void> {
  const version = await readClusterVersion(dataDir, cluster);
  if (version !== binaries.majorVersion) throw wrongVersion(dataDir, version, binaries.majorVersion);
  if ((await findSecret(dataDir, 'superuser')) === null) {
    throw new EmbeddedPostgresError(
      `DATA_DIR ${dataDir} has a database but not its password: restore ${join(dataDir, 'superuser.password')}`,
    );
  }
  if (account !== null && (await stat(cluster)).uid === 0) await changeOwner(cluster, account);
}

async function readClusterVersion(dataDir: string, cluster: string): Promise<number> {
  try {
    await stat(join(cluster, 'global', 'pg_control'));
    return Number.parseInt(await readFile(join(cluster, 'PG_VERSION'), 'utf8'), 10);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // Never replaced by a new cluster: the folder may contain the only copy of the data.
    if (code === 'ENOENT') {
      throw new EmbeddedPostgresError(
        `${cluster} is not a complete PostgreSQL database: restore it from a backup, or move it away to start with an empty database`,
      );
    }
    if (code !== 'EACCES') throw error;
    const { uid } = await stat(cluster);
    throw new EmbeddedPostgresError(
      `The database of DATA_DIR ${dataDir} belongs to uid ${uid}: start the gateway as that user or as root, or change the owner of all files in it`,
    );
  }
}

function wrongVersion(dataDir: string, found: number, carried: number): EmbeddedPostgresError {
  const advice =
    found > carried
      ? 'start the newer gateway that wrote it'
      : 'export it with the older gateway and import it into a new folder';
  return new EmbeddedPostgresError(
    `The database of DATA_DIR ${dataDir} was written by PostgreSQL ${found}, and this gateway includes ${carried}: ${advice}`,
  );
}

/** A backup restored by root belongs to root, and PostgreSQL requires files of its own user with restricted permissions. */
async function changeOwner(folder: string, account: NonNullable<Account>): Promise<void> {
  await chmod(folder, 0o700);
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    await lchown(join(entry.parentPath, entry.name), account.uid, account.gid);
  }
  // The folder itself last: when interrupted, the next start finds it root's and does all of it again.
  await chown(folder, account.uid, account.gid);
}
