import type { ByteSource } from '@vouchgraph/platform/paged-file';
import { ValueReader } from './ip-database-values.ts';

/** Metadata of a file that the search needs. */
export type Tree = {
  ipVersion: 4 | 6;
  nodeCount: number;
  /** Bits of one half of a node. */
  recordSize: 24 | 28 | 32;
  /** Bytes of a node, of all nodes, and where the data begins behind them. */
  nodeBytes: number;
  treeBytes: number;
  dataStart: number;
  /** When the database was built, YYYY-MM-DD. */
  builtOn: string;
};

const MARKER = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');

/** The specification lets the metadata be no longer. */
const MAX_METADATA_BYTES = 128 * 1024;

/** Number of zero bytes between the tree and the data. */
const SEPARATOR_BYTES = 16;

/** Reads the metadata of a MaxMind database (specification 2.0); throws when the file is no such database. */
export function readTree(file: ByteSource): Tree {
  const start = endOfMarker(file);
  const metadata = new ValueReader(file, start).valueAt(start) as Record<string, unknown>;
  const { binary_format_major_version: format, ip_version: ipVersion, record_size: recordSize } = metadata;
  const { build_epoch: builtAt, node_count: nodeCount } = metadata;
  if (format !== 2) throw new Error('another version of the format');
  if (ipVersion !== 4 && ipVersion !== 6) throw new Error('neither for IPv4 nor for IPv6');
  if (recordSize !== 24 && recordSize !== 28 && recordSize !== 32) throw new Error('unknown size of nodes');
  if (typeof nodeCount !== 'number' || typeof builtAt !== 'number') throw new Error('incomplete metadata');
  const nodeBytes = recordSize / 4;
  const treeBytes = nodeCount * nodeBytes;
  const dataStart = treeBytes + SEPARATOR_BYTES;
  if (dataStart + MARKER.length > start) throw new Error('the file is shorter than its tree');
  const builtOn = new Date(builtAt * 1000).toISOString().slice(0, 10);
  return { ipVersion, nodeCount, recordSize, nodeBytes, treeBytes, dataStart, builtOn };
}

/** The last marker counts: the data may contain its bytes. */
function endOfMarker(file: ByteSource): number {
  const earliest = Math.max(0, file.size - MAX_METADATA_BYTES);
  for (let start = file.size - MARKER.length; start >= earliest; start--) {
    if (MARKER.every((byte, index) => file.byteAt(start + index) === byte)) return start + MARKER.length;
  }
  throw new Error('the file is not a MaxMind database');
}
