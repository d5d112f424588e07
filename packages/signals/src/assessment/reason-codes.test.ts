import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Evidence } from '../evidence/evidence.ts';
import { reasonDetails } from './reason-codes.ts';

const evidence = (over: Partial<Evidence>): Evidence => ({
  code: 'true_country_mismatch',
  family: 'network',
  group: 'timezone_country',
  contributions: { locationSpoofing: 0.3 },
  confidence: 1,
  source: 'browser_timezone',
  sourceAsOf: null,
  observed: 'timezone of GB, address of MX',
  ...over,
});
const language = evidence({
  group: 'locale_country',
  contributions: { locationSpoofing: 0.08 },
  confidence: 0.6,
  source: 'browser_language',
  observed: 'language of GB, address of MX',
});
const tls = { code: 'transport_fingerprint_mismatch', group: 'transport' } as const;

test('observations of one code are one reason, and none is lost', () => {
  const { network, device } = reasonDetails([evidence({}), language]);
  expect(device).toEqual([]);
  expect(network).toEqual([
    {
      code: 'true_country_mismatch',
      contributions: { location_spoofing: 0.356 },
      confidence: 1,
      source: 'browser_timezone, browser_language',
      sourceAsOf: null,
      observed: 'timezone of GB, address of MX; language of GB, address of MX',
      observations: [
        expect.objectContaining({ source: 'browser_timezone', contributions: { location_spoofing: 0.3 } }),
        expect.objectContaining({ source: 'browser_language', contributions: { location_spoofing: 0.08 } }),
      ],
    },
  ]);
});

test('the strongest of several observations with one cause counts', () => {
  const ja4 = evidence({ ...tls, contributions: { proxy: 0.375, deviceNetworkMismatch: 0.45 } });
  const ttl = evidence({ ...tls, contributions: { proxy: 0.25 }, bot: 0.7, sourceAsOf: '2026-06-09' });
  expect(reasonDetails([ja4, ttl]).network).toMatchObject([
    {
      contributions: { proxy: 0.375, device_network_mismatch: 0.45, bot: 0.7 },
      source: 'browser_timezone',
      sourceAsOf: '2026-06-09',
    },
  ]);
});

test('evidence without weight is an observation only when it is a plain fact', () => {
  const faint = evidence({ contributions: { locationSpoofing: 0.04 }, source: 'faint' });
  expect(reasonDetails([faint]).network).toEqual([]);
  expect(reasonDetails([evidence({}), faint]).network[0]?.observations).toHaveLength(1);
  expect(reasonDetails([{ ...faint, factual: true }]).network).toMatchObject([{ contributions: {} }]);
});

test('evidence produces each code once, in the order of the evidence', () => {
  const drawn = fc.record({
    code: fc.constantFrom('a', 'b', 'c'),
    group: fc.constantFrom<Evidence['group']>('transport', 'gps', 'travel'),
    family: fc.constantFrom<Evidence['family']>('network', 'device'),
    contributions: fc.record({ proxy: fc.double({ min: 0, max: 1, noNaN: true }) }),
  });
  fc.assert(
    fc.property(fc.array(drawn.map(evidence)), (all) => {
      const { network, device } = reasonDetails(all);
      for (const reasons of [network, device]) {
        const codes = reasons.map(({ code }) => code);
        expect(new Set(codes).size).toBe(codes.length);
        for (const { contributions, observations } of reasons) {
          const largest = Math.max(...observations.map((each) => each.contributions.proxy ?? 0));
          expect(contributions.proxy ?? 0).toBeGreaterThanOrEqual(largest);
          expect(contributions.proxy ?? 0).toBeLessThanOrEqual(1);
        }
      }
    }),
  );
});
