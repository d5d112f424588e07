import { expect, test } from 'vitest';
import { factsWith, networkWith } from '../../../../test/support/signals/facts.ts';
import type { FeedMatch } from '../feeds/feed-match.ts';
import { ipOnVpnList } from './ip-on-vpn-list.ts';

test('an address of a VPN company counts for a VPN, and a little for a spoofed location', () => {
  const network = networkWith({
    asn: 9009,
    serviceProvider: 'M247 Europe SRL',
    asnClasses: ['vpn', 'hosting'],
    classSource: 'curated',
  });
  const evidence = ipOnVpnList.evaluate(factsWith({ network }));
  expect(evidence).toMatchObject({
    source: 'asn_classes',
    observed: 'AS9009 M247 Europe SRL',
    confidence: 0.7,
  });
  expect(evidence?.contributions.vpn).toBeCloseTo(0.7);
  expect(evidence?.contributions.locationSpoofing).toBeCloseTo(0.315);
});

test('an address of a host without VPN companies does not count for a VPN', () => {
  const network = networkWith({ asnClasses: ['hosting'], classSource: 'curated' });
  expect(ipOnVpnList.evaluate(factsWith({ network }))).toBeNull();
});

test('an unknown network produces no evidence', () => {
  const network = networkWith({ asn: null, serviceProvider: '', connectionType: '' });
  expect(ipOnVpnList.evaluate(factsWith({ network }))).toBeNull();
});

function listed(changes: Partial<FeedMatch> = {}): FeedMatch {
  return {
    feed: 'vpns',
    kind: 'vpn',
    confidence: 0.95,
    asOf: '2025-06-10',
    halfLifeDays: 365,
    provider: '',
    ...changes,
  };
}

const VPN_COMPANY = {
  asn: 9009,
  serviceProvider: 'M247',
  asnClasses: ['vpn', 'hosting'],
  classSource: 'curated',
} as const;

test('a list of VPN ranges has more confidence than the class of the whole network', () => {
  const feeds = [listed({ provider: 'ExampleVPN' })];
  const startTime = new Date('2025-06-10T00:00:00.000Z');
  const evidence = ipOnVpnList.evaluate(
    factsWith({ network: networkWith({ ...VPN_COMPANY, feeds }), startTime }),
  );
  expect(evidence).toMatchObject({
    contributions: { vpn: 0.95 },
    confidence: 0.95,
    source: 'feed:vpns',
    sourceAsOf: '2025-06-10',
    observed: 'on a list of vpn addresses: ExampleVPN',
  });
});

test('the class, which does not age, replaces an expired list', () => {
  const feeds = [listed({ asOf: '2024-06-10' })];
  const evidence = ipOnVpnList.evaluate(factsWith({ network: networkWith({ ...VPN_COMPANY, feeds }) }));
  expect(evidence).toMatchObject({ source: 'asn_classes', sourceAsOf: null, confidence: 0.7 });
  expect(evidence?.contributions.vpn).toBeCloseTo(0.7);
});

test('a list alone counts for a VPN in the network of an access provider', () => {
  const evidence = ipOnVpnList.evaluate(factsWith({ network: networkWith({ feeds: [listed()] }) }));
  expect(evidence?.contributions.vpn).toBeGreaterThan(0.9);
});

test('addresses of the operator and of a relay are not classified by their network', () => {
  for (const kind of ['allow', 'relay'] as const) {
    const network = networkWith({ ...VPN_COMPANY, feeds: [listed({ kind })] });
    expect(ipOnVpnList.evaluate(factsWith({ network }))).toBeNull();
  }
});
