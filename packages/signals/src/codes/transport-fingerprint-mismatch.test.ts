import { describe, expect, test } from 'vitest';
import {
  CHROME_ON_WINDOWS,
  checksWith,
  factsWith,
  networkWith,
} from '../../../../test/support/signals/facts.ts';
import type { EdgeFacts } from '../evidence/evidence.ts';
import type { NetworkFacts } from '../network/network-facts.ts';
import { transportFingerprintMismatch } from './transport-fingerprint-mismatch.ts';

const CHROME_JA4 = 't13d1516h2_8daaf6152771_d8a2da3f94cd';
const FIREFOX_JA4 = 't13d1715h2_5b57614c22b0_5c2c66f702b0';
const PYTHON_JA4 = 't13d1812h1_85036bcba153_b26ce05bbdd6';
const CURL_JA4 = 't13d3112h2_e8f1e7e78f70_b26ce05bbdd6';
const SAFARI_ON_MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15';

type Case = Partial<EdgeFacts> & {
  userAgent?: string;
  appRttMs?: number;
  connectionType?: NetworkFacts['connectionType'];
  source?: 'web' | 'ios' | 'android';
};

const evaluate = ({
  userAgent = CHROME_ON_WINDOWS,
  appRttMs,
  connectionType = 'isp',
  source = 'web',
  ...edge
}: Case) =>
  transportFingerprintMismatch.evaluate(
    factsWith({
      userAgent,
      source,
      network: networkWith({ connectionType }),
      checks: checksWith({ app_rtt_ms: appRttMs }),
      edge: { ja4: '', tcpRttMs: null, ipTtl: null, ...edge },
    }),
  );

describe('the TLS fingerprint', () => {
  test('of a program with the user agent of a browser is a mismatch', () => {
    expect(evaluate({ ja4: PYTHON_JA4 })).toMatchObject([
      { source: 'ja4', observed: 'user agent Chromium, TLS of Python', confidence: 0.9, bot: 0.7 * 0.9 },
    ]);
    expect(evaluate({ ja4: PYTHON_JA4 })?.[0]?.contributions.deviceNetworkMismatch).toBeGreaterThan(0.5);
  });

  test('of a library that companies use to inspect traffic is not evidence of a program', () => {
    expect(evaluate({ ja4: CURL_JA4 })?.[0]).not.toHaveProperty('bot');
  });

  test('of a library with its defaults may belong to a company that inspects traffic', () => {
    expect(evaluate({ ja4: CURL_JA4 })?.[0]?.contributions.deviceNetworkMismatch).toBeLessThan(0.5);
  });

  test('of another browser is a mismatch', () => {
    expect(evaluate({ ja4: FIREFOX_JA4 })?.[0]?.observed).toBe('user agent Chromium, TLS of Firefox');
    expect(evaluate({ ja4: CHROME_JA4, userAgent: SAFARI_ON_MAC })).toHaveLength(1);
  });

  test.each([
    { ja4: CHROME_JA4 },
    { ja4: `${CHROME_JA4.slice(0, 24)}000000000000` },
    { ja4: 't13d1516h2_0123456789ab_d8a2da3f94cd' },
    { ja4: '' },
    { ja4: PYTHON_JA4, userAgent: 'python-requests/2.34.2' },
    { ja4: PYTHON_JA4, userAgent: '' },
    { ja4: CURL_JA4, source: 'android' as const },
  ])('that matches, is unknown, or belongs to a declared program is no evidence: %o', (facts) => {
    expect(evaluate(facts)).toBeNull();
  });
});

describe('the time to live', () => {
  test('of another operating system than the user agent belongs to another client or a proxy', () => {
    const [evidence] = evaluate({ ipTtl: 52 }) ?? [];
    expect(evidence).toMatchObject({
      source: 'ip_ttl',
      observed: 'user agent Windows, packets of a Unix-like system',
    });
    expect(evidence?.contributions.deviceNetworkMismatch).toBeLessThan(0.5);
    expect(evaluate({ ipTtl: 115, userAgent: SAFARI_ON_MAC })).toHaveLength(1);
  });

  test.each([
    { ipTtl: 115 },
    { ipTtl: 50, userAgent: SAFARI_ON_MAC },
    { ipTtl: 249 },
    { ipTtl: 50, connectionType: 'mobile' as const },
    { ipTtl: 50, connectionType: 'satellite' as const },
  ])('that matches, or that networks change, is no evidence: %o', (facts) => {
    expect(evaluate(facts)).toBeNull();
  });
});

describe('the round trip', () => {
  test('of the page far above that of the connection indicates a terminating proxy', () => {
    const [evidence] = evaluate({ tcpRttMs: 12.4, appRttMs: 190 }) ?? [];
    expect(evidence?.observed).toBe('round trip of the page 190 ms, of the connection 12 ms');
    expect(evidence?.contributions).toEqual({ proxy: expect.closeTo(0.5 * evidence!.confidence) });
  });

  test('has more confidence with a greater difference, up to a limit', () => {
    const proxy = (appRttMs: number) => evaluate({ tcpRttMs: 10, appRttMs })?.[0]?.contributions.proxy ?? 0;
    expect(proxy(300)).toBeGreaterThan(proxy(100));
    expect(proxy(100_000)).toBeLessThan(0.5);
  });

  test('has less confidence on mobile networks', () => {
    const [mobile] = evaluate({ tcpRttMs: 10, appRttMs: 300, connectionType: 'mobile' }) ?? [];
    expect(mobile?.contributions.proxy).toBeLessThan(0.25);
  });

  test.each([
    { tcpRttMs: 40, appRttMs: 70 },
    { tcpRttMs: 300, appRttMs: 380 },
    { tcpRttMs: 90, appRttMs: 20 },
    { tcpRttMs: 40 },
    { appRttMs: 400 },
    { tcpRttMs: 5, appRttMs: 620, connectionType: 'satellite' as const },
    { tcpRttMs: 5, appRttMs: 120, connectionType: 'private_relay' as const },
  ])('that is similar, not measured, or explained by a satellite or relay is no evidence: %o', (facts) => {
    expect(evaluate(facts)).toBeNull();
  });
});

test('no trusted proxy produces no evidence', () => {
  expect(
    transportFingerprintMismatch.evaluate(factsWith({ checks: checksWith({ app_rtt_ms: 900 }) })),
  ).toBeNull();
});
