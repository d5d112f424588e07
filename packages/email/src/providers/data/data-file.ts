import { closeSync, fstatSync, openSync } from 'node:fs';
import type { HashAlgorithm } from '../spelled-hashes.ts';
import { type DataFooter, type DataSection, dataFooter } from './data-manifest.ts';
import type { DataRecord } from './data-record.ts';
import { ENTRY_BYTES, HASH_BYTES, PREFIXES, positionOf, prefixOf } from './entry.ts';
import { readAll, writeAll } from './entry-sorter.ts';

/*
 * An imported file: records, then for each algorithm the entries in ascending order and a table of the start of each
 * prefix, then the footer as JSON, its length in 4 bytes, and the magic number.
 */

const MAGIC = Buffer.from('VGMAIL01');
const TRAILER_BYTES = 4 + MAGIC.length;
const MAX_FOOTER_BYTES = 256 * 1024;
/** Entries per read: 11 KB. */
const BLOCK_ENTRIES = 512;
/** Sections of up to 4 MB are kept in memory. */
const MAX_RESIDENT_ENTRIES = Math.floor((4 * 1024 * 1024) / ENTRY_BYTES);
/** Maximum number of breaches of one address in a file; further ones are omitted. */
const MAX_RECORDS = 1000;
const MAX_REMEMBERED_RECORDS = 1000;
const RECORD_GUESS_BYTES = 1024;

/** An imported file, open for look-ups: memory use does not depend on its size. */
export type DataFile = {
  readonly footer: DataFooter;
  /** Algorithms that it has digests of. */
  readonly algorithms: readonly HashAlgorithm[];
  /** Distinct records of a digest; empty when it is not listed. Throws when the file cannot be read. */
  find(algorithm: HashAlgorithm, digest: Buffer): DataRecord[];
  close(): void;
};

/** Writes the parts after the body. */
export function appendFooter(file: number, footer: DataFooter): void {
  const json = Buffer.from(JSON.stringify(footer));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(json.length);
  writeAll(file, Buffer.concat([json, length, MAGIC]), footer.bodyBytes);
}

/** Opens an imported file. Throws a message of one line for another or an incomplete file. */
export function openDataFile(path: string): DataFile {
  const file = openSync(path, 'r');
  try {
    const footer = readFooter(file);
    const sections = new Map(
      footer.sections.map((section) => [section.algorithm, openSection(file, section)]),
    );
    const readRecord = recordReader(file, footer);
    return {
      footer,
      algorithms: [...sections.keys()],
      find: (algorithm, digest) => (sections.get(algorithm)?.(digest) ?? []).map(readRecord),
      close: () => closeSync(file),
    };
  } catch (error) {
    closeSync(file);
    throw error;
  }
}

/** Reads the footer alone. */
export function readDataFooter(path: string): DataFooter {
  const file = openSync(path, 'r');
  try {
    return readFooter(file);
  } finally {
    closeSync(file);
  }
}

function readFooter(file: number): DataFooter {
  const { size } = fstatSync(file);
  const trailer = Buffer.alloc(TRAILER_BYTES);
  if (size >= TRAILER_BYTES) readAll(file, trailer, TRAILER_BYTES, size - TRAILER_BYTES);
  if (!trailer.subarray(4).equals(MAGIC))
    throw new Error('the file is not an imported file, or is incomplete');
  const length = trailer.readUInt32BE();
  const bodyBytes = size - TRAILER_BYTES - length;
  if (length > MAX_FOOTER_BYTES || bodyBytes < 0) throw new Error('the file is damaged');
  const json = Buffer.alloc(length);
  readAll(file, json, length, bodyBytes);
  const parsed = dataFooter.safeParse(parseJson(json.toString()));
  if (!parsed.success || parsed.data.bodyBytes !== bodyBytes || !fits(parsed.data))
    throw new Error('the file is damaged or has another version');
  return parsed.data;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function fits({ sections, recordsAt, recordsBytes, bodyBytes }: DataFooter): boolean {
  return (
    recordsAt + recordsBytes <= bodyBytes &&
    sections.every(
      ({ entries, entriesAt, prefixesAt }) =>
        entriesAt + entries * ENTRY_BYTES <= bodyBytes && prefixesAt + (PREFIXES + 1) * 4 <= bodyBytes,
    )
  );
}

/** Returns a function that finds the positions of the records of a digest. */
function openSection(file: number, { entries, entriesAt, prefixesAt }: DataSection) {
  const starts = readPrefixes(file, prefixesAt);
  const isResident = entries <= MAX_RESIDENT_ENTRIES;
  const block = Buffer.alloc((isResident ? entries : BLOCK_ENTRIES) * ENTRY_BYTES);
  // The entries in the block.
  let [from, to] = [0, 0];

  function load(first: number): void {
    from = first;
    to = Math.min(entries, first + block.length / ENTRY_BYTES);
    readAll(file, block, (to - from) * ENTRY_BYTES, entriesAt + from * ENTRY_BYTES);
  }

  /** Position of an entry in the block; loads the entries from `first` on when it is not among them. */
  function at(index: number, first = index): number {
    if (index < from || index >= to) load(first);
    return (index - from) * ENTRY_BYTES;
  }

  if (isResident) load(0);

  return function findPositions(digest: Buffer): number[] {
    const prefix = prefixOf(digest);
    let low = starts[prefix]!;
    const end = starts[prefix + 1]!;
    let high = end;
    while (low < high) {
      const middle = (low + high) >>> 1;
      // A range that fits into a block is read completely.
      const first = high - low <= BLOCK_ENTRIES ? low : middle;
      const entry = at(middle, first);
      if (block.compare(digest, 0, HASH_BYTES, entry, entry + HASH_BYTES) < 0) low = middle + 1;
      else high = middle;
    }
    const found: number[] = [];
    for (; low < end && found.length < MAX_RECORDS; low++) {
      const entry = at(low);
      if (block.compare(digest, 0, HASH_BYTES, entry, entry + HASH_BYTES) !== 0) break;
      found.push(positionOf(block, entry));
    }
    return found;
  };
}

function readPrefixes(file: number, prefixesAt: number): Uint32Array {
  const table = Buffer.alloc((PREFIXES + 1) * 4);
  readAll(file, table, table.length, prefixesAt);
  return Uint32Array.from({ length: PREFIXES + 1 }, (_, index) => table.readUInt32BE(index * 4));
}

/** Returns a function that reads the record at a position; the latest are remembered. */
function recordReader(file: number, { recordsAt, recordsBytes }: DataFooter) {
  const remembered = new Map<number, DataRecord>();
  const guess = Buffer.alloc(RECORD_GUESS_BYTES);

  function read(position: number): DataRecord {
    const remaining = recordsBytes - position;
    if (remaining < 4) throw new Error('the file is damaged');
    const begun = Math.min(guess.length, remaining);
    readAll(file, guess, begun, recordsAt + position);
    const length = guess.readUInt32BE();
    if (length > remaining - 4) throw new Error('the file is damaged');
    if (length <= begun - 4) return JSON.parse(guess.toString('utf8', 4, 4 + length));
    const json = Buffer.alloc(length);
    readAll(file, json, length, recordsAt + position + 4);
    return JSON.parse(json.toString());
  }

  return (position: number): DataRecord => {
    const known = remembered.get(position);
    if (known) return known;
    const record = read(position);
    if (remembered.size >= MAX_REMEMBERED_RECORDS) remembered.clear();
    remembered.set(position, record);
    return record;
  };
}
