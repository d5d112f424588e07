import { type IpNumber, parseIp } from './ip-number.ts';

/**
 * The blocks of the IANA special-purpose address registries (RFC 6890 and its updates), and whether the registry
 * calls them globally reachable. Where one lies in another, the smaller comes first, since the first that holds
 * decides.
 */
const IPV4_BLOCKS: ReadonlyArray<readonly [cidr: string, reachable: boolean]> = [
  ['192.0.0.9/32', true], // port control protocol anycast
  ['192.0.0.10/32', true], // TURN anycast
  ['0.0.0.0/8', false],
  ['10.0.0.0/8', false],
  ['100.64.0.0/10', false], // between a provider and its customers
  ['127.0.0.0/8', false],
  ['169.254.0.0/16', false],
  ['172.16.0.0/12', false],
  ['192.0.0.0/24', false],
  ['192.0.2.0/24', false],
  ['192.88.99.0/24', false], // 6to4 relays, withdrawn by RFC 7526
  ['192.168.0.0/16', false],
  ['198.18.0.0/15', false],
  ['198.51.100.0/24', false],
  ['203.0.113.0/24', false],
  ['224.0.0.0/4', false], // multicast
  ['240.0.0.0/4', false], // reserved, and broadcast
];

/** Global unicast is 2000::/3 (RFC 4291); what is outside of it and not named here is not in use. */
const IPV6_BLOCKS: ReadonlyArray<readonly [cidr: string, reachable: boolean]> = [
  ['64:ff9b::/96', true], // IPv4 translated
  ['2001::/32', true], // Teredo, whose hosts do reach others
  ['2001:1::1/128', true],
  ['2001:1::2/128', true],
  ['2001:1::3/128', true],
  ['2001:3::/32', true],
  ['2001:4:112::/48', true],
  ['2001:20::/28', true],
  ['2001:30::/28', true],
  ['2001::/23', false],
  ['2001:db8::/32', false],
  ['3fff::/20', false],
  ['2000::/3', true],
  ['::/0', false],
];

type Block = { mask: readonly number[]; base: readonly number[]; reachable: boolean };

const BLOCKS_V4 = IPV4_BLOCKS.map(([cidr, reachable]) => toBlock(cidr, reachable));
const BLOCKS_V6 = IPV6_BLOCKS.map(([cidr, reachable]) => toBlock(cidr, reachable));

function toBlock(cidr: string, reachable: boolean): Block {
  const [address = '', length] = cidr.split('/');
  const base = wordsOf(parseIp(address)!);
  return { base, mask: base.map((_, index) => maskWord(Number(length) - 32 * index)), reachable };
}

function maskWord(bits: number): number {
  if (bits <= 0) return 0;
  return bits >= 32 ? 0xffffffff : (0xffffffff << (32 - bits)) >>> 0;
}

function wordsOf(ip: IpNumber): readonly number[] {
  return ip.version === 4 ? [ip.value] : ip.words;
}

/** True for an address that the registries let a host on the internet have. */
export function isReachable(ip: IpNumber): boolean {
  const words = wordsOf(ip);
  for (const block of ip.version === 4 ? BLOCKS_V4 : BLOCKS_V6) {
    if (isInside(words, block)) return block.reachable;
  }
  return true;
}

function isInside(words: readonly number[], { base, mask }: Block): boolean {
  for (let index = 0; index < words.length; index++) {
    if ((words[index]! & mask[index]!) >>> 0 !== base[index]) return false;
  }
  return true;
}

/**
 * Whether a range contains addresses that no host on the internet can have: its first or last address, or a whole
 * special-purpose block between them. Both ends are of one version.
 */
export function touchesSpecialNetwork(first: IpNumber, last: IpNumber): boolean {
  if (!isReachable(first) || !isReachable(last)) return true;
  const [start, end] = [wordsOf(first), wordsOf(last)];
  return (first.version === 4 ? BLOCKS_V4 : BLOCKS_V6).some(
    ({ base, reachable }) => !reachable && compareWords(start, base) < 0 && compareWords(base, end) <= 0,
  );
}

function compareWords(a: readonly number[], b: readonly number[]): number {
  for (let index = 0; index < a.length; index++) if (a[index] !== b[index]) return a[index]! - b[index]!;
  return 0;
}
