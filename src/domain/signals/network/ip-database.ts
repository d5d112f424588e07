import { Reader, type Response } from 'maxmind';
import type { IpNumber } from '../../../platform/ip/ip-number.ts';
import { ValueReader } from './ip-database-values.ts';

/** A MaxMind database that is asked by numbers. */
export type IpDatabase<Value> = {
  /** When it was built, YYYY-MM-DD. */
  readonly builtOn: string;
  /** What the database says of the address; null when nothing. */
  find(ip: IpNumber): Value | null;
};

/** Neighbouring addresses share records, and people come back: the latest stay as they were read. */
const SLOT_BITS = 14;

/** Between the tree and the data stand so many zeros. */
const SEPARATOR_BYTES = 16;

/**
 * Opens a database in the MaxMind DB file format (specification 2.0), making of each record what `read` says. The
 * package's reader takes addresses as text, which costs as much as the search itself; here it checks the file and
 * reads the metadata. Throws when the file is no such database.
 */
export function openIpDatabase<Value>(file: Buffer, read: (record: unknown) => Value): IpDatabase<Value> {
  const { metadata } = new Reader<Response>(file);
  const { nodeCount, searchTreeSize } = metadata;
  const reader = new ValueReader(file, searchTreeSize + SEPARATOR_BYTES);
  const recordOf = createSearch(file, metadata);
  const slots = new Uint32Array(2 ** SLOT_BITS);
  const values = new Array<Value | undefined>(2 ** SLOT_BITS);
  return {
    builtOn: metadata.buildEpoch.toISOString().slice(0, 10),
    find(ip) {
      const record = recordOf(ip);
      if (record <= nodeCount) return null;
      const slot = Math.imul(record, 0x9e3779b1) >>> (32 - SLOT_BITS);
      if (slots[slot] !== record) {
        values[slot] = read(reader.valueAt(record - nodeCount + searchTreeSize));
        slots[slot] = record;
      }
      return values[slot]!;
    },
  };
}

type Tree = Pick<Reader<Response>['metadata'], 'ipVersion' | 'nodeCount' | 'nodeByteSize' | 'recordSize'>;

/** Goes down the tree bit by bit, to a number above the count of nodes where there is a record. */
function createSearch(file: Buffer, { ipVersion, nodeCount, nodeByteSize, recordSize }: Tree) {
  const childOf = childReader(file, recordSize);
  const descend = (from: number, word: number, first = 31, last = 0) => {
    let node = from;
    for (let bit = first; bit >= last && node < nodeCount; bit--) {
      node = childOf(node * nodeByteSize, (word >>> bit) & 1);
    }
    return node;
  };
  // The first levels lie far apart in the file: that many steps would be as many waits for memory.
  const afterHalfWord = (root: number) =>
    Uint32Array.from({ length: 0x10000 }, (_, half) => descend(root, half << 16, 31, 16));
  // In a database of both versions, IPv4 stands behind 96 zeros.
  const ipv4Root = ipVersion === 4 ? 0 : [0, 0, 0].reduce((node, word) => descend(node, word), 0);
  const ipv4Starts = afterHalfWord(ipv4Root);
  const ipv6Starts = ipVersion === 4 ? null : afterHalfWord(0);
  return (ip: IpNumber): number => {
    if (ip.version === 4) return descend(ipv4Starts[ip.value >>> 16]!, ip.value, 15);
    if (!ipv6Starts) return 0;
    const [first] = ip.words;
    let node = descend(ipv6Starts[first >>> 16]!, first, 15);
    for (let word = 1; word < 4 && node < nodeCount; word++) node = descend(node, ip.words[word]!);
    return node;
  };
}

/** The left (0) or right (1) half of a node. Of 28 bits, the highest four of both share the byte in the middle. */
function childReader(file: Buffer, recordSize: number): (node: number, side: number) => number {
  const bytes = (at: number) => (file[at]! << 16) | (file[at + 1]! << 8) | file[at + 2]!;
  if (recordSize === 24) return (node, side) => bytes(node + side * 3);
  if (recordSize === 32) return (node, side) => file.readUInt32BE(node + side * 4);
  return (node, side) => {
    const high = side === 0 ? file[node + 3]! >> 4 : file[node + 3]! & 0x0f;
    return (high << 24) | bytes(node + side * 4);
  };
}
