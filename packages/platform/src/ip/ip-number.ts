import { isIPv4, isIPv6 } from 'node:net';

/** An address as numbers: IPv4 as one unsigned 32-bit number, IPv6 as four of them, the most significant first. */
export type IpNumber =
  | { version: 4; value: number }
  | { version: 6; words: readonly [number, number, number, number] };

/**
 * Parses an address strictly: no spaces, no leading zeros, no zone (`%eth0` is local to its host). An IPv4-mapped IPv6 address
 * (`::ffff:8.8.8.8`, RFC 4291 section 2.5.5.2) is the IPv4 address.
 */
export function parseIp(text: string): IpNumber | null {
  if (isIPv4(text)) return { version: 4, value: ipv4Value(text) };
  if (!isIPv6(text) || text.includes('%')) return null;
  const words = ipv6Words(text);
  if (words[0] === 0 && words[1] === 0 && words[2] === 0xffff) return { version: 4, value: words[3] };
  return { version: 6, words };
}

const DOT = 46;
const COLON = 58;

/* Both parse valid addresses character by character: substrings would cost more than the rest of the parsing. */

function ipv4Value(text: string, from = 0): number {
  let value = 0;
  let octet = 0;
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === DOT) {
      value = value * 256 + octet;
      octet = 0;
    } else octet = octet * 10 + code - 48;
  }
  return value * 256 + octet;
}

function ipv6Words(text: string): [number, number, number, number] {
  const parts: number[] = [];
  let gap = -1;
  let start = 0;
  let part = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === DOT) return expanded([...parts, ...hextetsOf(ipv4Value(text, start))], gap);
    if (code === COLON) {
      if (at > start) parts.push(part);
      else gap = parts.length;
      start = at + 1;
      part = 0;
    } else part = part * 16 + hexDigit(code);
  }
  if (start < text.length) parts.push(part);
  return expanded(parts, gap);
}

function hexDigit(code: number): number {
  return code < COLON ? code - 48 : (code | 0x20) - 87;
}

function hextetsOf(value: number): [number, number] {
  return [Math.floor(value / 0x10000), value % 0x10000];
}

/** Converts eight parts to four words, filling the gap with zeros. */
function expanded(parts: readonly number[], gap: number): [number, number, number, number] {
  const missing = 8 - parts.length;
  const part = (at: number) => {
    if (gap < 0 || at < gap) return parts[at]!;
    return at < gap + missing ? 0 : parts[at - missing]!;
  };
  const word = (at: number) => part(at) * 0x10000 + part(at + 1);
  return [word(0), word(2), word(4), word(6)];
}

/** The words of an address, the most significant first: one for IPv4, four for IPv6. */
export function wordsOf(ip: IpNumber): readonly number[] {
  return ip.version === 4 ? [ip.value] : ip.words;
}

/** True for equal addresses. */
export function isSameAddress(one: IpNumber, other: IpNumber): boolean {
  if (one.version !== other.version) return false;
  const words = wordsOf(other);
  return wordsOf(one).every((word, index) => word === words[index]);
}

/** The address as text: dotted IPv4, or IPv6 by RFC 5952. */
export function formatIp(ip: IpNumber): string {
  return ip.version === 4 ? formatIpv4(ip.value) : formatIpv6(ip.words);
}

/** Dotted decimal. */
export function formatIpv4(value: number): string {
  return `${value >>> 24}.${(value >>> 16) & 0xff}.${(value >>> 8) & 0xff}.${value & 0xff}`;
}

/** The form of RFC 5952: lower case, no leading zeros, the longest run of zeros as `::`. */
export function formatIpv6(words: readonly number[]): string {
  const parts: number[] = [];
  for (const word of words) parts.push(word >>> 16, word & 0xffff);
  const run = longestZeroRun(parts);
  if (run.length < 2) return hexParts(parts, 0, 8);
  return `${hexParts(parts, 0, run.start)}::${hexParts(parts, run.start + run.length, 8)}`;
}

function hexParts(parts: readonly number[], from: number, to: number): string {
  let text = '';
  for (let at = from; at < to; at++)
    text += at === from ? parts[at]!.toString(16) : `:${parts[at]!.toString(16)}`;
  return text;
}

/** The first longest run of zeros, which RFC 5952 section 4.2.3 shortens. */
function longestZeroRun(parts: readonly number[]): { start: number; length: number } {
  let best = { start: 0, length: 0 };
  let start = 0;
  for (let at = 0; at < parts.length; at++) {
    if (parts[at] !== 0) start = at + 1;
    else if (at + 1 - start > best.length) best = { start, length: at + 1 - start };
  }
  return best;
}
