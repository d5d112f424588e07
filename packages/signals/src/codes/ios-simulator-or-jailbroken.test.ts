import { expect, test } from 'vitest';
import { checksWith, factsWith } from '../../../../test/support/signals/facts.ts';
import type { MobileSignals } from '../evidence/evidence.ts';
import { iosSimulatorOrJailbroken } from './ios-simulator-or-jailbroken.ts';

const PHONE: MobileSignals = {
  model: 'iPhone15,2',
  bootCount: null,
  uptimeSeconds: 90_000,
  integrityProvider: '',
  integrityVerdicts: [],
};

const evaluate = (mobile: Partial<MobileSignals>, raw: Record<string, unknown> = {}) =>
  iosSimulatorOrJailbroken.evaluate(
    factsWith({ source: 'ios', mobile: { ...PHONE, ...mobile }, checks: checksWith(raw) }),
  );

test.each(['app_attest', 'device_check'])(
  'a failed attestation of %s indicates a modified device',
  (integrityProvider) => {
    const evidence = evaluate({ integrityProvider, integrityVerdicts: ['attestation_failed'] });
    expect(evidence?.contributions.deviceRisk).toBeGreaterThan(0.7);
  },
);

test('an unsupported attestation is a weaker sign, since iPhone apps on a Mac have none either', () => {
  const evidence = evaluate({ integrityProvider: 'app_attest', integrityVerdicts: ['featureUnsupported'] });
  expect(evidence?.contributions.deviceRisk).toBeLessThan(0.5);
});

test.each([[['valid']], [['verified']], [['serverUnavailable']], [[]]])(
  'a valid attestation and one whose service did not respond are no evidence: %o',
  (integrityVerdicts) => {
    expect(evaluate({ integrityProvider: 'app_attest', integrityVerdicts })).toBeNull();
  },
);

test.each(['/Applications/Cydia.app', 'cydia://', '/bin/bash', '/var/jb/usr', 'palera1n'])(
  '%s is a sign of a jailbreak',
  (indicator) => {
    expect(evaluate({}, { root_indicators: [indicator] })?.contributions.deviceRisk).toBeGreaterThan(0.75);
  },
);

test.each(['x86_64', 'arm64', 'iPhone Simulator'])('%s is a model of a simulator', (model) => {
  expect(evaluate({ model })?.source).toBe('device_model');
});

test.each(['iPhone15,2', 'iPad14,3', ''])('%s is not a model of a simulator', (model) => {
  expect(evaluate({ model })).toBeNull();
});

test('a web page and an Android phone have no evidence', () => {
  const checks = checksWith({ root_indicators: ['cydia'] });
  expect(iosSimulatorOrJailbroken.evaluate(factsWith({ checks }))).toBeNull();
  expect(
    iosSimulatorOrJailbroken.evaluate(factsWith({ source: 'android', mobile: PHONE, checks })),
  ).toBeNull();
});

test('missing mobile facts produce no evidence', () => {
  expect(iosSimulatorOrJailbroken.evaluate(factsWith({ source: 'ios' }))).toBeNull();
});
