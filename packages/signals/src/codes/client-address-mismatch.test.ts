import { describe, expect, test } from 'vitest';
import { checksWith, factsWith, networkWith } from '../../../../test/support/signals/facts.ts';
import type { NetworkFacts } from '../network/network-facts.ts';
import { clientAddressMismatch } from './client-address-mismatch.ts';

const webrtc = (webrtc_addresses: string[], network: Partial<NetworkFacts> = {}) =>
  clientAddressMismatch.evaluate(
    factsWith({ network: networkWith(network), checks: checksWith({ webrtc_addresses }) }),
  );

const headers = (values: Record<string, string>) =>
  clientAddressMismatch.evaluate(factsWith({ headers: values }));

const country = (countryCode: string): NetworkFacts['location'] => ({
  ...networkWith().location,
  countryCode,
});

const moved = (to: Partial<NetworkFacts>, from: Partial<NetworkFacts> = {}) =>
  clientAddressMismatch.evaluate(
    factsWith({ network: networkWith(from), laterNetworks: [networkWith({ ip: '81.2.69.142', ...to })] }),
  );

describe('WebRTC', () => {
  test('with a public address in another network shows a proxy or VPN', () => {
    const [evidence] = webrtc(['192.168.1.5', '81.2.69.142']) ?? [];
    expect(evidence).toMatchObject({ group: 'client_address', source: 'webrtc' });
    expect(evidence?.contributions.spoofedIp).toBeGreaterThan(0.5);
    expect(evidence?.contributions.vpn).toBeGreaterThan(0.3);
    expect(evidence?.observed).not.toMatch(/\d+\.\d+/);
  });

  test('has less confidence in a network that assigns many addresses to a user', () => {
    for (const connectionType of ['mobile', 'business', ''] as const) {
      expect(webrtc(['81.2.69.142'], { connectionType })?.[0]?.contributions.spoofedIp).toBeLessThan(0.3);
    }
  });

  test.each([
    [['172.56.20.10']],
    [['172.56.99.7']],
    [['81.2.69.142', '172.56.20.10']],
    [['192.168.1.5', '10.0.0.3', 'fe80::1', '0f4c9a7e-1b2c.local']],
    [['2607:fb90::1']],
    [['not an address', '']],
    [[]],
  ])(
    'with an address of the same network, a private, hidden or IPv6 address beside IPv4 is no evidence: %o',
    (addresses) => {
      expect(webrtc(addresses)).toBeNull();
    },
  );

  test('behind a privacy relay, which declares that it hides the address, is no evidence', () => {
    expect(webrtc(['81.2.69.142'], { connectionType: 'private_relay' })).toBeNull();
  });
});

describe('forwarding headers', () => {
  test('with another public address indicate a proxy or forgery', () => {
    const [evidence] = headers({ 'x-forwarded-for': '81.2.69.142, 172.56.20.10' }) ?? [];
    expect(evidence?.source).toBe('forwarding_headers');
    expect(evidence?.contributions.proxy).toBeGreaterThan(0.2);
    expect(evidence?.contributions.spoofedIp).toBeLessThan(0.5);
  });

  test('of a company proxy name internal addresses and are no evidence', () => {
    expect(
      headers({ 'x-forwarded-for': '10.4.1.77, 172.56.20.10', forwarded: 'for=192.168.3.3' }),
    ).toBeNull();
  });

  test('of the trusted proxies name the address of the request itself', () => {
    expect(headers({ 'x-forwarded-for': '172.56.20.10', forwarded: 'for=172.56.20.10' })).toBeNull();
  });

  test('that name an address of the other IP version have less confidence', () => {
    const other = headers({ forwarded: 'for="[2a00:1450::1]"' })?.[0]?.confidence ?? 0;
    const same = headers({ forwarded: 'for=81.2.69.142' })?.[0]?.confidence ?? 0;
    expect(other).toBeGreaterThan(0);
    expect(other).toBeLessThan(same);
  });
});

