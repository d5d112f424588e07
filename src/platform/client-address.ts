import { BlockList, isIP } from 'node:net';

export type ClientAddress = {
  (peer: string | undefined, forwardedFor: string): string;
  /** Whether the peer is a proxy that the operator names. */
  isTrustedPeer(peer: string | undefined): boolean;
};

/**
 * Finds the client's address. X-Forwarded-For is believed only as far as it was written by proxies that the operator
 * names: going from the peer backwards, the first address that is not such a proxy is the client's.
 */
export function createClientAddress(trustedProxies: readonly string[]): ClientAddress {
  const trusted = new BlockList();
  for (const range of trustedProxies) {
    const [address, prefix] = range.split('/');
    const family = isIP(address ?? '') === 6 ? 'ipv6' : 'ipv4';
    trusted.addSubnet(
      address!,
      prefix === undefined ? (family === 'ipv6' ? 128 : 32) : Number(prefix),
      family,
    );
  }
  const isTrusted = (address: string) =>
    trustedProxies.length > 0 &&
    isIP(address) !== 0 &&
    trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');

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
