import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { snippetsOf } from '../support/documents.ts';
import { call, makeFolder, readSandbox, until } from './gateway-process.ts';

// Each test starts several gateways.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 });

const ROOT = new URL('../..', import.meta.url).pathname;
const LIMIT_MS = 60_000;

/** The command of README after `npm ci`: the arguments of npm. */
const START = snippetsOf('README.md')[0]!.text.trim().split(' && npm ')[1]!.split(' ');

type NpmStart = { npm: ChildProcess; output: () => string; port: string; gatewayPid: number };

let dataDir: string;
let remove: () => Promise<void>;
/** The gateway that followed the one of the test before. */
let next: NpmStart | undefined;
const started: ChildProcess[] = [];

beforeAll(async () => {
  const made = await makeFolder();
  dataDir = path.join(made.folder, 'data');
  remove = made.remove;
});
afterAll(async () => {
  for (const npm of started.splice(0)) killGroup(npm);
  await until('the end of PostgreSQL', async () => !(await postmaster()), 30_000);
  await remove();
});

/** npm in its own process group, as started by a terminal, without the environment variables of the test's npm. */
async function npmStart(ownPort = '0'): Promise<NpmStart> {
  const own = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'));
  const npm = spawn('npm', START, {
    cwd: ROOT,
    env: { ...Object.fromEntries(own), DATA_DIR: dataDir, PORT: ownPort, LOG_LEVEL: 'silent' },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  });
  started.push(npm);
  let output = '';
  for (const stream of [npm.stdout, npm.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  const isListening = async () => {
    if (npm.exitCode !== null) throw new Error(output);
    return /Ctrl-C stops it/.test(output);
  };
  await until('the first line', isListening, 60_000);
  const { base_url } = (await readSandbox(dataDir))!;
  return { npm, output: () => output, port: new URL(base_url).port, gatewayPid: await lockHolder() };
}

const killGroup = ({ pid }: ChildProcess) => {
  try {
    process.kill(-pid!, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** The lock of a gateway that succeeds a killed one has the next number. */
async function lockHolder(): Promise<number> {
  const folder = path.join(dataDir, 'lock');
  const numbers = (await readdir(folder)).map(Number);
  return JSON.parse(await readFile(path.join(folder, String(Math.max(...numbers))), 'utf8')).pid;
}

async function postmaster(): Promise<number | null> {
  const text = await readFile(path.join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').catch(() => '');
  const pid = Number(text.split('\n')[0]);
  return pid > 0 && isAlive(pid) ? pid : null;
}

/**
 * Everything that `npm start` started has ended, and another gateway gets the same port and folder: that of the next
 * test.
 */
async function expectAllEnded(gatewayPid: number, port: string): Promise<void> {
  await until(
    'the end of the gateway and its PostgreSQL',
    async () => !isAlive(gatewayPid) && !(await postmaster()),
    LIMIT_MS,
  );
  next = await npmStart(port);
  expect(next.port).toBe(port);
  expect((await call((await readSandbox(dataDir))!, 'GET', '/account/nobody')).status).toBe(400);
}

async function takeGateway(): Promise<NpmStart> {
  const taken = next;
  next = undefined;
  return taken ?? npmStart();
}

describe('a gateway started by npm start', () => {
  it('ends with npm and PostgreSQL when only npm receives SIGTERM', async () => {
    const { npm, output, port, gatewayPid } = await takeGateway();
    npm.kill('SIGTERM');
    const [code] = await once(npm, 'exit', { signal: AbortSignal.timeout(LIMIT_MS) });
    expect({ code, isGatewayAlive: isAlive(gatewayPid) }).toEqual({ code: 0, isGatewayAlive: false });
    expect(output()).toContain('Stopping …');
    await expectAllEnded(gatewayPid, port);
  });

  it('stops once on Ctrl-C, which reaches it from the terminal and from npm', async () => {
    const { npm, output, port, gatewayPid } = await takeGateway();
    process.kill(-npm.pid!, 'SIGINT');
    const [code] = await once(npm, 'exit', { signal: AbortSignal.timeout(LIMIT_MS) });
    expect(code).toBe(0);
    expect(output().match(/Stopping …/g)).toHaveLength(1);
    await expectAllEnded(gatewayPid, port);
  });

  it('stops when npm was killed and cannot forward a signal', async () => {
    const { npm, port, gatewayPid } = await takeGateway();
    npm.kill('SIGKILL');
    await expectAllEnded(gatewayPid, port);
  });
});
