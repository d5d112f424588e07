import { expect, test } from 'vitest';
import type { SessionFacts } from '../evidence.ts';
import { checksWith, factsWith } from './facts-for-tests.ts';
import { impossibleHardwareValues } from './impossible-hardware-values.ts';

const evaluate = (device: Partial<SessionFacts['device']>, raw: Record<string, unknown> = {}) =>
  impossibleHardwareValues.evaluate(factsWith({ device, checks: checksWith(raw) }));

test.each([
  [{ memory: 12 }, {}, '12 GB of memory'],
  [{ cpuCores: 0 }, {}, '0 processors'],
  [{ cpuCores: 4000 }, {}, '4000 processors'],
  [{ screenWidth: 0, screenHeight: 0 }, {}, 'a screen without size'],
  [{ pixelRatio: 0 }, {}, 'a pixel ratio of 0'],
  [
    { screenWidth: 1920, screenHeight: 1080 },
    { screen_avail_width: 2560, screen_avail_height: 1400 },
    'more screen available than there is',
  ],
  [{}, { color_depth: 7 }, '7 bits of colour'],
])('%j is on no device', (device, raw, observed) => {
  expect(evaluate(device, raw)).toMatchObject({ observed, contributions: { deviceRisk: 0.4 } });
});

test.each([
  [
    { memory: 8, cpuCores: 8, screenWidth: 1920, screenHeight: 1080, pixelRatio: 1.25 },
    { screen_avail_width: 1920, screen_avail_height: 1040, color_depth: 24 },
  ],
  [{ memory: 0.25, cpuCores: 1 }, {}],
  [{ memory: 32, cpuCores: 256 }, { color_depth: 30 }],
  // Turned to its side, and by a pixel of rounding.
  [
    { screenWidth: 390, screenHeight: 844 },
    { screen_avail_width: 844, screen_avail_height: 391 },
  ],
])('%j is a device', (device, raw) => {
  expect(evaluate(device, raw)).toBeNull();
});

test('an app tells memory as it is, and what is missing says nothing', () => {
  expect(
    impossibleHardwareValues.evaluate(factsWith({ source: 'android', device: { memory: 12 } })),
  ).toBeNull();
  expect(evaluate({})).toBeNull();
  expect(evaluate({}, { screen_avail_width: 5000, screen_avail_height: 5000 })).toBeNull();
});
