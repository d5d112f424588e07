import { readFile } from 'node:fs/promises';
import { zstdDecompressSync } from 'node:zlib';
import { formatIpv4 } from '@vouchgraph/platform/ip/ip-number';
import type { NetworkFacts } from '@vouchgraph/signals';
import { ASN_TABLE_FILE } from '@vouchgraph/signals/internals/data/asn-table';
import { type AsnTableHeader, decodeBody } from '@vouchgraph/signals/internals/data/asn-table-format';
import type { NetworkIntelligence } from '@vouchgraph/signals/network-intelligence';
import type { Random } from './random.ts';

/** Draws real addresses of networks, and looks up their locations in the databases. */
export type AddressBook = {
  /** An address of one of the networks with the requested location; null when none is found. */
  draw(
    random: Random,
    asns: readonly number[],
    isAsked?: (network: NetworkFacts) => boolean,
  ): NetworkFacts | null;
  /** Known facts of an address. */
  lookup(ip: string): NetworkFacts;
  /** Networks so small, and with such names, that no list would contain them. */
  smallNetworks: readonly number[];
};

type Range = { start: number; size: number };

const MAX_DRAWS = 400;
const SMALL_NETWORK = 2048;

/** Reads the IPv4 ranges of networks from the bundled table. */
export async function openAddressBook(network: NetworkIntelligence): Promise<AddressBook> {
  const ranges = await readRanges();
  const smallNetworks = [...ranges.entries()]
    .filter(([, list]) => totalOf(list) >= 256 && totalOf(list) <= SMALL_NETWORK)
    .map(([asn]) => asn)
    .sort((a, b) => a - b);
  return {
    lookup: (ip) => network.lookup(ip),
    smallNetworks,
    draw(random, asns, isAsked = () => true) {
      for (let attempt = 0; attempt < MAX_DRAWS; attempt++) {
        const facts = network.lookup(addressIn(random, ranges.get(random.pick(asns)) ?? []));
        if (facts.location.timezone !== '' && isAsked(facts)) return facts;
      }
      return null;
    },
  };
}

/** Each address of the ranges with equal probability, except the first and last of a block of 256. */
function addressIn(random: Random, ranges: readonly Range[]): string {
  if (ranges.length === 0) return '';
  let offset = random.whole(0, totalOf(ranges) - 1);
  for (const { start, size } of ranges) {
    if (offset < size) return formatIpv4(start + Math.floor(offset / 256) * 256 + random.whole(1, 254));
    offset -= size;
  }
  return '';
}

function totalOf(ranges: readonly Range[]): number {
  return ranges.reduce((sum, { size }) => sum + size, 0);
}

async function readRanges(): Promise<Map<number, Range[]>> {
  const file = await readFile(ASN_TABLE_FILE);
  const line = file.indexOf(0x0a);
  const header = JSON.parse(file.subarray(0, line).toString()) as AsnTableHeader;
  const { ipv4, numbers } = decodeBody(zstdDecompressSync(file.subarray(line + 1)), header);
  const ranges = new Map<number, Range[]>();
  ipv4.starts.forEach((start, index) => {
    const owner = ipv4.owners[index]!;
    const size = (ipv4.starts[index + 1] ?? 2 ** 32) - start;
    if (owner === 0 || size < 256) return;
    const asn = numbers[owner - 1]!;
    const known = ranges.get(asn);
    if (known) known.push({ start, size });
    else ranges.set(asn, [{ start, size }]);
  });
  return ranges;
}
