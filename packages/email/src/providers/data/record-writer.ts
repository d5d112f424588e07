import type { DataRecord } from './data-record.ts';
import { writeAll } from './entry-sorter.ts';

const BUFFER_BYTES = 256 * 1024;
/** Number of records with a cached position, so that equal records are written once. */
const MAX_REMEMBERED = 50_000;

export type RecordWriter = {
  /** Position of the record. Writes the record unless an equal one is cached. */
  positionOf(record: DataRecord): number;
  /** Flushes the buffer and returns the length of all records. */
  end(): number;
};

/** Writes records from the beginning of a file: each as the length of its JSON in 4 bytes, and the JSON. */
export function createRecordWriter(file: number): RecordWriter {
  const remembered = new Map<string, number>();
  const buffer = Buffer.allocUnsafe(BUFFER_BYTES);
  let filled = 0;
  let written = 0;
  let last: { record: DataRecord; position: number } | null = null;

  function flush(): void {
    writeAll(file, buffer.subarray(0, filled), written);
    written += filled;
    filled = 0;
  }

  function append(json: string): number {
    const bytes = Buffer.byteLength(json);
    if (filled + 4 + bytes > buffer.length) flush();
    const position = written + filled;
    filled = buffer.writeUInt32BE(bytes, filled);
    filled += buffer.write(json, filled);
    return position;
  }

  return {
    positionOf(record) {
      if (last?.record === record) return last.position;
      const json = JSON.stringify(record);
      let position = remembered.get(json);
      if (position === undefined) {
        position = append(json);
        if (remembered.size >= MAX_REMEMBERED) remembered.clear();
        remembered.set(json, position);
      }
      last = { record, position };
      return position;
    },
    end() {
      flush();
      return written;
    },
  };
}
