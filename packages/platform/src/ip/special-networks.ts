import { type IpNumber, wordsOf } from './ip-number.ts';
import { isInNetwork, type Network, parseNetwork } from './network.ts';

/**
 * Properties of the addresses in a network:
 * - `reachable`: globally reachable by the IANA special-purpose address registries (RFC 6890 and its updates).
 * - `internal`: used by hosts in a home, an office, a laboratory or behind a provider's NAT.
 * - `target`: the gateway may connect to it for a customer. Never a private network, a metadata service of a cloud, or an address
 *   that embeds another one.
 * - `identifying`: sessions may be compared by it.
 */
type Property = 'reachable' | 'internal' | 'target' | 'identifying';

/** A network with its properties. The first match counts, so networks precede the networks that contain them. */
type Row = readonly [cidr: string, ...properties: Property[]];

const IPV4_NETWORKS: readonly Row[] = [
  ['192.0.0.9/32', 'reachable', 'internal', 'identifying'], // port control protocol anycast
  ['192.0.0.10/32', 'reachable', 'internal', 'identifying'], // TURN anycast
  ['168.63.129.16/32', 'reachable', 'identifying'], // metadata of Azure
  ['192.31.196.0/24', 'reachable', 'target'], // AS112
  ['192.52.193.0/24', 'reachable', 'target'], // automatic multicast tunneling
  ['192.175.48.0/24', 'reachable', 'target'], // AS112
  ['0.0.0.0/8', 'internal'],
  ['10.0.0.0/8', 'internal'],
  ['100.64.0.0/10', 'internal', 'identifying'], // between a provider and its customers
  ['127.0.0.0/8', 'internal'],
  ['169.254.0.0/16', 'internal'], // link-local, and metadata of most clouds
  ['172.16.0.0/12', 'internal'],
  ['192.0.0.0/24', 'internal', 'identifying'], // protocol assignments, and metadata of Oracle
  ['192.0.2.0/24', 'identifying'], // documentation
  ['192.88.99.0/24', 'identifying'], // 6to4 relays, withdrawn by RFC 7526
  ['192.168.0.0/16', 'internal'],
  ['198.18.0.0/15', 'internal', 'identifying'], // benchmarks
  ['198.51.100.0/24', 'identifying'], // documentation
  ['203.0.113.0/24', 'identifying'], // documentation
  ['224.0.0.0/4'], // multicast
  ['255.255.255.255/32'], // broadcast
  ['240.0.0.0/4', 'identifying'], // reserved
  ['0.0.0.0/0', 'reachable', 'target', 'identifying'],
];

/** Global unicast is 2000::/3 (RFC 4291); other addresses without a row are unassigned. */
const IPV6_NETWORKS: readonly Row[] = [
  ['::/128', 'internal'], // unspecified
  ['::1/128', 'internal'], // loopback
  ['::ffff:0:0:0/96'], // IPv4 translated, RFC 2765
  ['64:ff9b::/96', 'reachable'], // IPv4 translated, RFC 6052; see `isTarget`
  ['64:ff9b:1::/48', 'internal'], // IPv4 translated, local use
  ['100::/64'], // discard
  ['2001::/32', 'reachable'], // Teredo
  ['2001:1::1/128', 'reachable', 'identifying'],
  ['2001:1::2/128', 'reachable', 'identifying'],
  ['2001:1::3/128', 'reachable', 'identifying'],
  ['2001:2::/48'], // benchmarks
  ['2001:3::/32', 'reachable'], // automatic multicast tunneling
  ['2001:4:112::/48', 'reachable'], // AS112
  ['2001:10::/28'], // ORCHID, withdrawn
  ['2001:20::/28', 'reachable'], // ORCHID version 2
  ['2001:30::/28', 'reachable'], // remote identification of drones
  ['2001::/23', 'identifying'], // protocol assignments
  ['2001:db8::/32', 'identifying'], // documentation
  ['2002::/16', 'reachable'], // 6to4, which wraps any IPv4 address
  ['2620:4f:8000::/48', 'reachable', 'target'], // AS112
  ['3fff::/20', 'identifying'], // documentation
  ['2000::/3', 'reachable', 'target', 'identifying'],
  ['5f00::/16'], // segment routing
  ['fc00::/7', 'internal'], // unique local, and metadata of Amazon
  ['fe80::/10', 'internal'], // link-local
  ['fec0::/10'], // site-local, withdrawn
  ['ff00::/8'], // multicast
  ['::/0', 'identifying'],
];

