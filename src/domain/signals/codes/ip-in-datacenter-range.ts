import { type SignalCode, weigh } from '../evidence.ts';
import type { NetworkFacts } from '../network-intelligence.ts';
import { DATACENTER_WEIGHTS, NETWORK_CLASS_CONFIDENCE } from '../weights.ts';
import { classSourceName, networkName } from './network-name.ts';

export const ipInDatacenterRange = {
  code: 'ip_in_datacenter_range',
  family: 'network',
  describes: 'People browse from homes, telephones and offices; addresses of data centres belong to servers.',
  needs: 'the network of the address, or a list of data centres',
  evaluate({ network }) {
    const confidence = datacenterConfidence(network);
    if (confidence === null) return null;
    return {
      code: 'ip_in_datacenter_range',
      family: 'network',
      group: 'datacenter',
      contributions: weigh(DATACENTER_WEIGHTS, confidence),
      confidence,
      source: classSourceName(network),
      sourceAsOf: null,
      observed: networkName(network),
      factual: true,
    };
  },
} satisfies SignalCode;

/** A satellite's users sit behind its ground stations, whatever else the network rents out. */
function datacenterConfidence({ asnClasses, classSource }: NetworkFacts): number | null {
  if (asnClasses.includes('satellite')) return null;
  if (asnClasses.includes('hosting')) {
    return classSource === 'curated'
      ? NETWORK_CLASS_CONFIDENCE.hostingCurated
      : NETWORK_CLASS_CONFIDENCE.hostingName;
  }
  return asnClasses.includes('cdn') ? NETWORK_CLASS_CONFIDENCE.cdn : null;
}
