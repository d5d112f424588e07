import { isUtf8 } from 'node:buffer';
import { type FileHandle, open } from 'node:fs/promises';
import { csvFields, newCsvScanner } from '@vouchgraph/platform/csv';
import { AppError, invalidInput } from '@vouchgraph/platform/errors';
import { parseUnchecked } from '@vouchgraph/platform/json';
import { LIMITS } from '@vouchgraph/platform/limits';
import { newLineScanner, type Position, type RawRecord, splitRecords } from './split-records.ts';

export const IMPORT_FORMATS = ['ndjson', 'csv'] as const;
export type ImportFormat = (typeof IMPORT_FORMATS)[number];

/** A record, or the problem of a line, with its first line number and the position of the next record. */
export type ReadRecord = { line: number; next: Position } & ({ record: unknown } | { problem: string });

export const FILE_START: Position = { byte: 0, line: 1 };
const BOM = Buffer.from('\ufeff');
const UTF16_BYTE_ORDER_MARKS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];

/**
 * Reads the records of a file, from the position `next` of an earlier record. CSV records are objects with the header's names,
 * NDJSON records the objects of the lines. Empty lines are skipped.
 */
export async function* readRecords(
  path: string,
  format: ImportFormat,
  from: Position = FILE_START,
): AsyncGenerator<ReadRecord> {
  const file = await open(path);
  try {
    const first = await textStart(file);
    const header = format === 'csv' ? await readHeader(file, first) : { columns: [], next: first };
    const start = from.byte > header.next.byte ? from : header.next;
    const newScanner = format === 'csv' ? newCsvScanner : newLineScanner;
    const parse = format === 'csv' ? rowParser(header.columns) : parseJsonLine;
    for await (const chunk of splitRecords(file, newScanner, start)) {
      for (const raw of chunk) {
        const read = readRecord(raw, parse);
        if (read !== null) yield read;
      }
    }
  } finally {
    await file.close();
  }
}

/** Start of the text, after a byte order mark. */
async function textStart(file: FileHandle): Promise<Position> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(BOM.length), 0, BOM.length, 0);
  const isUtf16 = bytesRead >= 2 && UTF16_BYTE_ORDER_MARKS.some((mark) => buffer.subarray(0, 2).equals(mark));
  if (isUtf16) throw invalidInput('The file is UTF-16: save it as UTF-8');
  return buffer.equals(BOM) ? { byte: BOM.length, line: 1 } : FILE_START;
}

type Parsed = { record: unknown } | { problem: string } | null;

function readRecord(raw: RawRecord, parse: (text: string) => Parsed): ReadRecord | null {
  const { line, next } = raw;
  if ('problem' in raw) return raw;
  if (!isUtf8(raw.bytes)) return { line, next, problem: 'not UTF-8' };
  const parsed = parse(raw.bytes.toString());
  return parsed && { line, next, ...parsed };
}

/** Does not return the message of JSON.parse, which quotes the text and can contain personal data. */
function parseJsonLine(text: string): Parsed {
  if (text.trim() === '') return null;
  try {
    const record = parseUnchecked(text, LIMITS.requestBodyDepth);
    if (record === undefined) return { problem: 'not valid JSON' };
    const isObject = typeof record === 'object' && record !== null && !Array.isArray(record);
    return isObject ? { record } : { problem: 'not a JSON object' };
  } catch (error) {
    if (error instanceof AppError) return { problem: error.message };
    throw error;
  }
}

function rowParser(columns: readonly string[]): (text: string) => Parsed {
  return (text) => {
    if (text === '') return null;
    const fields = csvFields(text);
    if (fields.length !== columns.length) {
      return { problem: `${countOf(fields.length)} where the header has ${columns.length}` };
    }
    return { record: Object.fromEntries(columns.map((column, index) => [column, fields[index]])) };
  };
}

function countOf(fields: number): string {
  return fields === 1 ? '1 field' : `${fields} fields`;
}

type Header = { columns: string[]; next: Position };

async function readHeader(file: FileHandle, first: Position): Promise<Header> {
  for await (const chunk of splitRecords(file, newCsvScanner, first)) {
    for (const raw of chunk) {
      const read = readRecord(raw, parseHeader);
      if (read === null) continue;
      if ('problem' in read) throw invalidHeader(read.problem);
      return { columns: read.record as string[], next: read.next };
    }
  }
  throw invalidHeader('the file is empty');
}

function parseHeader(text: string): Parsed {
  if (text === '') return null;
  const columns = csvFields(text).map((name) => name.trim().toLowerCase());
  const repeated = columns.find((name, index) => name !== '' && columns.indexOf(name) !== index);
  if (repeated !== undefined) return { problem: 'two columns have the same name' };
  return columns.includes('id') ? { record: columns } : { problem: noIdColumn(columns) };
}

/** Spreadsheets separate columns by semicolons in locales with a decimal comma. */
function noIdColumn(columns: readonly string[]): string {
  const isOtherwiseSeparated = columns.length === 1 && /[;\t|]/.test(columns[0]!);
  return isOtherwiseSeparated ? 'columns must be separated by commas' : 'there is no column id';
}

function invalidHeader(problem: string): AppError {
  return invalidInput(`The first line must name the columns: ${problem}`);
}
