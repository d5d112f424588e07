import { readFile, readlink } from 'node:fs/promises';
import { hostname } from 'node:os';

/**
 * Unique identity of a gateway process. A pid is not unique: containers assign the same small numbers at every start, and
 * a reboot restarts the numbering.
 */
export type ProcessIdentity = {
  pid: number;
  /** Machine, boot and pid namespace: pids may be compared only when this is equal. */
  space: string;
  /** Kernel start time of the process; null where the system does not report it (macOS, Windows). */
  startTicks: string | null;
};

export async function ownIdentity(): Promise<ProcessIdentity> {
  return { pid: process.pid, space: await processSpace(), startTicks: await startTicksOf(process.pid) };
}

async function processSpace(): Promise<string> {
  const boot = await readFile('/proc/sys/kernel/random/boot_id', 'utf8').catch(() => '');
  const namespace = await readlink('/proc/self/ns/pid').catch(() => '');
  return [hostname(), boot.trim(), namespace].join(' ');
}

/** A process that has ended but was not yet collected by its parent has no start worth comparing. */
const ZOMBIE = 'zombie';

async function startTicksOf(pid: number): Promise<string | null> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => null);
  if (stat === null) return null;
  // The second field, the program's name, may hold spaces and brackets: count from its last bracket.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields[0] === 'Z' ? ZOMBIE : (fields[19] ?? null);
}

export function isPidInUse(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/** 'unknown' when this process cannot determine it: another container or machine, or a system without start times. */
export async function identifyProcess(
  identity: ProcessIdentity,
  own: ProcessIdentity,
): Promise<'alive' | 'dead' | 'unknown'> {
  if (identity.space !== own.space) return 'unknown';
  const startTicks = await startTicksOf(identity.pid);
  if (identity.startTicks !== null && startTicks !== null) {
    return startTicks === identity.startTicks ? 'alive' : 'dead';
  }
  // On Linux also with /proc mounted hidepid, where other users' processes are invisible.
  return isPidInUse(identity.pid) ? 'unknown' : 'dead';
}
