import fc from 'fast-check';
import { expect, test } from 'vitest';
import { factsWith, networkWith } from '../../../../test/support/signals/facts.ts';
import { SIGNAL_CODES } from '../codes/signal-codes.ts';
import type { Evidence } from '../evidence/evidence.ts';
import { RISK_SCORE_KEYS, scoreName } from '../evidence/risk-scores.ts';
import { WEIGHTS_VERSION } from '../evidence/weights.ts';
import { UNKNOWN_LOCATION } from '../network/ip-location.ts';
import { assessEvidence, assessSession, evidenceOfSession } from './assess-session.ts';
import { CALIBRATED_SCORES, type Calibration } from './calibration.ts';

const share = fc.double({ min: 0, max: 1, noNaN: true });

const anyEvidence: fc.Arbitrary<Evidence[]> = fc.array(
  fc.record({
    code: fc.constantFrom('one', 'two', 'three'),
    family: fc.constantFrom('network' as const, 'device' as const),
    group: fc.constantFrom('vpn_list', 'datacenter', 'timezone', 'travel', 'tamper', 'automation', 'reuse'),
    contributions: fc.dictionary(fc.constantFrom(...RISK_SCORE_KEYS), share),
    bot: fc.option(share, { nil: undefined }),
    confidence: share,
    source: fc.constant('test'),
    sourceAsOf: fc.constant(null),
    observed: fc.constant(''),
    factual: fc.boolean(),
  }),
  { maxLength: 12 },
);

test('a legitimate session has no reason and scores of exactly 0', () => {
  const { scores, flags, details, bot, riskSignals, weightsVersion } = assessSession(factsWith());
  expect(Object.keys(scores)).toEqual([...RISK_SCORE_KEYS]);
  expect(Object.values(scores).every((score) => score === 0)).toBe(true);
  expect(Object.values(flags).some(Boolean)).toBe(false);
  expect(details).toEqual({ network: [], device: [] });
  expect([bot, riskSignals, weightsVersion]).toEqual([0, 0, WEIGHTS_VERSION]);
});

test('a session without any known facts has no reason and scores of exactly 0', () => {
  const network = networkWith({
    ip: '',
    asn: null,
    serviceProvider: '',
    connectionType: '',
    location: UNKNOWN_LOCATION,
    countryConfidence: 0,
    countrySources: { city: '', registry: '' },
  });
  const assessment = assessSession(
    factsWith({ network, userAgent: '', browser: { timezone: '', platform: '' } }),
  );
  expect(Object.values(assessment.scores).every((score) => score === 0)).toBe(true);
  expect(assessment.riskSignals).toBe(0);
  expect(assessment.details).toEqual({ network: [], device: [] });
});

test('a VPN in London with a device in Lagos: flags, reasons by snake-case names, one number', () => {
  const network = networkWith({
    asn: 9009,
    serviceProvider: 'M247 Europe SRL',
    connectionType: 'hosting',
    asnClasses: ['vpn', 'hosting'],
    classSource: 'curated',
    location: { ...networkWith().location, countryCode: 'GB', timezone: 'Europe/London' },
  });
  const winter = new Date('2025-01-10T12:00:00Z');
  const { scores, flags, details, riskSignals } = assessSession(
    factsWith({ network, browser: { timezone: 'Africa/Lagos' }, startTime: winter }),
  );
  expect(scores).toMatchObject({ vpn: 0.805, datacenter: 0.9, proxy: 0.18, deviceNetworkMismatch: 0.33 });
  expect(flags).toMatchObject({ vpn: true, datacenter: true, proxy: false, locationSpoofing: true });
  expect(details.network.map(({ code }) => code)).toEqual([
    'ip_on_vpn_list',
    'ip_in_datacenter_range',
    'ip_timezone_mismatch',
    'true_country_mismatch',
  ]);
  expect(details.network[0]?.contributions).toEqual({ vpn: 0.7, location_spoofing: 0.315 });
  // 1 − (1 − .45)(1 − .4·.33)(1 − .6·.6787), where location_spoofing is 1 − (1 − .315)(1 − .33)(1 − .3)
  expect(riskSignals).toBeCloseTo(0.717, 3);
});

