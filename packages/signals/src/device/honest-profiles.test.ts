import { describe, expect, test } from 'vitest';
import { chromium, HELD } from '../../../../test/support/signals/browser-profiles.ts';
import { HONEST_COMPUTERS } from '../../../../test/support/signals/honest-computers.ts';
import { HONEST_MOBILES } from '../../../../test/support/signals/honest-mobiles.ts';
import { USER_AGENTS } from '../../../../test/support/signals/user-agents.ts';
import { evidenceOfSession } from '../assessment/assess-session.ts';
import type { SessionFacts } from '../evidence/evidence.ts';

const HONEST = { ...HONEST_COMPUTERS, ...HONEST_MOBILES };

const fired = (facts: SessionFacts) => [
  ...new Set(evidenceOfSession(facts).flatMap(({ family, code }) => (family === 'device' ? code : []))),
];

describe('a legitimate browser is not reported as tampering', () => {
  test.each(Object.entries(HONEST))('%s', (_name, [facts, ...codes]) => {
    const evidence = evidenceOfSession(facts).filter(({ family }) => family === 'device');
    expect(evidence.map(({ code, observed }) => `${code}: ${observed}`)).toHaveLength(codes.length);
    expect(fired(facts).sort()).toEqual(codes.toSorted());
  });

  test('the suite contains more than thirty profiles', () => {
    expect(Object.keys(HONEST).length).toBeGreaterThan(30);
  });
});

/** Measured: Debian's Chromium 156 without a window, driven by Playwright. */
const SWIFTSHADER =
  'ANGLE (Google, Vulkan 1.3.0 (SwiftShader Device (Subzero) (0x0000C0DE)), SwiftShader driver)';
const driven = { platform: 'Linux x86_64', gpu: SWIFTSHADER, major: 156, brand: 'Not:A-Brand', missing: [] };
const SERVER = { cpuCores: 2, memory: 16, screenWidth: 1280, screenHeight: 720 };

describe('a forged browser is detected by its remaining traces', () => {
  test('an older Chrome on Windows, by platform, client hints and graphics', () => {
    const userAgent = USER_AGENTS.chromeWindows.replace('137', '129');
    const facts = chromium({ ...driven, userAgent, hinted: 'Linux', device: SERVER });
    expect(fired(facts).sort()).toEqual([
      'browser_version_mismatch',
      'user_agent_platform_mismatch',
      'virtual_machine_or_software_gpu',
    ]);
  });

  test('a browser without client hints that is newer than claimed', () => {
    const userAgent = USER_AGENTS.chromeLinux.replace('137', '110');
    const facts = chromium({
      ...driven,
      userAgent,
      hinted: '',
      headers: { 'sec-ch-ua': '' },
      checks: { user_agent_data: null },
    });
    expect(fired(facts)).toContain('browser_version_mismatch');
  });

  test('an iPhone emulated by an automated Chromium, by five codes', () => {
    const facts = chromium({
      ...driven,
      userAgent: USER_AGENTS.safariIphone,
      hinted: 'iOS',
      mobile: true,
      device: { ...SERVER, screenWidth: 393, screenHeight: 852, pixelRatio: 3, touchPoints: 1 },
      checks: { ...HELD, webdriver: true, screen_avail_width: 393, screen_avail_height: 852 },
    });
    expect(fired(facts).sort()).toEqual([
      'automation_framework_detected',
      'browser_version_mismatch',
      'gpu_os_mismatch',
      'user_agent_platform_mismatch',
      'virtual_machine_or_software_gpu',
    ]);
  });

  test('a page whose scripts hide the traces of automation, by frames, workers and other traces', () => {
    const facts = chromium({
      ...driven,
      userAgent: USER_AGENTS.chromeLinux.replace('137', '156'),
      platform: 'Win32',
      hinted: 'Linux',
      device: { ...SERVER, cpuCores: 16 },
      checks: {
        navigator_own_properties: ['webdriver'],
        non_native: ['Navigator.platform'],
        proxy_traces: ['Navigator.hardwareConcurrency: takes any object'],
        worker: { platform: 'Linux x86_64', cpu_cores: 2, timezone: 'UTC' },
      },
    });
    expect(fired(facts)).toEqual(
      expect.arrayContaining([
        'browser_tampering_detected',
        'execution_context_mismatch',
        'timezone_tampered',
        'user_agent_platform_mismatch',
      ]),
    );
  });
});
