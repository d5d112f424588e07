import { VPN_HOSTING, vpnHostingOf } from '../data/vpn-hosting.ts';
import { type Evidence, type SignalCode, weigh } from '../evidence/evidence.ts';
import { freshness } from '../evidence/freshness.ts';
import type { NetworkFacts } from '../network/network-facts.ts';
import { type Listing, listingOf, strongest } from './listed-evidence.ts';
import { classListing, networkName } from './network-name.ts';

const DATACENTER_WEIGHTS = { datacenter: 1, proxy: 0.2 } as const;
/** A hosting system that VPN providers rent servers in, times its grade of 0.4 to 0.6. */
const VPN_HOSTING_WEIGHTS = { vpn: 1 } as const;
/** Largest grade of such a system. */
const MAX_VPN_HOSTING_GRADE = 0.6;
/** Providers keep a host for years; the grades lose half their worth in this time. */
const VPN_HOSTING_HALF_LIFE_DAYS = 730;

export const ipInDatacenterRange = {
  code: 'ip_in_datacenter_range',
  family: 'network',
  describes:
    'IP address of a data center or hosting company. Where VPN providers rent many servers, there is a ' +
    'second observation with the source vpn_hosting.',
  needs: 'lists of data center ranges with a date; class of the network (ASN)',
  limits: 'That the client is a bot. Company proxies and VPNs also use data centers.',
  weights: { ...DATACENTER_WEIGHTS, vpn: VPN_HOSTING_WEIGHTS.vpn * MAX_VPN_HOSTING_GRADE },
  evaluate({ network, startTime }) {
    const datacenter = datacenterEvidence(network, startTime);
    const vpnHosting = vpnHostingEvidence(network, startTime);
    return datacenter && vpnHosting ? [datacenter, vpnHosting] : (datacenter ?? vpnHosting);
  },
} satisfies SignalCode;

function datacenterEvidence(network: NetworkFacts, at: Date): Evidence | null {
  const listing = datacenterListing(network, at);
  if (!listing) return null;
  const { confidence, freshness: worth, source, sourceAsOf, observed } = listing;
  return {
    code: 'ip_in_datacenter_range',
    family: 'network',
    group: 'datacenter',
    ...weigh(DATACENTER_WEIGHTS, confidence * worth),
    confidence,
    source,
    sourceAsOf,
    observed,
    factual: true,
  };
}

/**
 * A host that VPN providers rent many servers from. It has the same cause as the lists of VPN addresses, so that a
 * server that is also listed is not counted twice.
 */
function vpnHostingEvidence(network: NetworkFacts, at: Date): Evidence | null {
  const system = vpnHostingOf(network.asn);
  if (!system || isSomethingElse(network) || network.feeds.some(({ kind }) => kind === 'relay')) return null;
  const worth = freshness(VPN_HOSTING.asOf, VPN_HOSTING_HALF_LIFE_DAYS, at);
  return {
    code: 'ip_in_datacenter_range',
    family: 'network',
    group: 'vpn_list',
    ...weigh(VPN_HOSTING_WEIGHTS, system.grade * worth),
    confidence: system.grade,
    source: 'vpn_hosting',
    sourceAsOf: VPN_HOSTING.asOf,
    observed: `${networkName(network)}: ${system.servers} published VPN servers, ${system.providers} provider${system.providers === 1 ? '' : 's'}`,
  };
}

/** Satellite networks, relays and the operator's own addresses, whatever else the network rents out. */
function isSomethingElse({ connectionType, asnClasses, feeds }: NetworkFacts): boolean {
  if (connectionType === 'satellite' || asnClasses.includes('satellite')) return true;
  return connectionType === 'private_relay' || feeds.some(({ kind }) => kind === 'allow');
}

/**
 * Users of a satellite are behind its ground stations, whatever else the network rents out. Addresses of a relay belong
 * to content networks and are not reported as servers.
 */
function datacenterListing(network: NetworkFacts, at: Date): Listing | null {
  if (isSomethingElse(network)) return null;
  const listed = listingOf(network, 'datacenter', at);
  return strongest([listed, classListing(network, 'hosting') ?? classListing(network, 'cdn')]);
}
