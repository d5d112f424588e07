import { closeSync, openSync, readSync } from 'node:fs';

const BLOCK_BYTES = 1024 * 1024;
/** Longer than any row of a list of hashes; a longer line is not kept in memory. */
const MAX_LINE_BYTES = 64 * 1024;

const NEWLINE = 0x0a;
const RETURN = 0x0d;

/** Receives a line without its end: the bytes from `start` to `end`, valid during the call only. */
export type LineReceiver = (bytes: Buffer, start: number, end: number, line: number) => void;

export type ReadLinesOptions = {
  onLine: LineReceiver;
  /** Receives the number of a line that is too long to be read. */
  onLongLine: (line: number) => void;
  /** Receives the number of bytes read since the last call. */
  onBytes?: (bytes: number) => void;
};

/** Reads a UTF-8 file line by line in constant memory. Throws when the file is in another encoding or compressed. */
export function readLines(path: string, { onLine, onLongLine, onBytes }: ReadLinesOptions): void {
  const file = openSync(path, 'r');
  try {
    const block = Buffer.allocUnsafe(BLOCK_BYTES + MAX_LINE_BYTES);
    let line = 1;
    let kept = 0;
    let isSkipping = false;
    let isFirst = true;
    for (;;) {
      const read = readSync(file, block, kept, BLOCK_BYTES, null);
      onBytes?.(read);
      const end = kept + read;
      let start = 0;
      if (isFirst && read > 0) start = textStart(block.subarray(0, end));
      isFirst = false;
      for (;;) {
        const at = block.subarray(0, end).indexOf(NEWLINE, Math.max(start, kept));
        const isLast = at < 0 && read === 0 && start < end;
        if (at < 0 && !isLast) break;
        const stop = at < 0 ? end : at;
        if (isSkipping) isSkipping = false;
        else if (stop - start > MAX_LINE_BYTES) onLongLine(line);
        else onLine(block, start, block[stop - 1] === RETURN && stop > start ? stop - 1 : stop, line);
        line += 1;
        start = stop + 1;
        kept = 0;
        if (isLast) break;
      }
      if (read === 0) return;
      kept = Math.max(0, end - start);
      if (kept > MAX_LINE_BYTES) {
        if (!isSkipping) onLongLine(line);
        isSkipping = true;
      }
      if (isSkipping) kept = 0;
      else block.copyWithin(0, start, end);
    }
  } finally {
    closeSync(file);
  }
}

/** Magic numbers of files that are not UTF-8 text. */
const FOREIGN: readonly (readonly [readonly number[], string])[] = [
  [[0xff, 0xfe], 'it is UTF-16: convert it to UTF-8'],
  [[0xfe, 0xff], 'it is UTF-16: convert it to UTF-8'],
  [[0x1f, 0x8b], 'it is compressed by gzip: decompress it first'],
  [[0x50, 0x4b, 0x03, 0x04], 'it is a ZIP archive: extract it first'],
  [[0x37, 0x7a, 0xbc, 0xaf], 'it is a 7z archive: extract it first'],
  [[0x28, 0xb5, 0x2f, 0xfd], 'it is compressed by zstd: decompress it first'],
];

/** Start of the text, after a byte order mark. */
function textStart(bytes: Buffer): number {
  for (const [mark, problem] of FOREIGN) {
    if (mark.every((byte, index) => bytes[index] === byte)) throw new Error(problem);
  }
  return bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
}
