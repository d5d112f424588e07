import { describe, expect, it } from 'vitest';
import { createClientAddress } from './client-address.ts';

describe('the address of the client', () => {
  it('is the peer without a trusted proxy, for any header', () => {
    expect(createClientAddress([])('198.51.100.7', '8.8.8.8')).toBe('198.51.100.7');
  });

  it('is the address that the trusted proxy reported', () => {
    const address = createClientAddress(['10.0.0.0/8']);
    expect(address('10.1.2.3', '8.8.8.8')).toBe('8.8.8.8');
    expect(address('::ffff:10.1.2.3', '6.6.6.6, 8.8.8.8, 10.9.9.9')).toBe('8.8.8.8');
    expect(address('192.0.2.1', '8.8.8.8')).toBe('192.0.2.1');
  });

  it('is found behind proxies in any notation and version', () => {
    const address = createClientAddress(['10.0.0.0/8', '2001:db8::/32', '::ffff:192.0.2.0/120', 'fe80::/10']);
    expect(address('::ffff:a01:203', '8.8.8.8')).toBe('8.8.8.8');
    expect(address('2001:DB8::1', '2a00::1, 192.0.2.9')).toBe('2a00::1');
    expect(address('fe80::1%eth0', '8.8.8.8')).toBe('8.8.8.8');
    expect(address('fe80::1%eth0', 'fec0::1%eth0')).toBe('fec0::1%eth0');
    expect(address('2001:db9::1', '8.8.8.8')).toBe('2001:db9::1');
    expect(address('', '8.8.8.8')).toBe('');
    expect(address.isTrustedPeer('::ffff:10.1.2.3')).toBe(true);
    expect(address.isTrustedPeer('fe80::1%eth0')).toBe(true);
    expect(address.isTrustedPeer('11.0.0.1')).toBe(false);
    expect(address.isTrustedPeer(undefined)).toBe(false);
  });

  it('is IPv4 for a mapped address in any spelling, which IPv6 networks do not contain', () => {
    const address = createClientAddress(['10.0.0.0/8', '::/0']);
    expect(address('::ffff:10.1.2.3', '::FFFF:8.8.8.8')).toBe('8.8.8.8');
    expect(address('10.1.2.3', '0:0:0:0:0:ffff:808:808')).toBe('8.8.8.8');
    expect(address('::ffff:808:808', '9.9.9.9')).toBe('8.8.8.8');
    expect(address('2001:db8::1', '192.0.2.9')).toBe('192.0.2.9');
    expect(address.isTrustedPeer('192.0.2.1')).toBe(false);
    expect(address.isTrustedPeer('::ffff:192.0.2.1')).toBe(false);
  });

  it('is the last valid hop when the header is invalid', () => {
    expect(createClientAddress(['10.0.0.0/8'])('10.1.2.3', '8.8.8.8, nonsense')).toBe('10.1.2.3');
    expect(createClientAddress(['10.0.0.0/8'])('10.1.2.3', '')).toBe('10.1.2.3');
  });
});
