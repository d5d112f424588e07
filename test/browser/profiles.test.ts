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
} from './support/visits.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({ settings: { TRUSTED_PROXIES: '127.0.0.1' } });
});
afterAll(() => gateway.close());

/** What the service makes of a visit to a customer's page. */
async function visit(options: BrowserOptions, address = HOME_IN_FRANCE): Promise<Assessment> {
  const project = await gateway.project();
  const site = await openFirstPartySite(gateway, project, { visitorAddress: address });
  const browser = await openBrowser(options);
  const page = await browser.open(site.url);
  const assessment = await assessmentOf(project, await sessionIdOf(page));
  expect(browser.pageErrors).toEqual([]);
  return assessment;
}

const FRENCH: BrowserOptions = { timezone: 'Europe/Paris' };

describe('an ordinary Chromium', () => {
  it('raises nothing but its graphics, and that the service can see for itself', async () => {
    const found = await visit({ ...FRENCH, mode: 'window', hidesAutomation: true });
    expect(found.observed).toEqual(
      Object.fromEntries(graphicsCode(found).map((c) => [c, expect.anything()])),
    );
    expect(found.botScore).toBeLessThan(0.3);
    expect(found.session.risk_signals.device_risk).toBe(false);
    expect(found.session.browser.user_agent).toMatch(/ Chrome\/\d+/);
  });
});

describe('a headless Chromium', () => {
  it('that a program drives undisguised is told by its flag, its window and its name', async () => {
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

  it('that calls itself an older one on Windows is told by its platform and its client hints', async () => {
    const found = await visit({
      hidesAutomation: true,
      args: [
        '--user-agent=Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/129.0.0.0 Safari/537.36',
      ],
      context: { timezoneId: 'Europe/Berlin', locale: 'de-DE' },
    });
    console.log(found.observed, found.botScore, found.session.risk_signal_scores);
    expect(found.deviceCodes).toEqual(
      ['browser_version_mismatch', 'user_agent_platform_mismatch', ...graphicsCode(found)].sort(),
    );
    expect(found.session.risk_signal_scores.device_risk).toBeGreaterThanOrEqual(0.5);
  });

  it('that emulates a telephone is told by the engine, the platform and the graphics behind it', async () => {
    const found = await visit({ timezone: 'Europe/Paris', context: devices['iPhone 15'] });
    console.log(found.observed, found.botScore);
    expect(found.deviceCodes).toEqual([]);
  });
});

describe('a clock', () => {
  it('that keeps another time than the place of the address is told', async () => {
    const found = await visit({ context: { timezoneId: 'Asia/Tokyo' } });
    console.log(found.networkCodes, found.observed);
    expect(found.networkCodes).toContain('ip_timezone_mismatch');
  });

  it('that keeps the time of the place is not, whatever the zone is called', async () => {
    const found = await visit({ context: { timezoneId: 'Europe/Berlin' } });
    expect(found.networkCodes).toEqual([]);
  });
});
