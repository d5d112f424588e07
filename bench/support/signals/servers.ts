import type { NetworkFacts } from '@vouchgraph/signals';
import {
  HOME_OPERATORS,
  HOSTING_OPERATORS,
  TOR_HOSTS,
  TOR_OPERATORS,
  VPN_CARRIERS,
  VPN_HOSTS,
  VPN_OPERATORS,
} from './operators.ts';
import type { Random } from './random.ts';
import type { Listing, World } from './session-case.ts';

/** A machine used as an exit. */
export type Exit = { network: NetworkFacts; listings: Listing[]; isServer: boolean };

type InCountry = (countryCode: string) => boolean;
const anywhere: InCountry = () => true;

/*
 * Assumed, since no source has the truth: share of exits on current lists of an operator. The accuracy of vpn,
 * tor and proxy depends on these values most. 7 % of the servers are in networks that no table lists as hosts.
 */
const LISTED = { vpn: 0.95, tor: 0.98, proxy: 0.9, datacenter: 0.95 } as const;
const UNKNOWN_HOST = 0.07;

/** A list with its update interval. */
function listing(random: Random, kind: 'vpn' | 'tor' | 'proxy' | 'datacenter', share: number): Listing[] {
  const oldest = { vpn: 30, tor: 1, proxy: 2, datacenter: 60 }[kind];
  return random.chance(share) ? [{ kind, ageDays: random.whole(0, oldest) }] : [];
}

const within =
  (isAsked: InCountry) =>
  ({ location }: NetworkFacts) =>
    isAsked(location.countryCode);

/** A rented server. */
export function server({ random, book }: World, isAsked: InCountry = anywhere): Exit {
  const operators = random.chance(UNKNOWN_HOST) ? book.smallNetworks : HOSTING_OPERATORS;
  const network = book.draw(random, operators, within(isAsked)) ?? book.draw(random, HOSTING_OPERATORS)!;
  return { network, listings: listing(random, 'datacenter', LISTED.datacenter), isServer: true };
}

/** Six of ten exits are in networks of VPN companies, the others at hosts, and one in fourteen at a carrier. */
export function vpnExit({ random, book }: World, isAsked: InCountry = anywhere): Exit | null {
  const where = random.weighted([
    ['own', 63],
    ['host', 30],
    ['carrier', 7],
  ] as const);
  const operators = { own: VPN_OPERATORS, host: VPN_HOSTS, carrier: VPN_CARRIERS }[where];
  const network = book.draw(random, operators, within(isAsked));
  if (!network) return null;
  return {
    network,
    listings: [
      ...listing(random, 'vpn', LISTED.vpn),
      ...listing(random, 'datacenter', where === 'carrier' ? 0.5 : LISTED.datacenter),
    ],
    isServer: true,
  };
}

/** Exits of organizations, at hosts, and one in ten on a volunteer's residential line. */
export function torExit({ random, book }: World): Exit {
  const where = random.weighted([
    ['association', 45],
    ['host', 45],
    ['home', 10],
  ] as const);
  const operators = {
    association: TOR_OPERATORS,
    host: TOR_HOSTS,
    home: Object.values(HOME_OPERATORS).flat(),
  }[where];
  const isServer = where !== 'home';
  return {
    network: book.draw(random, operators)!,
    listings: [...listing(random, 'tor', LISTED.tor), ...listing(random, 'datacenter', isServer ? 0.5 : 0)],
    isServer,
  };
}

/** Seven of ten proxies are residential lines of other people, the others open ports on servers. */
export function proxyExit(world: World, isAsked: InCountry = anywhere): Exit {
  const { random, book } = world;
  const proxied = listing(random, 'proxy', LISTED.proxy);
  if (random.chance(0.3)) {
    const rented = server(world, isAsked);
    return { ...rented, listings: [...proxied, ...rented.listings] };
  }
  const homes = Object.entries(HOME_OPERATORS)
    .filter(([code]) => isAsked(code))
    .flatMap(([, asns]) => asns);
  const network =
    book.draw(random, homes, within(isAsked)) ?? book.draw(random, Object.values(HOME_OPERATORS).flat())!;
  return { network, listings: proxied, isServer: false };
}
