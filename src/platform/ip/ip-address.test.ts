import fc from 'fast-check';
import ipaddr from 'ipaddr.js';
import { expect, test } from 'vitest';
import { isBogon, isPublicIp, networkPrefixes, normaliseIp } from './ip-address.ts';

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
  expect(normaliseIp(text)).toBe(normal);
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
])('"%s" is no address', (text) => {
  expect(normaliseIp(text)).toBeNull();
  expect(isPublicIp(text)).toBe(false);
  expect(isBogon(text)).toBe(false);
});

test('IPv6 is written as RFC 5952 says, as another implementation does', () => {
  const hextet = fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 0xffff }));
  fc.assert(
    fc.property(fc.array(hextet, { minLength: 8, maxLength: 8 }), (parts) => {
      const text = parts.map((part) => part.toString(16)).join(':');
      const oracle = ipaddr.process(text);
      const expected = oracle instanceof ipaddr.IPv6 ? oracle.toRFC5952String() : oracle.toString();
      expect(normaliseIp(text)).toBe(expected);
      expect(normaliseIp(expected)).toBe(expected);
    }),
  );
});

test.each([
  '0.0.0.0',
  '10.1.2.3',
  '100.64.0.1',
  '127.0.0.1',
  '169.254.1.1',
  '172.31.255.255',
  '192.0.2.1',
  '192.168.1.1',
  '198.19.0.1',
  '203.0.113.5',
  '224.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::ffff:10.0.0.1',
  'fc00::1',
  'fe80::1',
  'ff02::1',
  '2001:db8::1',
  '2001:2::1',
  '3fff::1',
  '100::1',
  '4000::1',
])('nobody on the internet has %s', (ip) => {
  expect(isBogon(ip)).toBe(true);
  expect(isPublicIp(ip)).toBe(false);
});

test.each([
  '8.8.8.8',
  '100.63.255.255',
  '100.128.0.0',
  '172.32.0.1',
  '192.0.0.9',
  '198.20.0.1',
  '223.255.255.255',
  '2001:4860:4860::8888',
  '2620:7:6003::141',
  '2002:808:808::1',
  '2001:0:1::1',
  '64:ff9b::1',
  '::ffff:8.8.8.8',
])('somebody can have %s', (ip) => {
  expect(isPublicIp(ip)).toBe(true);
  expect(isBogon(ip)).toBe(false);
});

test('an IPv4 address stands for itself and its neighbourhood of 256', () => {
  expect(networkPrefixes('203.0.113.77')).toEqual({
    address: '203.0.113.77/32',
    neighbourhood: '203.0.113.0/24',
  });
  expect(networkPrefixes('::ffff:8.8.8.8').address).toBe('8.8.8.8/32');
});

test('an IPv6 address stands for its /64 and its /56', () => {
  expect(networkPrefixes('2001:db8:1:23ff:1:2:3:4')).toEqual({
    address: '2001:db8:1:23ff::/64',
    neighbourhood: '2001:db8:1:2300::/56',
  });
});

test('addresses of one /64 stand for the same network', () => {
  expect(networkPrefixes('2001:db8::1')).toEqual(networkPrefixes('2001:db8::ffff:1'));
});

test('text that is no address has no network', () => {
  expect(() => networkPrefixes('localhost')).toThrow(TypeError);
});
