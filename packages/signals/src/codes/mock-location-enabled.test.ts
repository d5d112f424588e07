import { expect, test } from 'vitest';
import { checksWith, factsWith } from '../../../../test/support/signals/facts.ts';
import type { GpsFacts, SessionFacts } from '../evidence/evidence.ts';
import { mockLocationEnabled } from './mock-location-enabled.ts';

const FIX: GpsFacts = { latitude: 48.85661, longitude: 2.35222, accuracyM: 12, mock: null };

const evaluate = (
  gps: Partial<GpsFacts>,
  source: SessionFacts['source'] = 'android',
  repeated_fixes?: number,
) =>
  mockLocationEnabled.evaluate(
    factsWith({ source, gps: { ...FIX, ...gps }, checks: checksWith({ repeated_fixes }) }),
  );

test('a location that the system reports as simulated counts for the device and the location', () => {
  const evidence = evaluate({ mock: true });
  expect(evidence?.group).toBe('mock_location');
  expect(evidence?.contributions.deviceRisk).toBeCloseTo(0.57);
  expect(evidence?.contributions.locationSpoofing).toBeCloseTo(0.76);
});

test('satellite fixes that never change are simulated, and more fixes increase the confidence', () => {
  const some = evaluate({}, 'android', 6)?.confidence ?? 0;
  const many = evaluate({}, 'android', 30)?.confidence ?? 0;
  expect(some).toBeGreaterThan(0.3);
  expect(many).toBeGreaterThan(some);
});

test('unchanged fixes of networks are legitimate', () => {
  expect(evaluate({ accuracyM: 65 }, 'android', 30)).toBeNull();
  expect(evaluate({ accuracyM: null }, 'android', 30)).toBeNull();
  expect(evaluate({}, 'web', 30)).toBeNull();
  expect(evaluate({}, 'android', 3)).toBeNull();
});

test('an accuracy of one meter is impossible on a computer and rare on a phone', () => {
  expect(evaluate({ accuracyM: 1 }, 'web')?.contributions.locationSpoofing).toBeGreaterThan(0.4);
  expect(evaluate({ accuracyM: 1 }, 'android')?.contributions.locationSpoofing).toBeLessThan(0.2);
});

test('coordinates 0, 0 are no position, so that only the flag of the system counts', () => {
  expect(evaluate({ latitude: 0, longitude: 0, accuracyM: 1 }, 'web', 20)).toBeNull();
  expect(evaluate({ latitude: 0, longitude: 0, mock: true })?.observed).toBe(
    'the system reports a simulated location',
  );
  expect(evaluate({ latitude: 0 })).toBeNull();
});

test('a real position and a missing one produce no evidence', () => {
  expect(evaluate({ mock: false }, 'android', 1)).toBeNull();
  expect(evaluate({})).toBeNull();
  expect(mockLocationEnabled.evaluate(factsWith())).toBeNull();
});
