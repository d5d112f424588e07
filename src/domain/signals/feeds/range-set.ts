import { entryOfIpv4, entryOfIpv6 } from '../data/asn-table.ts';
import type { IpNumber } from '../ip-number.ts';
import type { IpRange } from './ip-range.ts';

/** A range with what its list says of it: an index into the list's own entries. */
export type TaggedRange = IpRange & { tag: number };

export type RangeSet = {
  /** The tag of the smallest range that holds the address, −1 when none does. */
  tagOf(ip: IpNumber): number;
  /** Disjoint ranges after merging. */
  readonly ipv4: number;
  readonly ipv6: number;
};

/**
 * Ranges for looking up by halving. They become a partition of the address space: where each part starts and whose it
 * is until the next; where ranges overlap, the smallest holds.
 */
export function buildRangeSet(ranges: readonly TaggedRange[]): RangeSet {
  const ipv4 = partition(ranges.filter(({ version }) => version === 4));
  const ipv6 = partition(ranges.filter(({ version }) => version === 6));
  const starts4 = Uint32Array.from(ipv4, ({ start }) => Number(start));
  const starts6 = new Uint32Array(ipv6.length * 4);
  for (const [index, { start }] of ipv6.entries()) starts6.set(wordsOf(start), index * 4);
  const tags4 = Int32Array.from(ipv4, ({ tag }) => tag);
  const tags6 = Int32Array.from(ipv6, ({ tag }) => tag);
  return {
    tagOf: (ip) =>
      (ip.version === 4 ? tags4[entryOfIpv4(starts4, ip.value)] : tags6[entryOfIpv6(starts6, ip.words)]) ??
      -1,
    ipv4: tags4.filter((tag) => tag >= 0).length,
    ipv6: tags6.filter((tag) => tag >= 0).length,
  };
}

type Part = { start: bigint; tag: number };

/**
 * The parts in ascending order. Larger ranges come before the smaller ones inside them, so that a stack of those that
 * are open knows whose the addresses are again when a smaller one ends.
 */
function partition(ranges: TaggedRange[]): Part[] {
  const sorted = ranges.sort((a, b) => compare(a.start, b.start) || compare(b.end, a.end) || a.tag - b.tag);
  const parts: Part[] = [];
  const open: TaggedRange[] = [];
  const put = (start: bigint, tag: number) => {
    const last = parts.at(-1);
    if (last?.start === start) parts.pop();
    if (parts.at(-1)?.tag !== tag) parts.push({ start, tag });
  };
  const closeBefore = (limit: bigint | null) => {
    for (let top = open.at(-1); top && (limit === null || top.end < limit); top = open.at(-1)) {
      open.pop();
      while (open.length > 0 && open.at(-1)!.end <= top.end) open.pop();
      put(top.end + 1n, open.at(-1)?.tag ?? -1);
    }
  };
  for (const range of sorted) {
    closeBefore(range.start);
    open.push(range);
    put(range.start, range.tag);
  }
  closeBefore(null);
  // Behind the very last address there is nothing to start.
  return parts.filter(({ start }) => start < LIMIT[sorted[0]?.version ?? 4]);
}

const LIMIT = { 4: 1n << 32n, 6: 1n << 128n } as const;

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function wordsOf(value: bigint): number[] {
  return [96n, 64n, 32n, 0n].map((shift) => Number((value >> shift) & 0xffff_ffffn));
}
