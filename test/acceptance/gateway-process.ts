import { type ChildProcess, spawn } from 'node:child_process';
import { chmod, mkdtemp, readFile, readlink, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

/** The command as run by an operator, observed from outside. */
export type GatewayProcess = {
  child: ChildProcess;
  output(): string;
  /** What it wrote to standard error. */
  errors(): string;
  exited: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
};

export type Sandbox = { base_url: string; project_id: string; api_key: string };

const ROOT = new URL('../..', import.meta.url).pathname;
/** Compile cache that all processes of the tests share: half of the processor time of a start is compilation. */
const COMPILE_CACHE = path.join(ROOT, 'node_modules/.cache/node-compile');

/** The program and its first arguments: the tests apply to any program with the same interface. */
const [PROGRAM = process.execPath, ...PROGRAM_ARGUMENTS] = process.env.VOUCHGRAPH_COMMAND?.split(' ') ?? [
  process.execPath,
  'bin/vouchgraph.mjs',
];

export function run(args: readonly string[], environment: Record<string, string>): GatewayProcess {
  return observe(PROGRAM, [...PROGRAM_ARGUMENTS, ...args], environment, 'ignore');
}

/** The environment of a process: nothing of this one but where programs and the home are. */
export function childEnvironment(environment: Record<string, string>): Record<string, string> {
  const { PATH = '', HOME = '' } = process.env;
  return { PATH, HOME, NODE_COMPILE_CACHE: COMPILE_CACHE, PORT: '0', DRAIN_DELAY_MS: '0', ...environment };
}

function observe(
  program: string,
  args: readonly string[],
  environment: Record<string, string>,
  input: 'ignore' | 'pipe',
): GatewayProcess {
  const child = spawn(program, args, {
    cwd: ROOT,
    env: childEnvironment(environment),
    stdio: [input, 'pipe', 'pipe'],
  });
  const text = { all: '', errors: '' };
  child.stdout?.on('data', (chunk: Buffer) => {
    text.all += chunk;
  });
  child.stderr?.on('data', (chunk: Buffer) => {
    text.all += chunk;
    text.errors += chunk;
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const signal = (name: NodeJS.Signals): void => void child.kill(name);
  return { child, output: () => text.all, errors: () => text.errors, exited, signal };
}

/** The command in a pseudo terminal, which passes input such as Ctrl-C on. */
export function runInTerminal(args: readonly string[], environment: Record<string, string>): GatewayProcess {
  const words = [PROGRAM, ...PROGRAM_ARGUMENTS, ...args];
  const inTerminal =
    process.platform === 'linux'
      ? // util-linux: the command is one text of the shell; the exit code is the command's.
        ['-q', '-e', '-f', '-c', words.map((word) => `'${word}'`).join(' '), '/dev/null']
      : // macOS and BSD: the words follow the file, and the exit code is always the command's.
        ['-q', '/dev/null', ...words];
  return observe('script', inTerminal, environment, 'pipe');
}

export async function makeFolder(): Promise<{ folder: string; remove(): Promise<void> }> {
  const folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-acceptance-'));
  await chmod(folder, 0o755);
  const remove = async () => {
    // Below a folder that its account cannot enter, PostgreSQL is stored elsewhere, behind a link.
    const elsewhere = await readlink(path.join(folder, 'data', 'postgres')).catch(() => null);
    if (elsewhere !== null) await rm(path.dirname(elsewhere), { recursive: true, force: true });
    await rm(folder, { recursive: true, force: true });
  };
  return { folder, remove };
}

/** Waits for a condition, polling as soon as the event loop is free; fails after the deadline with the reason. */
export async function until<T>(
  what: string,
  condition: () => Promise<T | null | undefined | false>,
  deadlineMs = 50_000,
): Promise<T> {
  const giveUpAt = Date.now() + deadlineMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > giveUpAt) throw new Error(`waited in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

export async function readSandbox(dataDir: string): Promise<Sandbox | null> {
  const text = await readFile(path.join(dataDir, 'sandbox.json'), 'utf8').catch(() => null);
  return text === null ? null : (JSON.parse(text) as Sandbox);
}

/** A responding gateway with the sandbox that it printed. */
export async function start(dataDir: string, environment: Record<string, string> = {}) {
  return whenStarted(run(['serve'], { DATA_DIR: dataDir, ...environment }), dataDir);
}

/** The same gateway once it has written its last line. */
export async function whenStarted(gateway: GatewayProcess, dataDir: string) {
  const hasStarted = async () => {
    if (gateway.child.exitCode !== null) throw new Error(gateway.output());
    return /Ctrl-C stops it/.test(gateway.output());
  };
  await until('the last line', hasStarted, 60_000);
  return { gateway, sandbox: (await readSandbox(dataDir))! };
}

export async function call(sandbox: Sandbox, method: string, route: string, body?: unknown) {
  const response = await fetch(sandbox.base_url + route, {
    method,
    headers: { 'x-api-key': sandbox.api_key, 'content-type': 'application/json' },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}
