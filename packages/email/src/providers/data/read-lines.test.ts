import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterAll, expect, test } from 'vitest';
import { readLines } from './read-lines.ts';

const MAX_LINE_BYTES = 65_536;

const folder = mkdtempSync(path.join(tmpdir(), 'vouchgraph-read-lines-'));
afterAll(() => rmSync(folder, { recursive: true }));

function linesOf(content: string | Buffer) {
  const file = path.join(folder, 'lines');
  writeFileSync(file, content);
  const lines: string[] = [];
  const numbers: number[] = [];
  const long: number[] = [];
  readLines(file, {
    onLine: (bytes, start, end, line) => {
      lines.push(bytes.toString('utf8', start, end));
      numbers.push(line);
    },
    onLongLine: (line) => long.push(line),
  });
  return { lines, numbers, long };
}

test('lines end at LF, CRLF or the end of the file, and are numbered from 1', () => {
  expect(linesOf('a\r\n\nb\nc')).toEqual({ lines: ['a', '', 'b', 'c'], numbers: [1, 2, 3, 4], long: [] });
  expect(linesOf('')).toEqual({ lines: [], numbers: [], long: [] });
  expect(linesOf('\ufeffa\n').lines).toEqual(['a']);
});

test('a line over the limit at any position is skipped and reported by its number', () => {
  const longest = 'x'.repeat(MAX_LINE_BYTES);
  expect(linesOf(`a\n${longest}\nb`)).toEqual({ lines: ['a', longest, 'b'], numbers: [1, 2, 3], long: [] });
  expect(linesOf(`a\n${longest}y\nb`)).toEqual({ lines: ['a', 'b'], numbers: [1, 3], long: [2] });
  const huge = 'x'.repeat(3_000_000);
  expect(linesOf(`${huge}\na\n${huge}\nb\n${huge}`)).toEqual({
    lines: ['a', 'b'],
    numbers: [2, 4],
    long: [1, 3, 5],
  });
});

test.each([
  ['UTF-16', Buffer.from('\ufeffa', 'utf16le'), 'UTF-16'],
  ['gzip', Buffer.from([0x1f, 0x8b, 0x08]), 'gzip'],
  ['ZIP', Buffer.from('PK\u0003\u0004'), 'ZIP'],
])('a file in %s is rejected', (_what, content, reason) => {
  expect(() => linesOf(content)).toThrow(reason);
});

test('a file larger than a block is split into the lines of its text', () => {
  const line = fc.string({ unit: fc.constantFrom('a', 'é', ' ', ','), maxLength: 40 });
  fc.assert(
    fc.property(fc.array(line, { minLength: 1, maxLength: 50 }), fc.nat(3), (lines, times) => {
      const text = `${lines.join('\n')}\n`.repeat(
        1 + times * Math.ceil(1_100_000 / (lines.join('').length + 50)),
      );
      expect(linesOf(text).lines).toEqual(text.split('\n').slice(0, -1));
    }),
    { numRuns: 15 },
  );
});
