import { devices } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway } from '../support/gateway.ts';
import type { BrowserOptions } from './support/chromium.ts';
import {
  type Assessment,
  assessmentOf,
  graphicsCode,
  HOME_IN_FRANCE,
  openBrowser,
  openFirstPartySite,
  sessionIdOf,
  showsPrivateQuota,
  untilCollected,
} from './support/visits.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ settings: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => gateway.close());

type VisitOptions = BrowserOptions & {
  address?: string;
  /** Runs in each page and frame before any other script, like drivers and extensions. */
  script?: string;
};

type Found = Assessment & { isQuotaPrivate: boolean };

/** The assessment of a visit to a customer's page. */
async function visit({ address = HOME_IN_FRANCE, script, ...options }: VisitOptions): Promise<Found> {
  const project = await gateway.project();
  const site = await openFirstPartySite(gateway, project, { visitorAddress: address });
  const browser = await openBrowser(options);
  if (script) await browser.context.addInitScript(script);
  const page = await browser.open(site.url);
  await untilCollected(page);
  const assessment = await assessmentOf(project, await sessionIdOf(page));
  expect(browser.pageErrors).toEqual([]);
  expect(new Set(browser.requests.map(({ host }) => host))).toEqual(new Set([new URL(site.url).host]));
  return { ...assessment, isQuotaPrivate: await showsPrivateQuota(page) };
}

const HOME_IN_JAPAN = '126.1.1.1';
const FRENCH: BrowserOptions = { timezone: 'Europe/Paris' };
/** The browser of a person, as far as a program can imitate it. */
const ORDINARY: BrowserOptions = { ...FRENCH, mode: 'window', hidesAutomation: true };

describe('an ordinary Chromium', () => {
  const KINDS: [name: string, options: BrowserOptions][] = [
    ['as installed', {}],
    ['in a private window', { incognito: true }],
    ['on a screen with many pixels', { args: ['--force-device-scale-factor=1.5'] }],
    ['without 3D graphics', { args: ['--disable-3d-apis'] }],
  ];

  it.each(KINDS)(
    '%s has only the expected reasons: software graphics, a private quota',
    async (_name, options) => {
      const found = await visit({ ...ORDINARY, ...options });
      const isPrivate = options.incognito === true && found.isQuotaPrivate;
      const codes = [...(isPrivate ? ['private_browsing_or_storage_blocked'] : []), ...graphicsCode(found)];
      expect([found.networkCodes, found.deviceCodes]).toEqual([[], codes]);
      expect(found.botScore).toBeLessThan(0.3);
      expect(Object.values(found.session.risk_signals)).not.toContain(true);
      expect(found.session.browser.user_agent).toMatch(/ Chrome\/\d+/);
    },
  );
});

describe('a page with a patched browser', () => {
  const PATCHES: [name: string, codes: string[], script: string][] = [
    [
      'with another getter',
      ['browser_tampering_detected'],
      "Object.defineProperty(Navigator.prototype, 'vendor', { get: () => 'Google Inc.' })",
    ],
    [
      'with a getter behind a proxy',
      ['browser_tampering_detected'],
      `const property = Object.getOwnPropertyDescriptor(Navigator.prototype, 'vendor');
       property.get = new Proxy(property.get, { apply: () => 'Google Inc.' });
       Object.defineProperty(Navigator.prototype, 'vendor', property);`,
    ],
    [
      'with the platform of another operating system',
      ['browser_tampering_detected', 'execution_context_mismatch', 'user_agent_platform_mismatch'],
      "Object.defineProperty(navigator, 'platform', { value: 'Win32' })",
    ],
    [
      'with another time zone',
      ['browser_tampering_detected', 'timezone_tampered'],
      'Date.prototype.getTimezoneOffset = () => 300',
    ],
    [
      'with a different canvas image each time',
      ['browser_tampering_detected', 'canvas_or_audio_noise'],
      `const draw = HTMLCanvasElement.prototype.toDataURL;
       HTMLCanvasElement.prototype.toDataURL = function () { return draw.call(this) + Math.random(); };`,
    ],
  ];

  it.each(PATCHES)('%s is detected', async (_name, codes, script) => {
    const found = await visit({ ...ORDINARY, script });
    expect(found.deviceCodes).toEqual([...codes, ...graphicsCode(found)].sort());
    expect(found.session.risk_signals.device_risk).toBe(true);
  });
});

describe('the outer size of a window', () => {
  const reads = (zeros: string) => `let reads = 0;
    for (const [name, size] of [['outerWidth', 1280], ['outerHeight', 860]])
      Object.defineProperty(window, name, { get: () => (reads++ < ${zeros} ? 0 : size) });`;

  it.each([
    ['that a browser sets shortly after its start is waited for', '2', false],
    ['that stays 0 is detected as a headless browser', 'Infinity', true],
  ])('%s', async (_name, zeros, isDetected) => {
    const { deviceCodes } = await visit({ ...ORDINARY, script: reads(zeros) });
    expect(deviceCodes.includes('headless_browser_detected')).toBe(isDetected);
  });
});

describe('a headless Chromium', () => {
  it('driven by a program is detected by its flag, its window and its name', async () => {
    const found = await visit(FRENCH);
    expect(found.deviceCodes).toEqual(
      [
        'automation_framework_detected',
        'declared_bot_user_agent',
        'headless_browser_detected',
        ...graphicsCode(found),
      ].sort(),
    );
    expect(found.botScore).toBeGreaterThanOrEqual(0.9);
    expect(found.session.risk_signals.device_risk).toBe(true);
  });

  it('with the name of an older one on Windows is detected by its platform and its client hints', async () => {
    const found = await visit({
      hidesAutomation: true,
      args: [
        '--user-agent=Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36',
      ],
      context: { timezoneId: 'Europe/Berlin', locale: 'de-DE' },
    });
    expect(found.deviceCodes).toEqual(
      ['browser_version_mismatch', 'user_agent_platform_mismatch', ...graphicsCode(found)].sort(),
    );
    expect(found.session.risk_signal_scores.device_risk).toBeGreaterThanOrEqual(0.5);
  });

  it('that emulates a phone is detected by its engine, platform and graphics', async () => {
    const found = await visit({ timezone: 'Europe/Paris', context: devices['iPhone 15'] });
    expect(found.deviceCodes).toEqual(
      [
        'automation_framework_detected',
        'browser_version_mismatch',
        'gpu_os_mismatch',
        'user_agent_platform_mismatch',
        ...graphicsCode(found),
      ].sort(),
    );
    expect(found.session.risk_signals.device_risk).toBe(true);
  });
});

describe('a clock', () => {
  const inZone = (timezoneId: string, address?: string) => visit({ context: { timezoneId }, address });

  it('with another time zone than the location of the address is detected', async () => {
    const { networkCodes, session } = await inZone('Asia/Tokyo');
    expect(networkCodes).toContain('ip_timezone_mismatch');
    expect(session.risk_signals.location_spoofing).toBe(true);
  });

  it('with the time zone of that location is not detected', async () => {
    expect((await inZone('Asia/Tokyo', HOME_IN_JAPAN)).networkCodes).toEqual([]);
  });

  it('with another zone name of the same time is not detected', async () => {
    expect((await inZone('Europe/Berlin')).networkCodes).not.toContain('ip_timezone_mismatch');
  });
});
