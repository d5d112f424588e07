import type { IpNumber } from '@vouchgraph/platform/ip/ip-number';
import { type ByteSource, UnreadableFileError } from '@vouchgraph/platform/paged-file';
import { readTree, type Tree } from './ip-database-metadata.ts';
import { ValueReader } from './ip-database-values.ts';

/** A MaxMind database that is asked by numbers. */
export type IpDatabase<Value> = {
  /** When it was built, YYYY-MM-DD; null while it cannot be read. */
  readonly builtOn: string | null;
  /** Record of the address; null without one, and when it cannot be read. */
  find(ip: IpNumber): Value | null;
};

/** Neighboring addresses share records, and users return: the latest records stay decoded. */
const SLOT_BITS = 12;

/**
 * Opens a database in the MaxMind DB file format (specification 2.0); `read` converts each record. Throws when the file is
 * no such database. A file that becomes unreadable later returns null, as a missing one, and is reported.
 */
export function openIpDatabase<Value>(file: ByteSource, read: (record: unknown) => Value): IpDatabase<Value> {
  const tree = readTree(file);
  const { nodeCount, treeBytes } = tree;
  const reader = new ValueReader(file, tree.dataStart);
  const recordOf = createSearch(file, tree);
  const slots = new Uint32Array(2 ** SLOT_BITS);
  const values = new Array<Value | undefined>(2 ** SLOT_BITS);
  let isReadable = true;
  const find = (ip: IpNumber): Value | null => {
    const record = recordOf(ip);
    if (record <= nodeCount) return null;
    const slot = Math.imul(record, 0x9e3779b1) >>> (32 - SLOT_BITS);
    if (slots[slot] !== record) {
      values[slot] = read(reader.valueAt(record - nodeCount + treeBytes));
      slots[slot] = record;
    }
    return values[slot]!;
  };
  return {
    get builtOn() {
      return isReadable ? tree.builtOn : null;
    },
    find(ip) {
      try {
        const value = find(ip);
        isReadable = true;
        return value;
      } catch (error) {
        if (!isFileError(error)) throw error;
        isReadable = false;
        return null;
      }
    },
  };
}

/** Damaged content leads beyond the end of the file, or into pointers without end: both are RangeErrors. */
const isFileError = (error: unknown) => error instanceof UnreadableFileError || error instanceof RangeError;

/** Goes down the tree bit by bit, to a number above the count of nodes where there is a record. */
function createSearch(file: ByteSource, { ipVersion, nodeCount, nodeBytes, recordSize }: Tree) {
  const childOf = childReader(file, recordSize);
  const descend = (from: number, word: number, first = 31, last = 0) => {
    let node = from;
    for (let bit = first; bit >= last && node < nodeCount; bit--) {
      node = childOf(node * nodeBytes, (word >>> bit) & 1);
    }
    return node;
  };
  // The first levels are far apart in the file, and lower ones close together: each half word is searched once.
  const startsBelow = (root: number) => {
    const starts = new Uint32Array(0x10000);
    return (half: number) => (starts[half] ||= descend(root, half << 16, 31, 16));
  };
  // In a database of both versions, IPv4 stands behind 96 zeros.
  const ipv4Root = ipVersion === 4 ? 0 : [0, 0, 0].reduce((node, word) => descend(node, word), 0);
  const ipv4Start = startsBelow(ipv4Root);
  const ipv6Start = ipVersion === 4 ? null : startsBelow(0);
  return (ip: IpNumber): number => {
    if (ip.version === 4) return descend(ipv4Start(ip.value >>> 16), ip.value, 15);
    if (!ipv6Start) return 0;
    const [first] = ip.words;
    let node = descend(ipv6Start(first >>> 16), first, 15);
    for (let word = 1; word < 4 && node < nodeCount; word++) node = descend(node, ip.words[word]!);
    return node;
  };
}

/** The left (0) or right (1) half of a node. Of 28 bits, the highest four of both share the byte in the middle. */
function childReader(file: ByteSource, recordSize: number): (node: number, side: number) => number {
  const bytes = (at: number) => (file.byteAt(at) << 16) | (file.byteAt(at + 1) << 8) | file.byteAt(at + 2);
  if (recordSize === 24) return (node, side) => bytes(node + side * 3);
  if (recordSize === 32) {
    return (node, side) => file.byteAt(node + side * 4) * 0x1000000 + bytes(node + side * 4 + 1);
  }
  return (node, side) => {
    const middle = file.byteAt(node + 3);
    const high = side === 0 ? middle >> 4 : middle & 0x0f;
    return (high << 24) | bytes(node + side * 4);
  };
}
