import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';

const MB = 2 ** 20;

/** Memory that this process may use, in bytes. */
export type UsableMemory = { limit: number; machine: number; freeHugePages: number };

/** A cache with fewer huge pages is not worth them. */
const MIN_HUGE_MB = 1024;
const MAX_CACHE_MB = 8192;
/** Share of huge pages for the cache: PostgreSQL has further shared memory, such as its locks. */
const SHARE_OF_HUGE = 0.9;

/**
 * Size of PostgreSQL's page cache in MB: an eighth of the memory that this process may use, between 128 and 1,024. Each page
 * that it lacks costs a system call, and an authenticate with 100,000 accounts reads hundreds.
 *
 * Where the operator has reserved huge pages (`vm.nr_hugepages`), a quarter of the memory, at most 8,192 and what fits
 * into them: PostgreSQL takes them by default. In ordinary pages a large cache gains little, because each server process maps
 * each page for itself.
 */
export function sharedBuffersMb({ limit, machine, freeHugePages }: UsableMemory = usableMemory()): number {
  // Without a limit of its control group, a process gets 0 or a limit beyond all memory.
  const usable = Math.min(limit || machine, machine) / MB;
  const huge = Math.min(MAX_CACHE_MB, usable / 4, (SHARE_OF_HUGE * freeHugePages) / MB);
  return Math.round(huge >= MIN_HUGE_MB ? huge : Math.min(1024, Math.max(128, usable / 8)));
}

function usableMemory(): UsableMemory {
  return {
    limit: process.constrainedMemory(),
    machine: totalmem(),
    freeHugePages: freeHugePages(readMemoryInfo()),
  };
}

/** Bytes of huge pages that no process has reserved or used, from the text of /proc/meminfo. */
export function freeHugePages(memoryInfo: string): number {
  const numberOf = (name: string) => Number(new RegExp(`^${name}: +(\\d+)`, 'm').exec(memoryInfo)?.[1] ?? 0);
  return (numberOf('HugePages_Free') - numberOf('HugePages_Rsvd')) * numberOf('Hugepagesize') * 1024;
}

/** Only Linux has this file. */
function readMemoryInfo(): string {
  try {
    return readFileSync('/proc/meminfo', 'utf8');
  } catch {
    return '';
  }
}

/**
 * For a gateway that shares its machine with its database. Everything else stays at PostgreSQL's default, above
 * all what keeps commits safe.
 */
const DEFAULTS: Record<string, string> = {
  // TCP only: a socket's path is limited to about 100 characters, and a data folder's may be longer.
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  password_encryption: 'scram-sha-256',
  max_connections: '100',
  shared_buffers: `${sharedBuffersMb()}MB`,
  // Partitioned tables take one lock per partition and index.
  max_locks_per_transaction: '256',
  fsync: 'on',
  synchronous_commit: 'on',
  // Compiling costs more than it saves on statements that last milliseconds.
  jit: 'off',
  // One process reads for itself; the workers of the other methods pay off on disks slower than memory.
  io_method: 'sync',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  log_checkpoints: 'off',
  // The log must not become a second copy of personal data: no statements, and no DETAIL with their values.
  log_min_error_statement: 'panic',
  log_error_verbosity: 'terse',
};

export function serverArguments(
  cluster: string,
  port: number,
  settings: Record<string, string> = {},
): string[] {
  const all = Object.entries({ ...DEFAULTS, ...settings });
  return ['-D', cluster, '-p', String(port), ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`])];
}
