import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  watch,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from 'vitest';
import { BuildError } from './build-error.ts';
import { withLock } from './build-parts.ts';
import { ensureBuilt } from './ensure-built.ts';
import { PARTS, type Part, RUN_TIME_PARTS } from './parts.ts';

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const folders: string[] = [];
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** Writes two files from one source, and records that it ran. Between them it waits as long as `hold` exists. */
const SCRIPT = `
import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const text = readFileSync('in/source.txt', 'utf8');
appendFileSync('runs', 'x');
if (text === 'bad') throw new Error('the source is bad');
const folder = process.argv[2] + '/out/generated';
mkdirSync(folder, { recursive: true });
writeFileSync(folder + '/first', text);
while (existsSync('hold')) await new Promise((resolve) => setTimeout(resolve, 10));
writeFileSync(folder + '/second', text);
`;

const PART: Part = {
  name: 'sample',
  inputs: ['in'],
  packages: ['sample-tool'],
  outputs: ['out/generated'],
  script: 'make.mjs',
  isNeededAtRunTime: true,
};

function sampleRoot(): string {
  const root = mkdtempSync(join(tmpdir(), 'vouchgraph-build-'));
  folders.push(root);
  writeFiles(root, {
    'in/source.txt': 'one',
    'make.mjs': SCRIPT,
    ...declaredTool('1.0.0'),
    ...installedTool('1.0.0'),
  });
  return root;
}

const declaredTool = (version: string) => ({
  'package.json': JSON.stringify({ version: '1.0.0', devDependencies: { 'sample-tool': version } }),
});
const installedTool = (version: string) => ({
  'node_modules/sample-tool/package.json': JSON.stringify({ version }),
});

function writeFiles(root: string, files: Readonly<Record<string, string>>): void {
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    writeFileSync(join(root, file), text);
  }
}

function output(root: string): string[] {
  return ['first', 'second'].map((file) => readFileSync(join(root, 'out/generated', file), 'utf8'));
}

const runs = (root: string) => readFileSync(join(root, 'runs'), 'utf8').length;
const build = (root: string, parts = [PART]) => ensureBuilt({ root, parts, log: () => {} });

/** ensureBuilt in a separate process. */
function buildElsewhere(root: string): ChildProcess {
  const module = new URL('ensure-built.ts', import.meta.url).href;
  const options = JSON.stringify({ root, parts: [PART] });
  const code = `import(${JSON.stringify(module)}).then(({ ensureBuilt }) => ensureBuilt(${options}))`;
  return spawn(process.execPath, ['--eval', code], { stdio: 'ignore' });
}

/** Waits until the script of a build has started. */
async function untilRun(root: string, count: number): Promise<void> {
  const isRun = () => existsSync(join(root, 'runs')) && runs(root) >= count;
  const watcher = watch(root);
  try {
    while (!isRun()) await Promise.race([once(watcher, 'change')]);
  } finally {
    watcher.close();
  }
}

test('missing output is built once and then unchanged', async () => {
  const root = sampleRoot();
  await build(root);
  await build(root);
  expect(output(root)).toEqual(['one', 'one']);
  expect(runs(root)).toBe(1);
  expect(readdirSync(join(root, '.build'))).toEqual(['lock']);
});

test.each<[what: string, change: Readonly<Record<string, string>>]>([
  ['a source', { 'in/source.txt': 'two' }],
  ['a new source', { 'in/deep/new.txt': 'new' }],
  ['the script', { 'make.mjs': `${SCRIPT}// changed` }],
  ['the version of a tool', { ...declaredTool('1.0.1'), ...installedTool('1.0.1') }],
])('output is built again when %s changes', async (_what, change) => {
  const root = sampleRoot();
  await build(root);
  writeFiles(root, { 'out/generated/left-over': '', ...change });
  await build(root);
  expect(runs(root)).toBe(2);
  expect(existsSync(join(root, 'out/generated/left-over'))).toBe(false);
});

