import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

export const BIN = path.resolve(import.meta.dirname, '../../bin/vouchgraph.mjs');

type Environment = Readonly<Record<string, string | undefined>>;

/** A gateway started by the command, as an operator starts it. */
export type ServedGateway = { readonly pid: number; readonly url: URL; stop(): Promise<void> };

/** The settings of a command, and from the environment only the paths of Node.js and its compile cache. */
export function environmentOf(own: Environment): NodeJS.ProcessEnv {
  return {
    PATH: process.env.PATH,
    HOME: process.env.HOME,
    XDG_CACHE_HOME: process.env.XDG_CACHE_HOME,
    ...own,
  };
}

/** Runs `serve` and waits for its first response. */
export async function serveGateway(
  environment: Environment,
  nodeOptions: readonly string[] = [],
): Promise<ServedGateway> {
  const child = spawn(process.execPath, [...nodeOptions, BIN, 'serve'], {
    env: environmentOf(environment),
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    const url = new URL(await findAddress(child.stdout));
    const { ok, status } = await fetch(new URL('/livez', url));
    if (!ok) throw new Error(`the gateway answered with ${status}`);
    return { pid: child.pid!, url, stop: () => stop(child) };
  } catch (error) {
    await stop(child);
    throw error;
  }
}

async function stop(child: ChildProcess): Promise<void> {
  child.stdout?.resume();
  child.kill('SIGINT');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

async function findAddress(output: NodeJS.ReadableStream): Promise<string> {
  for await (const line of createInterface({ input: output })) {
    const [, address] = /answers on (\S+) after/.exec(line) ?? [];
    if (address) return address;
  }
  throw new Error('the gateway ended before it answered');
}
