import { mkdtempSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { PagedFile, UnreadableFileError } from './paged-file.ts';

const folder = mkdtempSync(path.join(tmpdir(), 'vouchgraph-paged-file-'));
const opened = new DisposableStack();
afterAll(() => {
  opened.dispose();
  rmSync(folder, { recursive: true });
});

/** A file with different pages, the last one incomplete. */
function makeFile(name: string, length = 10 * 4096 + 100) {
  const content = Buffer.from(Uint8Array.from({ length }, (_, at) => (at * 7 + (at >>> 12)) & 0xff));
  const file = path.join(folder, name);
  writeFileSync(file, content);
  return { file, content };
}

test('every byte equals that of the file, in any order and with fewer slots than pages', () => {
  const { file, content } = makeFile('any-order');
  const paged = opened.use(new PagedFile(file, 1));
  expect(paged.size).toBe(content.length);
  fc.assert(
    fc.property(fc.nat({ max: content.length - 1 }), (position) => {
      expect(paged.byteAt(position)).toBe(content[position]);
    }),
    { numRuns: 2000 },
  );
});

test('a read after the end fails, in the last page and in the next one', () => {
  const { file, content } = makeFile('end');
  const paged = opened.use(new PagedFile(file, 2));
  expect(paged.byteAt(content.length - 1)).toBe(content.at(-1));
  for (const position of [content.length, content.length + 10_000]) {
    expect(() => paged.byteAt(position)).toThrow(RangeError);
  }
});

test('an open file keeps its content when it is replaced', () => {
  const { file, content } = makeFile('replaced');
  const paged = opened.use(new PagedFile(file, 1));
  const other = path.join(folder, 'other');
  writeFileSync(other, 'other');
  renameSync(other, file);
  expect(paged.byteAt(30_000)).toBe(content[30_000]);
});

test('a truncated file throws, and returns cached bytes', () => {
  const { file, content } = makeFile('cut');
  const paged = opened.use(new PagedFile(file, 3));
  expect(paged.byteAt(5000)).toBe(content[5000]);
  truncateSync(file, 8192);
  expect(() => paged.byteAt(20_000)).toThrow('shorter');
  expect(paged.byteAt(5001)).toBe(content[5001]);
});

test('a closed file cannot be read, and can be closed twice', () => {
  const { file } = makeFile('closed');
  const paged = new PagedFile(file, 1);
  paged.byteAt(0);
  paged[Symbol.dispose]();
  paged[Symbol.dispose]();
  expect(() => paged.byteAt(0)).toThrow('closed');
});

test('an error of the operating system is an UnreadableFileError', () => {
  // A directory can be opened, but not read.
  const paged = opened.use(new PagedFile(import.meta.dirname, 1));
  expect(() => paged.byteAt(0)).toThrow(UnreadableFileError);
});
