import type { RecordScanner } from './split-records.ts';

/*
 * CSV as RFC 4180 writes it: comma, double quotes, a quote in quotes doubled, line ends in quotes belong to the field.
 * The records are found here rather than by a library, since a mistake must cost one line: the libraries go on inside
 * a quote that is never closed, to the end of the file, and replace bytes that are not UTF-8.
 */

const QUOTE = 0x22;
const COMMA = 0x2c;
const CR = 0x0d;
const LF = 0x0a;

const STRAY_QUOTE = 'a quote inside a field that does not begin with one';
const TEXT_BEHIND_QUOTE = 'text behind a closing quote, or a quote in quotes that is not doubled';
const OPEN_QUOTE = 'a quote is not closed';

const STATE = { fieldStart: 0, plain: 1, quoted: 2, quoteInQuoted: 3, crBehindQuote: 4, broken: 5 } as const;
type State = (typeof STATE)[keyof typeof STATE];

/** The state behind a byte that is no line end. */
function follow(state: State, byte: number): State {
  switch (state) {
    case STATE.fieldStart:
      if (byte === QUOTE) return STATE.quoted;
      return byte === COMMA ? STATE.fieldStart : STATE.plain;
    case STATE.plain:
      if (byte === QUOTE) return STATE.broken;
      return byte === COMMA ? STATE.fieldStart : STATE.plain;
    case STATE.quoted:
      return byte === QUOTE ? STATE.quoteInQuoted : STATE.quoted;
    case STATE.quoteInQuoted:
      if (byte === QUOTE) return STATE.quoted;
      if (byte === COMMA) return STATE.fieldStart;
      return byte === CR ? STATE.crBehindQuote : STATE.broken;
    default:
      return STATE.broken;
  }
}

export function newCsvScanner(): RecordScanner {
  let state: State = STATE.fieldStart;
  let length = 0;
  const result = { lines: 0, problem: null as string | null, firstLineBytes: 0 };

  function scan(chunk: Buffer, from: number): number {
    for (let index = from; index < chunk.length; index += 1) {
      const byte = chunk[index]!;
      if (byte === LF) {
        result.lines += 1;
        if (result.lines === 1) result.firstLineBytes = length + index + 1 - from;
        if (state !== STATE.quoted) return index + 1;
      } else if (state !== STATE.broken) {
        const before = state;
        state = follow(before, byte);
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

/** The fields of a record that the scanner found. */
export function csvFields(record: string): string[] {
  const fields: string[] = [];
  let index = 0;
  for (;;) {
    const end = endOfField(record, index);
    fields.push(
      record[index] === '"'
        ? record.slice(index + 1, end - 1).replaceAll('""', '"')
        : record.slice(index, end),
    );
    if (end >= record.length) return fields;
    index = end + 1;
  }
}

function endOfField(record: string, start: number): number {
  if (record[start] !== '"') {
    const comma = record.indexOf(',', start);
    return comma < 0 ? record.length : comma;
  }
  let quote = record.indexOf('"', start + 1);
  while (record[quote + 1] === '"') quote = record.indexOf('"', quote + 2);
  return quote + 1;
}
