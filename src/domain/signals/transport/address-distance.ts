import { formatIp, type IpNumber, parseIp } from '../../../platform/ip/ip-number.ts';
import { isReachable } from '../../../platform/ip/special-networks.ts';

/**
 * Whether two addresses lie near each other: in one /16 of IPv4 or one /32 of IPv6, about what a provider is given at
 * a time. Null when one is IPv4 and the other IPv6, for most homes have both.
 */
export function areNear(one: IpNumber, other: IpNumber): boolean | null {
  if (one.version === 4 && other.version === 4) return one.value >>> 16 === other.value >>> 16;
  if (one.version === 6 && other.version === 6) return one.words[0] === other.words[0];
  return null;
}

/** True for two spellings of one address. */
export function isSameAddress(one: IpNumber, other: IpNumber): boolean {
  return formatIp(one) === formatIp(other);
}

/** The addresses in a list of texts that a host on the internet can have. */
export function publicAddresses(texts: readonly string[]): IpNumber[] {
  return texts.flatMap((text) => {
    const parsed = parseIp(text.trim());
    return parsed && isReachable(parsed) ? parsed : [];
  });
}

/**
 * The blocks that hosts in a home, an office, a laboratory or behind a provider's translator have: an address there is
 * how a development machine or an internal service is seen. Of RFC 1918, 1122, 3927, 6598, 6890, 2544, 4193 and 4291.
 */
const INTERNAL =
  /^(0|10|127)\.|^100\.(6[4-9]|[7-9]\d|1[01]\d|12[0-7])\.|^169\.254\.|^172\.(1[6-9]|2\d|3[01])\.|^192\.(168|0\.0)\.|^198\.1[89]\.|^::1?$|^f[cd][0-9a-f]{2}:|^fe[89ab][0-9a-f]:|^64:ff9b:1:/;

/** True for an address of internal use. */
export function isInternal(ip: IpNumber): boolean {
  return INTERNAL.test(formatIp(ip));
}