test('a tool with another installed version than in package.json is one error until it is installed', async () => {
  const root = sampleRoot();
  await build(root);
  writeFiles(root, declaredTool('1.0.1'));
  const error = await build(root).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(BuildError);
  expect((error as Error).message).toMatch(/sample-tool 1\.0\.0 instead of 1\.0\.1.*Run: npm ci$/);
  expect(runs(root)).toBe(1);
  writeFiles(root, installedTool('1.0.1'));
  await build(root);
  expect(runs(root)).toBe(2);
});

test.each<[what: string, damage: (file: string) => void]>([
  ['deleted', unlinkSync],
  ['truncated', (file) => truncateSync(file, 1)],
])('output is built again when one of its files is %s', async (_what, damage) => {
  const root = sampleRoot();
  await build(root);
  damage(join(root, 'out/generated/second'));
  await build(root);
  expect(output(root)).toEqual(['one', 'one']);
  expect(runs(root)).toBe(2);
});

test('tests and the version of an unrelated package do not cause a build', async () => {
  const root = sampleRoot();
  await build(root);
  writeFiles(root, {
    'in/source.test.ts': '',
    'package.json': JSON.stringify({
      version: '1.0.0',
      devDependencies: { 'sample-tool': '1.0.0', other: '1.0.0' },
    }),
  });
  await build(root);
  expect(runs(root)).toBe(1);
});

test('several concurrent processes build once, and each finds the complete output', async () => {
  const root = sampleRoot();
  const processes = [1, 2, 3].map(() => buildElsewhere(root));
  const codes = await Promise.all(
    processes.map(async (child) => {
      const [code] = await once(child, 'exit');
      return [code, ...output(root)];
    }),
  );
  expect(codes).toEqual([1, 2, 3].map(() => [0, 'one', 'one']));
  expect(runs(root)).toBe(1);
});

test('a process that is killed during a build leaves the previous output, and the next one builds', async () => {
  const root = sampleRoot();
  await build(root);
  writeFiles(root, { 'in/source.txt': 'two', hold: '' });
  const child = buildElsewhere(root);
  await untilRun(root, 2);
  child.kill('SIGKILL');
  await once(child, 'exit');
  expect(output(root)).toEqual(['one', 'one']);
  unlinkSync(join(root, 'hold'));
  await build(root);
  expect(output(root)).toEqual(['two', 'two']);
  expect(runs(root)).toBe(3);
});

test('a script that fails leaves the previous output, and its message is the error', async () => {
  const root = sampleRoot();
  await build(root);
  writeFiles(root, { 'in/source.txt': 'bad' });
  await expect(build(root)).rejects.toThrow(/sample: node make\.mjs failed[\s\S]*the source is bad/);
  expect(output(root)).toEqual(['one', 'one']);
});

test('without its tools, current output is used, and missing output is one error with the command to run', async () => {
  const root = sampleRoot();
  await build(root);
  rmSync(join(root, 'node_modules'), { recursive: true });
  await build(root);
  rmSync(join(root, 'out'), { recursive: true });
  const error = await build(root).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(BuildError);
  expect((error as Error).message).toMatch(/sample-tool.*npm ci && npm run build && npm prune --omit=dev$/);
});

test('without its tools and some inputs, complete output is used and incomplete output is an error', async () => {
  const root = sampleRoot();
  await build(root);
  rmSync(join(root, 'node_modules'), { recursive: true });
  rmSync(join(root, 'in'), { recursive: true });
  await build(root);
  unlinkSync(join(root, 'out/generated/first'));
  await expect(build(root)).rejects.toThrow(BuildError);
});

test('concurrent calls of one process share a build; other parts of the same root wait for it', async () => {
  const root = sampleRoot();
  const options = { root, parts: [PART], log: () => {} };
  const first = ensureBuilt(options);
  expect(ensureBuilt(options)).toBe(first);
  await Promise.all([first, build(root)]);
  expect(runs(root)).toBe(1);
});

