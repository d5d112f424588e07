import { readFile, rename } from 'node:fs/promises';
import path from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  call,
  type GatewayProcess,
  makeFolder,
  run,
  type Sandbox,
  until,
  whenStarted,
} from './gateway-process.ts';

// Each test starts several gateways.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const WAIT_TIMEOUT_MS = 60_000;

let dataDir: string;
let remove: () => Promise<void>;
let current: GatewayProcess | undefined;

beforeAll(async () => {
  const made = await makeFolder();
  dataDir = path.join(made.folder, 'data');
  remove = made.remove;
});
afterAll(async () => {
  current?.signal('SIGTERM');
  await current?.exited;
  await until('the end of PostgreSQL', async () => !isAlive(await postmasterPid()), WAIT_TIMEOUT_MS);
  await remove();
});

/**
 * The running gateway of the folder, started if there is none. A test that ends its gateway ends with the next start,
 * which is the gateway of the next test.
 */
async function running(): Promise<{ gateway: GatewayProcess; sandbox: Sandbox }> {
  const hasEnded = current?.child.exitCode !== null || current.child.signalCode !== null;
  if (current === undefined || hasEnded) current = run(['serve'], { DATA_DIR: dataDir, LOG_LEVEL: 'silent' });
  return whenStarted(current, dataDir);
}

async function postmasterFile(): Promise<string[]> {
  const file = path.join(dataDir, 'postgres', 'postmaster.pid');
  return (await readFile(file, 'utf8').catch(() => '')).split('\n');
}

const postmasterPid = async (): Promise<number> => Number((await postmasterFile())[0]);

function isAlive(pid: number): boolean {
  try {
    // 0 would be the group of the tests.
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

async function query(sql: string): Promise<Record<string, unknown>[]> {
  const password = (await readFile(path.join(dataDir, 'owner.password'), 'utf8')).trim();
  const port = (await postmasterFile())[3];
  const client = new pg.Client(
    `postgresql://vouchgraph:${password}@127.0.0.1:${port}/vouchgraph?sslmode=disable`,
  );
  client.on('error', () => {});
  await client.connect();
  return client
    .query(sql)
    .then(({ rows }) => rows)
    .finally(() => client.end());
}

/** PostgreSQL loses one of its processes, as by the out-of-memory killer, and starts its recovery. */
async function killBackend(): Promise<void> {
  const [backend] = await query(
    `select pid from pg_stat_activity where usename = 'vouchgraph' and application_name = 'vouchgraph' limit 1`,
  );
  const recoveries = async () =>
    (await readFile(path.join(dataDir, 'postgres.log'), 'utf8')).split('reinitializing').length;
  const before = await recoveries();
  process.kill(backend!.pid as number, 'SIGKILL');
  await until('the recovery', async () => (await recoveries()) > before);
}

const isReady = async ({ base_url }: Sandbox): Promise<boolean> =>
  (await fetch(`${base_url}/readyz`).catch(() => null))?.status === 200;

async function authenticate(sandbox: Sandbox, id: string): Promise<void> {
  const { body } = await call(sandbox, 'POST', '/session', { ip_address: '8.8.8.8' });
  const input = { session_id: body.session_id, account: { id } };
  expect((await call(sandbox, 'POST', '/session/authenticate', input)).status).toBe(200);
}

const numSessions = async (sandbox: Sandbox, id: string): Promise<number> =>
  (await call(sandbox, 'GET', `/account/${id}`)).body.num_sessions;

describe('after PostgreSQL lost one of its processes', () => {
  for (const signal of ['SIGKILL', 'SIGTERM'] as const)
    it(`a gateway that received ${signal} starts again with all acknowledged data`, async () => {
      const first = await running();
      const id = `kept-${signal}`;
      await authenticate(first.sandbox, id);
      await killBackend();
      const signaledAt = performance.now();
      first.gateway.signal(signal);
      await first.gateway.exited;
      // The limit is ten seconds; three times as many for a loaded machine.
      expect(performance.now() - signaledAt).toBeLessThan(30_000);
      const second = await running();
      expect(await numSessions(second.sandbox, id)).toBe(1);
    });
});

describe('when PostgreSQL ends while the gateway runs', () => {
  it('PostgreSQL is started again, and requests return all acknowledged data', async () => {
    const { gateway, sandbox } = await running();
    await authenticate(sandbox, 'kept');
    for (let times = 1; times <= 2; times += 1) {
      const pid = await postmasterPid();
      process.kill(pid, 'SIGKILL');
      await until(
        'another PostgreSQL',
        async () => ![0, pid].includes(await postmasterPid()),
        WAIT_TIMEOUT_MS,
      );
      await until('an answer', () => isReady(sandbox), WAIT_TIMEOUT_MS);
      await authenticate(sandbox, 'kept');
      expect(await numSessions(sandbox, 'kept')).toBe(1 + times);
    }
    expect(gateway.errors()).toBe('');
  });

  it('and cannot be started again, the gateway ends with one line and releases the folder', async () => {
    const { gateway } = await running();
    const control = path.join(dataDir, 'postgres', 'global', 'pg_control');
    await rename(control, `${control}.away`);
    process.kill(await postmasterPid(), 'SIGKILL');
    expect(await gateway.exited).toBe(1);
    expect(gateway.errors().trim().split('\n')).toEqual([
      expect.stringMatching(/^vouchgraph: PostgreSQL stopped and did not stay up after .*postgres\.log/),
    ]);
    await rename(`${control}.away`, control);
    await running();
  });

  it('during shutdown, PostgreSQL stays stopped and the shutdown is clean', async () => {
    const { gateway } = await running();
    const pid = await postmasterPid();
    gateway.signal('SIGTERM');
    await until('the stop', async () => /Stopping/.test(gateway.output()));
    process.kill(pid, 'SIGKILL');
    expect(await gateway.exited).toBe(0);
    expect(gateway.errors()).toBe('');
    expect(gateway.output()).not.toContain('starting it again');
    expect(isAlive(await postmasterPid())).toBe(false);
    await running();
  });

  it('and is being started again, SIGTERM ends both', async () => {
    const { gateway } = await running();
    process.kill(await postmasterPid(), 'SIGKILL');
    await until('the restart', async () => /starting it again/.test(gateway.output()));
    gateway.signal('SIGTERM');
    expect(await gateway.exited).toBe(0);
    expect(gateway.errors()).toBe('');
    expect(isAlive(await postmasterPid())).toBe(false);
    await running();
  });

  it('the gateway keeps the lock of the folder: another gateway is rejected', async () => {
    const { sandbox } = await running();
    const pid = await postmasterPid();
    process.kill(pid, 'SIGKILL');
    const other = run(['serve'], { DATA_DIR: dataDir });
    expect(await other.exited).toBe(1);
    expect(other.errors()).toMatch(/^vouchgraph: DATA_DIR .* is in use by another gateway/);
    await until('an answer', () => isReady(sandbox), WAIT_TIMEOUT_MS);
    expect(await postmasterPid()).not.toBe(pid);
  });
});
