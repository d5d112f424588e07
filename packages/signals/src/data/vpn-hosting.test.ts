import { expect, test } from 'vitest';
import { vpnHostingOf } from './vpn-hosting.ts';

test.each([62240, 136557, 11878, 25369, 137409])(
  'AS%i, which VPN providers rent, has a grade from 0.4 to 0.6',
  (asn) => {
    const { grade } = vpnHostingOf(asn)!;
    expect(grade).toBeGreaterThanOrEqual(0.4);
    expect(grade).toBeLessThanOrEqual(0.6);
  },
);

test.each([174, 3257, 6461, 7922, 9009, 16509, null])('AS%s has no grade', (asn) => {
  expect(vpnHostingOf(asn)).toBeNull();
});
