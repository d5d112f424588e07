import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import {
  chmod,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  stat,
  truncate,
  utimes,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';
import {
  acquireFolderLock,
  type EmbeddedPostgres,
  EmbeddedPostgresError,
  startEmbeddedPostgres,
} from '@vouchgraph/embedded-postgres';
import { defaultAccount } from '@vouchgraph/embedded-postgres/internals/account';
import { findBinaryPackage, prepareBinaries } from '@vouchgraph/embedded-postgres/internals/binaries';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';

vi.setConfig({ testTimeout: 120_000, hookTimeout: 120_000 });

const isRoot = process.getuid?.() === 0;
const modulePath = join(import.meta.dirname, '../../../packages/embedded-postgres/src/embedded-postgres.ts');

/** Resources of a test, released in reverse order, so that servers end before their folders are removed. */
const cleanups: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

/** A folder of mode 700, as mkdtemp makes it. */
async function newFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'vouchgraph-postgres-'));
  cleanups.push(() => rm(folder, { recursive: true, force: true, maxRetries: 10 }));
  return folder;
}

async function start(dataDir: string, lines: string[] = []): Promise<EmbeddedPostgres> {
  const postgres = await startEmbeddedPostgres({ dataDir, log: (line) => lines.push(line) });
  cleanups.push(postgres.stop);
  return postgres;
}

/**
 * A folder of mode 700 with a completed first start, in an environment of another locale. Tests that do not concern the
 * first start share it: each leaves it stopped.
 */
let usedFolder: string;
let modeBefore: number;
beforeAll(async () => {
  usedFolder = await mkdtemp(join(tmpdir(), 'vouchgraph-postgres-'));
  modeBefore = await modeOf(usedFolder);
  stubForeignVariables();
  try {
    const postgres = await startEmbeddedPostgres({ dataDir: usedFolder, log: () => {} });
    await postgres.stop();
  } finally {
    vi.unstubAllEnvs();
  }
});
afterAll(() => rm(usedFolder, { recursive: true, force: true, maxRetries: 10 }));

/** A locale and variables of PostgreSQL that would change a cluster or prevent its start. */
function stubForeignVariables(): void {
  const names = ['LANG', 'LC_ALL', 'LC_CTYPE', 'PGSSLMODE', 'PGDATA', 'PGPORT'];
  for (const name of names) vi.stubEnv(name, name.startsWith('PG') ? 'require' : undefined);
}

async function startError(dataDir: string): Promise<EmbeddedPostgresError> {
  const error = await start(dataDir).then(
    () => null,
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(EmbeddedPostgresError);
  return error as EmbeddedPostgresError;
}

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined);
  await client.connect();
  return client
    .query(sql)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/** Commits a row; the result checks that another server still has it. */
async function keepSomething(url: string): Promise<(url: string) => Promise<void>> {
  const table = `kept_${randomUUID().replaceAll('-', '')}`;
  await query(url, `create table ${table} as select 'Zoë' as name`);
  return async (later) => expect(await query(later, `select name from ${table}`)).toEqual([{ name: 'Zoë' }]);
}

async function postmasterPid(dataDir: string): Promise<number> {
  return Number.parseInt(await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10);
}

async function modeOf(path: string): Promise<number> {
  return (await stat(path)).mode & 0o777;
}

type ChildMessage = {
  ownerUrl?: string;
  superuserUrl?: string;
  error?: string;
  message?: string;
  answer?: number;
};

/** A gateway process of its own: starts the database, answers SIGINT with a query, and stops. */
const CHILD_SCRIPT = `
const [modulePath, dataDir] = process.argv.slice(1);
const { startEmbeddedPostgres } = await import(modulePath);
const { default: pg } = await import('pg');
const say = (message) => process.stdout.write(JSON.stringify(message) + '\\n');
try {
  const postgres = await startEmbeddedPostgres({ dataDir, log: () => {} });
  process.once('SIGINT', async () => {
    const client = new pg.Client({ connectionString: postgres.ownerUrl });
    await client.connect();
    const { rows } = await client.query('select 42 as answer');
    await client.end();
    await postgres.stop();
    say(rows[0]);
  });
  say({ ownerUrl: postgres.ownerUrl, superuserUrl: postgres.superuserUrl });
} catch (error) {
  say({ error: error.name, message: error.message });
}`;

type Child = { process: ChildProcess; next(): Promise<ChildMessage> };

