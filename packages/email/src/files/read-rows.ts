import { isUtf8 } from 'node:buffer';
import { type CsvDialect, csvFields, newCsvScanner, withoutLineEnd } from '@vouchgraph/platform/csv';
import { detectDialect } from './detect-dialect.ts';
import { openText, type TextEncoding } from './text-encoding.ts';

/** Reasons why a row cannot be checked, by code. */
export const ROW_PROBLEMS = {
  row_too_long: 'The row is longer than 65,536 bytes.',
  invalid_encoding: 'The row contains bytes that are invalid in the encoding of the file.',
  malformed_quotes:
    'A quote is not closed, a quote is inside an unquoted field, or text follows a closing quote.',
  wrong_field_count: 'The row has more or fewer fields than the header.',
  email_missing: 'The address is empty.',
  email_too_long: 'The address is longer than 320 characters.',
  forbidden_characters: 'The row contains NUL characters.',
} as const;
export type RowProblem = keyof typeof ROW_PROBLEMS;

/** A row with the number of its first line. `fields`: the readable fields; none of an unreadable row. */
export type CsvRow = {
  readonly line: number;
  readonly fields: readonly string[];
  readonly problem: RowProblem | null;
};

export type CsvReader = {
  readonly encoding: TextEncoding;
  readonly dialect: CsvDialect;
  /** Nonempty rows, those of a block together; memory is one block and one row. */
  readonly rows: AsyncGenerator<CsvRow[]>;
};

/** Longest row in bytes of UTF-8, without its line end. */
const MAX_ROW_BYTES = 65_536;
const LINE_END_BYTES = 2;
/** Rows are found in blocks of this size, so that many small chunks cost no more than a few large ones. */
const BLOCK_BYTES = 64 * 1024;

/** Reads a table from chunks of bytes; encoding, delimiter and line end are detected unless they are given. */
export async function openCsv(
  chunks: AsyncIterable<Uint8Array>,
  options: { encoding?: TextEncoding | null; delimiter?: string | null } = {},
): Promise<CsvReader> {
  const { encoding, bytes } = await openText(chunks, options.encoding ?? null);
  const blocks = inBlocks(bytes);
  const first = await blocks.next();
  const head = first.done ? Buffer.alloc(0) : first.value;
  const { dialect, skippedBytes } = detectDialect(head, options.delimiter ?? null);
  const all = async function* () {
    try {
      if (head.length > skippedBytes) yield head.subarray(skippedBytes);
      for (let next = await blocks.next(); !next.done; next = await blocks.next()) yield next.value;
    } finally {
      await blocks.return(undefined);
    }
  };
  return { encoding, dialect, rows: readRows(all(), dialect, skippedBytes > 0 ? 2 : 1) };
}

async function* inBlocks(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  let parts: Buffer[] = [];
  let length = 0;
  for await (const chunk of chunks) {
    parts.push(chunk);
    length += chunk.length;
    if (length < BLOCK_BYTES) continue;
    const block = parts.length === 1 ? chunk : Buffer.concat(parts);
    parts = [];
    length = 0;
    for (let at = 0; at < block.length; at += BLOCK_BYTES) yield block.subarray(at, at + BLOCK_BYTES);
  }
  if (length > 0) yield Buffer.concat(parts);
}

async function* readRows(
  blocks: AsyncGenerator<Buffer>,
  dialect: CsvDialect,
  firstLine: number,
): AsyncGenerator<CsvRow[]> {
  const splitter = createSplitter(dialect, firstLine);
  for await (const block of blocks) {
    const rows = splitter.split(block, false);
    if (rows.length > 0) yield rows;
  }
  const rows = splitter.split(Buffer.alloc(0), true);
  if (rows.length > 0) yield rows;
}

/** Splits blocks into rows; keeps the bytes of one unfinished row, and only the position of a too long one. */
function createSplitter(dialect: CsvDialect, firstLine: number) {
  const delimiter = String.fromCharCode(dialect.delimiter);
  let carry: Buffer = Buffer.alloc(0);
  let line = firstLine;
  let isSkipping = false;

  const bad = (problem: RowProblem): CsvRow => ({ line, fields: [], problem });

  function readRow(bytes: Buffer): CsvRow | null {
    const row = withoutLineEnd(bytes, dialect.lineEnd);
    if (row.length === 0) return null;
    if (row.length > MAX_ROW_BYTES) return bad('row_too_long');
    if (!isUtf8(row)) return bad('invalid_encoding');
    const fields = csvFields(row.toString(), delimiter);
    return { line, fields, problem: row.includes(0) ? 'forbidden_characters' : null };
  }

  /** Position after the line end of a too long row; -1 when the data ends before. */
  function skipLine(data: Buffer, from: number): number {
    const end = data.indexOf(dialect.lineEnd, from);
    if (end < 0) return -1;
    isSkipping = false;
    line += 1;
    return end + 1;
  }

  function split(block: Buffer, isEnd: boolean): CsvRow[] {
    const data = carry.length === 0 ? block : Buffer.concat([carry, block]);
    const rows: CsvRow[] = [];
    let index = 0;
    carry = data.subarray(0, 0);
    while (index < data.length) {
      if (isSkipping) {
        index = skipLine(data, index);
        if (index < 0) return rows;
        continue;
      }
      const scanner = newCsvScanner(dialect);
      const end = scanner.scan(data, index);
      if (end < 0 && isEnd) scanner.endOfFile();
      const isTooLong = end < 0 && data.length - index > MAX_ROW_BYTES + LINE_END_BYTES;
      if (end < 0 && !isEnd && !isTooLong) {
        // Copied: a slice would keep the whole block in memory.
        carry = Buffer.from(data.subarray(index));
        return rows;
      }
      if (isTooLong && scanner.lines === 0) {
        rows.push(bad('row_too_long'));
        isSkipping = true;
      } else if (scanner.problem !== null || isTooLong) {
        // Inside a quote that is not closed, or closed too late: the next row begins after the first line.
        rows.push(bad('malformed_quotes'));
        index += scanner.firstLineBytes;
        line += 1;
      } else {
        const behind = end < 0 ? data.length : end;
        const row = readRow(data.subarray(index, behind));
        if (row !== null) rows.push(row);
        index = behind;
        line += scanner.lines;
      }
    }
    return rows;
  }

  return { split };
}
