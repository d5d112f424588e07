import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer as createHttpServer } from 'node:http';
import { createServer } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { snippetsOf } from '../support/documents.ts';
import {
  call,
  type GatewayProcess,
  makeFolder,
  readSandbox,
  run,
  runInTerminal,
  type Sandbox,
  start,
  until,
  whenStarted,
} from './gateway-process.ts';

/** For the tests that concern the start of an empty folder, or that end before they use one. */
let dataDir: string;
let remove: () => Promise<void>;
const started: GatewayProcess[] = [];

beforeEach(async () => {
  const made = await makeFolder();
  dataDir = path.join(made.folder, 'data');
  remove = made.remove;
});
afterEach(async () => {
  for (const gateway of started.splice(0)) {
    gateway.signal('SIGTERM');
    await gateway.exited;
  }
  await remove();
});

async function startHere(environment: Record<string, string> = {}) {
  const result = await start(dataDir, environment);
  started.push(result.gateway);
  return result;
}

/** The folder and the gateway of the other tests: each continues with what the one before it left. */
const shared = { dataDir: '', remove: async () => {} };
let sharedGateway: GatewayProcess;

beforeAll(async () => {
  const made = await makeFolder();
  shared.dataDir = path.join(made.folder, 'data');
  shared.remove = made.remove;
  // Allowed until the folder has a production project.
  sharedGateway = run(['serve'], { DATA_DIR: shared.dataDir, WEBHOOK_ALLOW_LOOPBACK: '1' });
});
afterAll(async () => {
  await stopShared();
  await shared.remove();
});

/** The gateway of the shared folder, started again if a test ended it. */
async function running(): Promise<{ gateway: GatewayProcess; sandbox: Sandbox }> {
  const { exitCode, signalCode } = sharedGateway.child;
  if (exitCode !== null || signalCode !== null) sharedGateway = run(['serve'], { DATA_DIR: shared.dataDir });
  return whenStarted(sharedGateway, shared.dataDir);
}

async function stopShared(signal: NodeJS.Signals = 'SIGTERM'): Promise<void> {
  sharedGateway.signal(signal);
  await sharedGateway.exited;
}

const inShared = (...args: string[]) => run(args, { DATA_DIR: shared.dataDir });

