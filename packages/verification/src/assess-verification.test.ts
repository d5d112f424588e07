import { perRiskScore, RISK_SCORE_KEYS, type RiskScoreKey } from '@vouchgraph/signals';
import type { DocumentDoubt, DocumentJudgment } from '@vouchgraph/vision';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  assessVerification,
  type Repeats,
  reassessRepeats,
  type VerificationEvidence,
} from './assess-verification.ts';
import { simulatedResult } from './simulated-result.ts';

const THRESHOLDS = { suspiciousFrom: 0.4, fakeFrom: 0.7 };
const NO_REPEATS: Repeats = {
  face: 0,
  id: 0,
  device: false,
  fraudFace: false,
  fraudId: false,
  otherEnrolledFace: false,
};
const sessionWith = (...raised: RiskScoreKey[]) =>
  ({
    riskSignals: perRiskScore((key) => raised.includes(key)),
    riskSignalScores: perRiskScore((key) => (raised.includes(key) ? 0.9 : 0)),
    location: { countryCode: 'US' },
  }) as VerificationEvidence['session'];
const genuine = (): DocumentJudgment =>
  simulatedResult('id', { decision: 'Real', riskScore: 0, riskFlags: [] }, new Date('2026-11-21T00:00:00Z'))
    .document!;

const evidence = (over: Partial<VerificationEvidence> = {}): VerificationEvidence => ({
  document: null,
  face: { isRecaptured: false, isVirtualCamera: false },
  session: sessionWith(),
  referring: null,
  repeats: NO_REPEATS,
  ...over,
});
const assess = (over: Partial<VerificationEvidence>) => assessVerification(evidence(over), THRESHOLDS);
const documentWith = (
  signals: Partial<DocumentJudgment['signals']>,
  over: Partial<DocumentJudgment> = {},
): DocumentJudgment => ({ ...genuine(), signals: { ...genuine().signals, ...signals }, ...over });

test('a verification without evidence has a score of exactly 0 and is Real', () => {
  for (const document of [null, genuine()])
    expect(assess({ document })).toEqual({
      decision: 'Real',
      riskScore: 0,
      riskFlags: [],
      contributions: [],
    });
});

describe('raises the flag', () => {
  test.each<[string, Partial<VerificationEvidence>]>([
    ['high_device_risk', { session: sessionWith('deviceRisk') }],
    ['proxy_detected', { session: sessionWith('proxy') }],
    ['proxy_detected', { session: sessionWith('tor') }],
    ['vpn_detected', { session: sessionWith('vpn') }],
    ['datacenter_detected', { session: sessionWith('datacenter') }],
    ['recent_fraud_ip', { session: sessionWith('recentFraudIp') }],
    ['impossible_travel_detected', { session: sessionWith('impossibleTravel') }],
    ['location_spoofing', { session: sessionWith('locationSpoofing') }],
    ['virtual_camera_detected', { face: { isRecaptured: false, isVirtualCamera: true } }],
    ['screen_recapture_suspected', { face: { isRecaptured: true, isVirtualCamera: false } }],
    ['repeat_face', { repeats: { ...NO_REPEATS, face: 0.2 } }],
    ['enrolled_face_mismatch', { repeats: { ...NO_REPEATS, otherEnrolledFace: true } }],
    ['repeat_id', { repeats: { ...NO_REPEATS, id: 0.6 } }],
    ['repeat_device', { repeats: { ...NO_REPEATS, device: true } }],
    ['known_fraud_face', { repeats: { ...NO_REPEATS, fraudFace: true } }],
    ['known_fraud_id', { repeats: { ...NO_REPEATS, fraudId: true } }],
    ['likely_fake_id', { document: documentWith({ idValidity: 'likely_fake_id' }) }],
    [
      'cannot_confirm_id_is_authentic',
      { document: documentWith({ idValidity: 'cannot_confirm_id_is_authentic' }, { doubt: 'open' }) },
    ],
    ['id_expired', { document: documentWith({}, { isExpired: true }) }],
    ['id_age_below_16', { document: documentWith({ idAge: 15 }) }],
    ['low_id_face_match_score', { document: documentWith({ idFaceMatchScore: 0.4999 }) }],
    ['moderate_id_face_match_score', { document: documentWith({ idFaceMatchScore: 0.5 }) }],
    ['moderate_id_face_match_score', { document: documentWith({ idFaceMatchScore: 0.7499 }) }],
    ['digital_id', { document: documentWith({ isDigitalId: true }) }],
    ['name_not_found', { document: documentWith({ nameNotFound: true }) }],
    ['name_partially_missing', { document: documentWith({ namePartiallyMissing: true }) }],
    [
      'ip_document_country_mismatch',
      {
        document: documentWith(
          {},
          {
            data: {
              ...genuine().data,
              templateInfo: { ...genuine().data.templateInfo, documentCountryCode: 'DE' },
            },
          },
        ),
      },
    ],
  ])('%s', (flag, over) => {
    const { riskFlags, riskScore, contributions } = assess(over);
    expect(riskFlags).toEqual([flag]);
    expect(riskScore).toBe(contributions[0]!.value);
  });
});

