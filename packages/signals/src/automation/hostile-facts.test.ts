import fc from 'fast-check';
import { expect, test } from 'vitest';
import { CHROME_ON_WINDOWS, factsWith, networkWith } from '../../../../test/support/signals/facts.ts';
import { androidEmulatorOrRooted } from '../codes/android-emulator-or-rooted.ts';
import { appIntegrityFailed } from '../codes/app-integrity-failed.ts';
import { automationFrameworkDetected } from '../codes/automation-framework-detected.ts';
import { clientAddressMismatch } from '../codes/client-address-mismatch.ts';
import { declaredBotUserAgent } from '../codes/declared-bot-user-agent.ts';
import { headlessBrowserDetected } from '../codes/headless-browser-detected.ts';
import { iosSimulatorOrJailbroken } from '../codes/ios-simulator-or-jailbroken.ts';
import { mockLocationEnabled } from '../codes/mock-location-enabled.ts';
import { noHumanInteraction } from '../codes/no-human-interaction.ts';
import { transportFingerprintMismatch } from '../codes/transport-fingerprint-mismatch.ts';
import { virtualCameraDetected } from '../codes/virtual-camera-detected.ts';
import { parseChecks } from '../device/checks.ts';
import type { Evidence, SessionFacts, SignalCode } from '../evidence/evidence.ts';

const CODES: readonly SignalCode[] = [
  androidEmulatorOrRooted,
  appIntegrityFailed,
  automationFrameworkDetected,
  clientAddressMismatch,
  declaredBotUserAgent,
  headlessBrowserDetected,
  iosSimulatorOrJailbroken,
  mockLocationEnabled,
  noHumanInteraction,
  transportFingerprintMismatch,
  virtualCameraDetected,
];

/** Names that the rules read, so that values of all types reach each rule. */
const text = fc.oneof(
  fc.string(),
  fc.constantFrom(
    'frida',
    'su',
    'qemu',
    'OBS Virtual Camera',
    '$cdc_x',
    'denied',
    'prompt',
    '8.8.8.8',
    '::1',
    '240.0.0.1',
  ),
);
const amount = fc.oneof(fc.integer({ min: -5, max: 200 }), fc.double(), fc.constant(null));
const value = fc.oneof(text, amount, fc.boolean(), fc.array(text), fc.jsonValue() as fc.Arbitrary<unknown>);

const CHECK_NAMES = Object.keys(parseChecks({})).map((name) =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
);
const BOTD_NAMES = [
  'android',
  'browserKind',
  'browserEngineKind',
  'documentFocus',
  'appVersion',
  'windowSize',
  'pluginsLength',
  'pluginsArray',
  'errorTrace',
  'windowExternal',
  'mimeTypesConsistent',
  'webGL',
  'webDriver',
  'languages',
  'notificationPermissions',
  'documentElementKeys',
  'process',
  'distinctiveProps',
];

const rawChecks = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...CHECK_NAMES), value),
    fc.dictionary(fc.constantFrom(...BOTD_NAMES), value),
  )
  .map(([raw, botd]) => ({ botd, ...raw }));

const network = fc
  .record({
    ip: fc.oneof(fc.ipV4(), fc.ipV6(), fc.constant('')),
    bogon: fc.boolean(),
    asn: fc.option(fc.nat()),
    connectionType: fc.constantFrom('isp', 'mobile', 'hosting', 'private_relay', 'satellite', ''),
    countryCode: fc.constantFrom('US', 'DE', ''),
    serviceProvider: fc.string({ maxLength: 300 }),
  })
  .map(({ countryCode, ...rest }) => {
    const base = networkWith(rest);
    return { ...base, location: { ...base.location, countryCode } };
  });

const count = fc.oneof(fc.constant(0), fc.nat());

const sessionFacts: fc.Arbitrary<SessionFacts> = fc
  .record({
    source: fc.constantFrom('web' as const, 'ios' as const, 'android' as const),
    userAgent: fc.oneof(fc.constant(CHROME_ON_WINDOWS), fc.constant('curl/8'), fc.string()),
    network,
    laterNetworks: fc.array(network, { maxLength: 4 }),
    headers: fc.dictionary(
      fc.constantFrom('via', 'forwarded', 'x-forwarded-for', 'sec-ch-ua'),
      fc.oneof(
        fc.string(),
        fc.ipV4().map((ip) => `for=${ip}, ${ip}`),
      ),
    ),
    edge: fc.option(
      fc.record({
        ja4: fc.oneof(fc.constant('t13d1812h1_85036bcba153_b26ce05bbdd6'), fc.string()),
        tcpRttMs: fc.option(fc.double()),
        ipTtl: fc.option(fc.integer({ min: -1, max: 300 })),
      }),
    ),
    interaction: fc.option(
      fc.record({ mouse: count, click: count, keyboard: count, touch: count, clipboard: count }),
    ),
    gps: fc.option(
      fc.record({
        latitude: fc.double({ min: -90, max: 90, noNaN: true }),
        longitude: fc.double({ min: -180, max: 180, noNaN: true }),
        accuracyM: fc.option(fc.double({ min: 1, noNaN: true })),
        mock: fc.option(fc.boolean()),
      }),
    ),
    mobile: fc.option(
      fc.record({
        model: fc.oneof(fc.constantFrom('sdk_gphone64_arm64', 'x86_64'), fc.string()),
        bootCount: fc.option(fc.nat()),
        uptimeSeconds: fc.option(fc.nat()),
        integrityProvider: fc.constantFrom('', 'play_integrity', 'app_attest', 'device_check'),
        integrityVerdicts: fc.array(
          fc.oneof(fc.constantFrom('MEETS_BASIC_INTEGRITY', 'UNRECOGNIZED_VERSION', 'failed'), fc.string()),
        ),
      }),
    ),
    raw: rawChecks,
  })
  .map(({ raw, ...facts }) => factsWith({ ...facts, checks: parseChecks(raw) }));

function evidenceOf(facts: SessionFacts): Evidence[] {
  return CODES.flatMap((code) => code.evaluate(facts) ?? []);
}

test('for any facts of a client, no code throws and every number is between 0 and 1', () => {
  fc.assert(
    fc.property(sessionFacts, (facts) => {
      for (const { contributions, bot = 0, confidence, observed } of evidenceOf(facts)) {
        for (const number of [...Object.values(contributions), bot, confidence]) {
          expect(number).toBeGreaterThanOrEqual(0);
          expect(number).toBeLessThanOrEqual(1);
        }
        expect(observed.length).toBeLessThan(200);
      }
    }),
    { numRuns: 2000 },
  );
});

test('equal facts produce equal evidence', () => {
  fc.assert(
    fc.property(sessionFacts, (facts) => {
      expect(evidenceOf(facts)).toEqual(evidenceOf(facts));
    }),
  );
});
