import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type DataFile, openDataFile } from './data-file.ts';
import type { DataDescription } from './data-manifest.ts';
import { importData } from './import-data.ts';

let folder = '';
const open: DataFile[] = [];
beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'vouchgraph-import-data-'));
});
afterEach(() => {
  for (const file of open.splice(0)) file.close();
  rmSync(folder, { recursive: true });
});

const sha1 = (text: string) => createHash('sha1').update(text).digest();
const sha256 = (text: string) => createHash('sha256').update(text).digest();
const hex1 = (text: string) => sha1(text).toString('hex');
const hex256 = (text: string) => sha256(text).toString('hex');

function imported(content: string | null, given: Partial<DataDescription> = {}, chunkEntries?: number) {
  const source = path.join(folder, 'source');
  const target = path.join(folder, 'target');
  if (content !== null) writeFileSync(source, content);
  rmSync(target, { force: true });
  const description = { name: 'test', kind: 'breaches', format: 'hashes', ...given } as const;
  const footer = importData({ description, source, target, scratch: folder, chunkEntries });
  const file = openDataFile(target);
  open.push(file);
  return { footer, file };
}

test('digests of both algorithms in either case are imported, with and without a count', () => {
  const content = `${hex1('a')}\n ${hex1('b').toUpperCase()}:17 \r\n${hex256('c')}\n${hex256('d')}:1\n\n`;
  const { footer, file } = imported(content);
  expect(footer).toMatchObject({ rows: 4, bad_lines: 0, padding_lines: 0 });
  expect(file.algorithms).toEqual(['sha1', 'sha256']);
  expect(['a', 'b', 'c', 'd', 'e'].map((text) => file.find('sha1', sha1(text)).length)).toEqual([
    1, 1, 0, 0, 0,
  ]);
  expect(['a', 'b', 'c', 'd', 'e'].map((text) => file.find('sha256', sha256(text)).length)).toEqual([
    0, 0, 1, 1, 0,
  ]);
});

test('an invalid digest is counted and reported by line, without its text', () => {
  const content = `${hex1('a')}\n${hex1('b')}\nalice@example.com\n${hex1('c').slice(1)}\n${hex1('d')}:x\nz${hex1('e').slice(1)}\n${hex1('f')}\n${hex1('g')}\n`;
  const { footer } = imported(content);
  expect(footer).toMatchObject({ rows: 4, bad_lines: 4 });
  expect(footer.examples.map(({ line }) => line)).toEqual([3, 4, 5, 6]);
  expect(footer.examples[0]!.reason).toContain('is an email address');
  expect(JSON.stringify(footer)).not.toContain('alice');
});

test.each([
  ['content of unknown format', 'hello\n', 'no line can be read as hashes'],
  ['more invalid lines than valid ones', `${hex1('a')}\nx\ny\n`, '2 of 3 lines cannot be read (line 2'],
  ['no lines', '', 'no line can be read'],
])('a file with %s is rejected', (_what, content, reason) => {
  expect(() => imported(content)).toThrow(reason);
});

test('a table of breaches keeps the values of each row and omits unreadable ones', () => {
  const content = [
    'Email;SHA1;sha256;Breach;Date;Country;industry;trust_weight',
    `x;${hex1('a')};${hex256('a')};"Big; shop";2019-05-04 10:00:00;de;Retail;0.4`,
    `x;${hex1('b')};;;yesterday;XX;;2`,
    `x;;;;;;;`,
    `x;${hex256('c')};;;;;;`,
  ].join('\r\n');
  const { footer, file } = imported(content, { format: 'csv' });
  expect(footer).toMatchObject({ rows: 2, bad_lines: 2, bad_values: 3 });
  const record = { breach: 'Big; shop', date: '2019-05-04', country: 'DE', industry: 'Retail', trust: 0.4 };
  expect(file.find('sha1', sha1('a'))).toEqual([record]);
  expect(file.find('sha256', sha256('a'))).toEqual([record]);
  expect(file.find('sha1', sha1('b'))).toEqual([{}]);
  expect(footer.examples.map(({ line, reason }) => `${line} ${reason.split(':')[0]}`)).toEqual([
    '3 date',
    '3 trust_weight',
    '3 country',
    '4 has no digest in hash, sha1 or sha256',
    '5 sha1',
  ]);
});

test('a table without a column of digests is rejected', () => {
  expect(() => imported('email,breach\nx,y\n', { format: 'csv' })).toThrow('hash, sha1 or sha256');
});

test('JSON lines of profiles are imported', () => {
  const profile = {
    hash: hex256('a'),
    service: 'forum',
    url: 'https://forum.example/u/1',
    name: 'Zoë "Z" Ünal',
    phone: '+49 30 1234567',
    country: 'tr',
    since: '2015-01-02T03:04:05Z',
  };
  const lines = [profile, { hash: hex256('b'), url: 'javascript:alert(1)', name: 'x\u0000y' }, [1], null];
  const { footer, file } = imported(lines.map((each) => JSON.stringify(each)).join('\n'), {
    kind: 'profiles',
    format: 'ndjson',
  });
  expect(footer).toMatchObject({ rows: 2, bad_lines: 2, bad_values: 2 });
  const { hash: _hash, ...rest } = profile;
  expect(file.find('sha256', sha256('a'))).toEqual([{ ...rest, country: 'TR', since: '2015-01-02' }]);
  expect(file.find('sha256', sha256('b'))).toEqual([{}]);
});

