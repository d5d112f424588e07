import { mkdir, open, readdir, readFile, rename, rm, rmdir, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';
import { pollUntil } from './poll.ts';
import { identifyProcess, ownIdentity, type ProcessIdentity } from './process-identity.ts';

/*
 * One gateway per data folder, decided before anything else is accessed.
 *
 * DATA_DIR/lock contains numbered files; the highest number is the lock. It names its holder, or is marked as released. To
 * acquire a lock that is released or whose holder exited, a gateway creates the next number with O_EXCL: of several
 * concurrent gateways exactly one succeeds. Numbers never start over, and a gateway that finds a higher number after
 * creating its own has lost; so a slow one with an outdated view of the folder can never displace a newer holder. (Deleting
 * and re-creating one lock file has that race.)
 *
 * The holder touches its file every two seconds. This heartbeat is only used when the holder cannot be identified by its
 * pid: it runs in another container, on another machine, or on a system without start times.
 */

const HEARTBEAT_MS = 2_000;
const HEARTBEAT_TIMEOUT_MS = 10_000;
const RELEASED = 'released';
// It contains no secret, and the user who starts the next gateway must be able to read a lock of root.
const LOCK_MODE = 0o644;

export type FolderLock = {
  release(): Promise<void>;
  /**
   * Releases the lock and deletes its files and folder. Only for locks that were acquired with `isTemporary`: their numbers
   * begin at the current time, so that they increase although no file of an earlier lock is left.
   */
  remove(): Promise<void>;
};

export type FolderLockOptions = {
  /** Time without a heartbeat after which a holder that cannot be identified by its pid counts as dead. */
  heartbeatTimeoutMs?: number;
  /** Whether the folder is deleted with the lock; see `remove`. */
  isTemporary?: boolean;
};

type LockFile = { number: number; path: string };

/** Acquires the lock of a folder. Throws an EmbeddedPostgresError that names the holder when another process holds it. */
export async function acquireFolderLock(
  dataDir: string,
  log: (line: string) => void,
  { heartbeatTimeoutMs = HEARTBEAT_TIMEOUT_MS, isTemporary = false }: FolderLockOptions = {},
): Promise<FolderLock> {
  const folder = join(dataDir, 'lock');
  const own = await ownIdentity();
  for (;;) {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const seen = await numbersIn(folder);
    const highest = Math.max(0, ...seen);
    const current = { number: highest, path: join(folder, String(highest)) };
    if (highest > 0) await assertIsFree(dataDir, current, own, heartbeatTimeoutMs, log);
    const number = (isTemporary ? Math.max(highest, Date.now()) : highest) + 1;
    const mine = await createLock(folder, number, seen, own);
    if (mine !== null) return holdLock(folder, mine);
  }
}

async function numbersIn(folder: string): Promise<number[]> {
  return (await namesIn(folder)).filter((name) => /^\d+$/.test(name)).map(Number);
}

/** Names of files; none when the folder was deleted by the holder of a temporary lock. */
async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
}

async function assertIsFree(
  dataDir: string,
  current: LockFile,
  own: ProcessIdentity,
  heartbeatTimeoutMs: number,
  log: (line: string) => void,
): Promise<void> {
  // A lock file is created first and written afterwards, so wait briefly for its content.
  const holder = await pollUntil(() => readHolder(current), { timeoutMs: 500 });
  if (holder === RELEASED) return;
  const verdict = holder === null ? 'unknown' : await identifyProcess(holder, own);
  if (verdict === 'dead') return;
  if (verdict === 'unknown') {
    log(`DATA_DIR ${dataDir} was not released by its last gateway; watching for a sign of life`);
    if (!(await hasHeartbeat(current, heartbeatTimeoutMs))) return;
  }
  const changed = await readHolder(current);
  if (changed === RELEASED) return;
  throw new EmbeddedPostgresError(
    `DATA_DIR ${dataDir} is in use by another gateway (pid ${(changed ?? holder)?.pid ?? 'unknown'})`,
  );
}

/** Null: not readable as a holder, because it is being written this moment or its writer died doing so. */
async function readHolder({ path }: LockFile): Promise<ProcessIdentity | typeof RELEASED | null> {
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    // Deleted between two reads of the folder. A file that cannot be read counts as held.
    if (error.code === 'ENOENT') return RELEASED;
    throw error;
  });
  if (text === RELEASED) return RELEASED;
  try {
    return JSON.parse(text) as ProcessIdentity;
  } catch {
    return null;
  }
}

/** Compares the file with itself over time, so that clocks of two machines need not agree. */
async function hasHeartbeat({ path }: LockFile, heartbeatTimeoutMs: number): Promise<boolean> {
  const modifiedAt = async () => (await stat(path).catch(() => null))?.mtimeMs ?? 0;
  const first = await modifiedAt();
  const beat = await pollUntil(async () => (await modifiedAt()) !== first, {
    timeoutMs: heartbeatTimeoutMs,
    everyMs: 50,
  });
  return beat !== null;
}

/** The lock of a number, if no file was created since those `seen`; null when another process has taken one meanwhile. */
async function createLock(
  folder: string,
  number: number,
  seen: readonly number[],
  own: ProcessIdentity,
): Promise<LockFile | null> {
  const mine = { number, path: join(folder, String(number)) };
  try {
    const file = await open(mine.path, 'wx', LOCK_MODE);
    await file.writeFile(JSON.stringify(own)).finally(() => file.close());
  } catch (error) {
    // Another process was quicker, or the folder was deleted by the holder of a temporary lock.
    if (['EEXIST', 'ENOENT'].includes((error as NodeJS.ErrnoException).code ?? '')) return null;
    throw error;
  }
  // Another process may have taken a lower number, where numbers of temporary locks leave gaps or are ahead of the clock.
  if ((await numbersIn(folder)).every((other) => other === number || seen.includes(other))) return mine;
  await rm(mine.path, { force: true });
  return null;
}

async function holdLock(folder: string, mine: LockFile): Promise<FolderLock> {
  for (const name of await namesIn(folder)) {
    if (Number(name) < mine.number) await rm(join(folder, name), { force: true });
  }
  const beat = setInterval(() => {
    const now = new Date();
    utimes(mine.path, now, now).catch(() => undefined);
  }, HEARTBEAT_MS);
  beat.unref();
  async function release(): Promise<void> {
    clearInterval(beat);
    // A file of this number stays, so that the numbers increase. Renamed into place, so that no process reads
    // half of it. The data folder may have been deleted meanwhile, which is a release as well.
    const released = `${mine.path}.${RELEASED}`;
    await writeFile(released, RELEASED, { mode: LOCK_MODE })
      .then(() => rename(released, mine.path))
      .catch(() => undefined);
  }
  return {
    release,
    async remove() {
      await release();
      await rm(mine.path, { force: true });
      // Not empty when another process is taking the lock: then that process deletes the folders.
      for (const each of [folder, dirname(folder)]) await rmdir(each).catch(() => undefined);
    },
  };
}
