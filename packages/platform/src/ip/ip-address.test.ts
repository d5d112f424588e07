import fc from 'fast-check';
import { expect, test } from 'vitest';
import { networkPrefixes, normalizeIp } from './ip-address.ts';

test.each([
  ['8.8.8.8', '8.8.8.8'],
  ['::ffff:8.8.8.8', '8.8.8.8'],
  ['::FFFF:808:808', '8.8.8.8'],
  ['2001:DB8:0:0:8:800:200C:417A', '2001:db8::8:800:200c:417a'],
  ['2001:db8:0:1:0:0:0:1', '2001:db8:0:1::1'],
  ['2001:0:0:1:0:0:1:1', '2001::1:0:0:1:1'],
  ['1:0:2:0:3:0:4:0', '1:0:2:0:3:0:4:0'],
  ['::', '::'],
  ['::1.2.3.4', '::102:304'],
  ['64:ff9b::8.8.8.8', '64:ff9b::808:808'],
])('%s is %s', (text, normal) => {
  expect(normalizeIp(text)).toBe(normal);
});

test.each([
  '',
  ' 8.8.8.8',
  '8.8.8.8 ',
  '08.8.8.8',
  '8.8.8',
  '256.1.1.1',
  'fe80::1%eth0',
  '1::2::3',
  'localhost',
  '8.8.8.8/32',
])('"%s" is not an address', (text) => {
  expect(normalizeIp(text)).toBeNull();
});

test('IPv6 is formatted by RFC 5952, equal to another implementation', () => {
  const hextet = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
  fc.assert(
    fc.property(fc.array(hextet, { minLength: 8, maxLength: 8 }), (parts) => {
      const text = parts.map((part) => part.toString(16)).join(':');
      const expected = new URL(`http://[${text}]`).hostname.slice(1, -1);
      fc.pre(!expected.startsWith('::ffff:') || parts[5] !== 0xffff);
      expect(normalizeIp(text)).toBe(expected);
      expect(normalizeIp(expected)).toBe(expected);
    }),
  );
});

test('an IPv4 address mapped into IPv6 is that IPv4 address', () => {
  fc.assert(
    fc.property(fc.ipV4(), (text) => {
      const [a = 0, b = 0, c = 0, d = 0] = text.split('.').map(Number);
      expect(normalizeIp(`::ffff:${text}`)).toBe(text);
      expect(normalizeIp(`::ffff:${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`)).toBe(text);
    }),
  );
});

test('an IPv4 address has the networks /32 and /24', () => {
  expect(networkPrefixes('203.0.113.77')).toEqual({
    address: '203.0.113.77/32',
    subnet: '203.0.113.0/24',
  });
  expect(networkPrefixes('::ffff:8.8.8.8').address).toBe('8.8.8.8/32');
});

test('an IPv6 address has the networks /64 and /56', () => {
  expect(networkPrefixes('2001:db8:1:23ff:1:2:3:4')).toEqual({
    address: '2001:db8:1:23ff::/64',
    subnet: '2001:db8:1:2300::/56',
  });
});

test('addresses of the same /64 have the same network', () => {
  expect(networkPrefixes('2001:db8::1')).toEqual(networkPrefixes('2001:db8::ffff:1'));
});

test('a text that is not an address has no network', () => {
  expect(() => networkPrefixes('localhost')).toThrow(TypeError);
});
