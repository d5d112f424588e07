import { isIP } from 'node:net';
import { parseIp } from './ip/ip-number.ts';
import { isInNetwork, parseNetwork } from './ip/network.ts';

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
    const network = parseNetwork(withoutZone(range));
    if (network === null) throw new TypeError('a trusted proxy must be an address or a CIDR network');
    return network;
  });
  const isTrusted = (address: string) => {
    if (trusted.length === 0) return false;
    const ip = parseIp(withoutZone(address));
    return ip !== null && trusted.some((network) => isInNetwork(ip, network));
  };

  const find = (peer: string | undefined, forwardedFor: string): string => {
    let address = unmapped(peer ?? '');
    if (!isTrusted(address)) return address;
    for (const hop of forwardedFor.split(',').reverse()) {
      const next = unmapped(hop.trim());
      if (isIP(next) === 0) return address;
      address = next;
      if (!isTrusted(address)) return address;
    }
    return address;
  };
  return Object.assign(find, {
    isTrustedPeer: (peer: string | undefined) => isTrusted(unmapped(peer ?? '')),
  });
}

function unmapped(address: string): string {
  return address.startsWith('::ffff:') && isIP(address.slice(7)) === 4 ? address.slice(7) : address;
}

/** Removes the zone of a link-local address (`fe80::1%eth0`). */
function withoutZone(address: string): string {
  return isIP(address.split('/')[0]!) === 6 ? address.replace(/%[^/]*/, '') : address;
}
