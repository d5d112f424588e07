import { CLIENT_ADDRESS_CONFIDENCE } from '../evidence/weights.ts';
import type { NetworkFacts } from '../network/network-facts.ts';

/**
 * Confidence that after a move of a session from one network to another one of the addresses is not the client's; null
 * when the move is normal. A handover from mobile to Wi-Fi changes the network, and in roaming even the country; a relay
 * is switched on and off with one setting.
 */
export function moveConfidence(from: NetworkFacts, to: NetworkFacts): number | null {
  if (from.bogon || to.bogon) return null;
  const isSameNetwork = from.asn !== null && from.asn === to.asn;
  if (isOtherCountry(from, to)) return countryConfidence(from, to, isSameNetwork);
  if (isSameNetwork || from.asn === null || to.asn === null) return null;
  return networkConfidence(from, to);
}

function isOtherCountry({ location: one }: NetworkFacts, { location: other }: NetworkFacts): boolean {
  return one.countryCode !== '' && other.countryCode !== '' && one.countryCode !== other.countryCode;
}

function countryConfidence(from: NetworkFacts, to: NetworkFacts, isSameNetwork: boolean): number {
  const { movedCountry, movedCountryRoaming, movedCountrySameNetwork } = CLIENT_ADDRESS_CONFIDENCE;
  const known = Math.min(from.countryConfidence, to.countryConfidence);
  if (isSameNetwork) return movedCountrySameNetwork * known;
  return (
    (either(from, to, ['mobile', 'satellite', 'private_relay']) ? movedCountryRoaming : movedCountry) * known
  );
}

function networkConfidence(from: NetworkFacts, to: NetworkFacts): number {
  const { movedToServer, movedNetwork } = CLIENT_ADDRESS_CONFIDENCE;
  return either(from, to, ['hosting']) ? movedToServer : movedNetwork;
}

function either(from: NetworkFacts, to: NetworkFacts, types: readonly string[]): boolean {
  return types.includes(from.connectionType) || types.includes(to.connectionType);
}
