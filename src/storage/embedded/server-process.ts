import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { PROGRAM_ENVIRONMENT, PROGRAM_FOLDER, runProgram } from './account.ts';
import type { Binaries } from './binaries.ts';
import type { Places } from './data-folder.ts';
import { pollUntil } from './poll.ts';
import { findPostmaster } from './postmaster.ts';
import type { ServerLog } from './server-log.ts';

export type ServerProcess = {
  pid: number;
  /** Why the program could not be run at all; empty otherwise. */
  problem(): string;
  hasEnded(): boolean;
  /** Resolves when it has ended, for whatever reason. */
  ended: Promise<void>;
  stop(): Promise<void>;
};

const STOP_PATIENCE_MS = 30_000;

/*
 * The shell starts a watcher and then becomes PostgreSQL, which so keeps the pid that Node knows ($$). The watcher
 * reads a pipe whose other end the gateway holds and the system closes when the gateway dies, by whatever means;
 * then it sends SIGINT, a fast and clean shutdown. A line in the pipe means that the server has ended already and
 * nothing is left to signal, least of all a stranger with the same pid. The second fork keeps the watcher from being
 * PostgreSQL's child, since the death of a child it does not know makes PostgreSQL restart itself.
 */
const GUARD = `( ( trap '' TERM HUP; read -r ended <&3 || kill -INT $$ ) & )
exec "$@" 3<&-`;

/**
 * Detached, in a session of its own: Ctrl-C in a terminal goes to every process of the foreground group, and the
 * database must outlive the requests that the gateway still has to finish.
 */
export function spawnServer(
  places: Places,
  binaries: Binaries,
  args: string[],
  log: ServerLog,
): ServerProcess {
  const isWindows = process.platform === 'win32';
  const options = { ...places.account, cwd: PROGRAM_FOLDER, env: PROGRAM_ENVIRONMENT, windowsHide: true };
  // Windows has no /bin/sh and no SIGINT between processes. A server whose gateway was killed lives on there,
  // and the next start stops it.
  const child = isWindows
    ? spawn(binaries.postgres, args, { ...options, stdio: ['ignore', log.fd, log.fd] })
    : spawn('/bin/sh', ['-c', GUARD, 'sh', binaries.postgres, ...args], {
        ...options,
        detached: true,
        stdio: ['ignore', log.fd, log.fd, 'pipe'],
      });
  let problem = '';
  child.once('error', (error) => {
    problem = error.message;
  });
  const ended = watchEnd(child);
  const hasEnded = () => child.pid === undefined || child.exitCode !== null || child.signalCode !== null;
  return {
    pid: child.pid ?? -1,
    problem: () => problem,
    hasEnded,
    ended,
    async stop() {
      const isGone = async () => hasEnded();
      if (!hasEnded()) await stopPostmaster(child.pid as number, isGone, places, binaries);
      await ended;
    },
  };
}

async function watchEnd(child: ChildProcess): Promise<void> {
  const guard = child.stdio[3] as Writable | undefined;
  // A watcher that was killed leaves a broken pipe, which is no news worth ending the gateway for.
  guard?.on('error', () => undefined);
  // 'error': the program could not be started at all; the caller sees it by `hasEnded` and `problem`.
  await once(child, 'exit').catch(() => undefined);
  guard?.end('ended\n');
}

/** Stops a server left by another gateway. */
export function stopOrphan(pid: number, places: Places, binaries: Binaries): Promise<void> {
  const isGone = async () => (await findPostmaster(places.cluster))?.pid !== pid;
  return stopPostmaster(pid, isGone, places, binaries);
}

/** Fast shutdown: open transactions are rolled back, everything committed is on disk. */
async function stopPostmaster(
  pid: number,
  isGone: () => Promise<boolean>,
  { cluster, account }: Places,
  { pgCtl }: Binaries,
): Promise<void> {
  if (process.platform === 'win32') {
    await runProgram(pgCtl, ['stop', '-D', cluster, '-m', 'fast', '-w'], account);
    return;
  }
  signal(pid, 'SIGINT');
  if ((await pollUntil(isGone, { timeoutMs: STOP_PATIENCE_MS })) !== null) return;
  // Immediate shutdown: still safe, the next start replays the log.
  signal(pid, 'SIGQUIT');
  await pollUntil(isGone, { timeoutMs: STOP_PATIENCE_MS });
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
