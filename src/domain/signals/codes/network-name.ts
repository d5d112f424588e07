import type { NetworkFacts } from '../network-intelligence.ts';

/** A network as a reason shows it: `AS16509 Amazon.com, Inc.` */
export function networkName({ asn, serviceProvider }: NetworkFacts): string {
  return `AS${asn} ${serviceProvider}`.trim();
}

/** Where the class of a network was found, as the source of a reason. */
export function classSourceName({ classSource }: NetworkFacts): string {
  return classSource === 'curated' ? 'asn_classes' : 'asn_name';
}
