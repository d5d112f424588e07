import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type Breach,
  type OnlineProfile,
  type ProviderEvidence,
  SENSITIVE_SOURCE,
} from './email-evidence.ts';
import { oldestTrace, presenceOf, recentBreach } from './presence.ts';

const AT = new Date('2026-06-01T00:00:00Z');
const breach = (source: string, date: string | null = null, trustWeight = 1): Breach => ({
  source,
  date,
  trustWeight,
  country: null,
  industry: null,
});
const profile = (service: string, since: string | null = null): OnlineProfile => ({
  service,
  url: null,
  name: '',
  phones: [],
  country: '',
  since,
});
const said = (
  breaches: readonly Breach[] | null,
  profiles: readonly OnlineProfile[] | null,
): ProviderEvidence => ({
  breaches,
  profiles,
  answered: [
    ...(breaches ? [{ provider: 'hibp', looked: ['breaches' as const] }] : []),
    ...(profiles ? [{ provider: 'gravatar', looked: ['profiles' as const] }] : []),
  ],
  failed: [],
});
const tier = (breaches: readonly Breach[] | null, profiles: readonly OnlineProfile[] | null) =>
  presenceOf(said(breaches, profiles))?.signal ?? null;
const services = (count: number) => Array.from({ length: count }, (_, index) => profile(`service${index}`));

describe('online presence', () => {
  test('is unknown without a profile lookup', () => {
    expect(tier(null, null)).toBeNull();
    expect(tier([], null)).toBeNull();
    expect(tier([breach('a'), breach('b')], null)).toBeNull();
  });

  test('is unknown without a breach lookup', () => {
    expect(tier(null, [])).toBeNull();
    expect(tier(null, services(1))).toBeNull();
    expect(tier(null, services(2))).toBe('moderate_online_presence');
  });

  test('depends on the number of services', () => {
    const tiers = [0, 1, 2, 4, 5, 50].map((count) => tier([], services(count)));
    expect(tiers).toEqual([
      'no_online_presence',
      'sparse_online_presence',
      'moderate_online_presence',
      'moderate_online_presence',
      'strong_online_presence',
      'strong_online_presence',
    ]);
  });

  test('counts a service once, and only credible breaches', () => {
    expect(tier([breach('Adobe')], [profile('adobe')])).toBe('sparse_online_presence');
    expect(tier([breach('Adobe'), breach('Adobe')], [])).toBe('sparse_online_presence');
    // A provider that knows the address only from a breach without credibility proves neither presence nor absence.
    expect(tier([breach('Rumour', null, 0.4)], [])).toBeNull();
    expect(tier([breach('Rumour', null, 0.4), breach('Adobe')], [])).toBe('sparse_online_presence');
    const sensitive = ['2012-01-01', '2015-01-01'].map((date) => breach(SENSITIVE_SOURCE, date));
    expect(tier(sensitive, [])).toBe('moderate_online_presence');
    expect(tier([breach('Adobe'), breach('LinkedIn')], [profile('gravatar')])).toBe(
      'moderate_online_presence',
    );
  });

  test('names the checked sources', () => {
    expect(presenceOf(said([], []))?.evidence).toBe(
      '0 services; answered: hibp (breaches), gravatar (profiles)',
    );
  });

  test('never decreases with another service', () => {
    const order = ['no', 'sparse', 'moderate', 'strong'].map((word) => `${word}_online_presence`);
    fc.assert(
      fc.property(fc.nat(12), fc.nat(12), (breaches, profiles) => {
        const known = Array.from({ length: breaches }, (_, index) => breach(`leak${index}`));
        const before = order.indexOf(tier(known, services(profiles))!);
        expect(order.indexOf(tier(known, services(profiles + 1))!)).toBeGreaterThanOrEqual(before);
      }),
    );
  });
});

describe('traces', () => {
  test('uses the oldest trusted date, with its kind and source', () => {
    const providers = said(
      [breach('Old', '2001-01-01', 0.1), breach('Adobe', '2013-10-04'), breach('Later', '2019-01-01')],
      [profile('gravatar', '2015-05-05')],
    );
    expect(oldestTrace(providers, AT)).toEqual({
      at: new Date('2013-10-04T00:00:00Z'),
      source: 'hibp',
      evidence: 'breach Adobe of 2013-10-04',
    });
  });

  test('ignores missing, wrong and future dates', () => {
    const providers = said(
      [breach('A'), breach('B', 'soon'), breach('C', '2026-06-02'), breach('D', '2013-99-99')],
      [profile('x', '')],
    );
    expect(oldestTrace(providers, AT)).toBeNull();
    expect(oldestTrace(said(null, null), AT)).toBeNull();
  });

  test('reports a breach as recent for a year', () => {
    const dates = ['2026-06-01', '2025-06-01', '2025-05-31', '2026-06-02', null];
    expect(dates.map((date) => recentBreach([breach('A', date)], AT) !== null)).toEqual([
      true,
      true,
      false,
      false,
      false,
    ]);
    expect(recentBreach([breach('A', '2025-07-01'), breach('B', '2026-01-01')], AT)?.source).toBe('B');
    expect(recentBreach([breach('A', '2026-01-01', 0.2)], AT)).toBeNull();
  });
});
