import { describe, expect, test } from 'vitest';
import { factsWith, networkWith } from '../../../../test/support/signals/facts.ts';
import { assessSession } from '../assessment/assess-session.ts';
import type { AsnClass } from '../data/asn-class.ts';
import { VPN_HOSTING } from '../data/vpn-hosting.ts';
import type { Evidence } from '../evidence/evidence.ts';
import type { FeedMatch } from '../feeds/feed-match.ts';
import { ipInDatacenterRange } from './ip-in-datacenter-range.ts';

function evaluate(asnClasses: readonly AsnClass[], classSource: 'curated' | 'name' | null) {
  const network = networkWith({ asn: 16509, serviceProvider: 'Amazon.com, Inc.', asnClasses, classSource });
  return onlyOne(ipInDatacenterRange.evaluate(factsWith({ network })));
}

/** The only observation; no VPN provider is known to rent in these networks. */
function onlyOne(evidence: Evidence | readonly Evidence[] | null): Evidence | null {
  const all = [evidence ?? []].flat();
  expect(all.length).toBeLessThan(2);
  return all[0] ?? null;
}

test('a curated hosting network is a data center, a plain fact', () => {
  const evidence = evaluate(['hosting'], 'curated');
  expect(evidence).toMatchObject({ confidence: 0.9, factual: true, observed: 'AS16509 Amazon.com, Inc.' });
  expect(evidence?.contributions.datacenter).toBeCloseTo(0.9);
  expect(evidence?.contributions.proxy).toBeCloseTo(0.18);
});

test('a network that is a data center only by its name has less confidence', () => {
  expect(evaluate(['hosting'], 'name')).toMatchObject({ confidence: 0.7, source: 'asn_name' });
});

test('a content delivery network stays below the flag, since privacy relays use it', () => {
  expect(evaluate(['cdn'], 'curated')?.contributions.datacenter).toBeLessThan(0.5);
});

test('access networks of any kind are not data centers', () => {
  for (const asnClass of ['mobile', 'education', 'government', 'business', 'satellite'] as const) {
    expect(evaluate([asnClass], 'curated')).toBeNull();
  }
  expect(evaluate(['satellite', 'hosting'], 'name')).toBeNull();
});

test('an unknown network produces no evidence', () => {
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
  const facts = factsWith({ network: networkWith({ feeds, ...changes }), startTime });
  return onlyOne(ipInDatacenterRange.evaluate(facts));
}

test('a list of data centers is reported with its date and the name in its entry', () => {
  const evidence = onLists([listed({ provider: 'AWS EC2' })]);
  expect(evidence).toMatchObject({
    source: 'feed:clouds',
    sourceAsOf: '2025-06-10',
    observed: 'on a list of datacenter addresses: AWS EC2',
  });
  expect(evidence?.contributions).toEqual({ datacenter: 0.95, proxy: 0.19 });
});

test('the stronger evidence of list and network applies', () => {
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

test('addresses of satellites, of a relay and of the list of the operator are not reported as servers', () => {
  expect(onLists([listed()], { connectionType: 'satellite' })).toBeNull();
  expect(onLists([listed()], { connectionType: 'private_relay' })).toBeNull();
  expect(
    onLists([listed({ kind: 'allow' })], { asnClasses: ['hosting'], classSource: 'curated' }),
  ).toBeNull();
});

describe('a hosting network that VPN providers use', () => {
  const CLOUVIDER = {
    asn: 62240,
    serviceProvider: 'Clouvider Limited',
    asnClasses: ['hosting'],
    classSource: 'curated',
    connectionType: 'hosting',
  } as const;
  const startTime = new Date(`${VPN_HOSTING.asOf}T00:00:00.000Z`);
  const grade = VPN_HOSTING.systems.find(({ asn }) => asn === 62240)!.grade;
  const assess = (feeds: readonly FeedMatch[] = [], changes: Parameters<typeof networkWith>[0] = {}) =>
    assessSession(factsWith({ network: networkWith({ ...CLOUVIDER, feeds, ...changes }), startTime }));

  test('counts for a VPN by its grade, and for a data center like any host', () => {
    const { scores, details } = assess();
    expect(grade).toBeGreaterThanOrEqual(0.4);
    expect(grade).toBeLessThanOrEqual(0.6);
    expect(scores.vpn).toBeCloseTo(grade);
    expect(scores.datacenter).toBeCloseTo(0.9);
    const [reason] = details.network.filter(({ code }) => code === 'ip_in_datacenter_range');
    expect(reason).toMatchObject({ contributions: { datacenter: 0.9 } });
    expect(reason!.source).toContain('vpn_hosting');
    expect(reason!.observed).toMatch(/Clouvider Limited: \d+ published VPN servers, \d+ providers/);
  });

  test('counts once together with a list that contains the address', () => {
    const listing = listed({ kind: 'vpn', confidence: 0.9, asOf: VPN_HOSTING.asOf });
    expect(assess([listing]).scores.vpn).toBeCloseTo(0.9);
  });

  test('does not count for addresses of a relay, of the operator, or of another network', () => {
    for (const kind of ['relay', 'allow'] as const)
      expect(assess([listed({ kind })]).scores.vpn).toBeLessThan(0.2);
    expect(assess([], { asn: 16509 }).scores.vpn).toBe(0);
    // Transit: Cogent, GTT, Zayo.
    for (const asn of [174, 3257, 6461]) expect(assess([], { asn, asnClasses: [] }).scores.vpn).toBe(0);
  });

  test('has a lower weight as its table ages', () => {
    const later = new Date(startTime.getTime() + 730 * 86_400_000);
    const { scores } = assessSession(factsWith({ network: networkWith(CLOUVIDER), startTime: later }));
    expect(scores.vpn).toBeCloseTo(grade / 2);
  });
});
