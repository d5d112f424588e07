import { formatIpv4 } from '../../../src/domain/signals/ip-number.ts';
import type { NetworkFacts } from '../../../src/domain/signals/network-facts.ts';
import type { NetworkIntelligence } from '../../../src/domain/signals/network-intelligence.ts';
import type { Random } from './random.ts';

/** Real addresses by what kind of network they stand in, drawn from the data on board. */
export type AddressPools = Record<PoolName, NetworkFacts[]>;

const POOLS = {
  home: ({ connectionType, asnClasses }: NetworkFacts) => connectionType === 'isp' && asnClasses.length === 0,
  mobile: ({ connectionType }: NetworkFacts) => connectionType === 'mobile',
  office: ({ connectionType }: NetworkFacts) => connectionType === 'business',
  university: ({ connectionType }: NetworkFacts) => connectionType === 'education',
  vpn: ({ asnClasses }: NetworkFacts) => asnClasses.includes('vpn'),
  tor: ({ asnClasses }: NetworkFacts) => asnClasses.includes('tor'),
  server: ({ asnClasses, classSource }: NetworkFacts) =>
    asnClasses.length === 1 && asnClasses[0] === 'hosting' && classSource !== null,
  cdn: ({ asnClasses }: NetworkFacts) => asnClasses.length === 1 && asnClasses[0] === 'cdn',
} as const;
export type PoolName = keyof typeof POOLS;

/** Networks that random draws would take long to meet. */
const STARTS: Partial<Record<PoolName, string[]>> = {
  tor: ['185.220.100.', '185.220.101.', '185.220.102.', '45.66.33.', '192.42.116.'],
  vpn: ['37.120.130.', '37.120.200.', '185.159.157.', '146.70.10.', '185.107.56.', '193.138.218.'],
};
const PER_POOL = 240;
const MOST_DRAWS = 400_000;

/** Fills the pools; an address whose city and time zone are not known is left out, as it plays no part in most kinds. */
export function drawAddresses(network: NetworkIntelligence, random: Random): AddressPools {
  const pools = Object.fromEntries(Object.keys(POOLS).map((name) => [name, []])) as unknown as AddressPools;
  for (const [name, starts] of Object.entries(STARTS) as [PoolName, string[]][]) {
    for (const start of starts) {
      for (let host = 1; host < 255; host += 4) put(pools, name, network.lookup(`${start}${host}`));
    }
  }
  const names = Object.keys(POOLS) as PoolName[];
  for (let draw = 0; draw < MOST_DRAWS && names.some((name) => pools[name].length < PER_POOL); draw++) {
    const facts = network.lookup(formatIpv4(random.between(0x01000000, 0xdfffffff)));
    for (const name of names) put(pools, name, facts);
  }
  return pools;
}

function put(pools: AddressPools, name: PoolName, facts: NetworkFacts): void {
  const pool = pools[name];
  const isUsable = facts.location.timezone !== '' && facts.countryConfidence > 0;
  if (isUsable && pool.length < PER_POOL && POOLS[name](facts)) pool.push(facts);
}
