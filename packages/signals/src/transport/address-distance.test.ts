import { parseIp } from '@vouchgraph/platform/ip/ip-number';
import { expect, test } from 'vitest';
import { areNear, publicAddresses } from './address-distance.ts';

const near = (one: string, other: string) => areNear(parseIp(one)!, parseIp(other)!);

test('addresses of one /16, or one /32 of IPv6, are near', () => {
  expect(near('8.8.8.8', '8.8.200.1')).toBe(true);
  expect(near('8.8.8.8', '8.9.8.8')).toBe(false);
  expect(near('200.8.8.8', '200.8.0.1')).toBe(true);
  expect(near('2a00:1450:4001::1', '2a00:1450:ffff::2')).toBe(true);
  expect(near('2a00:1450::1', '2a00:1451::1')).toBe(false);
});

test('IPv4 and IPv6 cannot be compared, and a mapped address is IPv4', () => {
  expect(near('8.8.8.8', '2a00:1450::1')).toBeNull();
  expect(near('8.8.8.8', '::ffff:8.8.4.4')).toBe(true);
});

test('only public addresses of a list are used', () => {
  const texts = ['192.168.1.4', '10.0.0.1', 'b1946ac9.local', '', 'fe80::1', ' 8.8.8.8', '2a00:1450::1'];
  expect(publicAddresses(texts)).toEqual([parseIp('8.8.8.8'), parseIp('2a00:1450::1')]);
});
