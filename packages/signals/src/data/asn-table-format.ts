import { NumberReader } from './number-columns.ts';

/*
 * The file of address ranges: one line of JSON that a person can read, then the compressed body.
 *
 * The body is six columns of unsigned LEB128 numbers and the names. Ranges are stored as a partition of the address
 * space: each entry contains the start of a range and its owner until the next entry; owner 0 is none. Sorted numbers
 * are stored as differences, which compress to a fraction.
 */

export const FORMAT_VERSION = 1;

export type AsnTableHeader = {
  format: 'vouchgraph-asn-table';
  formatVersion: number;
  source: string;
  sourceVersion: string;
  /** When the ranges were published, YYYY-MM-DD. */
  dataDate: string;
  licence: string;
  attribution: string;
  systems: number;
  ipv4Entries: number;
  ipv6Entries: number;
};

/** Where each range starts and the index, from 1, of the autonomous system that has it. */
export type Partition = { starts: Uint32Array; owners: Uint32Array };

export type AsnTableBody = {
  /** Autonomous system numbers, ascending. */
  numbers: Uint32Array;
  /** Their names in UTF-8, one after the other; name i lies between nameEnds[i − 1] and nameEnds[i]. */
  names: Uint8Array;
  nameEnds: Uint32Array;
  /** One word an entry. */
  ipv4: Partition;
  /** Four words an entry, the most significant first. */
  ipv6: Partition;
};

/** Reads a body; tools/data/asn-ranges.ts writes it. The counts come from the header. */
export function decodeBody(bytes: Uint8Array, header: AsnTableHeader): AsnTableBody {
  const { systems, ipv4Entries, ipv6Entries } = header;
  const reader = new NumberReader(bytes);
  const numbers = reader.ascending(systems);
  const nameEnds = reader.ascending(systems);
  const ipv4 = { starts: reader.ascending(ipv4Entries), owners: reader.column(ipv4Entries) };
  const starts = new Uint32Array(ipv6Entries * 4);
  for (let word = 0; word < 4; word++) {
    const column = word === 0 ? reader.ascending(ipv6Entries) : reader.column(ipv6Entries);
    for (let index = 0; index < ipv6Entries; index++) starts[index * 4 + word] = column[index]!;
  }
  const owners = reader.column(ipv6Entries);
  return { numbers, nameEnds, ipv4, ipv6: { starts, owners }, names: reader.rest() };
}
