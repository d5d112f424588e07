import { formatIp } from '@vouchgraph/platform/ip/ip-number';
import { type IpRange, ipOfValue } from '@vouchgraph/platform/ip/ip-range';
import type { AsnTable } from '@vouchgraph/signals/internals/data/asn-table';
import { createRandom, type Random } from '../signals/random.ts';
import type { AsnRow } from './consumer-systems.ts';

/**
 * Addresses of access providers, the networks in turn, one of five in IPv6 where the network announces it. The
 * same table and seed generate the same addresses.
 */
export function drawConsumerAddresses(
  table: AsnTable,
  systems: readonly AsnRow[],
  count: number,
  seed: number,
): string[] {
  const random = createRandom(seed);
  const numbers = new Set(systems.flatMap(([, ...of]) => of));
  const indexes = Array.from({ length: table.size }, (_, index) => index).filter((index) =>
    numbers.has(table.numberAt(index)),
  );
  const pools = indexes.map((index) => {
    const ranges = table.rangesOf(index);
    return [
      ranges.filter(({ version }) => version === 4),
      ranges.filter(({ version }) => version === 6),
    ] as const;
  });
  const drawn = new Set<string>();
  for (let turn = 0; drawn.size < count; turn++) {
    const [ipv4, ipv6] = pools[turn % pools.length]!;
    const pool = ipv4.length === 0 || (ipv6.length > 0 && random.chance(0.2)) ? ipv6 : ipv4;
    const range = pickRange(random, pool);
    const value = range.start + below(random, range);
    drawn.add(formatIp(ipOfValue(range.version, value)));
  }
  return [...drawn];
}

/** A range by its share of the addresses. */
function pickRange(random: Random, ranges: readonly IpRange[]): IpRange {
  const weighted = ranges.map((range) => [range, Number(range.end - range.start + 1n)] as const);
  return random.weighted(weighted);
}

function below(random: Random, { start, end }: IpRange): bigint {
  const size = end - start + 1n;
  let value = 0n;
  for (let word = 0; word < 5; word++) value = (value << 30n) | BigInt(Math.floor(random.share() * 2 ** 30));
  return value % size;
}
