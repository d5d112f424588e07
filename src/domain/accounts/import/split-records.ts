import type { FileHandle } from 'node:fs/promises';
import { type RecordScanner, withoutLineEnd } from '@vouchgraph/platform/csv';

/** Position of a record: byte offset, and number of its first line. */
export type Position = { readonly byte: number; readonly line: number };

/** The bytes of a record without its line end, or its problem. `next` is the position of the next record. */
export type RawRecord = { line: number; next: Position } & ({ bytes: Buffer } | { problem: string });

const RECORD_BYTES = 65_536;
const TOO_LONG = `longer than ${RECORD_BYTES.toLocaleString('en')} bytes`;
const LINE_END_BYTES = 2;
const CHUNK_BYTES = 256 * 1024;
const LF = 0x0a;

/** Reads the records of a file from a position, grouped by chunk. Buffers at most one chunk and one record. */
export async function* splitRecords(
  file: FileHandle,
  newScanner: () => RecordScanner,
  from: Position,
): AsyncGenerator<RawRecord[]> {
  let record = openRecord(newScanner(), from);
  let byte = from.byte;
  for (;;) {
    const chunk = await readChunk(file, byte);
    const isEnd = chunk.length === 0;
    if (isEnd && byte === record.start.byte) return;
    const records: RawRecord[] = [];
    let index = 0;
    do {
      const isClosed = isEnd ? endRecord(record) : extendRecord(record, chunk, index);
      index = record.start.byte + record.length - byte;
      if (!isClosed) break;
      const raw = closeRecord(record);
      records.push(raw);
      // After an invalid record this is before the scanned bytes, possibly in an earlier chunk.
      index = raw.next.byte - byte;
      record = openRecord(newScanner(), raw.next);
    } while (index >= 0 && index < chunk.length);
    byte += index;
    if (records.length > 0) yield records;
  }
}

async function readChunk(file: FileHandle, position: number): Promise<Buffer> {
  const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(CHUNK_BYTES), 0, CHUNK_BYTES, position);
  return buffer.subarray(0, bytesRead);
}

type OpenRecord = { scanner: RecordScanner; start: Position; length: number; parts: Buffer[] };

function openRecord(scanner: RecordScanner, start: Position): OpenRecord {
  return { scanner, start, length: 0, parts: [] };
}

function endRecord({ scanner }: OpenRecord): true {
  scanner.endOfFile();
  return true;
}

/** Adds the chunk's part of the record; true at the end of the record. */
function extendRecord(record: OpenRecord, chunk: Buffer, from: number): boolean {
  const end = record.scanner.scan(chunk, from);
  const part = chunk.subarray(from, end < 0 ? chunk.length : end);
  record.length += part.length;
  if (record.length <= RECORD_BYTES + LINE_END_BYTES) record.parts.push(part);
  else record.parts = [];
  return end >= 0;
}

function closeRecord({ scanner, start, length, parts }: OpenRecord): RawRecord {
  const { line } = start;
  if (scanner.problem !== null) {
    const next = { byte: start.byte + scanner.firstLineBytes, line: line + 1 };
    return { line, next, problem: scanner.problem };
  }
  const next = { byte: start.byte + length, line: line + scanner.lines };
  if (length > RECORD_BYTES + LINE_END_BYTES) return { line, next, problem: TOO_LONG };
  const bytes = withoutLineEnd(parts.length === 1 ? parts[0]! : Buffer.concat(parts));
  return bytes.length > RECORD_BYTES ? { line, next, problem: TOO_LONG } : { line, next, bytes };
}

/** Scanner for records of one line. */
export function newLineScanner(): RecordScanner {
  return {
    scan: (chunk, from) => chunk.indexOf(LF, from) + 1 || -1,
    endOfFile: () => {},
    lines: 1,
    problem: null,
    firstLineBytes: 0,
  };
}
