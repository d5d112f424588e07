import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { BuildError } from './build-error.ts';
import { keyOf, STAMP } from './freshness.ts';
import type { Part } from './parts.ts';

/** Holds the lock and what is being made. On the volume of the outputs, so that folders can be renamed to there. */
const WORK_FOLDER = '.build';
const MAX_WAIT_MS = 120_000;

/**
 * Runs the task while no other process runs one for the same root; waits for another's for two minutes. The lock is
 * SQLite's: the operating system releases it however the process ends, on every platform.
 */
export async function withLock(root: string, task: () => Promise<void>): Promise<void> {
  await mkdir(join(root, WORK_FOLDER), { recursive: true });
  const lock = new DatabaseSync(join(root, WORK_FOLDER, 'lock'), { timeout: MAX_WAIT_MS });
  try {
    lock.exec('BEGIN EXCLUSIVE');
    await task();
  } finally {
    lock.close();
  }
}

/** Makes the parts, all at the same time. Only for the holder of the lock. */
export async function buildParts(
  parts: readonly Part[],
  root: string,
  log: (line: string) => void,
): Promise<void> {
  await removeLeftovers(root);
  const results = await Promise.allSettled(parts.map((part) => buildPart(part, root, log)));
  const failed = results.flatMap((result) => (result.status === 'rejected' ? [result.reason] : []));
  if (failed.length > 0) throw new BuildError(failed.map(({ message }) => message).join('\n'));
}

/** Folders of processes that were killed. */
async function removeLeftovers(root: string): Promise<void> {
  const folder = join(root, WORK_FOLDER);
  const leftovers = (await readdir(folder, { withFileTypes: true })).filter((entry) => entry.isDirectory());
  await Promise.all(leftovers.map(({ name }) => rm(join(folder, name), { recursive: true, force: true })));
}

async function buildPart(part: Part, root: string, log: (line: string) => void): Promise<void> {
  const startedAt = performance.now();
  const staging = await mkdtemp(join(root, WORK_FOLDER, 'part-'));
  try {
    // What changes while the script runs makes the output stale.
    const key = keyOf(part, root);
    await runScript(part, root, staging);
    for (const output of part.outputs) await replaceFolder(root, output, staging, key);
  } finally {
    await rm(staging, { recursive: true, force: true });
  }
  log(`built: ${part.name} (${((performance.now() - startedAt) / 1000).toFixed(1)} s)`);
}

/** The former folder is moved away, since none can be renamed to one with files in it. */
async function replaceFolder(root: string, output: string, staging: string, key: string): Promise<void> {
  await writeFile(join(staging, output, STAMP), key);
  await mkdir(join(root, dirname(output)), { recursive: true });
  await rename(join(root, output), join(staging, `former-${output.replaceAll('/', '-')}`)).catch((error) => {
    if (error.code !== 'ENOENT') throw error;
  });
  await rename(join(staging, output), join(root, output));
}

function runScript({ name, script }: Part, root: string, staging: string): Promise<void> {
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
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) resolve();
      else reject(new Error(`${name}: node ${script} failed\n${printed}`));
    });
  });
}
