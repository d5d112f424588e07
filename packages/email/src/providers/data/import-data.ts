import { closeSync, fsyncSync, openSync, readdirSync, statSync } from 'node:fs';
import path from 'node:path';
import { HASH_ALGORITHMS, type HashAlgorithm } from '../spelled-hashes.ts';
import { appendFooter } from './data-file.ts';
import type { DataDescription, DataFooter, DataSection, LineProblem } from './data-manifest.ts';
import { ENTRY_BYTES, PREFIXES, prefixOf } from './entry.ts';
import { createEntrySorter, type EntrySorter, writeAll } from './entry-sorter.ts';
import { hashLineReader, prefixOfFile, rangeLineReader } from './read-hash-lines.ts';
import { type LineReceiver, readLines } from './read-lines.ts';
import { csvReader, ndjsonReader } from './read-table.ts';
import { createRecordWriter } from './record-writer.ts';
import type { RowSink } from './row-sink.ts';

const MAX_EXAMPLES = 5;
/** Positions in the table of prefixes have 32 bits. */
const MAX_ENTRIES = 2 ** 32 - 1;

export type ImportOptions = {
  readonly description: DataDescription;
  /** The file to import; for ranges also a folder of them. */
  readonly source: string;
  /** The file to write. */
  readonly target: string;
  /** An existing folder for temporary files. */
  readonly scratch: string;
  readonly now?: Date;
  /** Receives the bytes read so far and those of all files. */
  readonly onProgress?: (read: number, total: number) => void;
  readonly chunkEntries?: number;
};

/**
 * Imports a file of hashes: sorts it with memory that does not depend on its size, and writes the file for look-ups. Throws
 * a message of one line when no line, or fewer than half of them, can be parsed.
 */
export function importData(options: ImportOptions): DataFooter {
  const { description, target, scratch, chunkEntries } = options;
  const file = openSync(target, 'wx', 0o600);
  const sorters = new Map<HashAlgorithm, EntrySorter>();
  const records = createRecordWriter(file);
  try {
    const counts = readSource(options, (algorithm, hash, record) => {
      let sorter = sorters.get(algorithm);
      if (!sorter) {
        sorter = createEntrySorter(path.join(scratch, algorithm), chunkEntries);
        sorters.set(algorithm, sorter);
      }
      sorter.add(hash, records.positionOf(record));
    });
    refuseUnreadable(counts, description.format);
    const recordsBytes = records.end();
    let at = recordsBytes;
    const sections: DataSection[] = [];
    for (const algorithm of HASH_ALGORITHMS) {
      const sorter = sorters.get(algorithm);
      if (!sorter) continue;
      const section = writeSection(file, at, algorithm, sorter);
      sections.push(section);
      at = section.prefixesAt + (PREFIXES + 1) * 4;
    }
    const footer: DataFooter = {
      description,
      imported_at: (options.now ?? new Date()).toISOString(),
      ...counts,
      sections,
      recordsAt: 0,
      recordsBytes,
      bodyBytes: at,
    };
    appendFooter(file, footer);
    fsyncSync(file);
    return footer;
  } finally {
    for (const sorter of sorters.values()) sorter.close();
    closeSync(file);
  }
}

function writeSection(
  file: number,
  entriesAt: number,
  algorithm: HashAlgorithm,
  sorter: EntrySorter,
): DataSection {
  // Where the entries of each prefix begin, and where the last ones end.
  const starts = new Uint32Array(PREFIXES + 1);
  let at = entriesAt;
  for (const block of sorter.sorted()) {
    for (let entry = 0; entry < block.length; entry += ENTRY_BYTES) starts[prefixOf(block, entry) + 1]! += 1;
    writeAll(file, block, at);
    at += block.length;
  }
  const entries = (at - entriesAt) / ENTRY_BYTES;
  if (entries > MAX_ENTRIES) throw new Error(`the file has more than ${MAX_ENTRIES} hashes`);
  for (let prefix = 0; prefix < PREFIXES; prefix++) starts[prefix + 1]! += starts[prefix]!;
  const table = Buffer.alloc(starts.length * 4);
  for (const [index, start] of starts.entries()) table.writeUInt32BE(start, index * 4);
  writeAll(file, table, at);
  return { algorithm, entries, entriesAt, prefixesAt: at };
}

type Counts = Pick<DataFooter, 'rows' | 'bad_lines' | 'bad_values' | 'padding_lines' | 'examples'>;

/** Reads all files of the source, and counts. */
function readSource({ description, source, onProgress }: ImportOptions, add: RowSink['add']): Counts {
  const counts: Counts = { rows: 0, bad_lines: 0, bad_values: 0, padding_lines: 0, examples: [] };
  const files = filesOf(source, description.format);
  const total = files.reduce((sum, file) => sum + statSync(file).size, 0);
  const isFolder = files.length !== 1 || files[0] !== source;
  let read = 0;
  for (const file of files) {
    const note = (line: number, reason: string) => {
      const example: LineProblem = isFolder ? { line, reason, file: path.basename(file) } : { line, reason };
      if (counts.examples.length < MAX_EXAMPLES) counts.examples.push(example);
    };
    const sink: RowSink = {
      add,
      row: () => void counts.rows++,
      bad(line, reason) {
        counts.bad_lines++;
        note(line, reason);
      },
      badValue(line, reason) {
        counts.bad_values++;
        note(line, reason);
      },
      padding: () => void counts.padding_lines++,
    };
    const prefix = isFolder ? prefixOfFile(path.basename(file)) : '';
    if (prefix === null) {
      sink.bad(0, 'its name must be a prefix of 5 or 6 hexadecimal digits');
      continue;
    }
    readLines(file, {
      onLine: lineReader(description, sink, prefix),
      onLongLine: (line) => sink.bad(line, 'is longer than 64 KB'),
      onBytes: (bytes) => {
        read += bytes;
        onProgress?.(read, total);
      },
    });
  }
  return counts;
}

function filesOf(source: string, format: DataDescription['format']): string[] {
  if (!statSync(source).isDirectory()) return [source];
  if (format !== 'ranges') throw new Error('only ranges can be imported from a folder');
  return readdirSync(source, { withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.name.startsWith('.'))
    .map((entry) => path.join(source, entry.name))
    .sort();
}

function lineReader({ format, kind }: DataDescription, sink: RowSink, prefix: string): LineReceiver {
  switch (format) {
    case 'hashes':
      return hashLineReader(sink);
    case 'ranges':
      return rangeLineReader(sink, prefix);
    case 'csv':
      return csvReader(sink, kind);
    case 'ndjson':
      return ndjsonReader(sink, kind);
  }
}

function refuseUnreadable({ rows, bad_lines, examples }: Counts, format: string): void {
  const [first] = examples;
  const where =
    first && (first.file === undefined ? `line ${first.line}` : `${first.file}, line ${first.line}`);
  const shown = first ? ` (${where}: ${first.reason})` : '';
  if (rows === 0) throw new Error(`no line can be read as ${format}${shown}`);
  if (bad_lines > rows) throw new Error(`${bad_lines} of ${bad_lines + rows} lines cannot be read${shown}`);
}
