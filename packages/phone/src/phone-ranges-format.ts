import { zstdDecompressSync } from 'node:zlib';
import { PrefixTable } from './prefix-table.ts';

/*
 * The file of number ranges: one line of readable JSON, then the compressed tables in sequence. A table is the names of its
 * prefixes (lines of UTF-8), its prefixes (differences from the previous one, as LEB128) and the position of the name of
 * each prefix (16 bits, low byte first).
 */

export const FORMAT_VERSION = 1;

export const RANGE_TABLES = ['carriers', 'regions', 'timezones'] as const;
export type RangeTable = (typeof RANGE_TABLES)[number];

export type PhoneRangesHeader = {
  format: 'vouchgraph-phone-ranges';
  formatVersion: number;
  source: string;
  sourceVersion: string;
  licence: string;
  attribution: string;
  tables: Record<RangeTable, { prefixes: number; names: number; nameBytes: number; prefixBytes: number }>;
};

/** Reads the file, which tools/data/encode-phone-ranges.ts writes; throws when the bytes are not of this format and version. */
export function decodePhoneRanges(file: Uint8Array): {
  header: PhoneRangesHeader;
  tables: Record<RangeTable, PrefixTable>;
} {
  const end = file.indexOf(0x0a);
  const header = JSON.parse(Buffer.from(file.subarray(0, end)).toString()) as PhoneRangesHeader;
  if (header.formatVersion !== FORMAT_VERSION) {
    throw new Error(
      `format version ${header.formatVersion}, expected ${FORMAT_VERSION}; run npm run build:carriers`,
    );
  }
  const body = zstdDecompressSync(file.subarray(end + 1));
  let at = 0;
  const take = (bytes: number) => {
    at += bytes;
    return body.subarray(at - bytes, at);
  };
  const tables = RANGE_TABLES.map((table) => {
    const { prefixes, nameBytes, prefixBytes } = header.tables[table];
    const names = take(nameBytes).toString().split('\n');
    const keys = decodePrefixes(take(prefixBytes), prefixes);
    const values = take(prefixes * 2);
    const positions = Uint16Array.from({ length: prefixes }, (_, index) => values.readUInt16LE(index * 2));
    return [table, new PrefixTable(keys, positions, names)] as const;
  });
  return { header, tables: Object.fromEntries(tables) as Record<RangeTable, PrefixTable> };
}

function decodePrefixes(bytes: Uint8Array, count: number): Uint32Array {
  const prefixes = new Uint32Array(count);
  let at = 0;
  let before = 0;
  for (let index = 0; index < count; index += 1) {
    let difference = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = bytes[at++]!;
      difference |= (byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    before += difference;
    prefixes[index] = before;
  }
  return prefixes;
}
