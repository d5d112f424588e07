import { isIP } from 'node:net';
import { normalizeIp } from './ip/ip-address.ts';
import { parseIp } from './ip/ip-number.ts';
import { isInNetwork, type Network, parseNetwork } from './ip/network.ts';

export type ClientAddress = {
  (peer: string | undefined, forwardedFor: string): string;
  /** Whether the peer is a trusted proxy. */
  isTrustedPeer(peer: string | undefined): boolean;
};

/**
 * Finds the client's address. X-Forwarded-For is trusted only as far as trusted proxies wrote it: starting at the peer, the first
 * address that is not a trusted proxy is the client's.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusted = trustedProxies.map((range) => {
    const network = parseTrustedProxy(range);
    if (network === null) throw new TypeError('a trusted proxy must be an address or a CIDR network');
    return network;
  });
  const isTrusted = (address: string) => {
    if (trusted.length === 0) return false;
    const ip = parseIp(withoutZone(address));
    return ip !== null && trusted.some((network) => isInNetwork(ip, network));
  };

  const find = (peer: string | undefined, forwardedFor: string): string => {
    let address = normalized(peer ?? '');
    if (!isTrusted(address)) return address;
    for (const hop of forwardedFor.split(',').reverse()) {
      const next = normalized(hop.trim());
      if (isIP(next) === 0) return address;
      address = next;
      if (!isTrusted(address)) return address;
    }
    return address;
  };
  return Object.assign(find, {
    isTrustedPeer: (peer: string | undefined) => isTrusted(normalized(peer ?? '')),
  });
}

/** Parses an address or a CIDR network of trusted proxies; null for any other text. */
export function parseTrustedProxy(text: string): Network | null {
  return parseNetwork(withoutZone(text));
}

/** The form in which addresses are compared; unchanged with a zone, which has none. */
function normalized(address: string): string {
  return normalizeIp(address) ?? address;
}

/** Removes the zone of a link-local address (`fe80::1%eth0`). */
function withoutZone(address: string): string {
  return isIP(address.split('/')[0]!) === 6 ? address.replace(/%[^/]*/, '') : address;
}
