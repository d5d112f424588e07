import { type IpNumber, parseIp } from './ip-number.ts';

/** A CIDR network. `base` and `mask` have one 32-bit word for IPv4 and four for IPv6; bits after the prefix are 0. */
export type Network = { version: 4 | 6; base: readonly number[]; mask: readonly number[] };

/**
 * Parses a CIDR network or a single address; null for any other text. A network of IPv4 addresses mapped into IPv6
 * (`::ffff:10.0.0.0/104`) is the network of these IPv4 addresses.
 */
export function parseNetwork(text: string): Network | null {
  const [address = '', prefix] = text.split('/');
  const ip = parseIp(address);
  if (ip === null || (prefix !== undefined && !/^\d{1,3}$/.test(prefix))) return null;
  const bits = address.includes(':') ? 128 : 32;
  const length = prefix === undefined ? bits : Number(prefix);
  if (length > bits) return null;
  if (ip.version === 4 && bits === 32) return networkOf(4, [ip.value], length);
  if (ip.version === 4 && length >= 96) return networkOf(4, [ip.value], length - 96);
  return networkOf(6, mappedWords(ip), length);
}

function networkOf(version: 4 | 6, words: readonly number[], length: number): Network {
  const mask = words.map((_, index) => maskWord(length - 32 * index));
  return { version, base: words.map((word, index) => (word & mask[index]!) >>> 0), mask };
}

function maskWord(bits: number): number {
  if (bits <= 0) return 0;
  return bits >= 32 ? 0xffffffff : (0xffffffff << (32 - bits)) >>> 0;
}

/** True for an address inside the network. An IPv6 network that contains `::ffff:0:0/96` contains every IPv4 address. */
export function isInNetwork(ip: IpNumber, { version, base, mask }: Network): boolean {
  if (version === 4) return ip.version === 4 && (ip.value & mask[0]!) >>> 0 === base[0];
  const words = mappedWords(ip);
  for (let index = 0; index < 4; index++) {
    if ((words[index]! & mask[index]!) >>> 0 !== base[index]) return false;
  }
  return true;
}

/** The words of an IPv6 address, or of an IPv4 address mapped into IPv6. */
function mappedWords(ip: IpNumber): readonly number[] {
  return ip.version === 6 ? ip.words : [0, 0, 0xffff, ip.value];
}
