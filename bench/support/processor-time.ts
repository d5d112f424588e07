import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second for every program, independently of the kernel's tick. */
const TICK_MICROSECONDS = 10_000;

type Stat = { parent: number; ticks: number; reapedTicks: number; faults: number };

function readStat(pid: number | string): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command name in parentheses can contain spaces: fields are counted after it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const at = (index: number) => Number(fields[index - 3]);
    return { parent: at(4), ticks: at(14) + at(15), reapedTicks: at(16) + at(17), faults: at(10) + at(11) };
  } catch {
    return null;
  }
}

/** Microseconds of processor time of one process so far; NaN where the system does not report it. */
export function processTime(pid: number): number {
  return (readStat(pid)?.ticks ?? Number.NaN) * TICK_MICROSECONDS;
}

/** Microseconds of a process with its children, including those that have ended. */
export function familyTime(pid: number): number {
  const own = readStat(pid);
  if (!own) return Number.NaN;
  let ticks = own.ticks + own.reapedTicks;
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const stat = readStat(entry);
    if (stat?.parent === pid) ticks += stat.ticks + stat.reapedTicks;
  }
  return ticks * TICK_MICROSECONDS;
}

/**
 * Minor page faults of a process and its children so far: the first access of each process to a page of shared memory is one,
 * although the page is in memory.
 */
export function familyFaults(pid: number): number {
  const stats = readdirSync('/proc').flatMap((entry) => (/^\d+$/.test(entry) ? (readStat(entry) ?? []) : []));
  const own = readStat(pid)?.faults ?? Number.NaN;
  return stats.reduce((sum, stat) => (stat.parent === pid ? sum + stat.faults : sum), own);
}

export function parentOf(pid: number): number {
  return readStat(pid)?.parent ?? 0;
}

/** Resident memory in MB; NaN where the system does not report it. */
export function residentMegabytes(pid: number): number {
  return memoryOf(pid).resident;
}

/** MB in memory: the whole process, its private memory, the pages of mapped files, and the peak. */
export type ProcessMemory = { resident: number; anonymous: number; file: number; peak: number };

export function memoryOf(pid: number): ProcessMemory {
  const status = readStatus(pid);
  const megabytes = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1] ?? Number.NaN) / 1024;
  return {
    resident: megabytes('VmRSS'),
    anonymous: megabytes('RssAnon'),
    file: megabytes('RssFile'),
    peak: megabytes('VmHWM'),
  };
}

function readStatus(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/status`, 'latin1');
  } catch {
    return '';
  }
}

/**
 * Memory of a process and its children in MB, pages that several share counted once (PSS); NaN where the system does not
 * report it.
 */
export function familyMegabytes(pid: number): number {
  const pids = readdirSync('/proc').filter((entry) => /^\d+$/.test(entry));
  const family = pids.filter((entry) => Number(entry) === pid || readStat(entry)?.parent === pid);
  try {
    return family.reduce((sum, entry) => sum + proportionalKilobytes(entry), 0) / 1024;
  } catch {
    return Number.NaN;
  }
}

function proportionalKilobytes(pid: string): number {
  return Number(/^Pss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))?.[1]);
}
