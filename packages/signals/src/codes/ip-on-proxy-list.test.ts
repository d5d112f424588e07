import { expect, test } from 'vitest';
import { factsWith, networkWith } from '../../../../test/support/signals/facts.ts';
import type { FeedMatch } from '../feeds/feed-match.ts';
import { ipOnProxyList } from './ip-on-proxy-list.ts';

const PROXY: FeedMatch = {
  feed: 'proxies',
  kind: 'proxy',
  confidence: 0.9,
  asOf: '2025-06-10',
  halfLifeDays: 7,
  provider: '',
};
const NOON = new Date('2025-06-10T12:00:00.000Z');

function evaluate(feeds: readonly FeedMatch[], startTime = NOON) {
  return ipOnProxyList.evaluate(factsWith({ network: networkWith({ feeds }), startTime }));
}

test('an address on a list of proxies counts for a proxy, and a little for a spoofed location', () => {
  const evidence = evaluate([{ ...PROXY, halfLifeDays: null }]);
  expect(evidence).toMatchObject({
    confidence: 0.9,
    source: 'feed:proxies',
    sourceAsOf: '2025-06-10',
    observed: 'on a list of proxy addresses',
  });
  expect(evidence?.contributions.proxy).toBeCloseTo(0.9);
  expect(evidence?.contributions.locationSpoofing).toBeCloseTo(0.405);
});

test('after two weeks a quarter of the weight of a proxy list remains', () => {
  const evidence = evaluate([PROXY], new Date('2025-06-24T00:00:00.000Z'));
  expect(evidence?.contributions.proxy).toBeCloseTo(0.9 / 4);
  expect(evidence?.confidence).toBe(0.9);
});

test('of two lists the one with the greater weight today applies', () => {
  const old: FeedMatch = { ...PROXY, feed: 'old', confidence: 1, asOf: '2025-05-01' };
  const fresh: FeedMatch = { ...PROXY, feed: 'fresh', confidence: 0.5, provider: 'ExampleProxy' };
  for (const feeds of [
    [old, fresh],
    [fresh, old],
  ]) {
    expect(evaluate(feeds)).toMatchObject({
      source: 'feed:fresh',
      observed: 'on a list of proxy addresses: ExampleProxy',
    });
  }
});

test('a long name of a service is shortened', () => {
  expect(evaluate([{ ...PROXY, provider: 'x'.repeat(5000) }])?.observed.length).toBeLessThan(200);
});

test('an address on lists of other kinds is not a proxy', () => {
  for (const kind of ['vpn', 'relay', 'datacenter', 'cellular', 'allow', 'location'] as const) {
    expect(evaluate([{ ...PROXY, kind }])).toBeNull();
  }
});

test('no list produces no evidence', () => {
  expect(evaluate([])).toBeNull();
});
