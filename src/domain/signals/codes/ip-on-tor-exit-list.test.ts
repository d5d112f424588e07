import { expect, test } from 'vitest';
import { factsWith, networkWith } from './facts-for-tests.ts';
import { ipOnTorExitList } from './ip-on-tor-exit-list.ts';

test('an address of an association that runs exits speaks for Tor', () => {
  const network = networkWith({
    asn: 60729,
    serviceProvider: 'Stiftung Erneuerbare Freiheit',
    asnClasses: ['tor', 'hosting'],
    classSource: 'curated',
  });
  const evidence = ipOnTorExitList.evaluate(factsWith({ network }));
  expect(evidence).toMatchObject({ observed: 'AS60729 Stiftung Erneuerbare Freiheit', confidence: 0.6 });
  expect(evidence?.contributions).toEqual({ tor: 0.6, locationSpoofing: 0.27 });
});

test('an address of a VPN company does not', () => {
  const network = networkWith({ asnClasses: ['vpn', 'hosting'], classSource: 'curated' });
  expect(ipOnTorExitList.evaluate(factsWith({ network }))).toBeNull();
});

test('nothing is said of a network that is not known', () => {
  const network = networkWith({ asn: null, serviceProvider: '', connectionType: '' });
  expect(ipOnTorExitList.evaluate(factsWith({ network }))).toBeNull();
});
