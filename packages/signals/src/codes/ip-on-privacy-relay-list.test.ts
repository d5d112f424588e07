import { expect, test } from 'vitest';
import { factsWith, networkWith } from '../../../../test/support/signals/facts.ts';
import { assessSession } from '../assessment/assess-session.ts';
import type { FeedMatch } from '../feeds/feed-match.ts';
import { withFeeds } from '../network/network-with-feeds.ts';
import { ipOnPrivacyRelayList } from './ip-on-privacy-relay-list.ts';

const RELAY: FeedMatch = {
  feed: 'apple',
  kind: 'relay',
  confidence: 1,
  asOf: '2025-06-10',
  halfLifeDays: 365,
  provider: '',
};

function evaluate(feeds: readonly FeedMatch[], startTime?: Date) {
  return ipOnPrivacyRelayList.evaluate(factsWith({ network: networkWith({ feeds }), startTime }));
}

test('the address of a relay is reported as a plain fact with little weight', () => {
  const evidence = evaluate([RELAY], new Date('2025-06-10T00:00:00.000Z'));
  expect(evidence).toMatchObject({
    contributions: { vpn: 0.15, proxy: 0.1 },
    confidence: 1,
    source: 'feed:apple',
    sourceAsOf: '2025-06-10',
    observed: 'on a list of relay addresses',
    factual: true,
  });
});

test('after a year half of the weight remains', () => {
  expect(evaluate([RELAY], new Date('2026-06-10T00:00:00.000Z'))?.contributions.vpn).toBeCloseTo(0.075);
});

test('no user of a relay is flagged, although its addresses belong to a content delivery network', () => {
  const network = networkWith({
    asnClasses: ['cdn'],
    classSource: 'curated',
    connectionType: 'hosting',
    serviceProvider: 'Cloudflare, Inc.',
  });
  const { scores, flags } = assessSession(factsWith({ network: withFeeds(network, [RELAY]) }));
  expect(Object.values(flags).every((flag) => !flag)).toBe(true);
  expect(scores.datacenter).toBe(0);
});

test('an address on lists of other kinds is not a relay', () => {
  for (const kind of ['vpn', 'proxy', 'tor', 'datacenter', 'allow', 'location'] as const) {
    expect(evaluate([{ ...RELAY, kind }])).toBeNull();
  }
});

test('no list produces no evidence', () => {
  expect(evaluate([])).toBeNull();
});
