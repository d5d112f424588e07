import { formatIp, type IpNumber, parseIp } from './ip-number.ts';

/** Addresses from `start` to `end`, both included. */
export type IpRange = { version: 4 | 6; start: bigint; end: bigint };

const BITS = { 4: 32, 6: 128 } as const;

/**
 * Parses an address, a CIDR range or two addresses with a dash; null for other texts. A CIDR range can have bits set after its
 * prefix, as in published lists.
 */
export function parseRange(text: string): IpRange | null {
  const dash = text.indexOf('-');
  if (dash >= 0) return between(text.slice(0, dash).trim(), text.slice(dash + 1).trim());
  const [address = '', prefix, ...more] = text.trim().split('/');
  const ip = parseIp(address);
  if (!ip || more.length > 0) return null;
  if (prefix === undefined) return { version: ip.version, start: addressValue(ip), end: addressValue(ip) };
  // The prefix of an IPv4-mapped address is an IPv6 prefix.
  const length = /^\d{1,3}$/.test(prefix)
    ? Number(prefix) - (address.includes(':') && ip.version === 4 ? 96 : 0)
    : -1;
  if (length < 0 || length > BITS[ip.version]) return null;
  if (ip.version === 4) return ipv4Range(ip.value, length);
  const size = 1n << BigInt(BITS[6] - length);
  const start = (addressValue(ip) / size) * size;
  return { version: 6, start, end: start + size - 1n };
}

/** Most ranges are IPv4. Number arithmetic instead of bigint produces less garbage for long lists. */
function ipv4Range(value: number, length: number): IpRange {
  const size = 2 ** (BITS[4] - length);
  const start = Math.floor(value / size) * size;
  return { version: 4, start: BigInt(start), end: BigInt(start + size - 1) };
}

function between(first: string, last: string): IpRange | null {
  const [start, end] = [parseIp(first), parseIp(last)];
  if (!start || !end || start.version !== end.version) return null;
  const range = { version: start.version, start: addressValue(start), end: addressValue(end) };
  return range.start <= range.end ? range : null;
}

/** The address as one number. */
export function addressValue(ip: IpNumber): bigint {
  if (ip.version === 4) return BigInt(ip.value);
  return ip.words.reduce((value, word) => (value << 32n) | BigInt(word), 0n);
}

/** Formats a range for `parseRange`: an address, a CIDR range if possible, or two addresses with a dash. */
export function formatRange({ version, start, end }: IpRange): string {
  const first = formatIp(ipOfValue(version, start));
  if (start === end) return first;
  const size = end - start + 1n;
  const isCidr = (size & (size - 1n)) === 0n && start % size === 0n;
  if (!isCidr) return `${first}-${formatIp(ipOfValue(version, end))}`;
  return `${first}/${BITS[version] - (size.toString(2).length - 1)}`;
}

/** The address of one number. */
export function ipOfValue(version: 4 | 6, value: bigint): IpNumber {
  if (version === 4) return { version, value: Number(value) };
  const word = (shift: bigint) => Number((value >> shift) & 0xffff_ffffn);
  return { version, words: [word(96n), word(64n), word(32n), word(0n)] };
}
