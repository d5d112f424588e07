import { expect, test } from 'vitest';
import { factsWith, networkWith } from '../../../../test/support/signals/facts.ts';
import type { FeedMatch } from '../feeds/feed-match.ts';
import { ipOnTorExitList } from './ip-on-tor-exit-list.ts';

test('an address of an organization that operates exits counts for Tor', () => {
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

test('an address of a VPN company does not count for Tor', () => {
  const network = networkWith({ asnClasses: ['vpn', 'hosting'], classSource: 'curated' });
  expect(ipOnTorExitList.evaluate(factsWith({ network }))).toBeNull();
});

test('an unknown network produces no evidence', () => {
  const network = networkWith({ asn: null, serviceProvider: '', connectionType: '' });
  expect(ipOnTorExitList.evaluate(factsWith({ network }))).toBeNull();
});

function listed(changes: Partial<FeedMatch> = {}): FeedMatch {
  return {
    feed: 'exits',
    kind: 'tor',
    confidence: 0.99,
    asOf: '2025-06-10',
    halfLifeDays: 30,
    provider: '',
    ...changes,
  };
}

function torOn(date: string, feeds: readonly FeedMatch[], classes: readonly 'tor'[] = []) {
  const network = networkWith({ asnClasses: classes, classSource: 'curated', feeds });
  return ipOnTorExitList.evaluate(factsWith({ network, startTime: new Date(`${date}T00:00:00.000Z`) }));
}

test('a list of exits of the same day has a weight of 0.99', () => {
  const evidence = torOn('2025-06-10', [listed()]);
  expect(evidence).toMatchObject({ confidence: 0.99, source: 'feed:exits', sourceAsOf: '2025-06-10' });
  expect(evidence?.contributions.tor).toBeCloseTo(0.99, 10);
});

test.each([
  ['2025-07-10', 30, 0.495],
  // 0.99 · 2^(−91 / 30)
  ['2025-09-09', 91, 0.120924],
])('on %s, %i days later, its weight is %f', (date, _days, worth) => {
  expect(torOn(date, [listed()])?.contributions.tor).toBeCloseTo(worth, 6);
});

test('an outdated list gives way to the network, and a current list takes precedence over it', () => {
  expect(torOn('2025-09-09', [listed()], ['tor'])).toMatchObject({ source: 'asn_classes', sourceAsOf: null });
  expect(torOn('2025-06-20', [listed()], ['tor'])).toMatchObject({ source: 'feed:exits' });
});