const postmasterPid = async () =>
  Number((await readFile(path.join(shared.dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split('\n')[0]);

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** The command ends with 1 and one line that says why. */
async function expectRefusal(environment: Record<string, string>, reason: RegExp): Promise<void> {
  const gateway = run(['serve'], { DATA_DIR: dataDir, ...environment });
  expect(await gateway.exited).toBe(1);
  expect(gateway.errors().trim().split('\n')).toEqual([expect.stringMatching(reason)]);
  expect(gateway.output()).not.toMatch(/\n\s+at /);
}

/** The printed requests work when they are pasted, and equal those of docs/quickstart.md. */
async function expectWorkingRequests(output: string): Promise<void> {
  const commands = output.slice(output.indexOf('  KEY='), output.indexOf('docs/quickstart.md explains'));
  const { stdout } = await promisify(execFile)('bash', ['-c', commands]);
  expect(JSON.parse(stdout)).toMatchObject({ account_id: 'carol', accounts_linked: 0 });
  const documented = snippetsOf('docs/quickstart.md').map((snippet) => snippet.text);
  const bodies = [...commands.matchAll(/post \/\S+ '(\{.*)'/g)].map(([, body]) => body!);
  expect(bodies).toHaveLength(2);
  for (const body of bodies) expect(documented.join('\n')).toContain(body);
}

describe('the first start', () => {
  it('writes a sandbox with a key that works once its file exists, which only its owner can read', async () => {
    const sandbox = await until('sandbox.json', () => readSandbox(shared.dataDir));
    expect((await call(sandbox, 'GET', '/account/nobody')).body).toEqual({
      statusCode: 400,
      code: expect.any(String),
      message: 'Account not found',
    });
    expect(Object.keys(sandbox).sort()).toEqual(['api_key', 'base_url', 'project_id']);
    expect((await stat(path.join(shared.dataDir, 'sandbox.json'))).mode & 0o777).toBe(0o600);
  });

  it('prints the path of the file instead of the key or a link when its output is stored, and requests that work', async () => {
    const { gateway, sandbox } = await running();
    expect(gateway.output()).toContain(path.join(shared.dataDir, 'sandbox.json'));
    expect(gateway.output()).not.toContain(sandbox.api_key);
    expect(gateway.output()).not.toContain('secret=');
    await expectWorkingRequests(gateway.output());
  });
});

describe('the first start in a terminal', () => {
  let terminal: GatewayProcess;
  let folder: Awaited<ReturnType<typeof makeFolder>>;
  const ownDataDir = () => path.join(folder.folder, 'data');

  beforeAll(async () => {
    folder = await makeFolder();
    terminal = runInTerminal(['serve'], { DATA_DIR: ownDataDir(), LOG_LEVEL: 'trace' });
    await until('the last line', async () => terminal.output().includes('Ctrl-C stops it'), 60_000);
  });
  afterAll(async () => {
    terminal.child.stdin!.write('\x03');
    await terminal.exited;
    await folder.remove();
  });

  it('prints the key, and requests that work', async () => {
    expect(terminal.output()).toContain((await readSandbox(ownDataDir()))!.api_key);
    await expectWorkingRequests(terminal.output().replaceAll('\r', ''));
  });

  it('prints a link with the key, which works once and is in no line of the log', async () => {
    const sandbox = (await readSandbox(ownDataDir()))!;
    const links = [...terminal.output().matchAll(/(http:\S+)\/graphql#secret=([\w-]+)/g)];
    expect(links).toHaveLength(1);
    const [, url, secret] = links[0]!;
    expect(url).toBe(sandbox.base_url);
    const granted = { sandbox: { key: sandbox.api_key, projectId: sandbox.project_id } };
    expect(await redeem(url!, secret!)).toEqual(granted);
    expect(await redeem(url!, secret!)).toEqual({ sandbox: null });
    terminal.child.stdin!.write('\x03');
    await terminal.exited;
    // The secret is in the link alone.
    expect(terminal.output().split(secret!)).toHaveLength(2);
  });

  async function redeem(baseUrl: string, secret: string) {
    const response = await fetch(`${baseUrl}/sandbox-key`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ secret }),
    });
    return response.json();
  }
});

describe('while a gateway runs', () => {
  it('another one in its folder is rejected, and it continues', async () => {
    const { sandbox } = await running();
    await expectRefusal(
      { DATA_DIR: shared.dataDir },
      /^vouchgraph: DATA_DIR .* is in use by another gateway/,
    );
    expect((await call(sandbox, 'GET', '/account/nobody')).status).toBe(400);
  });

  it('the command line creates, lists and revokes keys', async () => {
    const { sandbox } = await running();
    const cli = async (...args: string[]) => {
      const command = inShared(...args, '--json');
      expect(await command.exited, command.output()).toBe(0);
      return JSON.parse(command.output());
    };
    const project = await cli('project', 'create', 'Shop', '--environment', 'production');
    const key = await cli('key', 'create', project.project_id, '--role', 'read', '--label', 'page');
    const own = { ...sandbox, api_key: key.key };
    expect((await call(own, 'GET', '/account/nobody')).status).toBe(400);
    expect((await cli('key', 'list', project.project_id)).map((row: { label: string }) => row.label)).toEqual(
      ['page'],
    );
    await cli('key', 'revoke', project.project_id, key.key_id);
    await until('the end of the key', async () => (await call(own, 'GET', '/account/nobody')).status === 401);
  });

  it('the demo uses it', async () => {
    const { sandbox } = await running();
    const demo = inShared('demo');
    expect(await demo.exited, demo.output()).toBe(0);
    expect(demo.output()).toContain(`${sandbox.base_url}/docs`);
    expect(demo.output()).not.toContain('starting one');
  });
});

describe('a later start', () => {
  it('keeps the data, does not print the key again, and prints the new address', async () => {
    const first = await running();
    const { body } = await call(first.sandbox, 'POST', '/session', { ip_address: '8.8.8.8' });
    const account = { session_id: body.session_id, account: { id: 'kept' } };
    expect((await call(first.sandbox, 'POST', '/session/authenticate', account)).status).toBe(200);
    const pid = await postmasterPid();
    first.gateway.signal('SIGINT');
    expect(await first.gateway.exited).toBe(0);
    // Ctrl-C stops PostgreSQL too.
    expect(isAlive(pid)).toBe(false);
    const second = await running();
    expect(second.gateway.output()).not.toContain(second.sandbox.api_key);
    expect(second.gateway.output()).toContain(second.sandbox.base_url);
    expect(second.sandbox.api_key).toBe(first.sandbox.api_key);
    expect((await call(second.sandbox, 'GET', '/account/kept')).body.num_sessions).toBe(1);
  });

  it('works after kill -9, which leaves no PostgreSQL process', async () => {
    await running();
    const pid = await postmasterPid();
    await stopShared('SIGKILL');
    await until('the end of PostgreSQL', async () => !isAlive(pid));
    const { sandbox } = await running();
    expect((await call(sandbox, 'GET', '/account/nobody')).status).toBe(400);
  });

  it('prints no link with the key with a public address', async () => {
    await stopShared();
    const inTerminal = runInTerminal(['serve'], {
      DATA_DIR: shared.dataDir,
      PUBLIC_URL: 'http://localhost:4000',
    });
    await until('the last line', async () => inTerminal.output().includes('Ctrl-C stops it'), 60_000);
    inTerminal.child.stdin!.write('\x03');
    await inTerminal.exited;
    expect(inTerminal.output()).not.toContain('secret=');
  });
});

describe('a failed start', () => {
  it('reports a used port', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, '127.0.0.1', () => resolve((other.address() as { port: number }).port));
    });
    await expectRefusal(
      { PORT: String(port) },
      /^vouchgraph: Port \d+ on 127\.0\.0\.1 is in use: set PORT or --port/,
    );
    await new Promise((resolve) => other.close(resolve));
    expect(await readdir(dataDir).catch(() => [])).toEqual([]);
  });

  it('reports a concurrent start, and exactly one of both succeeds', async () => {
    const both = [run(['serve'], { DATA_DIR: dataDir }), run(['serve'], { DATA_DIR: dataDir })];
    started.push(...both);
    const loser = await Promise.race(
      both.map((gateway) => gateway.exited.then((code) => ({ gateway, code }))),
    );
    expect(loser.code).toBe(1);
    expect(loser.gateway.output()).toMatch(/^vouchgraph: DATA_DIR .* in use/m);
    const sandbox = await until('the winner', () => readSandbox(dataDir));
    expect((await call(sandbox, 'GET', '/account/nobody')).status).toBe(400);
  });

  it('reports a folder without write permission', async () => {
    const file = `${dataDir}-file`;
    await writeFile(file, '');
    await expectRefusal({ DATA_DIR: path.join(file, 'data') }, /^vouchgraph: /);
  });

  it('reports all invalid settings together', async () => {
    await expectRefusal(
      { PORT: 'abc', DATABASE_URL: 'mysql://x' },
      /^vouchgraph: Invalid settings: PORT: .*DATABASE_URL: /,
    );
    await expectRefusal({ MASTER_KEY: 'short' }, /^vouchgraph: MASTER_KEY must be 32 bytes/);
  });

  it('reports webhooks on loopback together with a public address', async () => {
    await expectRefusal(
      { WEBHOOK_ALLOW_LOOPBACK: '1', PUBLIC_URL: 'https://id.example.com' },
      /^vouchgraph: Invalid settings: WEBHOOK_ALLOW_LOOPBACK: .*PUBLIC_URL/,
    );
  });

  it('reports webhooks on loopback together with a production project', async () => {
    await running();
    const created = inShared('project', 'create', 'Store', '--environment', 'production');
    expect(await created.exited, created.output()).toBe(0);
    await stopShared();
    await expectRefusal(
      { DATA_DIR: shared.dataDir, WEBHOOK_ALLOW_LOOPBACK: '1' },
      /^vouchgraph: WEBHOOK_ALLOW_LOOPBACK .* production project/,
    );
  });

  it('reports a master key that does not match the data', async () => {
    await stopShared();
    const other = Buffer.alloc(32, 7).toString('base64');
    await expectRefusal(
      { DATA_DIR: shared.dataDir, MASTER_KEY: other },
      /^vouchgraph: MASTER_KEY cannot decrypt/,
    );
  });

  it('reports a database that a newer version migrated', async () => {
    // Without WEBHOOK_ALLOW_LOOPBACK, which was rejected before, it starts.
    await running();
    const check = inShared('migrate', '--check', '--json');
    expect(await check.exited).toBe(0);
    expect(JSON.parse(check.output())).toEqual({ pending: [] });
    await addUnknownMigration();
    await stopShared();
    await expectRefusal({ DATA_DIR: shared.dataDir }, /^vouchgraph: .*newer Vouchgraph/);
  });
});