describe('Via', () => {
  test('of a consumer proxy is weak evidence for a proxy only', () => {
    const [evidence] = headers({ via: '1.1 host (squid/5.7)' }) ?? [];
    expect(Object.keys(evidence?.contributions ?? {})).toEqual(['proxy']);
    expect(evidence?.contributions.proxy).toBeLessThan(0.25);
    expect(evidence?.observed).toBe('Via names Squid');
  });

  test('of an unknown proxy counts only when the operator has no trusted proxy', () => {
    expect(headers({ via: '1.1 gw.example' })?.[0]?.observed).toBe('Via names a proxy');
    expect(headers({ via: '1.1 gw.example', 'x-forwarded-for': '172.56.20.10' })).toBeNull();
    const edge = { ja4: '', tcpRttMs: 20, ipTtl: null };
    expect(
      clientAddressMismatch.evaluate(factsWith({ edge, headers: { via: '1.1 gw.example' } })),
    ).toBeNull();
  });
});

describe('a session that changes its address', () => {
  test('to another country has a spoofed address', () => {
    const [evidence] = moved({ asn: 64501, location: country('DE') }) ?? [];
    expect(evidence?.contributions.spoofedIp).toBeGreaterThan(0.5);
    expect(evidence?.observed).toBe(
      'moved from AS64500 Example Networks (US) to AS64501 Example Networks (DE)',
    );
  });

  test('from a mobile network to Wi-Fi is a handover, and abroad it is roaming', () => {
    const handover = moved({ asn: 64501 }, { connectionType: 'mobile' })?.[0]?.contributions.spoofedIp ?? 1;
    const roaming = moved({ asn: 64501, location: country('DE') }, { connectionType: 'mobile' });
    expect(handover).toBeLessThan(0.15);
    expect(roaming?.[0]?.contributions.spoofedIp).toBeLessThan(0.3);
  });

  test('to a server network indicates a VPN that was turned on or off', () => {
    expect(moved({ asn: 64501, connectionType: 'hosting' })?.[0]?.contributions.vpn).toBeCloseTo(0.2);
  });

  test.each([
    { ip: '172.56.21.9' },
    { bogon: true, asn: null, location: country('') },
    { asn: null, location: country('') },
  ])('inside its network, or to an unknown network, is no evidence: %o', (to) => {
    expect(moved(to)).toBeNull();
  });

  test('counts less when the country is uncertain', () => {
    const unsure = moved({ asn: 64501, location: country('DE'), countryConfidence: 0.5 });
    expect(unsure?.[0]?.contributions.spoofedIp).toBeLessThan(0.35);
  });
});

describe('an address that is not publicly routable', () => {
  test.each(['240.0.0.1', '203.0.113.5', '2001:db8::1'])('such as %s is a forged one', (ip) => {
    const evidence = clientAddressMismatch.evaluate(factsWith({ network: networkWith({ ip, bogon: true }) }));
    expect(evidence?.[0]?.contributions.spoofedIp).toBeGreaterThan(0.5);
  });

  test.each(['127.0.0.1', '::1', '10.0.0.7', '192.168.1.1', '100.64.3.2', 'fd00::7'])(
    'such as %s is of development or internal use',
    (ip) => {
      const facts = factsWith({
        network: networkWith({ ip, bogon: true }),
        checks: checksWith({ webrtc_addresses: ['81.2.69.142'] }),
        headers: { via: '1.1 gw.example', 'x-forwarded-for': '81.2.69.142' },
      });
      expect(clientAddressMismatch.evaluate(facts)).toBeNull();
    },
  );
});

test('a missing address without other traces produces no evidence', () => {
  expect(clientAddressMismatch.evaluate(factsWith({ network: networkWith({ ip: '' }) }))).toBeNull();
  expect(clientAddressMismatch.evaluate(factsWith())).toBeNull();
});
