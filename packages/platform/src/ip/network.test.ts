import { BlockList } from 'node:net';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatIp, type IpNumber, parseIp } from './ip-number.ts';
import { isInNetwork, parseNetwork } from './network.ts';

const word = fc.oneof(fc.constantFrom(0, 0xffff, 0xffffffff), fc.integer({ min: 0, max: 0xffffffff }));
const address: fc.Arbitrary<IpNumber> = fc.oneof(
  word.map((value): IpNumber => ({ version: 4, value })),
  fc.tuple(word, word, word, word).map((words) => parseIp(formatIp({ version: 6, words }))!),
);

/** The address with the bit `bit` of its words inverted, so that only the bits before it are equal. */
function withBit(ip: IpNumber, bit: number): IpNumber {
  if (ip.version === 4) return { version: 4, value: (ip.value ^ (1 << (bit & 31))) >>> 0 };
  const words = ip.words.map((each, index) => (index === bit >> 5 ? (each ^ (1 << (bit & 31))) >>> 0 : each));
  return parseIp(formatIp({ version: 6, words: words as [number, number, number, number] }))!;
}

const familyOf = ({ version }: IpNumber) => (version === 4 ? 'ipv4' : 'ipv6');

test('a network contains the same addresses as the BlockList of Node, and none of the other family', () => {
  const other = fc.oneof(fc.integer({ min: 0, max: 127 }), address);
  fc.assert(
    fc.property(address, fc.integer({ min: 0, max: 128 }), other, (base, length, at) => {
      const prefix = base.version === 4 ? length % 33 : length;
      const ip = typeof at === 'number' ? withBit(base, at) : at;
      const list = new BlockList();
      list.addSubnet(formatIp(base), prefix, familyOf(base));
      const network = parseNetwork(`${formatIp(base)}/${prefix}`)!;
      // BlockList finds IPv4 addresses in IPv6 networks.
      const contains = ip.version === base.version && list.check(formatIp(ip), familyOf(ip));
      expect(isInNetwork(ip, network)).toBe(contains);
      expect(isInNetwork(base, network)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test.each([
  ['10.0.0.0/8', '10.255.255.255', true],
  ['10.1.2.3/8', '10.255.255.255', true],
  ['10.0.0.0/8', '11.0.0.0', false],
  ['10.0.0.0/8', '::ffff:a01:203', true],
  ['10.0.0.0/8', 'a00::', false],
  ['0.0.0.0/0', '8.8.8.8', true],
  ['0.0.0.0/0', '2001:db8::1', false],
  ['10.0.0.1', '10.0.0.1', true],
  ['10.0.0.1', '10.0.0.2', false],
  ['::ffff:10.0.0.0/104', '10.1.2.3', true],
  ['::ffff:10.0.0.0/104', '11.1.2.3', false],
  ['::ffff:0:0/96', '8.8.8.8', true],
  ['::ffff:0:0/96', '::fffe:808:808', false],
  ['::ffff:8.8.8.8', '8.8.8.8', true],
  ['::/95', '8.8.8.8', false],
  ['::/64', '8.8.8.8', false],
  ['::/0', '8.8.8.8', false],
  ['::/0', '::ffff:8.8.8.8', false],
  ['::/0', '2001:db8::1', true],
  ['2001:db8::/33', '2001:db8:7fff::1', true],
  ['2001:db8::/33', '2001:db8:8000::1', false],
])('%s and %s: %s', (network, ip, contains) => {
  expect(isInNetwork(parseIp(ip)!, parseNetwork(network)!)).toBe(contains);
});

test.each([
  '',
  '10.0.0.0/33',
  '10.0.0.0/-1',
  '10.0.0.0/',
  '10.0.0.0/8a',
  '10.0.0.0/8/8',
  '::/129',
  // Neither a network of IPv4 addresses nor the network that its author meant.
  '::ffff:0:0/95',
  '::ffff:10.0.0.0/8',
  '10.0.0',
  'localhost/8',
  'fe80::1%eth0',
])('%j is not a network', (text) => {
  expect(parseNetwork(text)).toBeNull();
});
