import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { zstdDecompressSync } from 'node:zlib';
import type { IpNumber } from '@vouchgraph/platform/ip/ip-number';
import type { IpRange } from '@vouchgraph/platform/ip/ip-range';
import {
  type AsnTableBody,
  type AsnTableHeader,
  decodeBody,
  FORMAT_VERSION,
  type Partition,
} from './asn-table-format.ts';

/** The file that `npm run build:data` writes and the service loads. */
export const ASN_TABLE_FILE = fileURLToPath(new URL('../../data/asn-table.bin', import.meta.url));

/** Maps addresses to the autonomous systems that announce them. */
export type AsnTable = {
  header: AsnTableHeader;
  /** Number of systems. Their indexes run from 0 to `size` − 1. */
  size: number;
  /** Index of the system that announces the address, −1 for none. */
  indexOf(ip: IpNumber): number;
  numberAt(index: number): number;
  nameAt(index: number): string;
  /** Number of IPv4 addresses that each system announces, by index. Reads the whole table. */
  ipv4Sizes(): Float64Array;
  /** The ranges that a system announces. Reads the whole table. */
  rangesOf(index: number): IpRange[];
};

/** Reads the table from its file. */
export async function loadAsnTable(path = ASN_TABLE_FILE): Promise<AsnTable> {
  return parseAsnTable(await readFile(path));
}

/** Reads the table from the file's bytes; throws when they are not of this format and version. */
export function parseAsnTable(file: Uint8Array): AsnTable {
  const line = file.indexOf(0x0a);
  const header = JSON.parse(Buffer.from(file.subarray(0, line)).toString()) as AsnTableHeader;
  if (header.formatVersion !== FORMAT_VERSION) {
    throw new Error(
      `format version ${header.formatVersion}, expected ${FORMAT_VERSION}; run npm run build:data`,
    );
  }
  return asnTableOf(header, decodeBody(zstdDecompressSync(file.subarray(line + 1)), header));
}

function asnTableOf(
  header: AsnTableHeader,
  { numbers, nameEnds, ipv4, ipv6, names: nameBytes }: AsnTableBody,
): AsnTable {
  // A copy, since the bytes are a view that keeps all of the decompressed table.
  const names = Buffer.from(nameBytes);
  return {
    header,
    size: numbers.length,
    indexOf: (ip) =>
      (ip.version === 4
        ? (ipv4.owners[entryOfIpv4(ipv4.starts, ip.value)] ?? 0)
        : (ipv6.owners[entryOfIpv6(ipv6.starts, ip.words)] ?? 0)) - 1,
    numberAt: (index) => numbers[index]!,
    nameAt: (index) => names.toString('utf8', nameEnds[index - 1] ?? 0, nameEnds[index]),
    rangesOf: (index) => [
      ...partsOf(ipv4.owners, index, (at) => BigInt(ipv4.starts[at] ?? 2 ** 32), 4),
      ...partsOf(ipv6.owners, index, (at) => startOfIpv6(ipv6.starts, at), 6),
    ],
    ipv4Sizes: () => sizesOf(ipv4, numbers.length),
  };
}

function partsOf(
  owners: Uint32Array,
  index: number,
  startOf: (at: number) => bigint,
  version: 4 | 6,
): IpRange[] {
  const parts: IpRange[] = [];
  for (const [at, owner] of owners.entries())
    if (owner === index + 1) parts.push({ version, start: startOf(at), end: startOf(at + 1) - 1n });
  return parts;
}

function startOfIpv6(starts: Uint32Array, at: number): bigint {
  if (at * 4 >= starts.length) return 1n << 128n;
  return starts.subarray(at * 4, at * 4 + 4).reduce((value, word) => (value << 32n) | BigInt(word), 0n);
}

function sizesOf({ starts, owners }: Partition, systems: number): Float64Array {
  const sizes = new Float64Array(systems);
  for (const [index, owner] of owners.entries()) {
    if (owner > 0) sizes[owner - 1]! += (starts[index + 1] ?? 2 ** 32) - starts[index]!;
  }
  return sizes;
}

/** The last entry that starts at or before the address, by binary search; −1 when the first starts after it. */
export function entryOfIpv4(starts: Uint32Array, value: number): number {
  let low = 0;
  let high = starts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (starts[middle]! <= value) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The same for four words an entry. */
export function entryOfIpv6(starts: Uint32Array, words: readonly [number, number, number, number]): number {
  let low = 0;
  let high = starts.length >>> 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (startsAtOrBefore(starts, middle * 4, words)) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

function startsAtOrBefore(starts: Uint32Array, at: number, words: readonly number[]): boolean {
  for (let word = 0; word < 4; word++) {
    const start = starts[at + word]!;
    if (start !== words[word]) return start < words[word]!;
  }
  return true;
}
