import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { csvField, csvFields, newCsvScanner, parseCsvRecord } from './csv.ts';

const quoted = (field: string) => `"${field.replaceAll('"', '""')}"`;

function scan(text: string, chunkBytes = text.length) {
  const bytes = Buffer.from(text);
  const scanner = newCsvScanner();
  for (let start = 0; start < bytes.length; start += chunkBytes) {
    const end = scanner.scan(bytes.subarray(start, start + chunkBytes), 0);
    if (end >= 0) return { end: start + end, scanner };
  }
  scanner.endOfFile();
  return { end: bytes.length, scanner };
}

describe('the fields of a record', () => {
  it('equal the written values, with necessary or additional quotes', () => {
    const field = fc.record({
      text: fc.string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r', ' ') }),
      isQuoted: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(field, { minLength: 1, maxLength: 5 }), (fields) => {
        const record = fields
          .map(({ text, isQuoted }) => (isQuoted ? quoted(text) : csvField(text)))
          .join(',');
        expect(csvFields(record)).toEqual(fields.map(({ text }) => text));
        expect(parseCsvRecord(record).problem).toBeNull();
      }),
    );
  });

  it('can be separated by another delimiter', () => {
    expect(csvFields('a,b;"c;d";', ';')).toEqual(['a,b', 'c;d', '']);
  });

  it.each([
    ['', ['']],
    [',', ['', '']],
    ['a,', ['a', '']],
    ['"",x', ['', 'x']],
    [' a , "', [' a ', ' "']],
    ['a,b', ['a', 'b']],
    ['"a,b","c""d"', ['a,b', 'c"d']],
  ])('of %j are parsed', (record, fields) => {
    expect(csvFields(record)).toEqual(fields);
  });

  it.each([
    ['"a', ['"a'], 'not closed'],
    ['a,"b', ['a', '"b'], 'not closed'],
    ['"a"",b', ['a', 'b'], 'not closed'],
    ['"a"b,c', ['a', 'c'], 'text behind'],
    ['"a" ,c', ['a', 'c'], 'text behind'],
  ])('of the damaged record %j are parsed as far as possible', (record, fields, problem) => {
    expect(parseCsvRecord(record).fields).toEqual(fields);
    expect(parseCsvRecord(record).problem).toContain(problem);
  });
});

describe('the end of a record', () => {
  it('is found in chunks of any size', () => {
    const record = 'a,"b\r\n,""c""","",d\r\n';
    for (let chunkBytes = 1; chunkBytes <= record.length; chunkBytes += 1) {
      const { end, scanner } = scan(`${record}next,record\n`, chunkBytes);
      expect([end, scanner.lines, scanner.problem]).toEqual([record.length, 2, null]);
    }
  });

  it.each(['"a"\n', '"a"\r\n', 'a\n', '\n', ',\n', '"",""\n'])('is after %j', (record) => {
    const { end, scanner } = scan(`${record}x`);
    expect([end, scanner.problem]).toEqual([record.length, null]);
  });
});

describe('an error', () => {
  it.each([
    ['a"b,c\nnext\n', 'a quote inside an unquoted field'],
    ['"a"b,c\nnext\n', 'text behind a closing quote'],
    ['"a"\rb,c\nnext\n', 'text behind a closing quote'],
    ['"a,b\nnext,"x"\n', 'text behind a closing quote'],
    ['"a,b\nnext,x\n', 'a quote is not closed'],
  ])('in %j affects only its first line', (text, problem) => {
    for (const chunkBytes of [1, 3, text.length]) {
      const { scanner } = scan(text, chunkBytes);
      expect(scanner.problem).toContain(problem);
      expect(scanner.firstLineBytes).toBe(text.indexOf('\n') + 1);
    }
  });

  it('in a last line without a line end affects that line only', () => {
    const { scanner } = scan('a,"b');
    expect([scanner.problem, scanner.firstLineBytes]).toEqual(['a quote is not closed', 4]);
  });
});