/** As a later version would leave it: one more migration in the database of the running gateway. */
async function addUnknownMigration(): Promise<void> {
  const password = (await readFile(path.join(shared.dataDir, 'owner.password'), 'utf8')).trim();
  const port = (await readFile(path.join(shared.dataDir, 'postgres', 'postmaster.pid'), 'utf8')).split(
    '\n',
  )[3];
  const client = new pg.Client(
    `postgresql://vouchgraph:${password}@127.0.0.1:${port}/vouchgraph?sslmode=disable`,
  );
  await client.connect();
  await client.query(
    `insert into _prisma_migrations (id, checksum, finished_at, migration_name, started_at, applied_steps_count)
     values (gen_random_uuid()::text, 'x', now(), '99990101000000_future', now(), 1)`,
  );
  await client.end();
}

describe('a folder below one that only root may enter', () => {
  it('works', async () => {
    const isRoot = process.getuid?.() === 0;
    await mkdir(dataDir, { mode: 0o700 });
    await chmod(path.dirname(dataDir), 0o700);
    const { sandbox } = await startHere();
    expect((await call(sandbox, 'GET', '/account/nobody')).status).toBe(400);
    expect(isRoot || (await stat(dataDir)).uid === process.getuid?.()).toBe(true);
  });
});

describe('the command line', () => {
  it('reports an invalid command in one line', async () => {
    expect(await run(['project', 'create', 'Shop'], { DATA_DIR: dataDir }).exited).toBe(0);
    for (const [args, code, reason] of [
      [['key', 'create', 'nonsense'], 2, /^vouchgraph: project: must be the id of a project.*: "nonsense"$/],
      [
        ['key', 'revoke', '00000000-0000-7000-8000-000000000000', 'x'],
        1,
        /^vouchgraph: Project not found: "0{8}/,
      ],
    ] as const) {
      const command = run(args, { DATA_DIR: dataDir });
      expect(await command.exited).toBe(code);
      expect(command.output().trim()).toMatch(reason);
    }
  });

  it('has help on each command', async () => {
    for (const args of [
      [],
      ['serve'],
      ['migrate'],
      ['project', 'create'],
      ['key', 'create'],
      ['key', 'revoke'],
      ['key', 'list'],
    ]) {
      const command = run([...args, '--help'], { DATA_DIR: dataDir });
      expect(await command.exited).toBe(0);
      expect(command.output()).toMatch(/^Usage: vouchgraph/);
    }
  });
});

