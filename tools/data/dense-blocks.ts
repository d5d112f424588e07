import type { IpRange } from '@vouchgraph/platform/ip/ip-range';
import type { PublishedEntry } from '@vouchgraph/signals/internals/feeds/build/published-list';

const MIN_ADDRESSES = 4;

/**
 * Blocks of 256 IPv4 addresses in which one provider publishes at least 4: the provider owns the whole block, and its
 * published addresses change within the block more often than the block. `isHosting`: whether an address belongs to a
 * system that rents out servers; blocks of other systems are omitted.
 */
export function denseBlocks(
  entries: readonly PublishedEntry[],
  isHosting: (value: bigint) => boolean,
): IpRange[] {
  const counts = new Map<bigint, number>();
  for (const { range } of entries) {
    if (range.version !== 4) continue;
    const block = range.start >> 8n;
    counts.set(block, (counts.get(block) ?? 0) + 1);
  }
  return [...counts].flatMap(([block, count]): IpRange[] => {
    const start = block << 8n;
    const isDense = count >= MIN_ADDRESSES && isHosting(start) && isHosting(start + 255n);
    return isDense ? [{ version: 4, start, end: start + 255n }] : [];
  });
}
