import { closeSync, openSync, readSync, rmSync, writeSync } from 'node:fs';
import { ENTRY_BYTES, writeEntry } from './entry.ts';
import { sortEntries } from './sort-entries.ts';

/** Entries per sort: 11 MB, and twice as much during the sort. */
const CHUNK_ENTRIES = 2 ** 19;
/** Entries of each sorted run in memory while runs are merged: 64 KB. */
const RUN_BUFFER_ENTRIES = 2978;
const OUTPUT_ENTRIES = 16_384;

export type EntrySorter = {
  add(hash: Buffer, position: number): void;
  /** All entries in ascending order, without duplicates, in blocks of whole entries. A block is valid until the next. */
  sorted(): Generator<Buffer>;
  close(): void;
};

/** Sorts more entries than fit in memory: sorted runs in a temporary file, merged when all are known. */
export function createEntrySorter(temporaryFile: string, chunkEntries = CHUNK_ENTRIES): EntrySorter {
  const file = openSync(temporaryFile, 'w+', 0o600);
  const chunk = Buffer.allocUnsafe(chunkEntries * ENTRY_BYTES);
  const runs: { start: number; end: number }[] = [];
  let filled = 0;
  let written = 0;

  function endRun(): void {
    if (filled === 0) return;
    const bytes = sortEntries(chunk.subarray(0, filled));
    writeAll(file, bytes, written);
    runs.push({ start: written, end: written + bytes.length });
    written += bytes.length;
    filled = 0;
  }

  return {
    add(hash, position) {
      if (filled === chunk.length) endRun();
      writeEntry(chunk, filled, hash, position);
      filled += ENTRY_BYTES;
    },
    *sorted() {
      endRun();
      yield* withoutRepeats(mergeRuns(runs.map((run) => createRunReader(file, run))));
    },
    close() {
      closeSync(file);
      rmSync(temporaryFile, { force: true });
    },
  };
}

/** A sorted run; `at` is the position of its next entry in `buffer`. */
type RunReader = { buffer: Buffer; at: number; key: number; advance(): boolean };

function createRunReader(file: number, run: { start: number; end: number }): RunReader {
  const own = Buffer.allocUnsafe(Math.min(RUN_BUFFER_ENTRIES * ENTRY_BYTES, run.end - run.start));
  let next = run.start;
  const reader: RunReader = {
    buffer: own.subarray(0, 0),
    at: 0,
    key: 0,
    advance() {
      reader.at += ENTRY_BYTES;
      if (reader.at >= reader.buffer.length) {
        if (next === run.end) return false;
        const length = Math.min(own.length, run.end - next);
        readAll(file, own, length, next);
        reader.buffer = own.subarray(0, length);
        reader.at = 0;
        next += length;
      }
      // Most comparisons end within six bytes, which are a number.
      reader.key = reader.buffer.readUIntBE(reader.at, 6);
      return true;
    },
  };
  reader.advance();
  return reader;
}

/** The entries of all runs in order, one at a time, from a binary heap of the runs. */
function* mergeRuns(heap: RunReader[]): Generator<RunReader> {
  for (let index = (heap.length >> 1) - 1; index >= 0; index--) sink(heap, index);
  while (heap.length > 0) {
    const first = heap[0]!;
    yield first;
    if (!first.advance()) {
      const last = heap.pop()!;
      if (last === first) continue;
      heap[0] = last;
    }
    sink(heap, 0);
  }
}

function sink(heap: RunReader[], from: number): void {
  let index = from;
  for (;;) {
    const left = 2 * index + 1;
    if (left >= heap.length) return;
    const right = left + 1;
    const least = right < heap.length && isBefore(heap[right]!, heap[left]!) ? right : left;
    if (!isBefore(heap[least]!, heap[index]!)) return;
    [heap[least], heap[index]] = [heap[index]!, heap[least]!];
    index = least;
  }
}

function isBefore(a: RunReader, b: RunReader): boolean {
  if (a.key !== b.key) return a.key < b.key;
  return a.buffer.compare(b.buffer, b.at, b.at + ENTRY_BYTES, a.at, a.at + ENTRY_BYTES) < 0;
}

function* withoutRepeats(entries: Iterable<RunReader>): Generator<Buffer> {
  const output = Buffer.allocUnsafe(OUTPUT_ENTRIES * ENTRY_BYTES);
  const last = Buffer.alloc(ENTRY_BYTES);
  let filled = 0;
  let isFirst = true;
  for (const { buffer, at } of entries) {
    if (!isFirst && buffer.compare(last, 0, ENTRY_BYTES, at, at + ENTRY_BYTES) === 0) continue;
    isFirst = false;
    buffer.copy(last, 0, at, at + ENTRY_BYTES);
    if (filled === output.length) {
      yield output;
      filled = 0;
    }
    last.copy(output, filled);
    filled += ENTRY_BYTES;
  }
  if (filled > 0) yield output.subarray(0, filled);
}

/** Writes all bytes: one call may write fewer. */
export function writeAll(file: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; )
    done += writeSync(file, bytes, done, bytes.length - done, position + done);
}

/** Reads this number of bytes; throws when the file ends before. */
export function readAll(file: number, target: Buffer, length: number, position: number): void {
  for (let done = 0; done < length; ) {
    const read = readSync(file, target, done, length - done, position + done);
    if (read === 0) throw new Error('the file is cut off');
    done += read;
  }
}