test.each([5, 6])('a folder of range files with prefixes of %i digits is imported', (digits) => {
  const ranges = path.join(folder, 'ranges');
  mkdirSync(ranges);
  for (const [text, count] of [
    ['a', 3],
    ['b', 1],
    ['padding', 0],
  ] as const) {
    const hex = hex1(text).toUpperCase();
    const name = hex.slice(0, digits) + (text === 'a' ? '.txt' : '');
    writeFileSync(path.join(ranges, name), `${hex.slice(digits)}:${count}\r\n`);
  }
  writeFileSync(path.join(ranges, 'README'), 'hello');
  writeFileSync(path.join(ranges, '.hidden'), 'hello');
  const description = { name: 'test', kind: 'breaches', format: 'ranges' } as const;
  const target = path.join(folder, 'target');
  const footer = importData({ description, source: ranges, target, scratch: folder });
  expect(footer).toMatchObject({
    rows: 2,
    padding_lines: 1,
    bad_lines: 1,
    examples: [{ file: 'README', line: 0 }],
  });
  const file = openDataFile(target);
  open.push(file);
  expect(['a', 'b', 'padding'].map((text) => file.find('sha1', sha1(text)).length)).toEqual([1, 1, 0]);
});

test('concatenated range files are imported, each after its prefix or the header line of tail', () => {
  const [a, b, c] = [hex1('a'), hex1('b'), hex256('c')];
  const content = `${a.slice(5)}:1\n${a.slice(0, 5)}\n${a.slice(5)}:2\n==> ranges/${b.slice(0, 6)}.txt <==\n${b.slice(6)}:9\n\n==> ${c.slice(0, 5)} <==\n${c.slice(5)}\n`;
  const { footer, file } = imported(content, { format: 'ranges' });
  expect(footer).toMatchObject({ rows: 3, bad_lines: 1 });
  expect(file.find('sha1', sha1('a'))).toHaveLength(1);
  expect(file.find('sha1', sha1('b'))).toHaveLength(1);
  expect(file.find('sha256', sha256('c'))).toHaveLength(1);
});

test('one digest in several breaches is stored once with each of them', () => {
  const rows = ['x', 'y', 'x'].map((breach) => `${hex1('a')},${breach}`);
  const { file } = imported(['hash,breach', ...rows].join('\n'), { format: 'csv' });
  expect(file.find('sha1', sha1('a')).map(({ breach }) => breach)).toEqual(['x', 'y']);
});

test('a file that is truncated or has another format is not opened', () => {
  imported(`${hex1('a')}\n`);
  const target = path.join(folder, 'target');
  truncateSync(target, 1000);
  expect(() => openDataFile(target)).toThrow('is incomplete');
  writeFileSync(target, '');
  expect(() => openDataFile(target)).toThrow('is incomplete');
});

/** Hashes with equal prefixes, so that one prefix has many entries: as in a file of few ranges. */
const digest = fc
  .tuple(
    fc.constantFrom('00'.repeat(14), 'ff'.repeat(14), `abcd${'00'.repeat(12)}`),
    fc.nat(2 ** 24 - 1),
    fc.nat(255),
  )
  .map(
    ([start, middle, end]) =>
      `${start}${middle.toString(16).padStart(6, '0')}${end.toString(16).padStart(6, '0')}`,
  );

test('a lookup finds exactly the imported rows', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(digest, { minLength: 1, maxLength: 400 }),
      fc.array(digest, { maxLength: 50 }),
      fc.integer({ min: 1, max: 500 }),
      (listed, others, chunk) => {
        const { file } = imported(`${listed.join('\n')}\n`, {}, chunk);
        const found = (hex: string) => file.find('sha1', Buffer.from(hex, 'hex')).length;
        // The first 16 bytes are compared.
        const kept = new Set(listed.map((hex) => hex.slice(0, 32)));
        for (const hex of [...listed, ...others]) expect(found(hex)).toBe(kept.has(hex.slice(0, 32)) ? 1 : 0);
        open.pop()!.close();
      },
    ),
    { numRuns: 60 },
  );
});

test('a lookup finds exactly the imported rows when the file exceeds memory', () => {
  const count = 200_000;
  const lines: string[] = [];
  for (let index = 0; index < count; index++) lines.push(hex1(`even-${index * 2}`));
  // A prefix with more entries than a block has.
  const skewed = (number: number) => `abcd${number.toString(16).padStart(8, '0')}${'0'.repeat(28)}`;
  for (let index = 0; index < 3000; index++) lines.push(skewed(index * 2));
  const { footer, file } = imported(`${lines.join('\n')}\n`, {}, 30_000);
  expect(footer.sections[0]!.entries).toBe(count + 3000);
  for (let index = 0; index < 20_000; index++)
    expect(file.find('sha1', sha1(`even-${index}`)).length).toBe(index % 2 === 0 ? 1 : 0);
  for (let index = 0; index < 6001; index++)
    expect(file.find('sha1', Buffer.from(skewed(index), 'hex')).length).toBe(
      index % 2 === 0 && index < 6000 ? 1 : 0,
    );
});
