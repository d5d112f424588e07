import { type CsvDialect, csvFields, newCsvScanner } from '@vouchgraph/platform/csv';
import { invalidInput } from '@vouchgraph/platform/errors';

/** Delimiters by name; without a given one, the delimiter is detected. */
const DELIMITERS = { comma: ',', semicolon: ';', tab: '\t', pipe: '|' } as const;

const CR = 0x0d;
const LF = 0x0a;
/** Rows that the delimiter is found by. */
const MAX_ROWS = 50;
/** The first line by which spreadsheets announce their delimiter. */
const ANNOUNCED = /^"?sep=([,;\t|])"?(\r\n|\n|\r)/i;

/** Reads a delimiter by name or character; '' is null: the file decides. */
export function parseDelimiter(text: string): string | null {
  if (text === '') return null;
  const named = Object.entries(DELIMITERS).find(([name, character]) => text === name || text === character);
  if (named) return named[1];
  const names = Object.keys(DELIMITERS).join(', ');
  throw invalidInput(`delimiter: must be one of ${names} or the character itself`, ['delimiter']);
}

/**
 * The delimiter and line end of a table by its first bytes. The delimiter is the one with the most rows that have as many
 * fields as the first one, and at least two; a comma when none has.
 */
export function detectDialect(
  head: Buffer,
  asked: string | null,
): { dialect: CsvDialect; skippedBytes: number } {
  const announced = ANNOUNCED.exec(head.toString('latin1', 0, 16));
  const skippedBytes = announced === null ? 0 : announced[0].length;
  const body = head.subarray(skippedBytes);
  const lineEnd = body.includes(CR) && !body.includes(LF) ? CR : LF;
  const delimiter = asked ?? announced?.[1] ?? likeliestDelimiter(body, lineEnd);
  return { dialect: { delimiter: delimiter.charCodeAt(0), lineEnd }, skippedBytes };
}

function likeliestDelimiter(body: Buffer, lineEnd: CsvDialect['lineEnd']): string {
  let best = { delimiter: ',', agreeing: 0, fields: 1 };
  for (const delimiter of Object.values(DELIMITERS)) {
    const counts = fieldCounts(body, { delimiter: delimiter.charCodeAt(0), lineEnd });
    const fields = counts[0] ?? 1;
    if (fields < 2) continue;
    const agreeing = counts.filter((count) => count === fields).length / counts.length;
    if (agreeing > best.agreeing || (agreeing === best.agreeing && fields > best.fields))
      best = { delimiter, agreeing, fields };
  }
  return best.delimiter;
}

/** Fields of each of the first rows that can be read. */
function fieldCounts(body: Buffer, dialect: CsvDialect): number[] {
  const delimiter = String.fromCharCode(dialect.delimiter);
  const counts: number[] = [];
  let index = 0;
  while (index < body.length && counts.length < MAX_ROWS) {
    const scanner = newCsvScanner(dialect);
    const end = scanner.scan(body, index);
    if (end < 0) scanner.endOfFile();
    if (scanner.problem !== null) {
      index += scanner.firstLineBytes;
      continue;
    }
    const behind = end < 0 ? body.length : end;
    const row = body.toString('utf8', index, behind).replace(/[\r\n]+$/, '');
    // A last row may be cut off by the end of the block.
    if (row !== '' && (end >= 0 || counts.length === 0)) counts.push(csvFields(row, delimiter).length);
    index = behind;
  }
  return counts;
}
