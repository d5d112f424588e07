import { expect, test } from 'vitest';
import { CHROME_ON_WINDOWS, checksWith, factsWith } from '../../../../test/support/signals/facts.ts';
import { userAgentPlatformMismatch } from './user-agent-platform-mismatch.ts';

const SAFARI_ON_MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15';
const SAFARI_ON_IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1';
const CHROME_ON_ANDROID =
  'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36';
const CHROME_ON_LINUX =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36';

const evaluate = (userAgent: string, platform: string) =>
  userAgentPlatformMismatch.evaluate(factsWith({ userAgent, browser: { platform } }));

test.each([
  [CHROME_ON_WINDOWS, 'Linux x86_64', 'user agent Windows, platform Linux'],
  [SAFARI_ON_IPHONE, 'Linux x86_64', 'user agent Apple, platform Linux'],
  [SAFARI_ON_MAC, 'Win32', 'user agent Apple, platform Windows'],
  [CHROME_ON_ANDROID, 'Win32', 'user agent Linux, platform Windows'],
])('%s on %s is a mismatch', (userAgent, platform, observed) => {
  expect(evaluate(userAgent, platform)).toMatchObject({
    observed,
    contributions: { deviceRisk: 0.65 },
    bot: 0.3,
  });
});

test.each([
  [CHROME_ON_WINDOWS, 'Win32'],
  [SAFARI_ON_MAC, 'MacIntel'],
  [SAFARI_ON_MAC, 'iPad'],
  [SAFARI_ON_IPHONE, 'iPhone'],
  [CHROME_ON_ANDROID, 'Linux armv81'],
  [CHROME_ON_LINUX, 'Linux x86_64'],
  [CHROME_ON_LINUX, 'Linux aarch64'],
])('%s on %s is legitimate', (userAgent, platform) => {
  expect(evaluate(userAgent, platform)).toBeNull();
});

test('a missing platform, and a missing or unknown user agent, produce no evidence', () => {
  expect(evaluate(CHROME_ON_WINDOWS, '')).toBeNull();
  expect(evaluate('', 'Win32')).toBeNull();
  expect(evaluate(CHROME_ON_WINDOWS, 'PlayStation 5')).toBeNull();
});

test('client hints of another operating system are reported, in the page and in the header', () => {
  const inPage = userAgentPlatformMismatch.evaluate(
    factsWith({ checks: checksWith({ user_agent_data: { platform: 'Linux' } }) }),
  );
  expect(inPage).toMatchObject({
    source: 'client_hints',
    observed: 'user agent Windows, client hints Linux',
  });
  const headers = { 'sec-ch-ua-platform': '"Android"' };
  expect(userAgentPlatformMismatch.evaluate(factsWith({ headers }))?.confidence).toBe(1);
});

test.each(['"Windows"', '""', 'Windows', '"Fuchsia"'])('a header %s produces no evidence', (platform) => {
  const headers = { 'sec-ch-ua-platform': platform };
  expect(userAgentPlatformMismatch.evaluate(factsWith({ headers }))).toBeNull();
});

const FIREFOX_ON_WINDOWS = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:139.0) Gecko/20100101 Firefox/139.0';
const FIREFOX_ON_LINUX = 'Mozilla/5.0 (X11; Linux x86_64; rv:139.0) Gecko/20100101 Firefox/139.0';
const onLinux = (raw: Record<string, unknown> | null) =>
  userAgentPlatformMismatch.evaluate(
    factsWith({
      userAgent: FIREFOX_ON_WINDOWS,
      browser: { platform: 'Linux x86_64' },
      checks: raw && checksWith(raw),
    }),
  );

test('Firefox with resistFingerprinting names Windows to the server only, and is legitimate', () => {
  expect(onLinux({ iframe: { user_agent: FIREFOX_ON_LINUX }, product_sub: '20100101' })).toBeNull();
  expect(onLinux(null)).toBeNull();
});

test('a Firefox with Windows in its frames or with another engine is a mismatch', () => {
  expect(onLinux({ iframe: { user_agent: FIREFOX_ON_WINDOWS } })).not.toBeNull();
  expect(onLinux({ product_sub: '20030107' })).not.toBeNull();
});
