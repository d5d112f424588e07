import { type IpNumber, parseIp, wordsOf } from './ip-number.ts';

/**
 * A CIDR network with the length of its prefix. `base` and `mask` have one 32-bit word for IPv4 and four for IPv6; bits after the
 * prefix are 0.
 */
export type Network = {
  version: 4 | 6;
  length: number;
  base: readonly number[];
  mask: readonly number[];
};

/** Length of `::ffff:0:0/96`, the network of IPv4-mapped addresses. */
const MAPPED_PREFIX = 96;

/**
 * Parses a CIDR network or a single address; null for any other text. A network of IPv4 addresses mapped into IPv6
 * (`::ffff:10.0.0.0/104`) is the network of these IPv4 addresses. One with a prefix below 96 (`::ffff:10.0.0.0/8`) is invalid: it
 * contains no such address.
 */
export function parseNetwork(text: string): Network | null {
  const [address = '', prefix, ...more] = text.split('/');
  const ip = parseIp(address);
  if (ip === null || more.length > 0 || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return null;
  const words = wordsOf(ip);
  const bits = 32 * words.length;
  const isMapped = ip.version === 4 && address.includes(':');
  const length = prefix === undefined ? bits : Number(prefix) - (isMapped ? MAPPED_PREFIX : 0);
  if (length < 0 || length > bits) return null;
  const mask = words.map((_, index) => maskWord(length - 32 * index));
  const base = words.map((word, index) => (word & mask[index]!) >>> 0);
  return { version: ip.version, length, base, mask };
}

function maskWord(bits: number): number {
  if (bits <= 0) return 0;
  return bits >= 32 ? 0xffffffff : (0xffffffff << (32 - bits)) >>> 0;
}

/** True for an address inside the network. IPv6 networks, also `::/0`, contain no IPv4 address, and the reverse. */
export function isInNetwork(ip: IpNumber, { version, base, mask }: Network): boolean {
  if (ip.version === 4) return version === 4 && (ip.value & mask[0]!) >>> 0 === base[0];
  if (version === 4) return false;
  for (let index = 0; index < 4; index++) {
    if ((ip.words[index]! & mask[index]!) >>> 0 !== base[index]) return false;
  }
  return true;
}
