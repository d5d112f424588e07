import type { IpNumber } from '@vouchgraph/platform/ip/ip-number';
import type { IpRange } from '@vouchgraph/platform/ip/ip-range';
import { entryOfIpv4, entryOfIpv6 } from '../data/asn-table.ts';

/** A range with its tag, an index into the entries of its list. */
export type TaggedRange = IpRange & { tag: number };

/**
 * Ranges as a partition of the address space: the start of each part and its tag, −1 for none. Plain arrays, which one
 * process can send to another.
 */
export type RangeTable = { starts4: Uint32Array; tags4: Int32Array; starts6: Uint32Array; tags6: Int32Array };

export type RangeSet = {
  /** The tag of the smallest range that contains the address, −1 for none. */
  tagOf(ip: IpNumber): number;
  /** Disjoint ranges after merging. */
  readonly ipv4: number;
  readonly ipv6: number;
};

/** Sorts ranges for look-ups; where they overlap, the smallest applies. */
export function buildRangeTable(ranges: readonly TaggedRange[]): RangeTable {
  const ipv4 = partition(ranges.filter(({ version }) => version === 4));
  const ipv6 = partition(ranges.filter(({ version }) => version === 6));
  const starts4 = new Uint32Array(ipv4.starts.length);
  for (let index = 0; index < starts4.length; index++) starts4[index] = Number(ipv4.starts[index]);
  const starts6 = new Uint32Array(ipv6.starts.length * 4);
  for (const [index, start] of ipv6.starts.entries()) starts6.set(wordsOf(start), index * 4);
  return { starts4, tags4: new Int32Array(ipv4.tags), starts6, tags6: new Int32Array(ipv6.tags) };
}

/** Looks up in a table by binary search. */
export function openRangeTable({ starts4, tags4, starts6, tags6 }: RangeTable): RangeSet {
  return {
    tagOf: (ip) =>
      (ip.version === 4 ? tags4[entryOfIpv4(starts4, ip.value)] : tags6[entryOfIpv6(starts6, ip.words)]) ??
      -1,
    ipv4: tags4.filter((tag) => tag >= 0).length,
    ipv6: tags6.filter((tag) => tag >= 0).length,
  };
}

/** Start and tag of each part. */
type Parts = { starts: bigint[]; tags: number[] };

/**
 * The parts in ascending order. Going through the addresses where something starts or ends, the ranges that are open
 * are sorted with the smallest last: it applies, and larger ones apply again after its end.
 */
function partition(ranges: readonly TaggedRange[]): Parts {
  const sorted = ranges.toSorted((a, b) => compare(a.start, b.start));
  const starts: bigint[] = [];
  const tags: number[] = [];
  const open: TaggedRange[] = [];
  let next = 0;
  for (const point of turningPoints(sorted)) {
    for (; sorted[next]?.start === point; next++) insertBySize(open, sorted[next]!);
    while (open.length > 0 && open.at(-1)!.end < point) open.pop();
    const tag = open.at(-1)?.tag ?? -1;
    // A point that comes twice changes nothing the second time.
    if (tags.at(-1) === tag) continue;
    starts.push(point);
    tags.push(tag);
  }
  return { starts, tags };
}

/** Start addresses of ranges, and the addresses after their ends. The last address has no successor. */
function turningPoints(ranges: readonly TaggedRange[]): bigint[] {
  const limit = LIMIT[ranges[0]?.version ?? 4];
  const points: bigint[] = [];
  for (const { start, end } of ranges) {
    const next = end + 1n;
    points.push(start);
    if (next < limit) points.push(next);
  }
  return points.sort(compare);
}

/** Keeps the smallest last; of equally large ones the later entry. */
function insertBySize(open: TaggedRange[], range: TaggedRange): void {
  const size = range.end - range.start;
  let low = 0;
  let high = open.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const other = open[middle]!;
    const order = compare(other.end - other.start, size) || range.tag - other.tag;
    if (order > 0) low = middle + 1;
    else high = middle;
  }
  open.splice(low, 0, range);
}

const LIMIT = { 4: 1n << 32n, 6: 1n << 128n } as const;

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function wordsOf(value: bigint): number[] {
  return [96n, 64n, 32n, 0n].map((shift) => Number((value >> shift) & 0xffff_ffffn));
}
