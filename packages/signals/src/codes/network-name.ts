import { NETWORK_CLASS_CONFIDENCE } from '../evidence/weights.ts';
import type { NetworkFacts } from '../network/network-facts.ts';
import type { Listing } from './listed-evidence.ts';

/** A network as a reason shows it: `AS16509 Amazon.com, Inc.` */
export function networkName({ asn, serviceProvider }: NetworkFacts): string {
  return `AS${asn} ${serviceProvider}`.trim();
}

/**
 * Listing of an address by the class of its whole network. Classes do not age. An operator's own addresses, and those of
 * a privacy relay, are not classified by their network.
 */
export function classListing(
  network: NetworkFacts,
  asnClass: 'vpn' | 'tor' | 'hosting' | 'cdn',
): Listing | null {
  if (!network.asnClasses.includes(asnClass)) return null;
  if (network.feeds.some(({ kind }) => kind === 'allow' || kind === 'relay')) return null;
  return {
    confidence: classConfidence(network, asnClass),
    freshness: 1,
    source: network.classSource === 'curated' ? 'asn_classes' : 'asn_name',
    sourceAsOf: null,
    observed: networkName(network),
  };
}

function classConfidence({ classSource }: NetworkFacts, asnClass: 'vpn' | 'tor' | 'hosting' | 'cdn'): number {
  if (asnClass !== 'hosting') return NETWORK_CLASS_CONFIDENCE[asnClass];
  return classSource === 'curated'
    ? NETWORK_CLASS_CONFIDENCE.hostingCurated
    : NETWORK_CLASS_CONFIDENCE.hostingName;
}
