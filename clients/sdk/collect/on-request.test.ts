import { expect, test } from 'vitest';
import { reflexiveAddressOf } from './on-request.ts';

test('the address is read only from a candidate of a STUN server', () => {
  const seen =
    'candidate:842163049 1 udp 1677729535 203.0.113.7 46154 typ srflx raddr 10.0.17.1 rport 46154 generation 0';
  const own = 'candidate:1 1 udp 2122260223 9b36eaac-bb2e-49bb-bb78-21c41c499900.local 40123 typ host';
  expect(reflexiveAddressOf(seen)).toBe('203.0.113.7');
  expect(reflexiveAddressOf(own)).toBeNull();
  expect(reflexiveAddressOf('')).toBeNull();
});
