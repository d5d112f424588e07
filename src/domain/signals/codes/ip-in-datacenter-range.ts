import { type SignalCode, weigh } from '../evidence.ts';
import type { NetworkFacts } from '../network-facts.ts';
import { DATACENTER_WEIGHTS } from '../weights.ts';
import { type Listing, listingOf, strongest } from './listed-evidence.ts';
import { classListing } from './network-name.ts';

export const ipInDatacenterRange = {
  code: 'ip_in_datacenter_range',
  family: 'network',
  describes: 'People browse from homes, telephones and offices; addresses of data centres belong to servers.',
  needs: 'the network of the address, or a list of data centres',
  evaluate({ network, startTime }) {
    const listing = datacenterListing(network, startTime);
    if (!listing) return null;
    const { confidence, freshness, source, sourceAsOf, observed } = listing;
    return {
      code: 'ip_in_datacenter_range',
      family: 'network',
      group: 'datacenter',
      contributions: weigh(DATACENTER_WEIGHTS, confidence * freshness),
      confidence,
      source,
      sourceAsOf,
      observed,
      factual: true,
    };
  },
} satisfies SignalCode;

/**
 * A satellite's users sit behind its ground stations, whatever else the network rents out; a relay's addresses stand in
 * content networks and are not told as servers.
 */
function datacenterListing(network: NetworkFacts, at: Date): Listing | null {
  const { connectionType } = network;
  if (connectionType === 'satellite' || network.asnClasses.includes('satellite')) return null;
  if (connectionType === 'private_relay' || network.feeds.some(({ kind }) => kind === 'allow')) return null;
  const listed = listingOf(network, 'datacenter', at);
  return strongest([listed, classListing(network, 'hosting') ?? classListing(network, 'cdn')]);
}
