import { expect, test } from 'vitest';
import { RISK_SCORE_KEYS, type RiskScoreKey } from '../evidence/risk-scores.ts';
import { WEIGHTS_VERSION } from '../evidence/weights.ts';
import { type CalibrationSample, calibrated, fitCalibration, parseCalibration } from './calibration.ts';

const NONE = Object.fromEntries(RISK_SCORE_KEYS.map((key) => [key, 0])) as Record<RiskScoreKey, number>;
const FIT = { version: 4, fittedAt: new Date('2026-11-21T00:00:00Z'), weightsVersion: WEIGHTS_VERSION };

/** Sessions with a vpn score of 0.7, of which `fraudInTen` in ten are fraud. */
function samples(count: number, fraudInTen: number): CalibrationSample[] {
  return Array.from({ length: count }, (_, index) => ({
    scores: { ...NONE, vpn: 0.7 },
    bot: 0,
    riskSignals: 0.3,
    label: index % 10 < fraudInTen ? 1 : 0,
  }));
}

test('a score above its observed rate is lowered to it', () => {
  const fitted = fitCalibration(samples(400, 2), FIT);
  if ('problem' in fitted) throw new Error(fitted.problem);
  expect(fitted.calibration).toMatchObject({ version: 4, labels: { positive: 80, negative: 320 } });
  expect(calibrated(fitted.calibration, 'vpn', 0.7)).toBeCloseTo(0.2, 2);
  expect(calibrated(fitted.calibration, 'vpn', 0)).toBe(0);
  const vpn = fitted.report.find(({ score }) => score === 'vpn');
  expect(vpn).toMatchObject({ samples: 400, kept: true });
  expect(vpn!.brierAfter).toBeLessThan(vpn!.brierBefore);
});

test('a score that is seldom raised or is already accurate is unchanged', () => {
  const fitted = fitCalibration(samples(400, 7), FIT);
  if ('problem' in fitted) throw new Error(fitted.problem);
  expect(fitted.report.find(({ score }) => score === 'tor')).toMatchObject({ samples: 0, kept: false });
  expect(fitted.calibration.maps).not.toHaveProperty('tor');
  expect(calibrated(fitted.calibration, 'tor', 0.4)).toBe(0.4);
  expect(fitted.report.find(({ score }) => score === 'vpn')!.kept).toBe(false);
});

test.each([
  [samples(199, 5), 'the project has 199'],
  [samples(400, 0), '0 of fraud'],
  [[], 'the project has 0'],
])('too few labels are rejected with their numbers', (few, says) => {
  const fitted = fitCalibration(few, FIT);
  expect('problem' in fitted && fitted.problem).toContain(says);
});

test('a stored map is read back, and a non-monotone one is rejected', () => {
  const fitted = fitCalibration(samples(400, 2), FIT);
  if ('problem' in fitted) throw new Error(fitted.problem);
  const stored: unknown = JSON.parse(JSON.stringify(fitted.calibration));
  expect(parseCalibration(stored)).toEqual(fitted.calibration);
  const falling = {
    ...fitted.calibration,
    maps: {
      vpn: [
        { score: 0.2, value: 0.9 },
        { score: 0.7, value: 0.1 },
      ],
    },
  };
  expect(parseCalibration(falling)).toBeNull();
  for (const none of [null, undefined, {}, 'text']) expect(parseCalibration(none)).toBeNull();
});
