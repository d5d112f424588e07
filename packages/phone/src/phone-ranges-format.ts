import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import { PrefixTable } from './prefix-table.ts';

/*
 * The file of number ranges: one line of readable JSON, then the compressed tables in sequence. A table is the names of its
 * prefixes (lines of UTF-8), its prefixes (differences from the previous one, as LEB128) and the position of the name of
 * each prefix (16 bits, low byte first).
 */

const FORMAT_VERSION = 1;

const RANGE_TABLES = ['carriers', 'regions', 'timezones'] as const;
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

/** Tables of names by prefixes of international numbers (digits without `+`). */
export type PrefixRows = readonly (readonly [prefix: string, name: string])[];

/** Writes the file; the same content gives the same bytes. */
export function encodePhoneRanges(
  about: Pick<PhoneRangesHeader, 'source' | 'sourceVersion' | 'licence' | 'attribution'>,
  rows: Record<RangeTable, PrefixRows>,
): Buffer {
  const encoded = RANGE_TABLES.map((table) => [table, encodeTable(rows[table])] as const);
  const header: PhoneRangesHeader = {
    format: 'vouchgraph-phone-ranges',
    formatVersion: FORMAT_VERSION,
    ...about,
    tables: Object.fromEntries(encoded.map(([table, { sizes }]) => [table, sizes])) as never,
  };
  const compressed = zstdCompressSync(Buffer.concat(encoded.flatMap(([, { parts }]) => parts)), {
    params: { [constants.ZSTD_c_compressionLevel]: 19, [constants.ZSTD_c_checksumFlag]: 1 },
  });
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), compressed]);
}

function encodeTable(rows: PrefixRows) {
  const sorted = rows.map(([prefix, name]) => [Number(prefix), name] as const).sort(([a], [b]) => a - b);
  const names = [...new Set(sorted.map(([, name]) => name))].sort();
  if (names.length > 0x10000) throw new Error('more names than 16 bits can number');
  const positions = new Map(names.map((name, position) => [name, position]));
  const prefixes: number[] = [];
  const values = Buffer.alloc(sorted.length * 2);
  let before = 0;
  for (const [index, [prefix, name]] of sorted.entries()) {
    for (let rest = prefix - before; ; rest >>>= 7) {
      prefixes.push(rest < 0x80 ? rest : (rest & 0x7f) | 0x80);
      if (rest < 0x80) break;
    }
    before = prefix;
    values.writeUInt16LE(positions.get(name)!, index * 2);
  }
  const text = Buffer.from(names.join('\n'));
  const sizes = {
    prefixes: sorted.length,
    names: names.length,
    nameBytes: text.length,
    prefixBytes: prefixes.length,
  };
  return { sizes, parts: [text, Buffer.from(prefixes), values] };
}

/** Reads what encodePhoneRanges wrote; throws when the bytes are not of this format and version. */
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
