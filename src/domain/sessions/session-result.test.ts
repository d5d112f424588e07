import { expect, test } from 'vitest';
import { factsWith } from '../../../test/support/signals/facts.ts';
import { evidenceOfSession } from '../signals/assessment/assess-session.ts';
import { type SessionResult, withReasonsOnce } from './session-result.ts';

const reason = (source: string, contributions: Record<string, number>) => ({
  code: 'transport_fingerprint_mismatch',
  contributions,
  confidence: 0.5,
  source,
  sourceAsOf: null,
  observed: source,
});
const stored = (over: Partial<SessionResult>) =>
  ({
    riskSignalDetails: {
      network: [reason('ja4', { proxy: 0.4 }), reason('ip_ttl', { proxy: 0.2 })],
      device: [],
    },
    ...over,
  }) as unknown as SessionResult;

test('a result of an older version contains each code once', () => {
  expect(withReasonsOnce(stored({})).riskSignalDetails.network).toMatchObject([
    { source: 'ja4, ip_ttl', contributions: { proxy: 0.4 } },
  ]);
});

test('a result with stored evidence is computed from the evidence', () => {
  const evidence = evidenceOfSession(factsWith({ userAgent: 'curl/8.5.0' }));
  const { network, device } = withReasonsOnce(stored({ evidence })).riskSignalDetails;
  expect(network).toEqual([]);
  expect(device).toMatchObject([
    { code: 'declared_bot_user_agent', observations: [{ source: 'user_agent' }] },
  ]);
});

test('a result of this version is unchanged', () => {
  const current = withReasonsOnce(stored({}));
  expect(withReasonsOnce(current)).toBe(current);
});
