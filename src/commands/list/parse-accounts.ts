import { isUtf8 } from 'node:buffer';
import { accountIdShape } from '@vouchgraph/platform/account-id';
import { type CsvDialect, csvFields, newCsvScanner, withoutLineEnd } from '@vouchgraph/platform/csv';
import { type AppError, invalidInput } from '@vouchgraph/platform/errors';
import { PAST_TEXT } from '@vouchgraph/platform/wording';
import { counted } from '@vouchgraph/terminal';
import { reasonField } from '../../domain/lists/list-input.ts';
import { timestamp } from '../support/arguments.ts';

/*
 * Accounts of a file: a CSV with a header, or one id per line. The first line is a header if one of its cells is account_id.
 * The whole file is checked before the first account is changed.
 */

const ID_COLUMN = 'account_id';
/** Columns that are optional. */
export type OptionalColumn = 'reason' | 'expires_at';
/** Spreadsheets use a semicolon in locales with a decimal comma. */
const DELIMITERS = [',', ';', '\t'];
const NEEDS_HEADER = /[,;\t"]/;
const CR = 0x0d;
const LF = 0x0a;
const UTF8_MARK = Buffer.from('\ufeff');
const UTF16_MARKS = [Buffer.from([0xff, 0xfe]), Buffer.from([0xfe, 0xff])];
const reasonShape = reasonField('');

/** An account of a file. Values of empty cells are undefined. */
export type FileAccount = {
  readonly accountId: string;
  readonly reason: string | undefined;
  readonly expiresAt: Date | undefined;
};
type Row = { readonly line: number; readonly cells: ReadonlyMap<string, string> };

/**
 * Each account of the arguments and of a file once. Throws `input.invalid` with the line of the first problem.
 */
export function parseAccounts(
  bytes: Buffer,
  optional: readonly OptionalColumn[],
  now: Date,
  given: readonly string[] = [],
): readonly FileAccount[] {
  const text = textOf(bytes);
  const lineEnd = lineEndOf(text);
  const lines = text.toString().split(String.fromCharCode(lineEnd));
  const first = lines.findIndex((line) => line.trim() !== '');
  const delimiter = DELIMITERS.find((each) => headerOf(lines[first] ?? '', each).includes(ID_COLUMN));
  const rows =
    delimiter === undefined
      ? plainRows(lines)
      : csvRows(
          text,
          { delimiter: delimiter.charCodeAt(0), lineEnd },
          checkHeader(headerOf(lines[first]!, delimiter), first + 1, optional),
        );
  const accounts = new Map<string, { place: string; account: FileAccount }>(
    givenAccounts(given).map((account) => [account.accountId, { place: 'an argument', account }]),
  );
  for (const row of rows) {
    const account = toAccount(row, now);
    const known = accounts.get(account.accountId);
    if (known && valuesOf(known.account) !== valuesOf(account))
      throw invalidLine(row.line, `this account is also ${known.place}, with another reason or end`);
    if (!known) accounts.set(account.accountId, { place: `in line ${row.line}`, account });
  }
  return [...accounts.values()].map(({ account }) => account);
}

/** Each account of the arguments once. */
export const givenAccounts = (given: readonly string[]): FileAccount[] =>
  [...new Set(given)].map((accountId) => ({ accountId, reason: undefined, expiresAt: undefined }));

/** The values of an account as a text that can be compared. */
export const valuesOf = ({ reason, expiresAt }: FileAccount): string => JSON.stringify([reason, expiresAt]);

const invalidFile = (problem: string): AppError => invalidInput(`file: ${problem}`, ['file']);
const invalidLine = (line: number, problem: string): AppError => invalidFile(`line ${line}: ${problem}`);

/** The bytes without a byte order mark. */
function textOf(bytes: Buffer): Buffer {
  if (UTF16_MARKS.some((mark) => bytes.subarray(0, mark.length).equals(mark)))
    throw invalidFile('is UTF-16: save it as UTF-8');
  if (!isUtf8(bytes)) throw invalidFile('is not UTF-8');
  return bytes.subarray(0, UTF8_MARK.length).equals(UTF8_MARK) ? bytes.subarray(UTF8_MARK.length) : bytes;
}

/** Lines of old spreadsheets end with CR alone. */
function lineEndOf(text: Buffer): CsvDialect['lineEnd'] {
  const first = text.indexOf(CR);
  const isAlone = first >= 0 && text[first + 1] !== LF && text.subarray(0, first).indexOf(LF) < 0;
  return isAlone ? CR : LF;
}

const headerOf = (line: string, delimiter: string): string[] =>
  csvFields(line.trim(), delimiter).map((name) => name.trim().toLowerCase());

function checkHeader(
  columns: readonly string[],
  line: number,
  optional: readonly OptionalColumn[],
): readonly string[] {
  const accepted = [ID_COLUMN, ...optional];
  for (const [index, name] of columns.entries()) {
    if (!accepted.includes(name))
      throw invalidLine(
        line,
        `the column ${JSON.stringify(name)} is not accepted. Accepted columns: ${accepted.join(', ')}`,
      );
    if (columns.indexOf(name) !== index) throw invalidLine(line, `two columns are named ${name}`);
  }
  return columns;
}

function* plainRows(lines: readonly string[]): Generator<Row> {
  for (const [index, line] of lines.entries()) {
    const id = line.trim();
    if (NEEDS_HEADER.test(id))
      throw invalidLine(
        index + 1,
        'a line without a header is one account id. For columns, or for ids with a comma, semicolon, tab ' +
          'or quote, start the file with a header that has the column account_id',
      );
    if (id !== '') yield { line: index + 1, cells: new Map([[ID_COLUMN, id]]) };
  }
}

/** Rows below the header, without those whose cells are all empty. */
function* csvRows(text: Buffer, dialect: CsvDialect, columns: readonly string[]): Generator<Row> {
  let isHeader = true;
  for (const { line, record } of recordsOf(text, dialect)) {
    if (record.trim() === '') continue;
    const fields = csvFields(record, String.fromCharCode(dialect.delimiter)).map((field) => field.trim());
    if (!isHeader && fields.some((field) => field !== '')) {
      if (fields.length !== columns.length)
        throw invalidLine(line, `${counted(fields.length, 'field')} where the header has ${columns.length}`);
      yield { line, cells: new Map(columns.map((column, index) => [column, fields[index]!])) };
    }
    isHeader = false;
  }
}

function* recordsOf(text: Buffer, dialect: CsvDialect): Generator<{ line: number; record: string }> {
  let line = 1;
  for (let index = 0; index < text.length; ) {
    const scanner = newCsvScanner(dialect);
    const end = scanner.scan(text, index);
    if (end < 0) scanner.endOfFile();
    if (scanner.problem !== null) throw invalidLine(line, scanner.problem);
    const next = end < 0 ? text.length : end;
    yield { line, record: withoutLineEnd(text.subarray(index, next), dialect.lineEnd).toString() };
    line += scanner.lines;
    index = next;
  }
}

function toAccount({ line, cells }: Row, now: Date): FileAccount {
  const accountId = checked(line, ID_COLUMN, accountIdShape.safeParse(cells.get(ID_COLUMN) ?? ''));
  const reason = checked(line, 'reason', reasonShape.safeParse(cells.get('reason'))) || undefined;
  const end = cells.get('expires_at') || undefined;
  return { accountId, reason, expiresAt: end === undefined ? undefined : endOf(line, end, now) };
}

type Parsed<T> = { success: true; data: T } | { success: false; error: { issues: { message: string }[] } };

function checked<T>(line: number, column: string, parsed: Parsed<T>): T {
  if (parsed.success) return parsed.data;
  throw invalidLine(line, `${column}: ${parsed.error.issues[0]!.message}`);
}

function endOf(line: number, text: string, now: Date): Date {
  let end: Date;
  try {
    end = timestamp(text);
  } catch (error) {
    throw invalidLine(line, `expires_at: ${(error as Error).message}`);
  }
  if (end <= now) throw invalidLine(line, `expires_at: ${PAST_TEXT}`);
  return end;
}
