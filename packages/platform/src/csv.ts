/*
 * CSV by RFC 4180: commas, double quotes, doubled quotes within quotes, line ends within quotes belong to the field. The
 * delimiter and the line end are configurable.
 * No library is used, because an error must affect one line only: csv-parse continues within an unclosed quote to the end of the
 * file, drops the row after a too long one, and does not report where reading can continue.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const CR = 0x0d;
const LF = 0x0a;

const STRAY_QUOTE = 'a quote inside an unquoted field';
const TEXT_BEHIND_QUOTE = 'text behind a closing quote, or a quote in quotes that is not doubled';
const OPEN_QUOTE = 'a quote is not closed';

/** Finds the end of one record, chunk by chunk. */
export type RecordScanner = {
  /** The index after the record that continues at `from`, or -1 when it continues after the chunk. */
  scan(chunk: Buffer, from: number): number;
  /** Signals the end of the file. */
  endOfFile(): void;
  /** Number of line ends so far. */
  readonly lines: number;
  /** Problem of an invalid record; reading continues after its first line. */
  readonly problem: string | null;
  /** Length of the record's first line in bytes. */
  readonly firstLineBytes: number;
};

/** Bytes that separate fields and end lines. With LF as line end, CRLF ends lines too. */
export type CsvDialect = { readonly delimiter: number; readonly lineEnd: typeof LF | typeof CR };

const COMMA_DIALECT: CsvDialect = { delimiter: COMMA, lineEnd: LF };

const STATE = { fieldStart: 0, plain: 1, quoted: 2, quoteInQuoted: 3, crBehindQuote: 4, broken: 5 } as const;
type State = (typeof STATE)[keyof typeof STATE];

/** The next state after a byte that is no line end. */
function nextState(state: State, byte: number, delimiter: number): State {
  switch (state) {
    case STATE.fieldStart:
      if (byte === QUOTE) return STATE.quoted;
      return byte === delimiter ? STATE.fieldStart : STATE.plain;
    case STATE.plain:
      if (byte === QUOTE) return STATE.broken;
      return byte === delimiter ? STATE.fieldStart : STATE.plain;
    case STATE.quoted:
      return byte === QUOTE ? STATE.quoteInQuoted : STATE.quoted;
    case STATE.quoteInQuoted:
      if (byte === QUOTE) return STATE.quoted;
      if (byte === delimiter) return STATE.fieldStart;
      return byte === CR ? STATE.crBehindQuote : STATE.broken;
    default:
      return STATE.broken;
  }
}

/** Finds the end of one record of a dialect; comma and LF by default. */
export function newCsvScanner({ delimiter, lineEnd }: CsvDialect = COMMA_DIALECT): RecordScanner {
  let state: State = STATE.fieldStart;
  let length = 0;
  const result = { lines: 0, problem: null as string | null, firstLineBytes: 0 };

  function scan(chunk: Buffer, from: number): number {
    for (let index = from; index < chunk.length; index += 1) {
      const byte = chunk[index]!;
      if (byte === lineEnd) {
        result.lines += 1;
        if (result.lines === 1) result.firstLineBytes = length + index + 1 - from;
        if (state !== STATE.quoted) return index + 1;
      } else if (state !== STATE.broken) {
        const before = state;
        state = nextState(before, byte, delimiter);
        if (state !== STATE.broken) continue;
        result.problem = before === STATE.plain ? STRAY_QUOTE : TEXT_BEHIND_QUOTE;
        if (result.lines > 0) return index + 1;
      }
    }
    length += chunk.length - from;
    return -1;
  }

  function endOfFile(): void {
    if (state === STATE.quoted) result.problem = OPEN_QUOTE;
    if (result.lines === 0) result.firstLineBytes = length;
  }

  return Object.assign(result, { scan, endOfFile });
}

/** The bytes of a record without its line end. */
export function withoutLineEnd(bytes: Buffer, lineEnd: CsvDialect['lineEnd'] = LF): Buffer {
  let { length } = bytes;
  if (bytes[length - 1] === lineEnd) length -= 1;
  if (lineEnd === LF && bytes[length - 1] === CR) length -= 1;
  return bytes.subarray(0, length);
}

/** The fields of a record without its line end. */
export function csvFields(record: string, delimiter = ','): string[] {
  return parseCsvRecord(record, delimiter).fields;
}

/**
 * Parses the fields of a record, and returns its problem. Parsing is lenient: an unclosed quote is accepted, and text after a
 * closing quote is dropped, so that damaged lines of published lists remain usable.
 */
export function parseCsvRecord(
  record: string,
  delimiter = ',',
): { fields: string[]; problem: string | null } {
  const fields: string[] = [];
  let problem: string | null = null;
  let start = 0;
  for (;;) {
    let end = start;
    if (record[start] === '"') {
      const { close, isClosed } = closingQuote(record, start);
      if (close > start) {
        fields.push(record.slice(start + 1, close).replaceAll('""', '"'));
        end = close + 1;
      }
      if (!isClosed) problem = OPEN_QUOTE;
      else if (end < record.length && record[end] !== delimiter) problem = TEXT_BEHIND_QUOTE;
    }
    const isPlain = end === start;
    end = record[end] === delimiter ? end : record.indexOf(delimiter, end);
    if (isPlain) fields.push(end < 0 ? record.slice(start) : record.slice(start, end));
    if (end < 0) return { fields, problem };
    start = end + 1;
  }
}

/**
 * Finds the closing quote of a quoted field. Without one, the first quote of the last pair of quotes, otherwise the opening quote
 * of the field.
 */
function closingQuote(record: string, start: number): { close: number; isClosed: boolean } {
  let pair = start;
  for (let quote = record.indexOf('"', start + 1); quote >= 0; quote = record.indexOf('"', quote + 2)) {
    if (record[quote + 1] !== '"') return { close: quote, isClosed: true };
    pair = quote;
  }
  return { close: pair, isClosed: false };
}

const NEEDS_QUOTES = /[",\r\n]|^\s|\s$/;

/** Formats a field, in quotes if necessary. */
export function csvField(text: string): string {
  return NEEDS_QUOTES.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
