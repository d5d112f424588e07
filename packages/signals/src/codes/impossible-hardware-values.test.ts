import { expect, test } from 'vitest';
import { checksWith, factsWith } from '../../../../test/support/signals/facts.ts';
import type { SessionFacts } from '../evidence/evidence.ts';
import { impossibleHardwareValues } from './impossible-hardware-values.ts';

const evaluate = (device: Partial<SessionFacts['device']>, raw: Record<string, unknown> = {}) =>
  impossibleHardwareValues.evaluate(factsWith({ device, checks: checksWith(raw) }));

test.each([
  [{ memory: 12 }, {}, 'memory of 12 GB'],
  [{ cpuCores: 0 }, {}, '0 processors'],
  [{ cpuCores: 4000 }, {}, '4000 processors'],
  [{ screenWidth: 0, screenHeight: 0 }, {}, 'screen without a size'],
  [{ pixelRatio: 0 }, {}, 'pixel ratio of 0'],
  [{ memory: 64 }, {}, 'memory of 64 GB'],
  [{ cpuCores: 2.5 }, {}, '2.5 processors'],
  [{ touchPoints: -1 }, {}, '-1 touch points'],
])('%j exists on no device', (device, raw, observed) => {
  expect(evaluate(device, raw)).toMatchObject({ observed, contributions: { deviceRisk: 0.5 } });
});

test.each([
  [
    { screenWidth: 1920, screenHeight: 1080 },
    { screen_avail_width: 2560, screen_avail_height: 1400 },
    'more room for windows than the screen has',
  ],
  [{}, { color_depth: 7 }, 'color depth of 7'],
])('%j with %j exists on almost no device', (device, raw, observed) => {
  expect(evaluate(device, raw)).toMatchObject({ observed, contributions: { deviceRisk: 0.35 } });
});

test('each impossible value is reported', () => {
  expect(evaluate({ memory: 12, cpuCores: 0 })?.observed).toBe('memory of 12 GB; 0 processors');
});

test.each([
  [
    { memory: 8, cpuCores: 8, screenWidth: 1920, screenHeight: 1080, pixelRatio: 1.25 },
    { screen_avail_width: 1920, screen_avail_height: 1040, color_depth: 24 },
  ],
  [{ memory: 0.25, cpuCores: 1 }, {}],
  [{ memory: 32, cpuCores: 256 }, { color_depth: 30 }],
  // Rotated, with a pixel of rounding.
  [
    { screenWidth: 390, screenHeight: 844 },
    { screen_avail_width: 844, screen_avail_height: 391 },
  ],
])('%j exists on devices', (device, raw) => {
  expect(evaluate(device, raw)).toBeNull();
});

test('an app reports exact memory, and missing values produce no evidence', () => {
  expect(
    impossibleHardwareValues.evaluate(factsWith({ source: 'android', device: { memory: 12 } })),
  ).toBeNull();
  expect(evaluate({})).toBeNull();
  expect(evaluate({}, { screen_avail_width: 5000, screen_avail_height: 5000 })).toBeNull();
});
