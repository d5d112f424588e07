import type { Random } from '../signals/random.ts';
import { ASSUMPTIONS } from './assumptions.ts';
import type { Country } from './countries.ts';

/** Addresses of sessions: an address for a point in time. */
export type Line = { addressAt(at: Date): string };

/** A mobile operator: its IPv4 customers leave through a few addresses of one /24, the others have a /64 each time. */
export type Carrier = { name: string; addressOf(usesIpv4: boolean): string };

const DAY_MS = 86_400_000;
/** Operators have a dozen blocks of 65,536 addresses for 10,000 accounts: customers share one now and then. */
const BLOCKS_OF_OPERATOR = 12;
const MAX_BLOCKS_OF_OPERATOR = 256;
const VPN_EXITS = 40;
const OPERATORS = 3;
const NAT_ADDRESSES = 6;

/**
 * All addresses of the model. Blocks are numbered by country, so that each address has one purpose; their real
 * owners do not matter, since nothing looks them up. `scale` multiplies the blocks of operators, the addresses of their NATs
 * and the exits of the VPN provider: with more accounts, one address has as many customers as before.
 */
export function createNetworks(countries: readonly Country[], random: Random, scale: number) {
  const blocks = Math.min(MAX_BLOCKS_OF_OPERATOR, BLOCKS_OF_OPERATOR * scale);
  const indexOf = (country: Country) => countries.indexOf(country);
  const homeIpv4 = (country: Country) =>
    `${20 + indexOf(country) * OPERATORS + random.whole(0, OPERATORS - 1)}.${random.whole(0, blocks - 1)}.${random.whole(0, 255)}.${random.whole(1, 254)}`;
  const natPools = new Map<string, string[]>();

  function home(country: Country): Line {
    const kind = random.weighted([
      ['stable', ASSUMPTIONS.homeStable],
      ['daily', ASSUMPTIONS.homeDaily],
      ['shared', ASSUMPTIONS.homeShared],
      ['ipv6', ASSUMPTIONS.homeIpv6],
    ] as const);
    if (kind === 'daily') return remembering(DAY_MS, () => homeIpv4(country));
    if (kind === 'shared') return natLine(`fixed ${country.code} ${random.whole(0, 3)}`, country);
    // Stable lines change a few times a year: routers restart, operators renumber.
    if (kind === 'stable') return remembering(120 * DAY_MS, () => homeIpv4(country));
    const prefix = `2a0${indexOf(country).toString(16)}:${hex(random)}:${hex(random)}:${hex(random)}`;
    return { addressAt: () => `${prefix}:${hex(random)}:${hex(random)}:${hex(random)}:${hex(random)}` };
  }

  /** Customers behind the same NAT: each session leaves through one of its addresses. */
  function natLine(customers: string, country: Country): Line {
    const pool = scale > 1 ? `${customers} ${random.whole(1, scale)}` : customers;
    const addresses = natPools.get(pool) ?? addressesOfOneBlock(country);
    natPools.set(pool, addresses);
    return { addressAt: () => random.pick(addresses) };
  }

  function addressesOfOneBlock(country: Country): string[] {
    const block = `${100 + indexOf(country)}.${random.whole(0, 255)}.${random.whole(0, 255)}`;
    return Array.from({ length: NAT_ADDRESSES }, () => `${block}.${random.whole(1, 254)}`);
  }

  function carrier(country: Country): Carrier {
    const name = `${country.code}${random.whole(0, OPERATORS - 1)}`;
    const line = natLine(`mobile ${name}`, country);
    const prefix = `2607:${(0xfb00 + indexOf(country)).toString(16)}`;
    return {
      name,
      addressOf: (usesIpv4) =>
        usesIpv4 ? line.addressAt(new Date(0)) : `${prefix}:${hex(random)}:${hex(random)}::${hex(random)}`,
    };
  }

  /** A block of an institution with this number of used addresses. */
  function institution(addresses: number): Line {
    const block = `${140 + random.whole(0, 9)}.${random.whole(0, 255)}.${random.whole(0, 255)}`;
    const used = Array.from({ length: addresses }, () => `${block}.${random.whole(1, 254)}`);
    return { addressAt: () => random.pick(used) };
  }

  /** Exits of one provider, in blocks of eight. */
  const vpnExits = Array.from({ length: VPN_EXITS * scale }, (_, index) => {
    const block = Math.floor(index / 8);
    return `185.${block % 256}.${7 + Math.floor(block / 256)}.${10 + (index % 8)}`;
  });
  const vpn: Line = { addressAt: () => random.pick(vpnExits) };

  /** Home line of another person, used by a residential proxy. */
  const proxy = (country: Country): string => homeIpv4(country);

  return { home, carrier, institution, vpn, proxy };
}

export type Networks = ReturnType<typeof createNetworks>;

/** The same address for this period. */
function remembering(periodMs: number, draw: () => string): Line {
  const addresses = new Map<number, string>();
  return {
    addressAt(at) {
      const period = Math.floor(at.getTime() / periodMs);
      const address = addresses.get(period) ?? draw();
      addresses.set(period, address);
      return address;
    },
  };
}

function hex(random: Random): string {
  return random.whole(1, 0xffff).toString(16);
}
