import { expect, test } from 'vitest';
import { factsWith, historyWith, networkWith, traceWith } from '../../../../test/support/signals/facts.ts';
import type { FraudSighting } from '../evidence/evidence.ts';
import type { FeedMatch } from '../feeds/feed-match.ts';
import { ipOnFraudFeed, ipRecentFraudActivity } from './ip-recent-fraud-activity.ts';

const NOW = new Date('2025-06-10T16:00:00.000Z');

const seen = (daysAgo: number, near: FraudSighting['near'] = 'address'): FraudSighting => ({
  at: new Date(NOW.getTime() - daysAgo * 86_400_000),
  near,
});

function evaluate(fraud: FraudSighting[], connectionType = 'isp') {
  const session = traceWith({ startTime: NOW, connectionType });
  return ipRecentFraudActivity.evaluate(historyWith({ session, fraud }));
}

const scoreOf = (...args: Parameters<typeof evaluate>) => evaluate(...args)?.contributions.recentFraudIp;

test('a session decided Fake on the address weighs more today than two weeks later', () => {
  expect(scoreOf([seen(0)])).toBeCloseTo(1 - Math.exp(-1), 6);
  expect(scoreOf([seen(14)])).toBeCloseTo(1 - Math.exp(-0.5), 6);
});

test('several sightings add up, and those of the subnet have a lower weight', () => {
  expect(scoreOf([seen(0), seen(0), seen(0, 'subnet')])).toBeCloseTo(1 - Math.exp(-2.4), 6);
  expect(scoreOf([seen(0, 'subnet')])).toBeCloseTo(1 - Math.exp(-0.4), 6);
});

test('reports number and time without the address', () => {
  expect(evaluate([seen(2.5), seen(10), seen(30)])?.observed).toBe(
    '3 sessions decided Fake on this address, the latest 2 days before',
  );
  expect(evaluate([seen(0), seen(1, 'subnet')])?.observed).toBe(
    '1 session decided Fake on this address and 1 session decided Fake in its subnet, the latest today',
  );
});

test('at a shared address another user has a low weight', () => {
  for (const shared of ['mobile', 'satellite', 'private_relay', 'education']) {
    expect(scoreOf([seen(0)], shared)).toBeCloseTo(1 - Math.exp(-0.3), 6);
  }
});

test('old sightings are not reported', () => {
  expect(evaluate([seen(89)])).toBeNull();
});

test('missing sightings and invalid dates produce no evidence', () => {
  expect(evaluate([])).toBeNull();
  expect(evaluate([{ at: new Date(Number.NaN), near: 'address' }])).toBeNull();
  // A slow clock.
  expect(scoreOf([seen(-1)])).toBeCloseTo(1 - Math.exp(-1), 6);
});

const MATCH: FeedMatch = {
  feed: 'abuse-list',
  kind: 'fraud',
  confidence: 0.9,
  asOf: '2025-06-10',
  halfLifeDays: 14,
  provider: '',
};

function onFeeds(feeds: FeedMatch[], connectionType: 'isp' | 'mobile' = 'isp') {
  return ipOnFraudFeed.evaluate(
    factsWith({
      network: networkWith({ feeds, connectionType }),
      startTime: new Date('2025-06-10T00:00:00Z'),
    }),
  );
}

test('a list of the operator has its full confidence today and half of it after two weeks', () => {
  expect(onFeeds([MATCH])).toMatchObject([
    { code: 'ip_recent_fraud_activity', source: 'feed:abuse-list', sourceAsOf: '2025-06-10' },
  ]);
  expect(onFeeds([MATCH])?.[0]?.contributions.recentFraudIp).toBeCloseTo(0.9, 6);
  expect(onFeeds([{ ...MATCH, asOf: '2025-05-27' }])?.[0]?.contributions.recentFraudIp).toBeCloseTo(0.45, 6);
});

test('each list counts separately, and less at a shared address', () => {
  expect(onFeeds([MATCH, { ...MATCH, feed: 'other' }])).toHaveLength(2);
  expect(onFeeds([MATCH], 'mobile')?.[0]?.contributions.recentFraudIp).toBeCloseTo(0.27, 6);
});

test('lists of other kinds and missing lists produce no evidence', () => {
  expect(onFeeds([{ ...MATCH, kind: 'vpn' }])).toBeNull();
  expect(onFeeds([])).toBeNull();
});
