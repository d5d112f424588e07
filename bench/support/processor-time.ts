import { readdirSync, readFileSync } from 'node:fs';

/** Linux counts processor time in hundredths of a second for every program, whatever the kernel's own tick. */
const TICK_MICROSECONDS = 10_000;

type Stat = { parent: number; ticks: number; reapedTicks: number };

function readStat(pid: number | string): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'latin1');
    // The command's name, in parentheses, may hold spaces: fields are counted behind it.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    const at = (index: number) => Number(fields[index - 3]);
    return { parent: at(4), ticks: at(14) + at(15), reapedTicks: at(16) + at(17) };
  } catch {
    return null;
  }
}

/** Microseconds of processor time of one process so far; NaN where the system does not tell. */
export function processTime(pid: number): number {
  return (readStat(pid)?.ticks ?? Number.NaN) * TICK_MICROSECONDS;
}

/** Microseconds of a process with its children, those that have ended included. */
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

export function parentOf(pid: number): number {
  return readStat(pid)?.parent ?? 0;
}

/** Resident memory in MB; NaN where the system does not tell. */
export function residentMegabytes(pid: number): number {
  try {
    const [, kilobytes] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
    return Number(kilobytes) / 1024;
  } catch {
    return Number.NaN;
  }
}
