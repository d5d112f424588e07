import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { formatIp } from '@vouchgraph/platform/ip/ip-number';
import { createRandom } from './random.ts';
import { randomIpv4, randomIpv6 } from './random-addresses.ts';

/* Writes lists in an operator's format, some 100,000 ranges in four files, into the folder of the first argument. */
const [directory = ''] = process.argv.slice(2);
const random = createRandom(11);

const kinds = [
  { name: 'vpns', kind: 'vpn', ipv4: 60_000, ipv6: 5000, last: '198.41.0.4' },
  { name: 'exits', kind: 'tor', ipv4: 2000, ipv6: 500, last: '2001:500:2::c' },
  { name: 'clouds', kind: 'datacenter', ipv4: 20_000, ipv6: 7500, last: '3.5.140.0/22' },
  { name: 'relays', kind: 'relay', ipv4: 2500, ipv6: 2500, last: '172.224.226.0/27' },
];
for (const { name, kind, ipv4, ipv6, last } of kinds) {
  const lines = Array.from({ length: ipv4 + ipv6 }, (_, index) => {
    const ip = index < ipv4 ? randomIpv4(random) : randomIpv6(random);
    return `${formatIp(ip)}/${ip.version === 4 ? random.whole(16, 32) : random.whole(32, 64)}`;
  });
  const manifest = { name, kind, format: 'cidr', path: `${name}.data`, as_of: '2026-11-01' };
  writeFileSync(path.join(directory, `${name}.data`), `${[...lines, last].join('\n')}\n`);
  writeFileSync(path.join(directory, `${name}.json`), JSON.stringify(manifest));
}
