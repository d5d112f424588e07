import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Account, defaultAccount, runProgram } from '@vouchgraph/embedded-postgres/internals/account';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import pg from 'pg';
import { describe, expect, it, type TestContext, vi } from 'vitest';
import { migrate } from '../../../src/storage/migrate.ts';
import { call, makeFolder, start, until } from '../../acceptance/gateway-process.ts';
import { ROOT, type Snippet, snippetsOf } from '../../support/documents.ts';
import { projectClient, startGateway } from '../../support/gateway.ts';

// Servers and gateways are started and stopped.
vi.setConfig({ testTimeout: 180_000 });

/* The commands of docs/deploying.md, "Backup and restore". */

const NOTE = 'run by test/integration/storage/backup.test.ts';

/** The commands of the document that start with a word, run by bash in a folder. */
async function runCommands(
  first: string,
  folder: string,
  environment: Record<string, string>,
): Promise<void> {
  const isMeant = ({ note, text }: Snippet) => note === NOTE && text.startsWith(first);
  const { text } = snippetsOf('docs/deploying.md').find(isMeant)!;
  const npx = `npx() { shift; "$NODE" "$ROOT/bin/vouchgraph.mjs" "$@"; }`;
  const child = spawn('bash', ['-c', `set -e\n${npx}\n${text}`], {
    cwd: folder,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, NODE: process.execPath, ROOT, ...environment },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  const [code] = await once(child, 'close');
  expect(code, errors).toBe(0);
}

/** Programs of an installed PostgreSQL, server and clients of one version; null without one. */
function findPrograms(): string | null {
  const folders = [...globSync('/usr/lib/postgresql/*/bin'), ...(process.env.PATH ?? '').split(':')];
  const has = (folder: string) =>
    ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'psql'].every((name) =>
      existsSync(path.join(folder, name)),
    );
  return folders.toReversed().find(has) ?? null;
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as { port: number };
  server.close();
  await once(server, 'close');
  return port;
}

const PASSWORD = 'superuser-of-the-test';

/** A PostgreSQL server of these programs in a new folder. */
async function startServer(programs: string) {
  const account: Account = defaultAccount();
  const folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-backup-'));
  await chmod(folder, 0o755);
  const cluster = path.join(folder, 'cluster');
  const passwordFile = path.join(folder, 'password');
  await mkdir(cluster, { mode: 0o700 });
  await writeFile(passwordFile, PASSWORD);
  if (account) await chown(cluster, account.uid, account.gid);
  const options = [
    `--pgdata=${cluster}`,
    '--username=postgres',
    `--pwfile=${passwordFile}`,
    '--auth=scram-sha-256',
    '--encoding=UTF8',
    '--locale=C',
  ];
  const { exitCode, output } = await runProgram(path.join(programs, 'initdb'), options, account);
  if (exitCode !== 0) throw new Error(output);
  const port = await findFreePort();
  const settings = [
    '-p',
    String(port),
    '-c',
    'listen_addresses=127.0.0.1',
    '-c',
    'unix_socket_directories=',
    '-c',
    'fsync=off',
  ];
  const server = spawn(path.join(programs, 'postgres'), ['-D', cluster, ...settings], {
    ...account,
    cwd: '/',
    stdio: 'ignore',
  });
  const url = `postgres://postgres:${PASSWORD}@127.0.0.1:${port}`;
  await until('PostgreSQL', () =>
    runSql(url, 'select 1').then(
      () => true,
      () => false,
    ),
  );
  return {
    url,
    ownerUrl: `postgres://vouchgraph:secret@127.0.0.1:${port}/vouchgraph`,
    async stop() {
      const ended = once(server, 'exit');
      server.kill('SIGINT');
      await ended;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function runSql(connectionString: string, ...statements: string[]): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    for (const statement of statements) await client.query(statement);
  } finally {
    await client.end();
  }
}

const ACCOUNT = { id: 'alice', phone: '+1 415 555 2671', first_name: 'Alice', metadata: { plan: 'gold' } };

describe('a backup', () => {
  it('of a server is restored on another one with pg_dump and pg_restore', async (context: TestContext) => {
    const programs = findPrograms();
    if (!programs) return context.skip('no PostgreSQL with pg_dump is installed on this machine');
    const masterKey = generateMasterKey();
    const folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-dump-'));
    const [server, other] = [await startServer(programs), await startServer(programs)];
    try {
      // An owner that cannot create roles.
      const roles = snippetsOf('docs/deploying.md').find(({ language }) => language === 'sql')!.text;
      const create = [
        "create role vouchgraph login password 'secret'",
        'create database vouchgraph owner vouchgraph',
      ];
      await runSql(server.url, ...create, roles);
      await migrate({ connectionString: server.ownerUrl, log: () => {} });
      const database = { ownerUrl: server.ownerUrl, drop: async () => {} };
      const first = await startGateway({ database, masterKey });
      const project = await first.project();
      await project.authenticate(ACCOUNT);
      const before = (await project.rest('GET', '/account/alice')).body;
      await first.close();

      const environment = {
        PATH: `${programs}:${process.env.PATH}`,
        ADMIN_URL: `${server.url}/vouchgraph`,
        NEW_SERVER: other.url,
        NEW_DATABASE_URL: other.ownerUrl,
      };
      await runCommands('pg_dump', folder, environment);
      // The owner reads no rows: forced row-level security rejects its dump.
      const refused = spawnSync(path.join(programs, 'pg_dump'), [server.ownerUrl], { encoding: 'utf8' });
      expect(refused.stderr).toContain('row-level security');
      await runCommands('psql', folder, environment);

      const second = await startGateway({ database: { ...database, ownerUrl: other.ownerUrl }, masterKey });
      const restored = projectClient(second.baseUrl, project.projectId, project.key);
      const { body } = await restored.rest('GET', '/account/alice');
      expect({ ...body, request_id: '' }).toEqual({ ...before, request_id: '' });
      expect(body.account).toMatchObject({
        phone: '+14155552671',
        first_name: 'Alice',
        metadata: { plan: 'gold' },
      });
      const linked = await restored.authenticate({ id: 'al', phone: '+1 415 555 2671' });
      expect(linked.accounts_linked).toBe(1);
      await second.close();
    } finally {
      await Promise.all([server.stop(), other.stop()]);
      await rm(folder, { recursive: true, force: true });
    }
  });

  it('of the embedded database is a copy of DATA_DIR', async () => {
    const { folder, remove } = await makeFolder();
    try {
      const first = await start(path.join(folder, 'data'));
      const { body: session } = await call(first.sandbox, 'POST', '/session', {});
      const { session_id } = session as { session_id: string };
      await call(first.sandbox, 'POST', '/session/authenticate', { session_id, account: ACCOUNT });
      first.gateway.signal('SIGTERM');
      expect(await first.gateway.exited).toBe(0);
      await runCommands('tar', folder, {});
      await rm(path.join(folder, 'data'), { recursive: true });
      await runCommands('mkdir', folder, {});

      const second = await start(path.join(folder, 'restored'));
      try {
        const { body } = await call(second.sandbox, 'GET', '/account/alice');
        expect(body).toMatchObject({
          account: { phone: '+14155552671', first_name: 'Alice', metadata: { plan: 'gold' } },
          last_session: session_id,
        });
      } finally {
        second.gateway.signal('SIGTERM');
        await second.gateway.exited;
      }
    } finally {
      await remove();
    }
  });
});