describe('the demo', () => {
  it('shows reasons and links, the same by GraphQL and REST, and leaves no data', async () => {
    const demo = run(['demo'], { DATA_DIR: dataDir });
    expect(await demo.exited).toBe(0);
    const text = demo.output();
    for (const shown of [
      /ip_in_datacenter_range/,
      /declared_bot_user_agent/,
      /by phone/,
      /by username/,
      /by network, device/,
    ]) {
      expect(text).toMatch(shown);
    }
    expect(text).not.toMatch(/ 0\.\d{3}/);
    expect(await readdir(path.dirname(dataDir))).toEqual([]);
    expect(linesOf(text)).toEqual(linesOf(snippetsOf('docs/tour.md').at(-1)!.text));
  });

  it('sends no key to another program that answers at the address of a stopped gateway', async () => {
    const sandbox = await until('sandbox.json', () => readSandbox(shared.dataDir));
    await stopShared();
    const received: string[] = [];
    const stranger = createHttpServer(async (request, response) => {
      const body = Buffer.concat(await request.toArray()).toString();
      received.push(`${request.url} ${JSON.stringify(request.headers)} ${body}`);
      // What was sent, as it was sent: a program that knows no key can return nothing better.
      response.setHeader('content-type', 'application/json').end(body || '{"status":"ready"}');
    }).listen(Number(new URL(sandbox.base_url).port), '127.0.0.1');
    await once(stranger, 'listening');
    const demo = inShared('demo');
    expect(await demo.exited, demo.output()).toBe(0);
    stranger.close();
    expect(received.length).toBeGreaterThan(0);
    expect(received.join('\n')).not.toContain(sandbox.api_key);
    expect(demo.output()).toContain('No gateway runs on DATA_DIR');
  });
});

/** Lines of a tour without ids, times, addresses of the gateway and scores, which differ between runs. */
function linesOf(tour: string): string[] {
  return tour
    .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME')
    .replaceAll(/\b([a-z]+2?)-[0-9a-z]{8}\b/g, '$1-RUN')
    .replaceAll(/127\.0\.0\.1:\d+/g, 'HOST')
    .replaceAll(/\b0\.\d+/g, 'SCORE')
    .trim()
    .split('\n');
}
