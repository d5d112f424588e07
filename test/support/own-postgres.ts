import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { startEmbeddedPostgres } from '@vouchgraph/embedded-postgres';
import {
  defaultAccount,
  PROGRAM_ENVIRONMENT,
  PROGRAM_FOLDER,
} from '@vouchgraph/embedded-postgres/internals/account';
import { findBinaryPackage, prepareBinaries } from '@vouchgraph/embedded-postgres/internals/binaries';
import { serverArguments } from '@vouchgraph/embedded-postgres/internals/settings';
import pg from 'pg';

/** A separate PostgreSQL of the test, always at the same address, that can be stopped, frozen and started again. */
export type OwnPostgres = {
  ownerUrl: string;
  /** Resolves when it accepts connections. */
  start(): Promise<void>;
  /** Like `pg_ctl stop -m fast`; resolves when it has ended. */
  stop(): Promise<void>;
  /** Suspends all its processes: connections stay open, and nothing responds. */
  freeze(): Promise<void>;
  thaw(): void;
  /** Runs a statement as the superuser. */
  query(sql: string): Promise<pg.QueryResult>;
  remove(): Promise<void>;
};

export async function createOwnPostgres(): Promise<OwnPostgres> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'vouchgraph-own-'));
  const first = await startEmbeddedPostgres({ dataDir, log: () => {} });
  const { ownerUrl, superuserUrl, port } = first;
  await first.stop();
  const account = defaultAccount();
  const binaries = await prepareBinaries(findBinaryPackage(), path.join(dataDir, 'programs'), account);
  const cluster = path.join(dataDir, 'postgres');
  const elsewhere = await readlink(cluster).catch(() => null);
  const args = serverArguments(elsewhere ?? cluster, port);
  let server: ChildProcess | undefined;
  let frozen: number[] = [];

  async function query(sql: string): Promise<pg.QueryResult> {
    const client = new pg.Client({ connectionString: superuserUrl });
    client.on('error', () => {});
    await client.connect();
    return client.query(sql).finally(() => client.end());
  }

  async function start(): Promise<void> {
    const started = spawn(binaries.postgres, args, {
      ...account,
      cwd: PROGRAM_FOLDER,
      env: PROGRAM_ENVIRONMENT,
      stdio: 'ignore',
    });
    server = started;
    while (started.exitCode === null) {
      const isReady = await query('select 1').then(
        () => true,
        () => false,
      );
      if (isReady) return;
    }
    throw new Error(`PostgreSQL ended with ${started.exitCode}`);
  }

  function thaw(): void {
    for (const pid of frozen.splice(0)) process.kill(pid, 'SIGCONT');
  }

  async function stop(): Promise<void> {
    thaw();
    if (!server || server.exitCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGINT');
    await ended;
  }

  await start();
  return {
    ownerUrl,
    start,
    stop,
    thaw,
    query,
    async freeze() {
      // The postmaster first, so that nothing new is started.
      process.kill(server!.pid!, 'SIGSTOP');
      frozen = [server!.pid!];
      for (const pid of await childrenOf(server!.pid!)) {
        process.kill(pid, 'SIGSTOP');
        frozen.push(pid);
      }
    },
    async remove() {
      await stop();
      if (elsewhere) await rm(path.dirname(elsewhere), { recursive: true, force: true });
      await rm(dataDir, { recursive: true, force: true });
    },
  };
}

async function childrenOf(parent: number): Promise<number[]> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
  const pairs = stdout.split('\n').map((line) => line.trim().split(/\s+/).map(Number));
  return pairs.filter(([, ppid]) => ppid === parent).map(([pid]) => pid!);
}
