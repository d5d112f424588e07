import { expect, test } from 'vitest';
import { formatIp, type IpNumber, parseIp } from './ip-number.ts';
import { addressValue, parseRange } from './ip-range.ts';

const TOP_V6 = 'ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff';

test.each([
  ['192.0.2.1', '192.0.2.1', '192.0.2.1'],
  ['192.0.2.0/24', '192.0.2.0', '192.0.2.255'],
  ['192.0.2.77/24', '192.0.2.0', '192.0.2.255'],
  ['192.0.2.5 - 192.0.3.9', '192.0.2.5', '192.0.3.9'],
  ['192.0.2.5-192.0.2.5', '192.0.2.5', '192.0.2.5'],
  ['0.0.0.0/0', '0.0.0.0', '255.255.255.255'],
  ['255.255.255.255/32', '255.255.255.255', '255.255.255.255'],
  ['2001:db8::/127', '2001:db8::', '2001:db8::1'],
  ['2001:db8::ff/64', '2001:db8::', '2001:db8::ffff:ffff:ffff:ffff'],
  ['2001:db8::1-2001:db8::3', '2001:db8::1', '2001:db8::3'],
  ['::/0', '::', TOP_V6],
  ['::ffff:192.0.2.0/120', '192.0.2.0', '192.0.2.255'],
])('%s is the range from %s to %s', (text, first, last) => {
  const [start, end] = [parseIp(first)!, parseIp(last)!];
  expect(parseRange(text)).toEqual({
    version: start.version,
    start: addressValue(start),
    end: addressValue(end),
  });
});

test.each([
  '',
  '-',
  'example.com',
  '192.0.2',
  '192.0.2.0/33',
  '192.0.2.0/-1',
  '192.0.2.0/',
  '192.0.2.0/8x',
  '2001:db8::/129',
  '::ffff:192.0.2.0/95',
  '192.0.2.0/24/24',
  '192.0.2.9-192.0.2.1',
  '192.0.2.1-2001:db8::1',
  '192.0.2.0/24-192.0.3.0/24',
  'fe80::1%eth0',
])('"%s" is not a range', (text) => {
  expect(parseRange(text)).toBeNull();
});

test('an address as one number equals the number of its words', () => {
  const ip: IpNumber = { version: 6, words: [0x20010db8, 0, 0, 1] };
  expect(formatIp(ip)).toBe('2001:db8::1');
  expect(addressValue(ip)).toBe(0x20010db8000000000000000000000001n);
});
