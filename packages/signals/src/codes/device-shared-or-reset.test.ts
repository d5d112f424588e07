import { expect, test } from 'vitest';
import { historyWith, traceWith } from '../../../../test/support/signals/facts.ts';
import type { SessionTrace } from '../evidence/evidence.ts';
import { deviceSharedOrReset } from './device-shared-or-reset.ts';

const DAY = 86_400;

const sharedDevice = (accountsOnDevice: number | null) =>
  deviceSharedOrReset.evaluate(historyWith({ accountsOnDevice }));

/** Two sessions of one account on one device, a day apart. */
function twice(before: Partial<SessionTrace>, now: Partial<SessionTrace>) {
  const previous = traceWith({ device: 'd', startTime: new Date('2025-06-09T16:00:00Z'), ...before });
  const session = traceWith({ device: 'd', startTime: new Date('2025-06-10T16:00:00Z'), ...now });
  return deviceSharedOrReset.evaluate(historyWith({ previous, session }));
}

test('more accounts on one device in a week increase the confidence', () => {
  expect(sharedDevice(5)?.[0]?.contributions.deviceRisk).toBeCloseTo(0.6 * (1 - Math.exp(-1 / 5)), 6);
  expect(sharedDevice(20)).toMatchObject([
    { group: 'reuse', observed: '20 accounts on this device in 7 days' },
  ]);
  expect(sharedDevice(20)?.[0]?.contributions.deviceRisk).toBeGreaterThan(0.5);
  expect(sharedDevice(10)?.[0]?.contributions.deviceRisk).toBeLessThan(0.5);
  expect(sharedDevice(100_000)?.[0]?.contributions.deviceRisk).toBeCloseTo(0.6, 6);
});

test('a family that shares a tablet is not reported', () => {
  for (const accounts of [0, 1, 2, 3, 4]) expect(sharedDevice(accounts)).toBeNull();
});

test('a boot count that decreased means that the device was wiped', () => {
  const evidence = twice({ bootCount: 120 }, { bootCount: 2 });
  expect(evidence).toMatchObject([{ confidence: 0.6, observed: 'boot count 2, 120 in the last session' }]);
  expect(evidence?.[0]?.contributions.deviceRisk).toBeCloseTo(0.36, 6);
});

test('restarts and an unchanged boot count are no evidence', () => {
  expect(twice({ bootCount: 120 }, { bootCount: 121 })).toBeNull();
  expect(twice({ bootCount: 120 }, { bootCount: 120 })).toBeNull();
});

test('an uptime longer than the time since the last start is forged', () => {
  expect(twice({ uptimeSeconds: 3600 }, { uptimeSeconds: 10 * DAY })).toMatchObject([
    { observed: 'up 215 h longer than possible since the last session' },
  ]);
  const restarted = twice(
    { bootCount: 7, uptimeSeconds: 20 * DAY },
    { bootCount: 8, uptimeSeconds: 5 * DAY },
  );
  expect(restarted).toMatchObject([{ observed: 'up 96 h longer than possible since the last session' }]);
});

test('a device that kept running, restarted, slept or sent its uptime late is legitimate', () => {
  expect(twice({ uptimeSeconds: DAY }, { uptimeSeconds: 2 * DAY })).toBeNull();
  expect(twice({ uptimeSeconds: DAY }, { uptimeSeconds: 600 })).toBeNull();
  expect(twice({ uptimeSeconds: DAY }, { uptimeSeconds: DAY + 3600 })).toBeNull();
  expect(twice({ uptimeSeconds: DAY }, { uptimeSeconds: 2 * DAY + 1800 })).toBeNull();
});

test('a different device and one without identity are not compared', () => {
  expect(twice({ bootCount: 120 }, { bootCount: 2, device: 'other' })).toBeNull();
  expect(twice({ bootCount: 120, device: '' }, { bootCount: 2, device: '' })).toBeNull();
});

test('missing counters, earlier sessions and account counts produce no evidence', () => {
  expect(sharedDevice(null)).toBeNull();
  expect(twice({}, { bootCount: 2, uptimeSeconds: 60 })).toBeNull();
  expect(twice({ bootCount: 120, uptimeSeconds: 60 }, {})).toBeNull();
  expect(
    twice({ bootCount: Number.NaN }, { bootCount: -5, uptimeSeconds: Number.POSITIVE_INFINITY }),
  ).toBeNull();
});
