import { type SignalCode, weigh } from '../evidence/evidence.ts';
import { listingOf, strongest } from './listed-evidence.ts';
import { classListing } from './network-name.ts';

const WEIGHTS = { tor: 1, locationSpoofing: 0.45 } as const;

export const ipOnTorExitList = {
  code: 'ip_on_tor_exit_list',
  family: 'network',
  describes: 'IP address of a Tor exit: on a list of exits, or in a network of an operator of exits.',
  needs: 'lists of Tor exits with a date; class of the network (ASN)',
  limits: 'Where or who the user is: every user of the exit has this address.',
  weights: WEIGHTS,
  evaluate({ network, startTime }) {
    const listing = strongest([listingOf(network, 'tor', startTime), classListing(network, 'tor')]);
    if (!listing) return null;
    const { confidence, freshness, source, sourceAsOf, observed } = listing;
    return {
      code: 'ip_on_tor_exit_list',
      family: 'network',
      group: 'tor_list',
      ...weigh(WEIGHTS, confidence * freshness),
      confidence,
      source,
      sourceAsOf,
      observed,
    };
  },
} satisfies SignalCode;
