import { expect, test } from 'vitest';
import { CHROME_ON_WINDOWS, factsWith } from './facts-for-tests.ts';
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
])('%s on %s is a disguise', (userAgent, platform, observed) => {
  expect(evaluate(userAgent, platform)).toMatchObject({ observed, contributions: { deviceRisk: 0.65 } });
});

test.each([
  [CHROME_ON_WINDOWS, 'Win32'],
  [SAFARI_ON_MAC, 'MacIntel'],
  [SAFARI_ON_MAC, 'iPad'],
  [SAFARI_ON_IPHONE, 'iPhone'],
  [CHROME_ON_ANDROID, 'Linux armv81'],
  [CHROME_ON_LINUX, 'Linux x86_64'],
  [CHROME_ON_LINUX, 'Linux aarch64'],
])('%s on %s is honest', (userAgent, platform) => {
  expect(evaluate(userAgent, platform)).toBeNull();
});

test('nothing is said without a platform, a user agent or a known one of them', () => {
  expect(evaluate(CHROME_ON_WINDOWS, '')).toBeNull();
  expect(evaluate('', 'Win32')).toBeNull();
  expect(evaluate(CHROME_ON_WINDOWS, 'PlayStation 5')).toBeNull();
});
