import fc from 'fast-check';
import { expect, test } from 'vitest';
import { factsWith } from '../../../../test/support/signals/facts.ts';
import { USER_AGENTS } from '../../../../test/support/signals/user-agents.ts';
import { browserTamperingDetected } from '../codes/browser-tampering-detected.ts';
import { browserVersionMismatch } from '../codes/browser-version-mismatch.ts';
import { canvasOrAudioNoise } from '../codes/canvas-or-audio-noise.ts';
import { deviceClassMismatch } from '../codes/device-class-mismatch.ts';
import { executionContextMismatch } from '../codes/execution-context-mismatch.ts';
import { gpuOsMismatch } from '../codes/gpu-os-mismatch.ts';
import { impossibleHardwareValues } from '../codes/impossible-hardware-values.ts';
import { languageMismatch } from '../codes/language-mismatch.ts';
import { privateBrowsingOrStorageBlocked } from '../codes/private-browsing-or-storage-blocked.ts';
import { timezoneTampered } from '../codes/timezone-tampered.ts';
import { userAgentPlatformMismatch } from '../codes/user-agent-platform-mismatch.ts';
import { virtualMachineOrSoftwareGpu } from '../codes/virtual-machine-or-software-gpu.ts';
import type { Evidence, SessionFacts, SignalCode } from '../evidence/evidence.ts';
import { parseChecks } from './checks.ts';

const CODES: readonly SignalCode[] = [
  browserTamperingDetected,
  browserVersionMismatch,
  canvasOrAudioNoise,
  deviceClassMismatch,
  executionContextMismatch,
  gpuOsMismatch,
  impossibleHardwareValues,
  languageMismatch,
  privateBrowsingOrStorageBlocked,
  timezoneTampered,
  userAgentPlatformMismatch,
  virtualMachineOrSoftwareGpu,
];

const text = fc.oneof(
  fc.string(),
  fc.constantFrom(
    ...Object.values(USER_AGENTS),
    'Win32',
    'MacIntel',
    'Linux x86_64',
    'Chromium',
    '156',
    'Europe/Berlin',
    'Asia/Tokyo',
    '+25:99',
    'Navigator.platform',
    'Navigator.webdriver: unnamed',
    'webdriver',
    'Apple GPU',
    'Adreno (TM) 740',
    'SwiftShader',
    'de-DE,en;q=x',
    '20100101',
    'portrait-primary',
    '__proto__',
    'constructor',
  ),
);
const amount = fc.option(
  fc.oneof(fc.integer({ min: -2000, max: 2000 }), fc.double(), fc.constantFrom(0, 33, 37)),
);
const context = fc.record(
  {
    user_agent: text,
    platform: text,
    languages: fc.array(text, { maxLength: 3 }),
    timezone: text,
    timezone_offset_minutes: amount,
    cpu_cores: amount,
    webdriver: fc.boolean(),
  },
  { requiredKeys: [] },
);
const brands = fc.array(fc.record({ brand: text, version: text }), { maxLength: 3 });
const value = fc.oneof(text, amount, fc.boolean(), fc.array(text, { maxLength: 4 }));
const names = Object.keys(parseChecks({})).map((name) =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
);
const rawChecks = fc
  .tuple(
    fc.dictionary(fc.constantFrom(...names), value),
    fc.record(
      {
        worker: context,
        iframe: context,
        features: fc.dictionary(text, fc.boolean()),
        user_agent_data: fc.record({ brands, platform: text, mobile: fc.boolean() }),
      },
      { requiredKeys: [] },
    ),
  )
  .map(([raw, nested]) => ({ ...raw, ...nested }));

const sessions: fc.Arbitrary<SessionFacts> = fc
  .record({
    source: fc.constantFrom('web' as const, 'ios' as const, 'android' as const),
    userAgent: text,
    startTime: fc.date({ min: new Date('2000-01-01'), max: new Date('2100-01-01'), noInvalidDate: true }),
    headers: fc.dictionary(
      fc.constantFrom('accept-language', 'sec-ch-ua', 'sec-ch-ua-platform', 'sec-ch-ua-mobile'),
      text,
    ),
    browser: fc.record({
      language: text,
      languages: fc.array(text, { maxLength: 3 }),
      timezone: text,
      timezoneOffsetMinutes: amount,
      platform: text,
    }),
    device: fc.record({
      gpu: text,
      cpuCores: amount,
      memory: amount,
      screenWidth: amount,
      screenHeight: amount,
      pixelRatio: amount,
      touchPoints: amount,
    }),
    raw: fc.option(rawChecks),
  })
  .map(({ raw, ...facts }) => factsWith({ ...facts, checks: raw && parseChecks(raw) }));

const evidenceOf = (facts: SessionFacts): Evidence[] => CODES.flatMap((code) => code.evaluate(facts) ?? []);

test('for any facts of a client, no code throws and every number is between 0 and 1', () => {
  fc.assert(
    fc.property(sessions, (facts) => {
      for (const { contributions, bot = 0, confidence, observed } of evidenceOf(facts)) {
        for (const number of [...Object.values(contributions), bot, confidence]) {
          expect(number).toBeGreaterThan(-Number.EPSILON);
          expect(number).toBeLessThanOrEqual(1);
        }
        expect(observed.length).toBeGreaterThan(0);
        expect(observed.length).toBeLessThan(200);
      }
    }),
    { numRuns: 1000 },
  );
});

test('equal facts produce equal evidence', () => {
  fc.assert(
    fc.property(sessions, (facts) => {
      expect(evidenceOf(facts)).toEqual(evidenceOf(facts));
    }),
  );
});

test('a session without any known facts has no evidence', () => {
  expect(
    evidenceOf(factsWith({ userAgent: '', browser: { platform: '', languages: [], timezone: '' } })),
  ).toEqual([]);
});
