import { execFile } from 'node:child_process';
import { readFile, readlink, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { isPidInUse } from './process-identity.ts';

/** A running server, as it describes itself in postmaster.pid. */
export type Postmaster = { pid: number; port: number; isReady: boolean; isStopping: boolean };

/** Null when the file is missing or incomplete. The process may have exited. */
export async function readPostmasterFile(cluster: string): Promise<Postmaster | null> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '');
  // Lines by the documented order: pid, folder, start time, port, socket folder, address, memory key, status.
  const lines = text.split('\n');
  const pid = Number(lines[0]);
  if (!Number.isInteger(pid) || pid <= 0) return null;
  const status = lines[7]?.trim();
  return { pid, port: Number(lines[3]), isReady: status === 'ready', isStopping: status === 'stopping' };
}

/** Server that currently runs on this cluster, whichever process started it. */
export async function findPostmaster(cluster: string): Promise<Postmaster | null> {
  const postmaster = await readPostmasterFile(cluster);
  if (postmaster === null || !isPidInUse(postmaster.pid)) return null;
  return (await isPostmasterOf(cluster, postmaster.pid)) ? postmaster : null;
}

/**
 * After a crash and a reboot, or in a new container, another process may have the pid of the old server. PostgreSQL would
 * then never start, so its file is removed.
 */
export async function removeForeignPostmasterFile(cluster: string): Promise<void> {
  const postmaster = await readPostmasterFile(cluster);
  if (postmaster === null || !isPidInUse(postmaster.pid)) return;
  if (!(await isPostmasterOf(cluster, postmaster.pid))) await rm(join(cluster, 'postmaster.pid'));
}

async function isPostmasterOf(cluster: string, pid: number): Promise<boolean> {
  // A server's working folder is its cluster; a zombie has none.
  if (process.platform === 'linux') {
    const folder = await readlink(`/proc/${pid}/cwd`).catch(() => null);
    return folder !== null && folder === (await realpath(cluster));
  }
  if (process.platform === 'win32') return true;
  const listed = await promisify(execFile)('ps', ['-p', String(pid), '-o', 'comm=']).catch(() => null);
  return listed !== null && /postgres/.test(listed.stdout);
}
