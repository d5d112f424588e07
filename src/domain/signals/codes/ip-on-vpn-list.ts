import { type SignalCode, weigh } from '../evidence/evidence.ts';
import { VPN_LIST_WEIGHTS } from '../evidence/weights.ts';
import { listingOf, strongest } from './listed-evidence.ts';
import { classListing } from './network-name.ts';

export const ipOnVpnList = {
  code: 'ip_on_vpn_list',
  family: 'network',
  describes: 'A VPN hides where a person is and lets one person appear as many.',
  needs: 'the network of the address, or a list of VPN ranges',
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
