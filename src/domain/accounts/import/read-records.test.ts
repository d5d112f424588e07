import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { FILE_START, type ImportFormat, type ReadRecord, readRecords } from './read-records.ts';

let folder: string;
let files = 0;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-read-'));
});
afterAll(() => rm(folder, { recursive: true }));

async function fileOf(content: string | Buffer): Promise<string> {
  files += 1;
  const file = path.join(folder, `${files}`);
  await writeFile(file, content);
  return file;
}

async function readAll(content: string | Buffer, format: ImportFormat, from = FILE_START) {
  return collect(await fileOf(content), format, from);
}

async function collect(file: string, format: ImportFormat, from = FILE_START): Promise<ReadRecord[]> {
  const read: ReadRecord[] = [];
  for await (const record of readRecords(file, format, from)) read.push(record);
  return read;
}

/** A record, or its problem, by its line. */
const byLine = (read: ReadRecord[]) =>
  read.map((one) => [one.line, 'problem' in one ? one.problem : one.record]);

describe('NDJSON', () => {
  it('skips empty lines, a byte order mark and carriage returns, and reads a last line without a line end', async () => {
    const read = await readAll('\ufeff{"id":"a"}\r\n\n  \r\n{"id":"é"}\n{"id":"c"}', 'ndjson');
    expect(byLine(read)).toEqual([
      [1, { id: 'a' }],
      [4, { id: 'é' }],
      [5, { id: 'c' }],
    ]);
  });

  it('reports the problem of a line without quoting it', async () => {
    const lines = ['{"id":secret}', '[1]', 'null', '"text"', '{"id":"a"} {}', '{"id":"ok"}'];
    expect(byLine(await readAll(lines.join('\n'), 'ndjson'))).toEqual([
      [1, 'not valid JSON'],
      [2, 'not a JSON object'],
      [3, 'not a JSON object'],
      [4, 'not a JSON object'],
      [5, 'not valid JSON'],
      [6, { id: 'ok' }],
    ]);
  });

  it('rejects bytes that are not UTF-8 instead of replacing them', async () => {
    const latin1 = Buffer.from('{"id":"\xe9"}\n{"id":"\u00fc"}\n', 'latin1');
    const surrogate = Buffer.concat([
      Buffer.from('{"id":"'),
      Buffer.from([0xed, 0xa0, 0x80]),
      Buffer.from('"}'),
    ]);
    const content = Buffer.concat([latin1, surrogate, Buffer.from('\n{"id":"ü"}\n')]);
    expect(byLine(await readAll(content, 'ndjson'))).toEqual([
      [1, 'not UTF-8'],
      [2, 'not UTF-8'],
      [3, 'not UTF-8'],
      [4, { id: 'ü' }],
    ]);
  });

  it.each(['\n', '\r\n'])(
    'accepts lines of 65,536 bytes that end in %j, and rejects longer ones',
    async (end) => {
      const lineOf = (bytes: number) => `{"id":"${'x'.repeat(bytes - 9)}"}`;
      const lines = [65_536, 65_537, 65_538, 400_000, 20, 1_000_000].map(lineOf);
      const read = await readAll(`${lines.join(end)}${end}{"id":"last"}`, 'ndjson');
      const tooLong = 'longer than 65,536 bytes';
      expect(byLine(read)).toEqual([
        [1, { id: 'x'.repeat(65_527) }],
        [2, tooLong],
        [3, tooLong],
        [4, tooLong],
        [5, { id: 'x'.repeat(11) }],
        [6, tooLong],
        [7, { id: 'last' }],
      ]);
    },
  );

  it('rejects a UTF-16 file', async () => {
    await expect(readAll(Buffer.from('\ufeff{"id":"a"}', 'utf16le'), 'ndjson')).rejects.toThrow('UTF-16');
  });

  it('returns no records of an empty file', async () => {
    expect(await readAll('', 'ndjson')).toEqual([]);
  });
});

describe('CSV', () => {
  it('returns objects of the columns, with quotes, commas and line ends in fields', async () => {
    const text = '\ufeff"ID", Email \r\na,"x, ""y"""\r\n\r\nb,"one\r\ntwo"\r\nc,\r\n';
    expect(byLine(await readAll(text, 'csv'))).toEqual([
      [2, { id: 'a', email: 'x, "y"' }],
      [4, { id: 'b', email: 'one\r\ntwo' }],
      [6, { id: 'c', email: '' }],
    ]);
  });

  it('skips one line for each error', async () => {
    const open = Array.from({ length: 20_000 }, (_, index) => `row ${index},x`);
    const text = ['id,email', 'a,"open', 'b', 'c,d,e', 'f,g"h', ...open, 'z,"z"'].join('\n');
    const read = byLine(await readAll(text, 'csv'));
    expect(read).toHaveLength(20_005);
    expect(read.slice(0, 5)).toEqual([
      [2, expect.stringContaining('text behind a closing quote')],
      [3, '1 field where the header has 2'],
      [4, '3 fields where the header has 2'],
      [5, expect.stringContaining('a quote inside an unquoted field')],
      [6, { id: 'row 0', email: 'x' }],
    ]);
    expect(read.at(-1)).toEqual([20_006, { id: 'z', email: 'z' }]);
  });

  it('does not read lines inside an overlong field as records', async () => {
    const field = 'x,injected\n'.repeat(50_000);
    const read = await readAll(`id,email\na,"${field}"\nb,c\n`, 'csv');
    expect(byLine(read)).toEqual([
      [2, 'longer than 65,536 bytes'],
      [50_003, { id: 'b', email: 'c' }],
    ]);
  });

  it('rejects only the line with text that is not UTF-8', async () => {
    const read = await readAll(Buffer.from('id,email\na,\xe9\nb,c\n', 'latin1'), 'csv');
    expect(byLine(read)).toEqual([
      [2, 'not UTF-8'],
      [3, { id: 'b', email: 'c' }],
    ]);
  });

  it.each([
    ['', 'the file is empty'],
    ['email,phone\n', 'there is no column id'],
    ['id;email\n', 'columns must be separated by commas'],
    ['id,email,Email\n', 'two columns have the same name'],
    ['id,"email\n', 'a quote is not closed'],
  ])('reports the problem of the header %j', async (text, problem) => {
    await expect(readAll(text, 'csv')).rejects.toThrow(`The first line must name the columns: ${problem}`);
  });
});

describe('continuing', () => {
  const rows = Array.from({ length: 9000 }, (_, index) => `${index},"${'é\n'.repeat(index % 40)}"`);
  const csv = ['id,email', ...rows, 'bad"quote', 'z,"open', 'end,x'].join('\n');
  const ndjson = rows.map((row) => JSON.stringify({ id: row })).join('\r\n');

  it.each([
    ['csv', csv],
    ['ndjson', ndjson],
  ] as const)('after any record of %s returns the remaining records', async (format, content) => {
    const file = await fileOf(content);
    const all = await collect(file, format);
    for (const index of [0, 1, 4321, all.length - 4, all.length - 3, all.length - 2, all.length - 1]) {
      expect(await collect(file, format, all[index]!.next)).toEqual(all.slice(index + 1));
    }
  });
});
