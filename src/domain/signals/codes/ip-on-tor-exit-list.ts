import { type SignalCode, weigh } from '../evidence/evidence.ts';
import { TOR_LIST_WEIGHTS } from '../evidence/weights.ts';
import { listingOf, strongest } from './listed-evidence.ts';
import { classListing } from './network-name.ts';

export const ipOnTorExitList = {
  code: 'ip_on_tor_exit_list',
  family: 'network',
  describes: 'Behind an exit of the Tor network the person can be anyone, anywhere.',
  needs: 'the network of the address, or a list of exits',
  evaluate({ network, startTime }) {
    const listing = strongest([listingOf(network, 'tor', startTime), classListing(network, 'tor')]);
    if (!listing) return null;
    const { confidence, freshness, source, sourceAsOf, observed } = listing;
    return {
      code: 'ip_on_tor_exit_list',
      family: 'network',
      group: 'tor_list',
      contributions: weigh(TOR_LIST_WEIGHTS, confidence * freshness),
      confidence,
      source,
      sourceAsOf,
      observed,
    };
  },
} satisfies SignalCode;
