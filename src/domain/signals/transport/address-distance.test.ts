import { expect, test } from 'vitest';
import { parseIp } from '../../../platform/ip/ip-number.ts';
import { areNear, isInternal, publicAddresses } from './address-distance.ts';

const near = (one: string, other: string) => areNear(parseIp(one)!, parseIp(other)!);

test('addresses are near in one /16, or one /32 of IPv6', () => {
  expect(near('8.8.8.8', '8.8.200.1')).toBe(true);
  expect(near('8.8.8.8', '8.9.8.8')).toBe(false);
  expect(near('200.8.8.8', '200.8.0.1')).toBe(true);
  expect(near('2a00:1450:4001::1', '2a00:1450:ffff::2')).toBe(true);
  expect(near('2a00:1450::1', '2a00:1451::1')).toBe(false);
});

test('IPv4 and IPv6 cannot be compared, a mapped address is IPv4', () => {
  expect(near('8.8.8.8', '2a00:1450::1')).toBeNull();
  expect(near('8.8.8.8', '::ffff:8.8.4.4')).toBe(true);
});

test('of a list only what the internet can reach is kept', () => {
  const texts = ['192.168.1.4', '10.0.0.1', 'b1946ac9.local', '', 'fe80::1', ' 8.8.8.8', '2a00:1450::1'];
  expect(publicAddresses(texts)).toEqual([parseIp('8.8.8.8'), parseIp('2a00:1450::1')]);
});

test.each([
  '127.0.0.1',
  '10.1.2.3',
  '172.31.0.1',
  '192.168.0.1',
  '100.64.0.1',
  '169.254.1.1',
  '198.18.0.1',
  '0.0.0.0',
  '::1',
  '::',
  'fd00::1',
  'fe80::1',
])('%s is of internal use', (address) => {
  expect(isInternal(parseIp(address)!)).toBe(true);
});

test.each([
  '8.8.8.8',
  '172.32.0.1',
  '100.128.0.1',
  '203.0.113.5',
  '240.0.0.1',
  '224.0.0.1',
  '2a00:1450::1',
  '2001:db8::1',
])('%s is not', (address) => {
  expect(isInternal(parseIp(address)!)).toBe(false);
});
