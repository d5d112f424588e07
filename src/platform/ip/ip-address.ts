import { formatIp, formatIpv4, formatIpv6, parseIp } from './ip-number.ts';

/** The one spelling under which an address is stored and compared, null when the text is not an address. */
export function normaliseIp(text: string): string | null {
  const ip = parseIp(text);
  return ip && formatIp(ip);
}

/**
 * The networks by which sessions are compared, in CIDR form. `address` is what one customer holds: the IPv4 address
 * itself (/32) or the IPv6 /64, inside which a device picks its address freely. `neighbourhood` is what is given out
 * nearby: the IPv4 /24, or the IPv6 /56 that RIPE-690 recommends for a home.
 */
export function networkPrefixes(ip: string): { address: string; neighbourhood: string } {
  const parsed = parseIp(ip);
  if (!parsed) throw new TypeError('not an IP address');
  if (parsed.version === 4) {
    const neighbourhood = formatIpv4((parsed.value & 0xffffff00) >>> 0);
    return { address: `${formatIpv4(parsed.value)}/32`, neighbourhood: `${neighbourhood}/24` };
  }
  const [first, second] = parsed.words;
  return {
    address: `${formatIpv6([first, second, 0, 0])}/64`,
    neighbourhood: `${formatIpv6([first, (second & 0xffffff00) >>> 0, 0, 0])}/56`,
  };
}
