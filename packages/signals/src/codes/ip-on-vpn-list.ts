import { type SignalCode, weigh } from '../evidence/evidence.ts';
import { VPN_LIST_WEIGHTS } from '../evidence/weights.ts';
import { listingOf, strongest } from './listed-evidence.ts';
import { classListing } from './network-name.ts';

export const ipOnVpnList = {
  code: 'ip_on_vpn_list',
  family: 'network',
  describes: 'IP address of a VPN: on a list of VPN ranges, or in a network of a VPN company.',
  needs: 'lists of VPN ranges with a date; class of the network (ASN)',
  limits: 'That the user has bad intent. Companies and private users use VPNs.',
  evaluate({ network, startTime }) {
    const listing = strongest([listingOf(network, 'vpn', startTime), classListing(network, 'vpn')]);
    if (!listing) return null;
    const { confidence, freshness, source, sourceAsOf, observed } = listing;
    return {
      code: 'ip_on_vpn_list',
      family: 'network',
      group: 'vpn_list',
      contributions: weigh(VPN_LIST_WEIGHTS, confidence * freshness),
      confidence,
      source,
      sourceAsOf,
      observed,
    };
  },
} satisfies SignalCode;
