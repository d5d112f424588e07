import { spawn } from 'node:child_process';
import { access, constants, mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BuildError } from './build-error.ts';
import { keyOf, writeStamp } from './freshness.ts';
import type { Part } from './parts.ts';

/** Holds the lock and what is being made. On the volume of the outputs, so that folders can be renamed to there. */
const WORK_FOLDER = '.build';
const MAX_WAIT_MS = 120_000;
/** SQLite's result code for a lock that another connection holds. */
const SQLITE_BUSY = 5;

/**
 * Runs the task while no other process runs one for the same root. Waits up to `maxWaitMs` for another process. The lock
 * is SQLite's: the operating system releases it however the process ends, on every platform.
 */
export async function withLock(
  root: string,
  task: () => Promise<void>,
  maxWaitMs = MAX_WAIT_MS,
): Promise<void> {
  const folder = join(root, WORK_FOLDER);
  let lock: DatabaseSync | undefined;
  try {
    try {
      await mkdir(folder, { recursive: true });
      await access(folder, constants.W_OK);
      lock = new DatabaseSync(join(folder, 'lock'), { timeout: maxWaitMs });
      lock.exec('BEGIN EXCLUSIVE');
      await removeLeftovers(folder);
    } catch (error) {
      throw lockError(error as Error & { errcode?: number }, folder, maxWaitMs);
    }
    await task();
  } finally {
    lock?.close();
  }
}

function lockError({ message, errcode }: Error & { errcode?: number }, folder: string, maxWaitMs: number) {
  return errcode === SQLITE_BUSY
    ? new BuildError(
        `Another process has held the build lock ${join(folder, 'lock')} for more than ${maxWaitMs / 1000} s. ` +
          'Wait until it exits or stop it, then run the command again.',
      )
    : new BuildError(
        `Generated files are missing or older than their sources, and ${folder} is not usable for a build (${message}). ` +
          'Run "npm run build" as a user with write access to this folder and the folders of generated files.',
      );
}

/**
 * Makes the parts, all at the same time. Only for the holder of the lock. `onStarted` is called when all scripts run: from
 * then on the caller may block the event loop.
 */
export async function buildParts(
  parts: readonly Part[],
  root: string,
  log: (line: string) => void,
  onStarted: () => void = () => {},
): Promise<void> {
  let waiting = parts.length;
  const onSpawned = () => {
    waiting -= 1;
    if (waiting === 0) onStarted();
  };
  const results = await Promise.allSettled(parts.map((part) => buildPart(part, root, log, onSpawned)));
  const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (failed.length > 0) throw new BuildError(failed.map(({ message }) => message).join('\n'));
}

/** Folders of processes that were killed. */
async function removeLeftovers(folder: string): Promise<void> {
  const leftovers = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  // A script of a build that was killed may still write for a moment: a folder that is not empty is removed again.
  const options = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 };
  await Promise.all(leftovers.map(({ name }) => rm(join(folder, name), options)));
}

async function buildPart(
  part: Part,
  root: string,
  log: (line: string) => void,
  onSpawned: () => void,
): Promise<void> {
  const startedAt = performance.now();
  const staging = await mkdtemp(join(root, WORK_FOLDER, 'part-'));
  try {
    // What changes while the script runs makes the output stale.
    const key = keyOf(part, root);
    await runScript(part, root, staging, onSpawned);
    for (const output of part.outputs) await replaceFolder(root, output, staging, key);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  log(`built: ${part.name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
}

/** The former folder is moved away, since none can be renamed to one with files in it. */
async function replaceFolder(root: string, output: string, staging: string, key: string): Promise<void> {
  writeStamp(join(staging, output), key);
  await mkdir(join(root, dirname(output)), { recursive: true });
  await rename(join(root, output), join(staging, `former-${output.replaceAll('/', '-')}`)).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(join(staging, output), join(root, output));
}

function runScript(
  { name, script }: Part,
  root: string,
  staging: string,
  onSpawned: () => void,
): Promise<void> {
  const child = spawn(process.execPath, [join(root, script), staging], {
    cwd: root,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const collect = (chunk: Buffer) => {
    printed += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  child.once('spawn', onSpawned);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${name}: node ${script} failed\n${printed}`));
    });
  });
}
