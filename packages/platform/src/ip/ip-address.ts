import { formatIp, formatIpv4, formatIpv6, parseIp } from './ip-number.ts';

/** Normal form in which an address is stored and compared; null for a text that is no address. */
export function normalizeIp(text: string): string | null {
  const ip = parseIp(text);
  return ip && formatIp(ip);
}

/**
 * Networks for comparing sessions, in CIDR notation. `address`: the network of one customer, the IPv4 address (/32) or the IPv6
 * /64, in which a device chooses its address freely. `subnet`: the IPv4 /24, or the IPv6 /56 that RIPE-690 recommends for a home.
 */
export function networkPrefixes(ip: string): { address: string; subnet: string } {
  const parsed = parseIp(ip);
  if (!parsed) throw new TypeError('not an IP address');
  if (parsed.version === 4) {
    const subnet = formatIpv4((parsed.value & 0xffffff00) >>> 0);
    return { address: `${formatIpv4(parsed.value)}/32`, subnet: `${subnet}/24` };
  }
  const [first, second] = parsed.words;
  return {
    address: `${formatIpv6([first, second, 0, 0])}/64`,
    subnet: `${formatIpv6([first, (second & 0xffffff00) >>> 0, 0, 0])}/56`,
  };
}
