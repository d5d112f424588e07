import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { foldersToDescribe, foldersWithoutReadme } from './folder-readmes.ts';

/** Names of code files in a Markdown text that are in no path: `store.ts`, `lists/list-store.ts`. */
function unknownFilesOf(text: string, paths: readonly string[]): string[] {
  const named = [...text.matchAll(/`((?:[\w.@-]+\/)*\w[\w.@-]*\.(?:ts|tsx|graphql|json|bin|mjs|sh))`/g)].map(
    ([, name]) => name!,
  );
  return [...new Set(named)].filter(
    (name) => !paths.some((path) => path === name || path.endsWith(`/${name.replace(/^[./]+/, '')}`)),
  );
}

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
/** One screen. */
const MAX_LINES = 50;
const MAX_ARCHITECTURE_LINES = 250;

/** Files in the work tree, also those that git does not know yet. */
const FILES = existsSync(path.join(ROOT, '.git'))
  ? execFileSync(
      'git',
      ['-c', 'safe.directory=*', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'],
      {
        cwd: ROOT,
        encoding: 'utf8',
        maxBuffer: 1 << 26,
      },
    )
      .split('\0')
      .filter((file) => file !== '' && existsSync(path.join(ROOT, file)))
  : globSync('{src,packages,clients,tools,test,bench,prisma,contract,docs,bin}/**/*.*', {
      cwd: ROOT,
      exclude: ['**/node_modules'],
    });
/** Files that the build makes can be named too. */
const NAMED = [...FILES, 'codegen.ts', 'openapi.json', 'data/sandbox.json', 'sdk.js'];
const READMES = FILES.filter((file) => /^(src|packages)\/(.*\/)?README\.md$/.test(file));

function read(file: string): string {
  return readFileSync(path.join(ROOT, file), 'utf8');
}

describe('folders to describe', () => {
  it('are those of src down to two levels, and the packages, without generated ones', () => {
    const files = [
      'src/main.ts',
      'src/domain/lists/list.ts',
      'src/domain/lists/deep/er.ts',
      'src/storage/database.ts',
      'src/storage/generated/a.ts',
      'packages/email/src/data/a.ts',
      'test/a/b.ts',
    ];
    const folders = ['packages/email', 'src', 'src/domain', 'src/domain/lists', 'src/storage'];
    expect(foldersToDescribe(files)).toEqual(folders);
    const described = folders
      .filter((folder) => folder !== 'src/domain/lists')
      .map((folder) => `${folder}/README.md`);
    expect(foldersWithoutReadme([...files, ...described])).toEqual(['src/domain/lists']);
  });
});

it('every folder of src down to two levels and every package has a README.md', () => {
  expect(foldersWithoutReadme(FILES)).toEqual([]);
});

describe('files that a text names', () => {
  it('exist by their whole path or its end', () => {
    const paths = ['src/domain/lists/list-store.ts'];
    const text =
      'See `list-store.ts`, `lists/list-store.ts`, `other/list-store.ts`, `store.ts` and `list.delete`.';
    expect(unknownFilesOf(text, paths)).toEqual(['other/list-store.ts', 'store.ts']);
  });

  it.each(['README.md', 'ARCHITECTURE.md', ...READMES])('of %s exist', (file) => {
    expect(unknownFilesOf(read(file), NAMED)).toEqual([]);
  });
});

it.each(READMES)('%s fits on a screen', (file) => {
  expect(read(file).split('\n').length - 1).toBeLessThanOrEqual(MAX_LINES);
});

it('ARCHITECTURE.md is short', () => {
  expect(read('ARCHITECTURE.md').split('\n').length - 1).toBeLessThanOrEqual(MAX_ARCHITECTURE_LINES);
});
