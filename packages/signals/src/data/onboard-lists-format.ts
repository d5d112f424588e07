import { zstdDecompressSync } from 'node:zlib';
import type { RangeTable } from '../feeds/range-set.ts';
import { NumberReader } from './number-columns.ts';

/*
 * The file of built-in lists: one line of JSON that a person can read, then the compressed body: for each list the starts
 * and tags of its parts, IPv4 then IPv6, as columns of unsigned LEB128 numbers. Tag 0 is "not on the list".
 */

export const ONBOARD_FORMAT_VERSION = 1;

export type OnboardListHeader = {
  name: string;
  kind: 'vpn' | 'tor' | 'relay';
  /** Date of the list, YYYY-MM-DD. */
  asOf: string;
  source: string;
  licence: string;
  /** Tags of entries: the service, and a confidence where it differs from the kind's. */
  tags: { provider: string; confidence: number | null }[];
  ipv4Entries: number;
  ipv6Entries: number;
};

export type OnboardHeader = {
  format: 'vouchgraph-network-lists';
  formatVersion: number;
  lists: OnboardListHeader[];
};

/** Reads the file; throws when it is not of this format and version. */
export function decodeOnboardLists(file: Uint8Array): { header: OnboardHeader; tables: RangeTable[] } {
  const line = file.indexOf(0x0a);
  const header = JSON.parse(Buffer.from(file.subarray(0, line)).toString()) as OnboardHeader;
  if (header.formatVersion !== ONBOARD_FORMAT_VERSION)
    throw new Error(`format version ${header.formatVersion}, expected ${ONBOARD_FORMAT_VERSION}`);
  const reader = new NumberReader(zstdDecompressSync(file.subarray(line + 1)));
  const tables = header.lists.map(({ ipv4Entries, ipv6Entries }): RangeTable => {
    const starts4 = reader.ascending(ipv4Entries);
    const tags4 = tagsOf(reader.column(ipv4Entries));
    const starts6 = new Uint32Array(ipv6Entries * 4);
    for (let word = 0; word < 4; word++) {
      const column = word === 0 ? reader.ascending(ipv6Entries) : reader.column(ipv6Entries);
      for (const [index, value] of column.entries()) starts6[index * 4 + word] = value;
    }
    return { starts4, tags4, starts6, tags6: tagsOf(reader.column(ipv6Entries)) };
  });
  return { header, tables };
}

function tagsOf(column: Uint32Array): Int32Array {
  return Int32Array.from(column, (value) => value - 1);
}
