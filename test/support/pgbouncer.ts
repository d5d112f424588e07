import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { defaultAccount, PROGRAM_FOLDER } from '@vouchgraph/embedded-postgres/internals/account';
import { freePort } from './free-port.ts';

/** A PgBouncer before the database of a test. */
export type PgBouncer = {
  /** The URL of the database through PgBouncer. */
  url: string;
  stop(): Promise<void>;
};

/** Version of the installed PgBouncer, or null. */
export function installedPgBouncer(): string | null {
  try {
    return execFileSync('pgbouncer', ['--version'], { encoding: 'utf8' }).split('\n')[0]!;
  } catch {
    return null;
  }
}

/** Starts PgBouncer with its default settings, except for the given ones. */
export async function startPgBouncer(
  databaseUrl: string,
  settings: Record<string, string | number>,
): Promise<PgBouncer> {
  const { hostname, port, username, password } = new URL(databaseUrl);
  const folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-pgbouncer-'));
  const listenPort = await freePort();
  const server = { host: hostname, port: port || 5432, user: username, ...(password && { password }) };
  const connection = Object.entries(server).map(
    ([name, value]) => `${name}='${decodeURIComponent(String(value))}'`,
  );
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: listenPort,
    unix_socket_dir: '',
    auth_type: 'any',
    ...settings,
  };
  const lines = ['[databases]', `* = ${connection.join(' ')}`, '[pgbouncer]'];
  const file = path.join(folder, 'pgbouncer.ini');
  await writeFile(
    file,
    [...lines, ...Object.entries(all).map(([name, value]) => `${name} = ${value}`), ''].join('\n'),
  );
  // Read as root, before it becomes another user: it refuses to run as root.
  const user = defaultAccount() === null ? [] : ['--user', 'nobody'];
  const child = spawn('pgbouncer', [...user, file], {
    cwd: PROGRAM_FOLDER,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  await listening(child);
  const url = new URL(databaseUrl);
  url.hostname = '127.0.0.1';
  url.port = String(listenPort);
  return {
    url: url.toString(),
    async stop() {
      const exited = once(child, 'exit');
      if (child.exitCode === null && child.kill('SIGKILL')) await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function listening(child: ChildProcess): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let log = '';
  child.stderr!.setEncoding('utf8').on('data', (text: string) => {
    log += text;
    if (log.includes('process up')) resolve();
  });
  child.once('exit', () => reject(new Error(log)));
  return promise;
}
