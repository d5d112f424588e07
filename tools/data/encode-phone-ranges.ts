import { constants, zstdCompressSync } from 'node:zlib';
import {
  FORMAT_VERSION,
  type PhoneRangesHeader,
  RANGE_TABLES,
  type RangeTable,
} from '@vouchgraph/phone/internals/phone-ranges-format';

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