test('a caller learns when the scripts of a build run, and that nothing has to be built', async () => {
  const root = sampleRoot();
  const hold = join(root, 'hold');
  writeFileSync(hold, '');
  let starts = 0;
  const started = Promise.withResolvers<void>();
  const onStarted = () => {
    starts += 1;
    started.resolve();
  };
  const build = ensureBuilt({ root, parts: [PART], log: () => {}, onStarted });
  await started.promise;
  expect(existsSync(join(root, 'out/generated'))).toBe(false);
  unlinkSync(hold);
  await build;
  await ensureBuilt({ root, parts: [PART], log: () => {}, onStarted });
  expect(starts).toBe(1);
});

test('an unusable lock folder is a BuildError', async () => {
  const root = sampleRoot();
  writeFiles(root, { '.build': '' });
  const error = await build(root).catch((caught: unknown) => caught);
  expect(error).toBeInstanceOf(BuildError);
  expect((error as Error).message).toMatch(/\.build is not usable for a build \(EEXIST/);
});

test('a lock that stays busy is a BuildError', async () => {
  const root = sampleRoot();
  await withLock(root, async () => {
    const error = await withLock(root, async () => {}, 10).catch((caught: unknown) => caught);
    expect(error).toBeInstanceOf(BuildError);
    expect((error as Error).message).toMatch(/Another process has held the build lock .* 0\.01 s/);
  });
});

/** A copy of the repository without packages and generated files. */
function bareCopy(): string {
  const root = mkdtempSync(join(tmpdir(), 'vouchgraph-build-'));
  folders.push(root);
  for (const path of [
    'bin',
    'tools',
    'clients',
    'prisma',
    'packages',
    'src',
    'package.json',
    'schema.graphql',
  ]) {
    cpSync(join(REPOSITORY, path), join(root, path), {
      recursive: true,
      filter: (file) => !file.endsWith('/generated'),
    });
  }
  return root;
}

test.each<[command: string[], missing: string]>([
  // The types of REST operations are not needed to serve.
  [
    ['bin/vouchgraph.mjs', 'serve'],
    [...new Set(RUN_TIME_PARTS.flatMap(({ packages }) => packages))].join(', '),
  ],
  [
    ['tools/build.ts', '--only', 'generate-operations'],
    '@graphql-codegen/core, @graphql-codegen/typescript-operations, graphql',
  ],
])('%s without output and tools prints that one line', async (command, missing) => {
  const child = spawn(process.execPath, command, { cwd: bareCopy() });
  const printed: string[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => printed.push(String(chunk)));
  const [code] = await once(child, 'close');
  expect(code).toBe(1);
  expect(printed.join('').split('\n')).toEqual([
    `Generated files are missing or older than their sources, and packages that make them are not installed (${missing}). ` +
      'Run: npm ci && npm run build && npm prune --omit=dev',
    '',
  ]);
});

/** Links what is installed into a copy, with the packages of the copy in place of the repository's. */
function linkPackages(root: string): void {
  mkdirSync(join(root, 'node_modules'));
  for (const name of readdirSync(join(REPOSITORY, 'node_modules')))
    if (name !== '@vouchgraph')
      symlinkSync(join(REPOSITORY, 'node_modules', name), join(root, 'node_modules', name));
  symlinkSync(join(root, 'packages'), join(root, 'node_modules/@vouchgraph'));
}

test('the parts of the repository are generated from a copy of their declared inputs', async () => {
  const root = mkdtempSync(join(tmpdir(), 'vouchgraph-build-'));
  folders.push(root);
  const declared = PARTS.flatMap(({ inputs, script }) => [...inputs, script]);
  for (const path of [...new Set(declared), 'package.json', 'tools/build/parts.ts']) {
    cpSync(join(REPOSITORY, path), join(root, path), {
      recursive: true,
      filter: (file) => !file.endsWith('/generated'),
    });
  }
  linkPackages(root);
  await build(root, [...PARTS]);
  for (const folder of PARTS.flatMap(({ outputs }) => outputs)) {
    const files = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
    expect(files.sort()).toEqual(
      readdirSync(join(REPOSITORY, folder), { recursive: true, encoding: 'utf8' }).sort(),
    );
  }
});
