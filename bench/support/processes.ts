import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';

/** A measured server in a separate process. */
export type ServerProcess = {
  readonly name: string;
  readonly pid: number;
  readonly url: URL;
  /** SQL statements sent so far, as the server itself counts them. */
  countStatements(): Promise<number>;
  /** Longest delay of the event loop since the last call in milliseconds; of the gateway only. */
  takeLoopDelay(): Promise<number>;
  stop(): Promise<void>;
};

/** Starts a file of this folder and waits until it reports its address. */
export async function startServer(
  name: string,
  file: URL,
  options: { env: Record<string, string>; nodeOptions?: readonly string[] },
): Promise<ServerProcess> {
  const child = start(file, options);
  const [ready] = (await Promise.race([once(child, 'message'), failure(name, child)])) as [{ url: string }];
  return {
    name,
    pid: child.pid!,
    url: new URL(ready.url),
    async countStatements() {
      child.send('statements');
      const [answer] = (await once(child, 'message')) as [{ statements: number }];
      return answer.statements;
    },
    async takeLoopDelay() {
      child.send('delay');
      const [answer] = (await once(child, 'message')) as [{ longestMs: number }];
      return answer.longestMs;
    },
    stop: () => stop(child),
  };
}

export function start(
  file: URL,
  options: { env?: Record<string, string>; nodeOptions?: readonly string[] } = {},
): ChildProcess {
  return fork(file, {
    env: { ...process.env, NODE_ENV: 'production', ...options.env },
    execArgv: [...(options.nodeOptions ?? [])],
  });
}

export async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  if (child.connected) child.disconnect();
  await ended;
}

async function failure(name: string, child: ChildProcess): Promise<never> {
  const [code, signal] = await once(child, 'exit');
  throw new Error(`${name} ended before it was ready (${signal ?? code})`);
}
