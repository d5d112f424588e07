import { expect, test } from 'vitest';
import { checksWith, factsWith } from '../../../../test/support/signals/facts.ts';
import type { MobileSignals } from '../evidence/evidence.ts';
import { appIntegrityFailed } from './app-integrity-failed.ts';

const evaluate = (raw: Record<string, unknown>, source: 'web' | 'ios' | 'android' = 'android') =>
  appIntegrityFailed.evaluate(factsWith({ source, checks: checksWith(raw) }));

const playVerdicts = (...integrityVerdicts: string[]) => {
  const mobile: MobileSignals = {
    model: 'Pixel 8',
    bootCount: null,
    uptimeSeconds: null,
    integrityProvider: 'play_integrity',
    integrityVerdicts,
  };
  return appIntegrityFailed.evaluate(factsWith({ source: 'android', mobile }));
};

test('a signature that differs from that of the app indicates a modified app', () => {
  expect(evaluate({ app_signature_valid: false })?.contributions.deviceRisk).toBeGreaterThan(0.8);
  expect(evaluate({ app_signature_valid: true })).toBeNull();
});

test.each(['frida-server', 're.frida.gadget', 'de.robv.android.xposed', 'LSPosed', 'MobileSubstrate.dylib'])(
  '%s hooks the app',
  (indicator) => {
    expect(evaluate({ hook_indicators: [indicator] })?.contributions.deviceRisk).toBeGreaterThan(0.8);
  },
);

test('a debugger has less confidence than a hook, and a cloned app less than a debugger', () => {
  const debuggerRisk = evaluate({ hook_indicators: ['debugger_attached'] })?.contributions.deviceRisk ?? 0;
  const cloneRisk = evaluate({ hook_indicators: ['dual_app'] })?.contributions.deviceRisk ?? 0;
  expect(debuggerRisk).toBeLessThan(0.6);
  expect(cloneRisk).toBeLessThan(0.4);
  expect(cloneRisk).toBeGreaterThan(0);
});

test('an unknown verdict counts half and is not quoted', () => {
  const evidence = evaluate({ hook_indicators: ['Ada Lovelace'] });
  expect(evidence).toMatchObject({ confidence: 0.5, observed: 'an unknown indicator' });
});

test('an app that the store does not recognize is modified; one installed from elsewhere is a weaker sign', () => {
  const unrecognized = playVerdicts('MEETS_DEVICE_INTEGRITY', 'UNRECOGNIZED_VERSION');
  expect(unrecognized?.contributions.deviceRisk).toBeGreaterThan(0.7);
  expect(playVerdicts('PLAY_RECOGNIZED', 'UNLICENSED')?.contributions.deviceRisk).toBeLessThan(0.3);
});

test.each([[['PLAY_RECOGNIZED', 'LICENSED']], [['UNEVALUATED']], [[]]])('%o is not a failure', (verdicts) => {
  expect(playVerdicts(...verdicts)).toBeNull();
});

test('a web page and an app without a check have no evidence', () => {
  expect(evaluate({ hook_indicators: ['frida'] }, 'web')).toBeNull();
  expect(evaluate({})).toBeNull();
  expect(appIntegrityFailed.evaluate(factsWith({ source: 'ios' }))).toBeNull();
});
