/**
 * `npm run report:code`: the size and shape of the code, in the figures that reviews of it quote. It reads the files that
 * git knows in the work tree, or with `--at COMMIT` those of a commit.
 */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { foldersInCycles, layersOf } from './report/folder-cycles.ts';
import { foldersWithoutReadme } from './report/folder-readmes.ts';
import { percentile } from './report/percentile.ts';
import { readSources } from './report/read-sources.ts';
import { findUnusedExports } from './report/unused-exports.ts';

const MAX_FUNCTION_LINES = 80;
/** Rebuilt by later work as a whole; counted apart until then. */
const REBUILT_LATER = /^src\/domain\/(webhooks\/|events\/relay-)/;

const { values } = parseArgs({
  options: { at: { type: 'string' }, long: { type: 'boolean' }, help: { type: 'boolean' } },
});
if (values.help) {
  process.stdout.write(
    'npm run report:code [-- --at COMMIT] [--long]\n' +
      '  --at COMMIT  report on a commit instead of the work tree\n' +
      '  --long       list the functions over 80 lines and the exports counted\n',
  );
} else if (values.at) {
  const root = mkdtempSync(join(tmpdir(), 'report-code-'));
  try {
    execFileSync('git', ['worktree', 'add', '--detach', '--quiet', root, values.at]);
    symlinkSync(resolve('node_modules'), join(root, 'node_modules'));
    print(root);
  } finally {
    execFileSync('git', ['worktree', 'remove', '--force', root]);
    rmSync(root, { recursive: true, force: true });
  }
} else {
  print(process.cwd());
}

function sum(files: readonly { readonly lines: number }[]): number {
  return files.reduce((all, { lines }) => all + lines, 0);
}

function print(root: string): void {
  const { files, functions, statements, imports, generatedLines, dataLines } = readSources(root);
  const lines = files.map((file) => file.lines);
  const lengths = functions.map((one) => one.lines);
  const long = functions.filter((one) => one.lines > MAX_FUNCTION_LINES).sort((a, b) => b.lines - a.lines);
  const later = long.filter(({ path }) => REBUILT_LATER.test(path));
  const cycles = ['src/domain', 'src/graphql'].flatMap((base) => foldersInCycles(layersOf(imports, base)));
  const withoutReadme = foldersWithoutReadme(
    execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 }).split('\0'),
  );
  const { dead, onlyForTests, onlyInFile } = findUnusedExports(root);
  const rows: [string, string][] = [
    ['hand-written files (packages, src, clients)', String(files.length)],
    ['hand-written lines', String(sum(files))],
    ['hand-written lines of packages', String(sum(files.filter(({ path }) => path.startsWith('packages/'))))],
    ['hand-written lines of src', String(sum(files.filter(({ path }) => path.startsWith('src/'))))],
    ['lines of data files of packages and src, not among the lines above', String(dataLines)],
    ['statements of SQL in src', String(statements)],
    ['lines of a file: median, p90, max', summary(lines)],
    ['functions', String(functions.length)],
    ['lines of a function: median, p90, max', summary(lengths)],
    [
      `functions over ${MAX_FUNCTION_LINES} lines`,
      `${long.length - later.length}, and ${later.length} in webhooks and the relay`,
    ],
    [
      'folders of src/domain and src/graphql in cycles',
      `${cycles.length}${cycles.length > 0 ? ` (${cycles.join(', ')})` : ''}`,
    ],
    [
      'folders without README (packages, src to two levels)',
      `${withoutReadme.length}${withoutReadme.length > 0 ? ` (${withoutReadme.join(', ')})` : ''}`,
    ],
    ['generated lines committed', String(generatedLines)],
    ['files and exports that the product does not reach', String(dead.length)],
    ['exports imported by tests only', String(onlyForTests.length)],
    ['exports that no other file imports', String(onlyInFile.length)],
  ];
  const width = Math.max(...rows.map(([name]) => name.length));
  for (const [name, value] of rows) process.stdout.write(`${name.padEnd(width)}  ${value}\n`);
  if (!values.long) return;
  for (const { path, name, line, lines } of long) process.stdout.write(`${lines} ${path}:${line} ${name}\n`);
  const lists = {
    'not reached': dead,
    'imported by tests only': onlyForTests,
    'imported by no file': onlyInFile,
  };
  for (const [title, exports] of Object.entries(lists))
    for (const one of exports) process.stdout.write(`${title}: ${one}\n`);
}

function summary(numbers: readonly number[]): string {
  return [0.5, 0.9, 1].map((share) => percentile(numbers, share)).join(', ');
}
