import { type IpNumber, parseIp } from '@vouchgraph/platform/ip/ip-number';
import { isReachable } from '@vouchgraph/platform/ip/special-networks';

/**
 * Whether two addresses are in one /16 of IPv4 or one /32 of IPv6, about the size of a provider's allocation. Null when one
 * is IPv4 and the other IPv6, because most homes have both.
 */
export function areNear(one: IpNumber, other: IpNumber): boolean | null {
  if (one.version === 4 && other.version === 4) return one.value >>> 16 === other.value >>> 16;
  if (one.version === 6 && other.version === 6) return one.words[0] === other.words[0];
  return null;
}

/** The addresses in a list of texts that a host on the internet can have. */
export function publicAddresses(texts: readonly string[]): IpNumber[] {
  return texts.flatMap((text) => {
    const parsed = parseIp(text.trim());
    return parsed && isReachable(parsed) ? parsed : [];
  });
}
