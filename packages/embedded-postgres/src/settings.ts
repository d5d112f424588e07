import { totalmem } from 'node:os';

const MB = 2 ** 20;

/**
 * Size of PostgreSQL's page cache in MB: an eighth of the memory that this process may use, between 128 and 1,024. Each page
 * that it lacks costs a system call, and an authenticate with 100,000 accounts reads hundreds.
 */
export function sharedBuffersMb(limit = process.constrainedMemory(), machine = totalmem()): number {
  // Without a limit of its control group, a process gets 0 or a limit beyond all memory.
  const usable = Math.min(limit || machine, machine);
  return Math.round(Math.min(1024, Math.max(128, usable / MB / 8)));
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
