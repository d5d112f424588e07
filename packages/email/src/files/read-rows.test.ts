import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CsvRow, openCsv } from './read-rows.ts';
import type { TextEncoding } from './text-encoding.ts';

const MAX_ROW_BYTES = 65_536;

async function* inChunks(bytes: Uint8Array, size: number) {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function read(
  bytes: Uint8Array | string,
  { size = 1 << 20, encoding }: { size?: number; encoding?: TextEncoding } = {},
): Promise<CsvRow[]> {
  const reader = await openCsv(inChunks(Buffer.from(bytes as string), size), { encoding });
  const rows: CsvRow[] = [];
  for await (const block of reader.rows) rows.push(...block);
  return rows;
}

const plain = (rows: CsvRow[]) => rows.map(({ line, fields, problem }) => [line, problem ?? fields]);

describe('rows of a table', () => {
  const text = 'email,name\r\n"a@example.com","Ann\r\nLee"\r\n\r\nb@example.com,"B ""x"""\r\n';
  const rows = [
    [1, ['email', 'name']],
    [2, ['a@example.com', 'Ann\r\nLee']],
    [5, ['b@example.com', 'B "x"']],
  ];
  const utf16 = (bigEndian: boolean) => {
    const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
    return bigEndian ? bytes.swap16() : bytes;
  };

  it.each([
    ['UTF-8', Buffer.from(text)],
    ['UTF-8 with BOM', Buffer.from(`\ufeff${text}`)],
    ['UTF-16 LE with BOM', utf16(false)],
    ['UTF-16 BE with BOM', utf16(true)],
    ['UTF-16 LE without BOM', utf16(false).subarray(2)],
    ['UTF-16 BE without BOM', utf16(true).subarray(2)],
  ])('are the same from %s in chunks of any size', async (_name, bytes) => {
    for (const size of [1, 2, 3, 7, bytes.length]) expect(plain(await read(bytes, { size }))).toEqual(rows);
  });

  it.each([',', ';', '\t', '|'])('are separated by %j', async (delimiter) => {
    const table = `email${delimiter}note\na@example.com${delimiter}x, y; z\n`.replace('x, y; z', 'x');
    expect(plain(await read(table))).toEqual([
      [1, ['email', 'note']],
      [2, ['a@example.com', 'x']],
    ]);
  });

  it('keep their commas when semicolons separate them', async () => {
    const table = 'email;note\na@example.com;"1,5"\nb@example.com;2,5\n';
    expect(plain(await read(table))[2]).toEqual([3, ['b@example.com', '2,5']]);
  });

  it('end at a lone CR without LF', async () => {
    expect(plain(await read('email,n\ra@example.com,"x\ry"\rb@example.com,z'))).toEqual([
      [1, ['email', 'n']],
      [2, ['a@example.com', 'x\ry']],
      [4, ['b@example.com', 'z']],
    ]);
  });

  it('use the delimiter of the sep= line of a spreadsheet', async () => {
    expect(plain(await read('sep=;\r\nemail;a,b\r\nx@example.com;1\r\n'))).toEqual([
      [2, ['email', 'a,b']],
      [3, ['x@example.com', '1']],
    ]);
  });

  it('keep supplementary UTF-16 characters that are split between chunks', async () => {
    const bytes = Buffer.from('\ufeffemail,n\na@example.com,😀\n', 'utf16le');
    for (const size of [1, 2, 3]) expect((await read(bytes, { size }))[1]?.fields[1]).toBe('😀');
  });

  it('are decoded as Windows-1252 on request', async () => {
    const bytes = Buffer.from('email,n\na@example.com,Jos\xe9\n', 'latin1');
    expect(plain(await read(bytes))).toEqual([
      [1, ['email', 'n']],
      [2, 'invalid_encoding'],
    ]);
    expect((await read(bytes, { encoding: 'windows-1252' }))[1]?.fields[1]).toBe('José');
  });
});

describe('only the invalid line is rejected', () => {
  const after = [3, ['b@example.com', 'y']];

  it.each([
    ['bytes that are not UTF-8', Buffer.from('\xff\xfe', 'latin1'), 'invalid_encoding'],
    ['a stray quote', Buffer.from('a@example.com,x"y'), 'malformed_quotes'],
    ['a quote that is never closed', Buffer.from('a@example.com,"x'), 'malformed_quotes'],
    ['10 MB', Buffer.alloc(10 * 1024 * 1024, 'x'), 'row_too_long'],
    ['10 MB in quotes', Buffer.from(`a@example.com,"${'x'.repeat(10 * 1024 * 1024)}"`), 'row_too_long'],
    ['NUL', Buffer.from('a@example.com,\0'), 'forbidden_characters'],
  ])('for %s', async (_name, line, problem) => {
    const bytes = Buffer.concat([Buffer.from('email,n\n'), line, Buffer.from('\nb@example.com,y\n')]);
    for (const size of [1000, 65_536, bytes.length]) {
      const rows = plain(await read(bytes, { size }));
      expect(rows.slice(1)).toEqual([[2, problem], after]);
    }
  });

  it('for a quote that closes beyond the maximum row length', async () => {
    const many = Array.from({ length: 8000 }, (_none, index) => `u${index}@example.com,x`);
    const rows = await read(`email,n\na@example.com,"x\n${many.join('\n')}\n"`);
    expect(rows[1]).toEqual({ line: 2, fields: [], problem: 'malformed_quotes' });
    expect(rows.slice(2, 8002).map(({ fields }) => fields[0])).toEqual(many.map((row) => row.split(',')[0]));
  });

  it('for a lone UTF-16 surrogate', async () => {
    const bytes = Buffer.from('\ufeffemail,n\na@example.com,\ud800x\nb@example.com,y\n', 'utf16le');
    expect(plain(await read(bytes)).slice(1)).toEqual([[2, 'invalid_encoding'], after]);
  });

  it('when a row exceeds the maximum length by one character', async () => {
    const fits = 'x'.repeat(MAX_ROW_BYTES);
    const rows = await read(`e\n${fits}\r\n${fits}x\n`);
    expect(rows.map(({ line, problem }) => [line, problem])).toEqual([
      [1, null],
      [2, null],
      [3, 'row_too_long'],
    ]);
  });
});

it('rows equal the written rows for any content and any chunks', async () => {
  const field = fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r\n', '=', '😀') });
  const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const table = fc.array(fc.array(field, { minLength: 2, maxLength: 4 }), { minLength: 1, maxLength: 6 });
  await fc.assert(
    fc.asyncProperty(table, fc.integer({ min: 1, max: 9 }), async (lines, size) => {
      const text = lines.map((line) => line.map(quoted).join(',')).join('\n');
      const rows = (await openCsv(inChunks(Buffer.from(text), size), { delimiter: ',' })).rows;
      const found: (readonly string[])[] = [];
      for await (const block of rows) found.push(...block.map(({ fields }) => fields));
      expect(found).toEqual(lines);
    }),
  );
});

it('an empty file has no rows', async () => {
  expect(await read('')).toEqual([]);
  expect(await read('\ufeff')).toEqual([]);
  expect(await read('\r\n\n')).toEqual([]);
});
