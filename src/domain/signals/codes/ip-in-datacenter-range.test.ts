import { expect, test } from 'vitest';
import type { AsnClass } from '../data/asn-class-rows.ts';
import type { FeedMatch } from '../feeds/feed-match.ts';
import { factsWith, networkWith } from './facts-for-tests.ts';
import { ipInDatacenterRange } from './ip-in-datacenter-range.ts';

function evaluate(asnClasses: readonly AsnClass[], classSource: 'curated' | 'name' | null) {
  const network = networkWith({ asn: 16509, serviceProvider: 'Amazon.com, Inc.', asnClasses, classSource });
  return ipInDatacenterRange.evaluate(factsWith({ network }));
}

test('a curated hosting network is a data centre, a plain fact', () => {
  const evidence = evaluate(['hosting'], 'curated');
  expect(evidence).toMatchObject({ confidence: 0.9, factual: true, observed: 'AS16509 Amazon.com, Inc.' });
  expect(evidence?.contributions.datacenter).toBeCloseTo(0.9);
  expect(evidence?.contributions.proxy).toBeCloseTo(0.18);
});

test('a network that is only called so is one less surely', () => {
  expect(evaluate(['hosting'], 'name')).toMatchObject({ confidence: 0.7, source: 'asn_name' });
});

test('a content network stays below the flag, since privacy relays use it', () => {
  expect(evaluate(['cdn'], 'curated')?.contributions.datacenter).toBeLessThan(0.5);
});

test('access networks of every kind are none', () => {
  for (const asnClass of ['mobile', 'education', 'government', 'business', 'satellite'] as const) {
    expect(evaluate([asnClass], 'curated')).toBeNull();
  }
  expect(evaluate(['satellite', 'hosting'], 'name')).toBeNull();
});

test('nothing is said of a network that is not known', () => {
  expect(evaluate([], null)).toBeNull();
});

function listed(changes: Partial<FeedMatch> = {}): FeedMatch {
  return {
    feed: 'clouds',
    kind: 'datacenter',
    confidence: 0.95,
    asOf: '2025-06-10',
    halfLifeDays: 730,
    provider: '',
    ...changes,
  };
}

function onLists(feeds: readonly FeedMatch[], changes: Parameters<typeof networkWith>[0] = {}) {
  const startTime = new Date('2025-06-10T00:00:00.000Z');
  return ipInDatacenterRange.evaluate(factsWith({ network: networkWith({ feeds, ...changes }), startTime }));
}

test('a list of data centres is told with its date and what it names', () => {
  const evidence = onLists([listed({ provider: 'AWS EC2' })]);
  expect(evidence).toMatchObject({
    source: 'feed:clouds',
    sourceAsOf: '2025-06-10',
    observed: 'on a list of datacenter addresses: AWS EC2',
  });
  expect(evidence?.contributions).toEqual({ datacenter: 0.95, proxy: 0.19 });
});

test('the stronger of list and network decides', () => {
  const hosting = { asn: 16509, asnClasses: ['hosting'], classSource: 'curated' } as const;
  expect(onLists([listed()], hosting)?.source).toBe('feed:clouds');
  expect(onLists([listed({ asOf: '2023-06-10' })], hosting)).toMatchObject({
    source: 'asn_classes',
    sourceAsOf: null,
    confidence: 0.9,
  });
  expect(onLists([listed({ confidence: 0.6 })], { ...hosting, classSource: 'name' })?.source).toBe(
    'asn_name',
  );
});

test("satellites' users, a relay's and an operator's own are not told as servers", () => {
  expect(onLists([listed()], { connectionType: 'satellite' })).toBeNull();
  expect(onLists([listed()], { connectionType: 'private_relay' })).toBeNull();
  expect(
    onLists([listed({ kind: 'allow' })], { asnClasses: ['hosting'], classSource: 'curated' }),
  ).toBeNull();
});
