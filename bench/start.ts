import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { RESULTS, readOptions } from './support/options.ts';
import { processTime } from './support/processor-time.ts';
import { describeMachine, printTable } from './support/report.ts';
import { BIN, environmentOf, serveGateway } from './support/served-gateway.ts';
import { median } from './support/statistics.ts';
import { withWorkbench } from './support/workbench.ts';

/*
 * Cost of a start of the command, on bin/vouchgraph.mjs: medians of five runs (three with --quick) after an
 * uncounted one, which fills the cache of compiled code. The processor time is that of the command itself,
 * without the database; `serve` is measured until it responded to its first request, and so is its processor
 * time.
 */
const options = readOptions();
const RUNS = options.quick ? 3 : 5;

type Start = { wallSeconds: number; processorSeconds: number };
type Environment = Readonly<Record<string, string | undefined>>;

/** Runs a command to its end. A wrapper reports the processor time, which is lost with the process. */
async function runCommand(args: readonly string[], environment: Environment): Promise<Start> {
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['--import', REPORT_TIME, BIN, ...args], {
    env: environmentOf(environment),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const [code] = await once(child, 'close');
  const [, microseconds] = /cpu=(\d+)\n$/.exec(errors) ?? [];
  if (code !== 0 || microseconds === undefined) throw new Error(`${args.join(' ')}: ${errors}`);
  return {
    wallSeconds: (performance.now() - startedAt) / 1000,
    processorSeconds: Number(microseconds) / 1e6,
  };
}

/** The id of a new project. */
async function createProject(environment: Environment): Promise<string> {
  const args = [BIN, 'project', 'create', 'start', '--json'];
  const { stdout } = await promisify(execFile)(process.execPath, args, { env: environmentOf(environment) });
  return (JSON.parse(stdout) as { project_id: string }).project_id;
}

const REPORT_TIME = `data:text/javascript,${encodeURIComponent(`
  process.on('exit', () => {
    const { user, system } = process.cpuUsage();
    process.stderr.write('cpu=' + (user + system) + '\\n');
  });
`)}`;

/** Starts a gateway, waits until it responded to a request, and stops it. */
async function runGateway(environment: Environment): Promise<Start> {
  const startedAt = performance.now();
  const gateway = await serveGateway(environment);
  const start = {
    wallSeconds: (performance.now() - startedAt) / 1000,
    processorSeconds: processTime(gateway.pid) / 1e6,
  };
  await gateway.stop();
  return start;
}

async function medianOf(run: () => Promise<Start>): Promise<Start> {
  await run();
  const starts: Start[] = [];
  for (let index = 0; index < RUNS; index += 1) starts.push(await run());
  return {
    wallSeconds: median(starts.map(({ wallSeconds }) => wallSeconds)),
    processorSeconds: median(starts.map(({ processorSeconds }) => processorSeconds)),
  };
}

const results: Record<string, Start> = {};

async function measure(name: string, run: () => Promise<Start>): Promise<void> {
  results[name] = await medianOf(run);
}

await measure('--version', () => runCommand(['--version'], {}));
await measure('--help', () => runCommand(['--help'], {}));
await withWorkbench(options, async ({ environment }) => {
  await measure('project list', () => runCommand(['project', 'list'], environment));
  const projectId = await createProject(environment);
  await measure('list ls', () => runCommand(['list', 'ls', projectId], environment));
  await measure('serve, given database', () => runGateway(environment));
});
const dataDir = await mkdtemp(path.join(tmpdir(), 'vouchgraph-bench-'));
// PostgreSQL runs under another account, which needs access.
await chmod(dataDir, 0o755);
try {
  await measure('serve, own database', () => runGateway({ DATA_DIR: dataDir, PORT: '0' }));
} finally {
  await rm(dataDir, { recursive: true, force: true });
}

const seconds = (value: number) => value.toFixed(2);
printTable(
  ['start', 'CPU s', 'wall s'],
  Object.entries(results).map(([name, { processorSeconds, wallSeconds }]) => [
    name,
    seconds(processorSeconds),
    seconds(wallSeconds),
  ]),
);
console.log(`\n${describeMachine()}`);
mkdirSync(RESULTS, { recursive: true });
await writeFile(new URL('start.json', RESULTS), `${JSON.stringify({ runs: RUNS, results }, null, 2)}\n`);
