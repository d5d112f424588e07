import { describe, expect, test } from 'vitest';
import { checksWith, factsWith } from '../../../../test/support/signals/facts.ts';
import type { MobileSignals } from '../evidence/evidence.ts';
import { androidEmulatorOrRooted } from './android-emulator-or-rooted.ts';

const PHONE: MobileSignals = {
  model: 'Pixel 8',
  bootCount: 41,
  uptimeSeconds: 90_000,
  integrityProvider: '',
  integrityVerdicts: [],
};

const evaluate = (mobile: Partial<MobileSignals>, raw: Record<string, unknown> = {}) =>
  androidEmulatorOrRooted.evaluate(
    factsWith({ source: 'android', mobile: { ...PHONE, ...mobile }, checks: checksWith(raw) }),
  );

const verdicts = (...integrityVerdicts: string[]) =>
  evaluate({ integrityProvider: 'play_integrity', integrityVerdicts });

describe('the verdict of Play Integrity', () => {
  test.each([
    [['MEETS_DEVICE_INTEGRITY']],
    [['MEETS_BASIC_INTEGRITY', 'MEETS_DEVICE_INTEGRITY', 'MEETS_STRONG_INTEGRITY']],
  ])('%o is the verdict of an intact phone', (labels) => {
    expect(verdicts(...labels)).toBeNull();
  });

  test('without a device label indicates a rooted or emulated device', () => {
    expect(verdicts()?.contributions.deviceRisk).toBeGreaterThan(0.5);
    expect(verdicts('UNEVALUATED')?.contributions.deviceRisk).toBeGreaterThan(0.8);
  });

  test('for a virtual device indicates an emulator', () => {
    expect(verdicts('MEETS_VIRTUAL_INTEGRITY')?.observed).toBe('Play Integrity: MEETS_VIRTUAL_INTEGRITY');
  });

  test('with only the basic check has less confidence', () => {
    const basic = verdicts('MEETS_BASIC_INTEGRITY')?.confidence ?? 0;
    expect(basic).toBeGreaterThan(0.3);
    expect(basic).toBeLessThan(verdicts('MEETS_VIRTUAL_INTEGRITY')?.confidence ?? 0);
  });

  test('that is missing produces no evidence', () => {
    expect(evaluate({})).toBeNull();
  });
});

test.each(['/system/xbin/su', 'su', 'com.topjohnwu.magisk', 'KernelSU'])(
  '%s is a sign of root',
  (indicator) => {
    expect(evaluate({}, { root_indicators: [indicator] })?.contributions.deviceRisk).toBeGreaterThan(0.75);
  },
);

test('a custom ROM and an unknown indicator are weaker signs', () => {
  expect(evaluate({}, { root_indicators: ['test-keys'] })?.contributions.deviceRisk).toBeLessThan(0.5);
  const unknown = evaluate({}, { root_indicators: ['Ada Lovelace'] });
  expect(unknown).toMatchObject({ observed: 'root: an unknown indicator' });
  expect(unknown?.contributions.deviceRisk).toBeLessThan(0.5);
});

test.each(['ro.kernel.qemu', 'ranchu', 'vboxguest', '/dev/socket/genyd'])(
  '%s is a sign of an emulator',
  (indicator) => {
    expect(evaluate({}, { emulator_indicators: [indicator] })?.contributions.deviceRisk).toBeGreaterThan(
      0.75,
    );
  },
);

test.each(['sdk_gphone64_x86_64', 'Android SDK built for x86', 'google_sdk', 'Emulator'])(
  '%s is a model of an emulator',
  (model) => {
    expect(evaluate({ model })?.source).toBe('device_model');
  },
);

test.each(['Pixel 8', 'SM-S928B', 'Generic Mobile 5', 'Nokia G42'])('%s is a model of a phone', (model) => {
  expect(evaluate({ model })).toBeNull();
});

test('signs of root and of an emulator together have more confidence than either', () => {
  const weak = { root_indicators: ['test-keys'], emulator_indicators: ['something'] };
  expect(evaluate({}, weak)?.confidence).toBeCloseTo(0.75);
});

test('a web page has no evidence, and an iPhone is not an Android device', () => {
  const checks = checksWith({ root_indicators: ['su'] });
  expect(androidEmulatorOrRooted.evaluate(factsWith({ checks }))).toBeNull();
  expect(androidEmulatorOrRooted.evaluate(factsWith({ source: 'ios', mobile: PHONE, checks }))).toBeNull();
});

test('an app of unknown platform is identified by its attestation', () => {
  const mobile = {
    ...PHONE,
    integrityProvider: 'play_integrity',
    integrityVerdicts: ['MEETS_VIRTUAL_INTEGRITY'],
  };
  expect(androidEmulatorOrRooted.evaluate(factsWith({ mobile }))).not.toBeNull();
});
