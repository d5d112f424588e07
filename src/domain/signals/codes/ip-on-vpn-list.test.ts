import { expect, test } from 'vitest';
import { factsWith, networkWith } from './facts-for-tests.ts';
import { ipOnVpnList } from './ip-on-vpn-list.ts';

test('an address of a VPN company speaks for a VPN and a little for a false location', () => {
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

test('an address of a host that no VPN company rents from does not', () => {
  const network = networkWith({ asnClasses: ['hosting'], classSource: 'curated' });
  expect(ipOnVpnList.evaluate(factsWith({ network }))).toBeNull();
});

test('nothing is said of a network that is not known', () => {
  const network = networkWith({ asn: null, serviceProvider: '', connectionType: '' });
  expect(ipOnVpnList.evaluate(factsWith({ network }))).toBeNull();
});
