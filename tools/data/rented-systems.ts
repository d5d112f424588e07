import type { IpRange } from '@vouchgraph/platform/ip/ip-range';
import { ipOfValue } from '@vouchgraph/platform/ip/ip-range';
import { classifyAsn } from '@vouchgraph/signals/internals/data/asn-classes';
import type { AsnTable } from '@vouchgraph/signals/internals/data/asn-table';
import type { RentedSystem } from './vpn-hosting-grades.ts';

const OWN_CLASSES = ['vpn', 'tor', 'cdn'] as const;

/** The systems in which VPN providers publish IPv4 servers, one list of addresses per provider. */
export function rentedSystems(table: AsnTable, lists: readonly (readonly IpRange[])[]): RentedSystem[] {
  const found = new Map<number, { servers: Set<bigint>; blocks: Set<bigint>; providers: Set<number> }>();
  for (const [provider, ranges] of lists.entries()) {
    for (const { version, start } of ranges) {
      const index = version === 4 ? table.indexOf(ipOfValue(4, start)) : -1;
      if (index < 0) continue;
      const system = found.get(index) ?? { servers: new Set(), blocks: new Set(), providers: new Set() };
      found.set(index, system);
      system.servers.add(start);
      system.blocks.add(start >> 8n);
      system.providers.add(provider);
    }
  }
  const sizes = table.ipv4Sizes();
  return [...found].map(([index, { servers, blocks, providers }]) => {
    const [asn, name] = [table.numberAt(index), table.nameAt(index)];
    const { classes } = classifyAsn(asn, name);
    return {
      asn,
      name,
      isHosting: classes.includes('hosting'),
      hasOwnClass: OWN_CLASSES.some((own) => classes.includes(own)),
      servers: servers.size,
      blocks: blocks.size,
      announced: Math.ceil(sizes[index]! / 256),
      providers: providers.size,
    };
  });
}