type SpecialNetwork = { network: Network; properties: Readonly<Record<Property, boolean>> };

const IPV4 = IPV4_NETWORKS.map(toSpecialNetwork);
const IPV6 = IPV6_NETWORKS.map(toSpecialNetwork);

function toSpecialNetwork([cidr, ...properties]: Row): SpecialNetwork {
  const has = (property: Property) => properties.includes(property);
  return {
    network: parseNetwork(cidr)!,
    properties: {
      reachable: has('reachable'),
      internal: has('internal'),
      target: has('target'),
      identifying: has('identifying'),
    },
  };
}

/** Candidate rows by the first octet of an address; one row for most addresses. */
const IPV4_BY_OCTET = byFirstOctet(IPV4);
const IPV6_BY_OCTET = byFirstOctet(IPV6);

function byFirstOctet(networks: readonly SpecialNetwork[]): readonly (readonly SpecialNetwork[])[] {
  return Array.from({ length: 256 }, (_, octet) =>
    networks.filter(({ network: { base, mask } }) => {
      const bits = mask[0]! >>> 24;
      return (octet & bits) === base[0]! >>> 24;
    }),
  );
}

function propertiesOf(ip: IpNumber): SpecialNetwork['properties'] {
  const candidates = ip.version === 4 ? IPV4_BY_OCTET[ip.value >>> 24]! : IPV6_BY_OCTET[ip.words[0] >>> 24]!;
  for (const { network, properties } of candidates) if (isInNetwork(ip, network)) return properties;
  throw new Error('the last row of each version contains every address');
}

/** True for a globally reachable address. */
export function isReachable(ip: IpNumber): boolean {
  return propertiesOf(ip).reachable;
}

/**
 * True for an address of internal use (RFC 1918, 1122, 3927, 6598, 6890, 2544, 4193 and 4291), such as that of a development
 * machine or an internal service.
 */
export function isInternal(ip: IpNumber): boolean {
  return propertiesOf(ip).internal;
}

const IPV4_TRANSLATED = parseNetwork('64:ff9b::/96')!;

/** True for an address to which the gateway may connect for a customer. */
export function isTarget(ip: IpNumber): boolean {
  if (ip.version === 6 && isInNetwork(ip, IPV4_TRANSLATED)) {
    return propertiesOf({ version: 4, value: ip.words[3] }).target;
  }
  return propertiesOf(ip).target;
}

/** True for an address by which sessions may be compared: not one used in every home or on every host. */
export function isIdentifying(ip: IpNumber): boolean {
  return propertiesOf(ip).identifying;
}

/** True for `127.0.0.0/8` and `::1`. */
export function isLoopback(ip: IpNumber): boolean {
  if (ip.version === 4) return ip.value >>> 24 === 127;
  const [first, second, third, last] = ip.words;
  return first === 0 && second === 0 && third === 0 && last === 1;
}

/**
 * True for a range with addresses that are not globally reachable: its first or last address, or a complete special network
 * between them. Both ends have the same version.
 */
export function touchesSpecialNetwork(first: IpNumber, last: IpNumber): boolean {
  if (!isReachable(first) || !isReachable(last)) return true;
  const [start, end] = [wordsOf(first), wordsOf(last)];
  return (first.version === 4 ? IPV4 : IPV6).some(
    ({ network: { base }, properties }) =>
      !properties.reachable && compareWords(start, base) < 0 && compareWords(base, end) <= 0,
  );
}

function compareWords(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return a[index]! - b[index]!;
  return 0;
}
