import { type IpNumber, isSameAddress, parseIp } from '@vouchgraph/platform/ip/ip-number';
import { isInternal } from '@vouchgraph/platform/ip/special-networks';
import { type Evidence, type SessionFacts, type SignalCode, weigh } from '../evidence/evidence.ts';
import { CLIENT_ADDRESS_CONFIDENCE } from '../evidence/weights.ts';
import type { NetworkFacts } from '../network/network-facts.ts';
import { areNear, publicAddresses } from '../transport/address-distance.ts';
import { clientProxyInVia, forwardedClaims } from '../transport/forwarding-headers.ts';
import { moveConfidence } from '../transport/network-moves.ts';

const WEIGHTS = { spoofedIp: 0.8, proxy: 0.6, vpn: 0.5 } as const;

export const clientAddressMismatch = {
  code: 'client_address_mismatch',
  family: 'network',
  describes:
    'Different public address of the client in another source, change of the network during the ' +
    'session, or unroutable address.',
  needs: 'WebRTC addresses; `X-Forwarded-For`, `Forwarded`, `Via`; later addresses of the session',
  limits: 'A proxy in every case. Changing from mobile to Wi-Fi also changes the address, and counts less.',
  weights: WEIGHTS,
  evaluate(facts) {
    const address = parseIp(facts.network.ip);
    if (!address) return null;
    const found = facts.network.bogon ? unroutableEvidence(address) : contradictions(facts, address);
    return found.length > 0 ? found : null;
  },
} satisfies SignalCode;

function contradictions(facts: SessionFacts, address: IpNumber): Evidence[] {
  return [
    ...webrtcEvidence(facts, address),
    ...forwardedEvidence(facts, address),
    ...viaEvidence(facts, address),
    ...facts.laterNetworks.flatMap((later) => moveEvidence(facts.network, later)),
  ];
}

/** The address is not routable on the internet. Internal ones belong to development and a company's own services. */
function unroutableEvidence(address: IpNumber): Evidence[] {
  if (isInternal(address)) return [];
  return [
    evidence('address', CLIENT_ADDRESS_CONFIDENCE.unroutable, 'address is not routable on the internet'),
  ];
}

/** Networks whose users connect from several addresses, or through a company proxy. */
const SHARED_TYPES: readonly string[] = ['mobile', 'satellite', 'education', 'government', 'business', ''];

/** WebRTC bypasses proxies and many VPNs. Hiding the address is the declared purpose of a privacy relay. */
function webrtcEvidence({ checks, network, webrtcNetworks }: SessionFacts, address: IpNumber): Evidence[] {
  // A client can have two addresses of the same operator, however far apart their numbers are.
  const isSameOperator = webrtcNetworks.some(({ asn }) => asn !== null && asn === network.asn);
  if (isSameOperator) return [];
  const found = publicAddresses(checks?.webrtcAddresses ?? []).map((other) => areNear(address, other));
  if (network.connectionType === 'private_relay' || found.includes(true) || !found.includes(false)) return [];
  const { webrtcElsewhere, webrtcElsewhereShared } = CLIENT_ADDRESS_CONFIDENCE;
  const confidence = SHARED_TYPES.includes(network.connectionType) ? webrtcElsewhereShared : webrtcElsewhere;
  return [evidence('webrtc', confidence, 'WebRTC finds a public address in another network')];
}

/** Internal addresses in front of the client's are those of computers behind a company's proxy. */
function forwardedEvidence({ headers }: SessionFacts, address: IpNumber): Evidence[] {
  const claims = forwardedClaims(headers, address).filter((claim) => !isInternal(claim));
  const near = claims.map((claim) => areNear(address, claim));
  const { forwardedElsewhere, forwardedOtherVersion } = CLIENT_ADDRESS_CONFIDENCE;
  const observed = 'headers contain another public address before this one';
  if (near.includes(false)) return [evidence('forwarding_headers', forwardedElsewhere, observed)];
  return near.includes(null) ? [evidence('forwarding_headers', forwardedOtherVersion, observed)] : [];
}

/** An unknown name in Via may be the operator's own proxy, so it counts only where none shows itself. */
function viaEvidence({ headers, edge }: SessionFacts, address: IpNumber): Evidence[] {
  const proxy = clientProxyInVia(headers.via);
  if (proxy === null || (proxy === '' && (edge !== null || isBehindProxy(headers, address)))) return [];
  const { knownForwardProxy, unknownVia } = CLIENT_ADDRESS_CONFIDENCE;
  const observed = proxy === '' ? 'Via names a proxy' : `Via names ${proxy}`;
  const weights = { proxy: WEIGHTS.proxy };
  return [evidence('via_header', proxy === '' ? unknownVia : knownForwardProxy, observed, weights)];
}

function isBehindProxy(headers: SessionFacts['headers'], address: IpNumber): boolean {
  const named = (headers['x-forwarded-for'] ?? '').split(',');
  return publicAddresses(named).some((each) => isSameAddress(each, address));
}

function moveEvidence(from: NetworkFacts, to: NetworkFacts): Evidence[] {
  const confidence = moveConfidence(from, to);
  if (confidence === null) return [];
  return [evidence('later_address', confidence, `moved from ${shortName(from)} to ${shortName(to)}`)];
}

const MAX_NAME_LENGTH = 50;

function shortName({ asn, serviceProvider, location }: NetworkFacts): string {
  const name = `${asn === null ? '' : `AS${asn} `}${serviceProvider}`.trim().slice(0, MAX_NAME_LENGTH);
  return `${name || 'an unknown network'}${location.countryCode && ` (${location.countryCode})`}`;
}

function evidence(
  source: string,
  confidence: number,
  observed: string,
  weights: Partial<typeof WEIGHTS> = WEIGHTS,
): Evidence {
  return {
    code: 'client_address_mismatch',
    family: 'network',
    group: 'client_address',
    ...weigh(weights, confidence),
    confidence,
    source,
    sourceAsOf: null,
    observed,
  };
}
