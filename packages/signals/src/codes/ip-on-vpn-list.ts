import { type SignalCode, weigh } from '../evidence/evidence.ts';
import { listingOf, strongest } from './listed-evidence.ts';
import { classListing } from './network-name.ts';

/** A list of single ranges has a larger weight than a whole network's class. */
const WEIGHTS = { vpn: 1, locationSpoofing: 0.45 } as const;

export const ipOnVpnList = {
  code: 'ip_on_vpn_list',
  family: 'network',
  describes: 'IP address of a VPN: on a list of VPN ranges, or in a network of a VPN company.',
  needs: 'lists of VPN ranges with a date; class of the network (ASN)',
  limits: 'That the user has bad intent. Companies and private users use VPNs.',
  weights: WEIGHTS,
  evaluate({ network, startTime }) {
    const listing = strongest([listingOf(network, 'vpn', startTime), classListing(network, 'vpn')]);
    if (!listing) return null;
    const { confidence, freshness, source, sourceAsOf, observed } = listing;
    return {
      code: 'ip_on_vpn_list',
      family: 'network',
      group: 'vpn_list',
      ...weigh(WEIGHTS, confidence * freshness),
      confidence,
      source,
      sourceAsOf,
      observed,
    };
  },
} satisfies SignalCode;
