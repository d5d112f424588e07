import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Writable } from 'node:stream';
import { PROGRAM_ENVIRONMENT, PROGRAM_FOLDER, runProgram } from './account.ts';
import type { Binaries } from './binaries.ts';
import type { Places } from './data-folder.ts';
import { pollUntil } from './poll.ts';
import { findPostmaster, type Postmaster, readPostmasterFile } from './postmaster.ts';
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

/*
 * A server is stopped in three steps. SIGINT is a fast and clean shutdown, which a server that recovers from the loss of a
 * backend may never finish. SIGQUIT is an immediate one: the server kills its remaining processes after five seconds, and
 * the next start replays the log. SIGKILL is for a server that does not react. It is safe too: backends exit without their
 * server, and the next server does not start before the last of them left the shared memory.
 */
const FAST_STOP_SECONDS = 5;
const IMMEDIATE_STOP_SECONDS = 10;

/*
 * The shell starts a watcher and then becomes PostgreSQL, which keeps the pid that Node knows ($$). The watcher reads a
 * pipe whose other end the gateway holds and the system closes when the gateway exits for any reason; then it stops the
 * server. A line in the pipe means that the server has exited already and no process must be signaled, since another one
 * may have its pid. For the same reason later signals are sent only while postmaster.pid names it. The second fork keeps
 * the watcher from being PostgreSQL's child, since the exit of an unknown child makes PostgreSQL restart.
 */
const GUARD = `cluster=$1; shift
( ( trap '' TERM HUP
    read -r ended <&3 && exit
    kill -INT $$
    for step in QUIT:${FAST_STOP_SECONDS} KILL:${IMMEDIATE_STOP_SECONDS}; do
      left=\${step#*:}
      while [ $left -gt 0 ]; do
        sleep 1
        read -r pid <"$cluster/postmaster.pid" && [ "$pid" = $$ ] && kill -0 $$ || exit
        left=$((left - 1))
      done
      kill -\${step%:*} $$
    done ) 2>/dev/null & )
exec "$@" 3<&-`;

/**
 * Detached, in a separate session: Ctrl-C in a terminal signals every process of the foreground group, and the database
 * must outlive the requests that the gateway still has to finish.
 */
export function spawnServer(
  places: Places,
  binaries: Binaries,
  args: string[],
  log: ServerLog,
): ServerProcess {
  const isWindows = process.platform === 'win32';
  const options = { ...places.account, cwd: PROGRAM_FOLDER, env: PROGRAM_ENVIRONMENT, windowsHide: true };
  // Windows has no /bin/sh and no SIGINT between processes. A server whose gateway was killed continues to
  // run, and the next start stops it.
  const child = isWindows
    ? spawn(binaries.postgres, args, { ...options, stdio: ['ignore', log.fd, log.fd] })
    : spawn('/bin/sh', ['-c', GUARD, 'sh', places.cluster, binaries.postgres, ...args], {
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
      // One that is not ready yet may never finish a clean shutdown, and has nothing to save by it.
      const steps = (await readPostmasterFile(places.cluster))?.isReady ? STOP_STEPS : IMMEDIATE_STEPS;
      if (!hasEnded()) await stopPostmaster(child.pid as number, isGone, places, binaries, steps);
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

/**
 * Stops a server left by another gateway. One that `isStopping` was asked before and had its time: it is not asked to
 * stop cleanly again.
 */
export function stopOrphan(
  { pid, isStopping }: Postmaster,
  places: Places,
  binaries: Binaries,
): Promise<void> {
  const isGone = async () => (await findPostmaster(places.cluster))?.pid !== pid;
  return stopPostmaster(pid, isGone, places, binaries, isStopping ? IMMEDIATE_STEPS : STOP_STEPS);
}

type StopStep = { signal: NodeJS.Signals; mode: 'fast' | 'immediate'; seconds: number };

const IMMEDIATE_STEPS: readonly StopStep[] = [
  { signal: 'SIGQUIT', mode: 'immediate', seconds: IMMEDIATE_STOP_SECONDS },
  { signal: 'SIGKILL', mode: 'immediate', seconds: IMMEDIATE_STOP_SECONDS },
];
const STOP_STEPS: readonly StopStep[] = [
  { signal: 'SIGINT', mode: 'fast', seconds: FAST_STOP_SECONDS },
  ...IMMEDIATE_STEPS,
];

async function stopPostmaster(
  pid: number,
  isGone: () => Promise<boolean>,
  { cluster, account }: Places,
  { pgCtl }: Binaries,
  steps: readonly StopStep[],
): Promise<void> {
  for (const step of steps) {
    if (process.platform === 'win32') {
      await runProgram(
        pgCtl,
        ['stop', '-D', cluster, '-m', step.mode, '-w', '-t', `${step.seconds}`],
        account,
      );
    } else {
      signal(pid, step.signal);
    }
    if ((await pollUntil(isGone, { timeoutMs: step.seconds * 1000 })) !== null) return;
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}
