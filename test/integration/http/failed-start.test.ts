import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { text } from 'node:stream/consumers';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { childEnvironment, makeFolder } from '../../acceptance/gateway-process.ts';
import { createTestDatabase, queryAsAdmin, type TestDatabase } from '../../support/database.ts';
import { startGateway } from '../../support/gateway.ts';

// Each test starts several gateways.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

/*
 * A failed start runs in a separate process, which does nothing afterwards: it exits only if no connection,
 * timer or worker of the gateway is left.
 */
const SCRIPT = `
const [appPath, configPath] = process.argv.slice(1);
const { createApp } = await import(appPath);
const { readConfig } = await import(configPath);
try {
  const app = await createApp({ config: readConfig(), ...JSON.parse(process.env.OPTIONS ?? '{}') });
  process.stdout.write('serves ' + app.serve().baseUrl);
} catch (error) {
  process.stdout.write('failed: ' + error.message);
}`;

const source = (path: string) => new URL(`../../../src/${path}`, import.meta.url).href;

let database: TestDatabase;
let folder: Awaited<ReturnType<typeof makeFolder>>;
const children: ChildProcess[] = [];

beforeEach(async () => {
  database = await createTestDatabase();
  folder = await makeFolder();
});
afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL');
  await database.drop();
  await folder.remove();
});

function start(settings: Record<string, string> = {}): { child: ChildProcess; output: Promise<string> } {
  const child = spawn(
    process.execPath,
    ['--input-type=module', '-e', SCRIPT, source('app.ts'), source('config.ts')],
    {
      env: childEnvironment({
        DATABASE_URL: database.ownerUrl,
        MASTER_KEY: generateMasterKey(),
        DATA_DIR: folder.folder,
        LOG_LEVEL: 'silent',
        ...settings,
      }),
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  children.push(child);
  return { child, output: text(child.stdout!) };
}

async function expectFailure(settings: Record<string, string>, reason: RegExp): Promise<void> {
  const { child, output } = start(settings);
  const [code] = await once(child, 'exit');
  expect(await output).toMatch(reason);
  expect(code).toBe(0);
  expect(await connections()).toBe(0);
}

async function connections(): Promise<number> {
  const name = new URL(database.ownerUrl).pathname.slice(1);
  const { rows } = await queryAsAdmin(
    `select count(*)::int as count from pg_stat_activity where datname = '${name}'`,
  );
  return rows[0].count;
}

describe('a failed start closes all connections, and its process exits', () => {
  it('before the relay: another master key', async () => {
    const gateway = await startGateway({ database });
    await gateway.project();
    await gateway.close();
    await expectFailure({}, /^failed: MASTER_KEY cannot decrypt this database/);
  });

  it('after the workers started: an invalid timeout of name servers', async () => {
    const OPTIONS = JSON.stringify({ nameServers: { timeoutMs: -5 } });
    await expectFailure({ OPTIONS }, /^failed: The value of "options.timeout" is out of range/);
  });

  it('before the migration: the port is in use', async () => {
    const other: Server = createServer();
    await once(other.listen(0, '127.0.0.1'), 'listening');
    const { port } = other.address() as { port: number };
    await expectFailure({ PORT: String(port) }, /^failed: Port \d+ on 127\.0\.0\.1 is in use/);
    other.close();
  });
});
