import { algorithmOf, isHex, readHex } from './hex-digest.ts';
import type { LineReceiver } from './read-lines.ts';
import { PLAIN_RECORD, type RowSink } from './row-sink.ts';

/*
 * Lists with one digest per line: whole digests, or, in files of ranges, the rest after a prefix of 5 or 6 digits. `:` and
 * a count may follow.
 */

const COLON = 0x3a;
const AT_SIGN = 0x40;
const EQUALS = 0x3d;
const MAX_DIGITS = 64;

const NOT_A_DIGEST = 'must be a SHA-1 or SHA-256 digest in hexadecimal digits';
const IN_THE_CLEAR = 'is an email address: only its SHA-1 or SHA-256 digest can be imported';

/** Reads lines of whole digests. */
export function hashLineReader(sink: RowSink): LineReceiver {
  const read = digestReader(sink);
  return (bytes, start, end, line) => read(bytes, start, end, line, '');
}

/** Reads the lines after prefixes: `prefix` is that of the file, or '' when lines of the file name it. */
export function rangeLineReader(sink: RowSink, prefix: string): LineReceiver {
  const read = digestReader(sink);
  let current = prefix;
  return (bytes, start, end, line) => {
    const named = prefix === '' ? prefixLine(bytes, start, end) : null;
    if (named !== null) current = named;
    else if (current !== '') read(bytes, start, end, line, current);
    else if (!isBlank(bytes, start, end))
      sink.bad(line, 'must follow a line with its prefix of 5 or 6 digits');
  };
}

/** The prefix in the name of a file such as `21BD1.txt`; null without one. */
export function prefixOfFile(name: string): string | null {
  return /^([0-9a-f]{5,6})(?:\.txt)?$/i.exec(name)?.[1] ?? null;
}

/** A line with only a prefix, or the line that `tail -n +1 *` prints before each file: `==> 21BD1.txt <==`. */
function prefixLine(bytes: Buffer, start: number, end: number): string | null {
  if (bytes[start] !== EQUALS) {
    const isPrefix = (end - start === 5 || end - start === 6) && isHex(bytes, start, end);
    return isPrefix ? bytes.toString('latin1', start, end) : null;
  }
  const name = /^==> (?:.*\/)?([^/]+) <==$/.exec(bytes.toString('latin1', start, end))?.[1];
  return name === undefined ? null : prefixOfFile(name);
}

function digestReader(sink: RowSink) {
  const digits = Buffer.alloc(MAX_DIGITS);
  const hash = Buffer.alloc(MAX_DIGITS / 2);
  return (bytes: Buffer, lineStart: number, lineEnd: number, line: number, prefix: string): void => {
    let [start, end] = [lineStart, lineEnd];
    while (start < end && isSpace(bytes[start]!)) start++;
    while (end > start && isSpace(bytes[end - 1]!)) end--;
    if (start === end) return;
    const colon = bytes.subarray(start, end).indexOf(COLON);
    const stop = colon < 0 ? end : start + colon;
    const algorithm = algorithmOf(prefix.length + stop - start);
    const count = colon < 0 ? 1 : readCount(bytes, stop + 1, end);
    if (algorithm === null || count === null) {
      sink.bad(line, bytes.subarray(start, end).includes(AT_SIGN) ? IN_THE_CLEAR : NOT_A_DIGEST);
      return;
    }
    const length = digits.write(prefix, 'latin1') + bytes.copy(digits, prefix.length, start, stop);
    if (!readHex(digits, 0, length, hash)) sink.bad(line, NOT_A_DIGEST);
    // Answers of range interfaces are padded with random digests, with a count of 0.
    else if (count === 0) sink.padding();
    else {
      sink.add(algorithm, hash, PLAIN_RECORD);
      sink.row();
    }
  };
}

/** The count after a colon; null when it is not a number. */
function readCount(bytes: Buffer, start: number, end: number): number | null {
  if (start === end) return null;
  let count = 0;
  for (let at = start; at < end; at++) {
    const digit = bytes[at]! - 0x30;
    if (digit < 0 || digit > 9) return null;
    count = count * 10 + digit;
  }
  return count;
}

function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (!isSpace(bytes[at]!)) return false;
  return true;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
