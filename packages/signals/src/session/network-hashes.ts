import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import { networkPrefixes, normalizeIp } from '@vouchgraph/platform/ip/ip-address';
import { parseIp } from '@vouchgraph/platform/ip/ip-number';
import { isIdentifying } from '@vouchgraph/platform/ip/special-networks';

/*
 * Keyed hashes of the address of a session. Two columns serve linking: `network_hash` is the address of one customer (the
 * IPv4 address, the IPv6 /64), and `compared_subnet_hash` its subnet (/24, /56). Both are null for addresses that identify
 * no network, such as private ones. Two columns serve the search, which finds every address: `address_hash` (the whole
 * address) and `subnet_hash`. They are null where the column for linking has the same hash.
 */

/** The columns of an address; all null when it is unknown. */
export function networkHashes(cipher: ProjectCipher, ip: string) {
  const parsed = parseIp(ip);
  if (!parsed) {
    return { network_hash: null, compared_subnet_hash: null, address_hash: null, subnet_hash: null };
  }
  const isCompared = isIdentifying(parsed);
  const subnet = subnetHash(cipher, ip);
  const isWhole = isCompared && parsed.version === 4;
  return {
    network_hash: isCompared ? cipher.blindIndex('network', networkPrefixes(ip).address) : null,
    compared_subnet_hash: isCompared ? subnet : null,
    address_hash: isWhole ? null : addressHash(cipher, ip),
    subnet_hash: isCompared ? null : subnet,
  };
}

/** Hash of a whole address. */
export function addressHash(cipher: ProjectCipher, ip: string): Buffer {
  return cipher.blindIndex('network', `${normalizeIp(ip)}/${parseIp(ip)!.version === 4 ? 32 : 128}`);
}

/** Hash of the /24 or /56 that contains an address. */
export function subnetHash(cipher: ProjectCipher, ip: string): Buffer {
  return cipher.blindIndex('subnet', networkPrefixes(ip).subnet);
}