test('unknown age, match, date and country raise no flag', () => {
  const data = genuine().data;
  const unknown = documentWith(
    { idAge: null, idFaceMatchScore: null },
    {
      isExpired: null,
      data: { ...data, templateInfo: { ...data.templateInfo, documentCountryCode: '' } },
    },
  );
  expect(assess({ document: unknown }).riskFlags).toEqual([]);
});

test('values at the limits raise no flag: 16 years, a match of .75', () => {
  expect(assess({ document: documentWith({ idAge: 16, idFaceMatchScore: 0.75 }) }).riskFlags).toEqual([]);
});

describe('an unconfirmed document', () => {
  const unconfirmed = { idValidity: 'cannot_confirm_id_is_authentic' } as const;
  const doubted = (doubt: DocumentDoubt, signals: Partial<DocumentJudgment['signals']> = {}) =>
    assess({ document: documentWith({ ...unconfirmed, ...signals }, { doubt }) });

  test('is Real when its parts are consistent, and at the lower bound of Suspicious otherwise', () => {
    expect(doubted('little')).toMatchObject({ decision: 'Real', riskScore: 0.05 });
    expect(doubted('open')).toMatchObject({ decision: 'Suspicious', riskScore: 0.4 });
  });

  test('with forgery evidence is Fake', () => {
    expect(assess({ document: documentWith({ idValidity: 'likely_fake_id' }) }).decision).toBe('Fake');
  });

  test('with consistent parts has no greater weight for a similar portrait, and is Fake for another person', () => {
    expect(doubted('little', { idFaceMatchScore: 0.6 })).toMatchObject({
      decision: 'Real',
      riskScore: 0.3825,
    });
    expect(doubted('little', { idFaceMatchScore: 0.2 }).decision).toBe('Fake');
  });

  test('has no greater weight when the name could not be read either, since both have one cause', () => {
    expect(doubted('open', { nameNotFound: true }).riskScore).toBe(0.4);
    expect(doubted('little', { namePartiallyMissing: true }).riskScore).toBe(0.1);
  });

  test('on a screen is Suspicious', () => {
    expect(doubted('little', { isDigitalId: true })).toMatchObject({
      decision: 'Suspicious',
      riskScore: 0.4775,
    });
  });
});

test('an assessment with earlier weights keeps them when only its repeats are recalculated', () => {
  const earlier = {
    contributions: [
      { flag: 'cannot_confirm_id_is_authentic', group: 'authenticity', value: 0.4 },
      { flag: 'name_not_found', group: 'name', value: 0.25 },
    ] as const,
  };
  const repeats = { face: 0, id: 0, fraudFace: false };
  expect(reassessRepeats(earlier, repeats, THRESHOLDS)).toMatchObject({
    ...earlier,
    riskScore: 0.55,
    decision: 'Suspicious',
  });
});

test('more evidence never lowers the score, and the score stays between 0 and 1', () => {
  const weight = fc.constantFrom(0, 0.1, 0.2, 0.6);
  const repeats: fc.Arbitrary<Repeats> = fc.record({
    face: weight,
    id: weight,
    device: fc.boolean(),
    fraudFace: fc.boolean(),
    fraudId: fc.boolean(),
    otherEnrolledFace: fc.boolean(),
  });
  fc.assert(
    fc.property(
      fc.subarray([...RISK_SCORE_KEYS]),
      fc.constantFrom(...RISK_SCORE_KEYS),
      repeats,
      fc.boolean(),
      (raised, more, repeated, isVirtualCamera) => {
        const base = { repeats: repeated, face: { isRecaptured: false, isVirtualCamera } };
        const before = assess({ ...base, session: sessionWith(...raised) }).riskScore;
        const after = assess({ ...base, session: sessionWith(...raised, more) }).riskScore;
        expect(after).toBeGreaterThanOrEqual(before);
        expect(after).toBeLessThanOrEqual(1);
      },
    ),
  );
});