test('a client that identifies itself as a program is a bot, with the reason', () => {
  const { bot, scores, details } = assessSession(factsWith({ userAgent: 'curl/8.5.0' }));
  expect([bot, scores.deviceRisk]).toEqual([0.95, 0.95]);
  expect(details.device[0]?.contributions).toEqual({ device_risk: 0.95, bot: 0.95 });
});

/** Monotone maps for some of the scores, as a fit makes them. */
const anyCalibration: fc.Arbitrary<Calibration | null> = fc.option(
  fc
    .dictionary(
      fc.constantFrom(...CALIBRATED_SCORES),
      fc.array(fc.record({ score: share, value: share }), { minLength: 1, maxLength: 6 }),
    )
    .map((drawn) => ({
      version: 3,
      fittedAt: '2026-11-21T00:00:00.000Z',
      weightsVersion: WEIGHTS_VERSION,
      labels: { positive: 100, negative: 100 },
      maps: Object.fromEntries(Object.entries(drawn).map(([key, knots]) => [key, rising(knots)])),
    })),
);

function rising(knots: readonly { score: number; value: number }[]) {
  const scores = knots.map(({ score }) => score).sort((a, b) => a - b);
  const values = knots.map(({ value }) => value).sort((a, b) => a - b);
  return scores.map((score, index) => ({ score, value: values[index]! }));
}

test('a score of 0.3 or more has a reason, calibrated or not', () => {
  fc.assert(
    fc.property(anyEvidence, anyCalibration, (evidence, calibration) => {
      const { scores, bot, details } = assessEvidence(evidence, calibration);
      const reasons = [...details.network, ...details.device];
      for (const key of RISK_SCORE_KEYS) {
        if (scores[key] >= 0.3)
          expect(reasons.some(({ contributions }) => contributions[scoreName(key)]! > 0)).toBe(true);
      }
      if (bot >= 0.3) expect(reasons.some(({ contributions }) => contributions.bot! > 0)).toBe(true);
    }),
    { numRuns: 2000 },
  );
});

test('no evidence produces no reason and scores of exactly 0, calibrated or not', () => {
  fc.assert(
    fc.property(anyCalibration, (calibration) => {
      const { scores, bot, riskSignals, details } = assessEvidence([], calibration);
      expect([...Object.values(scores), bot, riskSignals].every((score) => score === 0)).toBe(true);
      expect(details).toEqual({ network: [], device: [] });
    }),
  );
});

test('more evidence never lowers a score, and every number stays in 0..1, calibrated or not', () => {
  fc.assert(
    fc.property(anyEvidence, anyEvidence, anyCalibration, (evidence, more, calibration) => {
      const less = assessEvidence(evidence, calibration);
      const all = assessEvidence([...evidence, ...more], calibration);
      for (const key of RISK_SCORE_KEYS) expect(all.scores[key]).toBeGreaterThanOrEqual(less.scores[key]);
      expect(all.riskSignals).toBeGreaterThanOrEqual(less.riskSignals);
      expect(all.bot).toBeGreaterThanOrEqual(less.bot);
      for (const score of [...Object.values(all.scores), all.riskSignals, all.bot]) {
        expect(score >= 0 && score <= 1).toBe(true);
      }
    }),
    { numRuns: 2000 },
  );
});

test('maps that were fitted to other weights are not applied', () => {
  const evidence = evidenceOfSession(factsWith({ userAgent: 'curl/8.5.0' }));
  const calibration: Calibration = {
    version: 3,
    fittedAt: '2026-11-21T00:00:00.000Z',
    weightsVersion: WEIGHTS_VERSION,
    labels: { positive: 100, negative: 100 },
    maps: { bot: [{ score: 0.95, value: 0.4 }] },
  };
  expect(assessEvidence(evidence, calibration)).toMatchObject({ bot: 0.4, calibrationVersion: 3 });
  const old = { ...calibration, weightsVersion: '0' };
  expect(assessEvidence(evidence, old)).toMatchObject({ bot: 0.95, calibrationVersion: null });
});

test('every code is unique, in snake case, and has a description', () => {
  const codes = SIGNAL_CODES.map(({ code }) => code);
  expect(new Set(codes).size).toBe(codes.length);
  for (const { code, describes } of SIGNAL_CODES) {
    expect(code).toMatch(/^[a-z]+(_[a-z]+)*$/);
    expect(describes).toMatch(/\.$/);
  }
});