function spawnGateway(dataDir: string): Child {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', CHILD_SCRIPT, pathToFileURL(modulePath).href, dataDir],
    // Its own process group, as a shell gives to a command in the foreground.
    { cwd: join(import.meta.dirname, '../../..'), stdio: ['ignore', 'pipe', 'inherit'], detached: true },
  );
  cleanups.push(() => kill(child));
  const lines = createInterface({ input: child.stdout! })[Symbol.asyncIterator]();
  return {
    process: child,
    next: async () => JSON.parse((await lines.next()).value ?? '{}') as ChildMessage,
  };
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}

async function expectServerGone(dataDir: string): Promise<void> {
  const file = join(dataDir, 'postgres', 'postmaster.pid');
  await expect.poll(() => stat(file).catch(() => null)).toBeNull();
}

describe('first start and restart', () => {
  it('creates a UTF-8 cluster with an owner that is subject to row-level security, and keeps its data', async () => {
    const dataDir = join(await newFolder(), 'data');
    await chmod(dirname(dataDir), 0o711);
    const first = await start(dataDir);
    const [owner] = await query(
      first.ownerUrl,
      `select current_user as name, rolsuper, rolcreaterole, rolbypassrls, rolcanlogin,
              pg_get_userbyid(datdba) as database_owner
         from pg_roles, pg_database where rolname = current_user and datname = current_database()`,
    );
    expect(owner).toEqual({
      name: 'vouchgraph',
      rolsuper: false,
      rolcreaterole: true,
      rolbypassrls: false,
      rolcanlogin: true,
      database_owner: 'vouchgraph',
    });
    await query(first.ownerUrl, 'create extension citext');
    const expectKept = await keepSomething(first.ownerUrl);
    await first.stop();

    const second = await start(dataDir);
    await expectKept(second.ownerUrl);
    expect(new URL(second.ownerUrl).port).toBe(String(second.port));
  });

  it('does not depend on the locale or the PostgreSQL variables of its environment', async () => {
    stubForeignVariables();
    cleanups.push(async () => vi.unstubAllEnvs());
    const { ownerUrl } = await start(usedFolder);
    const [database] = await query(
      ownerUrl,
      `select pg_encoding_to_char(encoding) as encoding, datlocprovider as provider, datlocale as locale,
              current_setting('timezone') as timezone, upper('é') as upper
         from pg_database where datname = current_database()`,
    );
    expect(database).toEqual({
      encoding: 'UTF8',
      provider: 'b',
      locale: 'C.UTF-8',
      timezone: 'UTC',
      upper: 'É',
    });
  });

  it('accepts further settings, which override its own', async () => {
    const settings = { max_connections: '17', 'vouchgraph.note': 'two words' };
    const postgres = await startEmbeddedPostgres({ dataDir: usedFolder, log: () => {}, settings });
    cleanups.push(postgres.stop);
    const [row] = await query(
      postgres.ownerUrl,
      `select current_setting('max_connections') as connections, current_setting('vouchgraph.note') as note,
              current_setting('fsync') as fsync`,
    );
    expect(row).toEqual({ connections: '17', note: 'two words', fsync: 'on' });
  });

  it('works in a folder of mode 700 and limits its secrets to the user that started it', async () => {
    const dataDir = usedFolder;
    expect(modeBefore).toBe(0o700);
    await start(dataDir);
    expect(await modeOf(dataDir)).toBe(isRoot ? 0o711 : 0o700);
    for (const name of ['superuser.password', 'owner.password', 'postgres.log']) {
      expect(await modeOf(join(dataDir, name))).toBe(0o600);
      expect((await stat(join(dataDir, name))).uid).toBe(process.getuid?.());
    }
    expect((await readdir(dataDir)).sort()).toEqual([
      'lock',
      'owner.password',
      'postgres',
      'postgres.log',
      'superuser.password',
    ]);
  });

  it('truncates a log of more than 10 MB when it starts', async () => {
    const dataDir = usedFolder;
    const log = join(dataDir, 'postgres.log');
    await truncate(log, 11 * 1024 * 1024);
    await start(dataDir);
    expect((await stat(log)).size).toBeLessThan(100_000);
  });

  it('creates a new password of the owner when its file is lost', async () => {
    const dataDir = usedFolder;
    const first = await start(dataDir);
    await first.stop();
    await rm(join(dataDir, 'owner.password'));
    const second = await start(dataDir);
    expect(second.ownerUrl).not.toContain(new URL(first.ownerUrl).password);
    expect(await query(second.ownerUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('stop', () => {
  it('may be called repeatedly and at once, also with open connections', async () => {
    const dataDir = usedFolder;
    const postgres = await start(dataDir);
    const client = new pg.Client({ connectionString: postgres.ownerUrl });
    client.on('error', () => undefined);
    await client.connect();
    await Promise.all([postgres.stop(), postgres.stop()]);
    await postgres.stop();
    await expectServerGone(dataDir);
    await expect(query(postgres.ownerUrl, 'select 1')).rejects.toThrow(/ECONNREFUSED/);
  });

  it('on Ctrl-C keeps the database running until the gateway has finished', async () => {
    const dataDir = usedFolder;
    const gateway = spawnGateway(dataDir);
    expect(await gateway.next()).toHaveProperty('ownerUrl');
    process.kill(-gateway.process.pid!, 'SIGINT');
    expect(await gateway.next()).toEqual({ answer: 42 });
    await expectServerGone(dataDir);
  });
});

describe('a gateway that is killed', () => {
  it('leaves no server behind and loses no committed data', async () => {
    const dataDir = usedFolder;
    const gateway = spawnGateway(dataDir);
    const { ownerUrl } = await gateway.next();
    const expectKept = await keepSomething(ownerUrl!);
    await kill(gateway.process);
    await expectServerGone(dataDir);
    const next = await start(dataDir);
    await expectKept(next.ownerUrl);
  });

  it('does not prevent the next start while its server still shuts down', async () => {
    const dataDir = usedFolder;
    const gateway = spawnGateway(dataDir);
    const { ownerUrl } = await gateway.next();
    const expectKept = await keepSomething(ownerUrl!);
    await kill(gateway.process);
    const next = await start(dataDir);
    await expectKept(next.ownerUrl);
  });

  it('may leave a server without its guard, which the next start replaces', async () => {
    const dataDir = usedFolder;
    const gateway = spawnGateway(dataDir);
    const { ownerUrl } = await gateway.next();
    const expectKept = await keepSomething(ownerUrl!);
    const orphanPid = await postmasterPid(dataDir);
    for (const pid of await guardsOf(orphanPid)) process.kill(pid, 'SIGKILL');
    await kill(gateway.process);
    await expectKept(ownerUrl!);

    const next = await start(dataDir);
    expect(await postmasterPid(dataDir)).not.toBe(orphanPid);
    await expectKept(next.ownerUrl);
  });

  it('can be succeeded by exactly one of several concurrent starts', async () => {
    const dataDir = usedFolder;
    const gateway = spawnGateway(dataDir);
    await gateway.next();
    await kill(gateway.process);
    await expectOneWinner(dataDir, 4);
  });
});

/** PostgreSQL cannot finish a clean shutdown without its checkpointer. */
async function suspendCheckpointer(superuserUrl: string): Promise<void> {
  const [row] = await query(
    superuserUrl,
    `select pid from pg_stat_activity where backend_type = 'checkpointer'`,
  );
  process.kill(row?.pid as number, 'SIGSTOP');
}

async function statusOf(dataDir: string): Promise<string | undefined> {
  const lines = await readFile(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8');
  return lines.split('\n')[7]?.trim();
}

describe('a server that hangs during shutdown', () => {
  it('is ended by its guard without losing committed data', async () => {
    const dataDir = usedFolder;
    const gateway = spawnGateway(dataDir);
    const { ownerUrl, superuserUrl } = await gateway.next();
    const expectKept = await keepSomething(ownerUrl!);
    await suspendCheckpointer(superuserUrl!);
    await kill(gateway.process);
    await expectServerGone(dataDir);
    const next = await start(dataDir);
    await expectKept(next.ownerUrl);
  });

  it('is ended by the next start when it has neither gateway nor guard', async () => {
    const dataDir = usedFolder;
    const gateway = spawnGateway(dataDir);
    const { ownerUrl, superuserUrl } = await gateway.next();
    const expectKept = await keepSomething(ownerUrl!);
    const orphanPid = await postmasterPid(dataDir);
    for (const pid of await guardsOf(orphanPid)) process.kill(pid, 'SIGKILL');
    await suspendCheckpointer(superuserUrl!);
    await kill(gateway.process);
    process.kill(orphanPid, 'SIGINT');
    await expect.poll(() => statusOf(dataDir)).toBe('stopping');
    const next = await start(dataDir);
    expect(await postmasterPid(dataDir)).not.toBe(orphanPid);
    await expectKept(next.ownerUrl);
  });
});

describe('a server that exits unexpectedly', () => {
  it('is started again on its port with all committed data, and is claimed again', async () => {
    const dataDir = usedFolder;
    const { ownerUrl, superuserUrl } = await start(dataDir);
    const expectKept = await keepSomething(ownerUrl);
    process.kill(await postmasterPid(dataDir), 'SIGKILL');
    const claims = `select count(*)::int as claims from pg_locks where locktype = 'advisory' and granted`;
    await expect.poll(() => query(superuserUrl, claims).catch(() => null)).toEqual([{ claims: 1 }]);
    await expectKept(ownerUrl);
    expect((await startError(dataDir)).message).toContain('is in use by another gateway');
  });

  it('is reported once with the reason when its restart fails', async () => {
    const dataDir = usedFolder;
    const lost: EmbeddedPostgresError[] = [];
    const onLost = (error: EmbeddedPostgresError) => void lost.push(error);
    const postgres = await startEmbeddedPostgres({ dataDir, log: () => {}, onLost });
    cleanups.push(postgres.stop);
    const control = join(dataDir, 'postgres', 'global', 'pg_control');
    await rename(control, `${control}.away`);
    process.kill(await postmasterPid(dataDir), 'SIGKILL');
    await expect.poll(() => lost).toHaveLength(1);
    expect(lost[0]?.message).toMatch(
      /^PostgreSQL stopped and did not stay up after 5 restarts: PostgreSQL did not start in DATA_DIR/,
    );
    await postgres.stop();
    await rename(`${control}.away`, control);
    await start(dataDir);
    expect(lost).toHaveLength(1);
  });

  it('is not started again by a gateway that stops', async () => {
    const dataDir = usedFolder;
    const lines: string[] = [];
    const postgres = await start(dataDir, lines);
    const pid = await postmasterPid(dataDir);
    const stopped = postgres.stop();
    process.kill(pid, 'SIGKILL');
    await stopped;
    expect(lines).toEqual([]);
    await start(dataDir);
  });
});

/** The watchers of a server: other processes in its session that wait for their gateway. */
async function guardsOf(postmaster: number): Promise<number[]> {
  const guards: number[] = [];
  for (const name of (await readdir('/proc')).filter((entry) => /^\d+$/.test(entry))) {
    const stats = await readFile(`/proc/${name}/stat`, 'utf8').catch(() => '');
    const session = Number(stats.slice(stats.lastIndexOf(')') + 2).split(' ')[3]);
    if (session === postmaster && stats.includes('(sh)')) guards.push(Number(name));
  }
  expect(guards).toHaveLength(1);
  return guards;
}

async function expectOneWinner(dataDir: string, count: number): Promise<void> {
  const gateways = Array.from({ length: count }, () => spawnGateway(dataDir));
  const messages = await Promise.all(gateways.map((gateway) => gateway.next()));
  const winner = messages.findIndex((message) => message.ownerUrl !== undefined);
  const losers = messages.filter((_, index) => index !== winner);
  expect(losers).toEqual(
    Array(count - 1).fill({
      error: 'EmbeddedPostgresError',
      message: `DATA_DIR ${dataDir} is in use by another gateway (pid ${gateways[winner]?.process.pid})`,
    }),
  );
  expect(await query(messages[winner]?.ownerUrl ?? '', 'select 1 as one')).toEqual([{ one: 1 }]);
}

describe('two gateways on one folder', () => {
  it('concurrent starts on an empty folder: one succeeds, the other reports the conflict', async () => {
    await expectOneWinner(await newFolder(), 2);
  });

  it('the second start does not affect the first gateway and its server', async () => {
    const dataDir = usedFolder;
    const first = await start(dataDir);
    const pid = await postmasterPid(dataDir);
    const { message } = await startError(dataDir);
    expect(message).toBe(`DATA_DIR ${dataDir} is in use by another gateway (pid ${process.pid})`);
    expect(await postmasterPid(dataDir)).toBe(pid);
    expect(await query(first.ownerUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('the claim on the server is renewed when its connection was lost', async () => {
    const { superuserUrl } = await start(usedFolder);
    const holder = `select pid from pg_locks where locktype = 'advisory' and granted`;
    const [lost] = await query(superuserUrl, holder);
    await query(superuserUrl, `select pg_terminate_backend(${lost?.pid})`);
    await expect
      .poll(() => query(superuserUrl, holder))
      .toEqual([{ pid: expect.not.toSatisfy((pid) => pid === lost?.pid) }]);
  });

  it('a lock holder in another container counts as alive while it touches its lock', async () => {
    const dataDir = await newFolder();
    const lock = await writeForeignLock(dataDir);
    const beat = setInterval(() => void utimes(lock, new Date(), new Date()), 100);
    cleanups.push(async () => clearInterval(beat));
    await expect(acquireFolderLock(dataDir, () => {})).rejects.toThrow('in use by another gateway (pid 7)');
  });

  it('a silent lock holder in another container is succeeded', async () => {
    const dataDir = await newFolder();
    await writeForeignLock(dataDir);
    const lines: string[] = [];
    const lock = await acquireFolderLock(dataDir, (line) => lines.push(line), { heartbeatTimeoutMs: 300 });
    expect(lines).toEqual([expect.stringContaining('watching for a sign of life')]);
    expect(await readdir(join(dataDir, 'lock'))).toEqual(['2']);
    await lock.release();
  });
});

describe('a gateway in another container that is suspended', () => {
  it('keeps its server, although its lock is not touched', async () => {
    const gateway = spawnGateway(usedFolder);
    const { ownerUrl = '' } = await gateway.next();
    const pid = await postmasterPid(usedFolder);
    const lock = join(usedFolder, 'lock', (await readdir(join(usedFolder, 'lock')))[0]!);
    await writeFile(lock, JSON.stringify({ pid: 7, space: 'another container', startTicks: '1' }));
    gateway.process.kill('SIGSTOP');
    const { message } = await startError(usedFolder);
    gateway.process.kill('SIGCONT');
    expect(message).toContain(`its PostgreSQL (pid ${pid}) is still running`);
    expect(await postmasterPid(usedFolder)).toBe(pid);
    expect(await query(ownerUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

async function writeForeignLock(dataDir: string): Promise<string> {
  await mkdir(join(dataDir, 'lock'));
  const path = join(dataDir, 'lock', '1');
  await writeFile(path, JSON.stringify({ pid: 7, space: 'another container', startTicks: '1' }));
  return path;
}

describe('an unusable folder', () => {
  it('below a file is named in one line', async () => {
    const file = join(await newFolder(), 'file');
    await writeFile(file, '');
    const { message } = await startError(join(file, 'data'));
    expect(message).toContain(`DATA_DIR ${join(file, 'data')} cannot be written`);
    expect(message).not.toContain('\n');
  });

  it('on a file system without files is reported in one line', async () => {
    const { message } = await startError('/proc/vouchgraph');
    expect(message).toContain('DATA_DIR /proc/vouchgraph cannot be written');
  });

  it('written by a newer PostgreSQL is rejected', async () => {
    const dataDir = usedFolder;
    const version = join(dataDir, 'postgres', 'PG_VERSION');
    cleanups.push(() => writeFile(version, '18\n'));
    await writeFile(version, '19\n');
    const { message } = await startError(dataDir);
    expect(message).toContain('was written by PostgreSQL 19, and this gateway includes 18');
  });

  it('with an incomplete cluster is rejected instead of emptied', async () => {
    const dataDir = await newFolder();
    await mkdir(join(dataDir, 'postgres', 'base'), { recursive: true });
    expect((await startError(dataDir)).message).toContain('is not a complete PostgreSQL database');
    expect(await readdir(join(dataDir, 'postgres'))).toEqual(['base']);
  });

  it('with a failing server reports the message of PostgreSQL, and releases the folder', async () => {
    const dataDir = usedFolder;
    const settings = { shared_buffers: 'plenty' };
    await expect(startEmbeddedPostgres({ dataDir, log: () => {}, settings })).rejects.toThrow(
      /PostgreSQL did not start .*invalid value for parameter "shared_buffers"/,
    );
    await start(dataDir);
  });

  it('with a replaced superuser password names the file', async () => {
    const dataDir = usedFolder;
    const path = join(dataDir, 'superuser.password');
    const password = await readFile(path, 'utf8');
    cleanups.push(() => writeFile(path, password));
    await writeFile(path, 'another');
    const { message } = await startError(dataDir);
    expect(message).toContain(`rejects the password in ${path}`);
  });
});

describe('an interrupted first start', () => {
  it('killed during the creation of the cluster leaves nothing that the next start uses as a database', async () => {
    const dataDir = await newFolder();
    const gateway = spawnGateway(dataDir);
    await expect.poll(() => readdir(dataDir)).toContainEqual(expect.stringContaining('unfinished'));
    await kill(gateway.process);
    const postgres = await start(dataDir);
    expect(await query(postgres.ownerUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  it('is repeated with the existing password', async () => {
    const dataDir = await newFolder();
    const unfinished = join(dataDir, 'postgres.unfinished-1');
    await mkdir(join(unfinished, 'base'), { recursive: true });
    await writeFile(join(unfinished, 'PG_VERSION'), '18\n');
    await writeFile(`${unfinished}.password`, 'old', { mode: 0o600 });
    await writeFile(join(dataDir, 'superuser.password'), 'already-there', { mode: 0o600 });
    const postgres = await start(dataDir);
    expect(new URL(postgres.superuserUrl).password).toBe('already-there');
    expect((await readdir(dataDir)).filter((name) => name.includes('unfinished'))).toEqual([]);
  });
});

describe('the PostgreSQL programs', () => {
  it('are copied when their folder is inaccessible to the account or cannot be completed', async () => {
    const folder = await newFolder();
    await chmod(folder, 0o711);
    const closed = join(folder, 'closed');
    await cp(findBinaryPackage(), join(closed, 'package'), { recursive: true, verbatimSymlinks: true });
    if (isRoot) await chmod(closed, 0o700);
    else await closeLibraries(join(closed, 'package', 'native', 'lib'));
    const binaries = await prepareBinaries(
      join(closed, 'package'),
      join(folder, 'programs'),
      defaultAccount(),
    );
    expect(binaries.copiedTo).toContain(join(folder, 'programs'));
    expect(binaries.majorVersion).toBe(18);
  });

  it('are reported with a solution when this machine has none', () => {
    expect(() => findBinaryPackage('sunos', 'sparc')).toThrow(/sunos-sparc is not installed: .*DATABASE_URL/);
  });
});

/** A link is missing and the folder takes no new one: node_modules on a read-only disk. */
async function closeLibraries(lib: string): Promise<void> {
  await rm(join(lib, 'libicuuc.so.60'), { force: true });
  await chmod(lib, 0o555);
  cleanups.push(() => chmod(lib, 0o755));
}

// Only root changes the account of the server; for other users these cases do not exist.
describe.runIf(isRoot)('as root, below a folder that only root may enter', () => {
  async function newClosedDataDir(): Promise<string> {
    const dataDir = join(await newFolder(), 'data');
    await mkdir(dataDir);
    cleanups.push(async () => {
      const cluster = await readlink(join(dataDir, 'postgres')).catch(() => null);
      if (cluster !== null) await rm(dirname(cluster), { recursive: true, force: true });
    });
    return dataDir;
  }

  it('the gateway creates the cluster below /var/lib, reports it in one line, and finds it again', async () => {
    const dataDir = await newClosedDataDir();
    const lines: string[] = [];
    const first = await start(dataDir, lines);
    expect(lines).toEqual([expect.stringContaining('its database is in /var/lib/vouchgraph/')]);
    const expectKept = await keepSomething(first.ownerUrl);
    await first.stop();
    // The choice is stored: opening the parent later must not start with an empty database.
    await chmod(dirname(dataDir), 0o755);
    const second = await start(dataDir);
    await expectKept(second.ownerUrl);
  });

  it('the gateway starts anew when the data folder was deleted, and keeps the old database', async () => {
    const dataDir = await newClosedDataDir();
    const first = await start(dataDir);
    const expectKept = await keepSomething(first.ownerUrl);
    await first.stop();
    await rm(dataDir, { recursive: true });
    const lines: string[] = [];
    const second = await start(dataDir, lines);
    expect(lines).toContainEqual(expect.stringContaining('of an earlier folder of that name is kept in'));
    await expect(expectKept(second.ownerUrl)).rejects.toThrow(/does not exist/);
  });

  it('the gateway accepts a cluster that root restored from a backup', async () => {
    const copy = await newFolder();
    await cp(usedFolder, copy, { recursive: true });
    await chmod(join(copy, 'postgres'), 0o755);
    expect((await stat(join(copy, 'postgres'))).uid).toBe(0);
    const restored = await start(copy);
    expect(await query(restored.ownerUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});
