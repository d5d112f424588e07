import { isIPv4, isIPv6 } from 'node:net';

/** An address as numbers: IPv4 as one unsigned 32-bit number, IPv6 as four of them, the most significant first. */
export type IpNumber =
  | { version: 4; value: number }
  | { version: 6; words: readonly [number, number, number, number] };

/**
 * Reads an address. Strict: no spaces, no leading zeros, no zone (`%eth0` means nothing beyond its own host). An IPv4
 * address mapped into IPv6 (`::ffff:8.8.8.8`, RFC 4291 section 2.5.5.2) is the IPv4 address.
 */
export function parseIp(text: string): IpNumber | null {
  if (isIPv4(text)) return { version: 4, value: ipv4Value(text) };
  if (!isIPv6(text) || text.includes('%')) return null;
  const words = ipv6Words(text);
  if (words[0] === 0 && words[1] === 0 && words[2] === 0xffff) return { version: 4, value: words[3] };
  return { version: 6, words };
}

function ipv4Value(text: string): number {
  return text.split('.').reduce((value, octet) => value * 256 + Number(octet), 0);
}

function ipv6Words(text: string): [number, number, number, number] {
  const [head = '', tail] = text.split('::');
  const left = hextets(head);
  const right = tail === undefined ? [] : hextets(tail);
  const all = [...left, ...new Array<number>(8 - left.length - right.length).fill(0), ...right];
  const word = (at: number) => all[at]! * 0x10000 + all[at + 1]!;
  return [word(0), word(2), word(4), word(6)];
}

function hextets(text: string): number[] {
  if (text === '') return [];
  return text.split(':').flatMap((part) => {
    if (!part.includes('.')) return [Number.parseInt(part, 16)];
    const value = ipv4Value(part);
    return [Math.floor(value / 0x10000), value % 0x10000];
  });
}

/** The address as text: dotted IPv4, or IPv6 in the one form of RFC 5952. */
export function formatIp(ip: IpNumber): string {
  return ip.version === 4 ? formatIpv4(ip.value) : formatIpv6(ip.words);
}

/** Dotted decimal. */
export function formatIpv4(value: number): string {
  return [24, 16, 8, 0].map((shift) => (value >>> shift) & 0xff).join('.');
}

/** The form of RFC 5952: lower case, no leading zeros, the longest run of zeros as `::`. */
export function formatIpv6(words: readonly number[]): string {
  const parts = words.flatMap((word) => [word >>> 16, word & 0xffff]);
  const run = longestZeroRun(parts);
  const hex = (from: number, to: number) =>
    parts
      .slice(from, to)
      .map((part) => part.toString(16))
      .join(':');
  return run.length < 2 ? hex(0, 8) : `${hex(0, run.start)}::${hex(run.start + run.length, 8)}`;
}

/** The first of the longest runs of zeros, which RFC 5952 section 4.2.3 says to shorten. */
function longestZeroRun(parts: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  for (let start = 0; start < parts.length; start++) {
    let length = 0;
    while (parts[start + length] === 0) length++;
    if (length > best.length) best = { start, length };
  }
  return best;
}
