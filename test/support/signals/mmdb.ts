import { parseIp } from '@vouchgraph/platform/ip/ip-number';
import { addressValue } from '@vouchgraph/platform/ip/ip-range';

/** A value of the format; numbers become doubles. */
type Value = string | number | boolean | { [key: string]: Value } | readonly Value[];

export type TestDatabase = {
  databaseType: string;
  ipVersion: 4 | 6;
  /** By address or CIDR range. In a database of both versions, IPv4 is at `::/96`. */
  records: Record<string, Value>;
  builtOn?: string;
};

type Node = { children: [Node | null, Node | null]; data: number | null };

/**
 * A small MaxMind database, by the MaxMind DB file format specification 2.0 (maxmind.github.io/MaxMind-DB): a
 * binary tree with records of 32 bits, 16 zeros, the data, and the metadata after its marker.
 */
export function makeMmdb({ databaseType, ipVersion, records, builtOn = '2026-11-01' }: TestDatabase): Buffer {
  const root = emptyNode();
  const data: Buffer[] = [];
  let dataLength = 0;
  for (const [cidr, record] of Object.entries(records)) {
    const encoded = encode(record);
    nodeAt(root, bitsOf(cidr, ipVersion)).data = dataLength;
    data.push(encoded);
    dataLength += encoded.length;
  }
  const nodes = nodesOf(root);
  const metadata = encodeMap([
    ['binary_format_major_version', unsigned(2, 5)],
    ['binary_format_minor_version', unsigned(0, 5)],
    ['build_epoch', unsigned(Date.parse(builtOn) / 1000, 6)],
    ['database_type', encode(databaseType)],
    ['description', encode({ en: 'made by a test' })],
    ['ip_version', unsigned(ipVersion, 5)],
    ['languages', encode(['en'])],
    ['node_count', unsigned(nodes.length, 6)],
    ['record_size', unsigned(32, 5)],
  ]);
  const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
  return Buffer.concat([treeOf(nodes), Buffer.alloc(16), ...data, marker, metadata]);
}

function emptyNode(): Node {
  return { children: [null, null], data: null };
}

function bitsOf(cidr: string, ipVersion: 4 | 6): string {
  const [address = '', length] = cidr.split('/');
  const ip = parseIp(address)!;
  const width = ipVersion === 4 ? 32 : 128;
  const own = ip.version === 4 ? 32 : 128;
  const bits = addressValue(ip).toString(2).padStart(width, '0');
  return bits.slice(0, width - own + Number(length ?? own));
}

function nodeAt(root: Node, bits: string): Node {
  let node = root;
  for (const bit of bits) node = node.children[bit === '1' ? 1 : 0] ??= emptyNode();
  return node;
}

/** The inner nodes, each before those below it. */
function nodesOf(root: Node): Node[] {
  const nodes = [root];
  for (const { children } of nodes) {
    nodes.push(...children.filter((child) => child !== null && child.data === null).map((child) => child!));
  }
  return nodes;
}

function treeOf(nodes: readonly Node[]): Buffer {
  const numbers = new Map(nodes.map((node, index) => [node, index]));
  const tree = Buffer.alloc(nodes.length * 8);
  for (const [index, { children }] of nodes.entries()) {
    for (const [side, child] of children.entries()) {
      const isLeaf = child !== null && child.data !== null;
      // The number of nodes means no record; greater values point into the data.
      const value = isLeaf
        ? nodes.length + 16 + child.data!
        : ((child && numbers.get(child)) ?? nodes.length);
      tree.writeUInt32BE(value, index * 8 + side * 4);
    }
  }
  return tree;
}

function encode(value: Value): Buffer {
  if (typeof value === 'string') return withControl(2, Buffer.byteLength(value), Buffer.from(value));
  if (typeof value === 'boolean') return withControl(14, value ? 1 : 0);
  if (typeof value === 'number') {
    const double = Buffer.alloc(8);
    double.writeDoubleBE(value);
    return withControl(3, 8, double);
  }
  if (Array.isArray(value)) return withControl(11, value.length, ...value.map(encode));
  return encodeMap(Object.entries(value).map(([key, each]) => [key, encode(each)]));
}

function encodeMap(entries: readonly (readonly [string, Buffer])[]): Buffer {
  return withControl(7, entries.length, ...entries.flatMap(([key, value]) => [encode(key), value]));
}

function unsigned(value: number, type: 5 | 6): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return type === 6 ? withControl(6, 4, bytes) : withControl(5, 2, bytes.subarray(2));
}

/** Types above 7 are in a separate byte, less 7; sizes from 29 to 284 in the next byte. */
function withControl(type: number, size: number, ...content: readonly Buffer[]): Buffer {
  const shortSize = Math.min(size, 29);
  const head = type > 7 ? [shortSize, type - 7] : [(type << 5) | shortSize];
  return Buffer.concat([Buffer.from(size >= 29 ? [...head, size - 29] : head), ...content]);
}
