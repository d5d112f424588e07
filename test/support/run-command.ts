import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { childEnvironment, run } from '../acceptance/gateway-process.ts';
import type { HostedCall, HostedEnd } from './command-host.ts';
import { ROOT } from './documents.ts';

export type Ended = { code: number | null; output: string; errors: string };

/** Commands that start more than their main module: the program prepares the service, or watches its parent. */
const OWN_PROCESS = new Set(['serve', 'demo']);

let host: ChildProcess | null = null;
let isBusy = false;

/**
 * Runs a command to its end. The commands of a worker share a process, so that they load the service once; one that is
 * called while another runs, or that serves, gets a process of its own.
 */
export async function runCommand(
  args: readonly string[],
  environment: Record<string, string>,
): Promise<Ended> {
  if (isBusy || OWN_PROCESS.has(args[0] ?? '')) return runAlone(args, environment);
  return runInHost({ args, environment: childEnvironment(environment), folder: ROOT });
}

/** Runs a command in the shared process, with exactly this environment, while no other command runs there. */
export async function runInHost(call: HostedCall): Promise<Ended> {
  isBusy = true;
  try {
    return await runHosted(call);
  } finally {
    isBusy = false;
  }
}

/** Runs a command in a process of its own to its end. */
async function runAlone(args: readonly string[], environment: Record<string, string>): Promise<Ended> {
  const child = run(args, environment);
  let output = '';
  child.child.stdout?.on('data', (chunk: Buffer) => {
    output += chunk;
  });
  return { code: await child.exited, output, errors: child.errors() };
}

async function runHosted(call: HostedCall): Promise<Ended> {
  host ??= startHost();
  const current = host;
  const over = new AbortController();
  const message = once(current, 'message', over).then(([end]) => end as HostedEnd);
  const exit = once(current, 'exit', over).then(([code]) => code as number | null);
  current.send(call);
  const end = await Promise.race([message, exit]);
  over.abort();
  for (const other of [message, exit]) other.catch(() => {});
  // A defect that ended its process: what it wrote is the report of Node.
  if (end === null || typeof end === 'number') {
    host = null;
    return { code: end, output: '', errors: await text(current.stderr!) };
  }
  const { isClean, ...ended } = end;
  // The process of the command would have taken with it what it left open.
  if (!isClean) {
    current.disconnect();
    host = null;
  }
  return ended;
}

function startHost(): ChildProcess {
  const started = fork(new URL('command-host.ts', import.meta.url), [], {
    cwd: ROOT,
    env: childEnvironment({}),
    execArgv: [],
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
  });
  // It ends with the worker.
  started.unref();
  started.channel?.unref();
  return started;
}
