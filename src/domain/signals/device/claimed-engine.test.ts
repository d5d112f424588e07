import { expect, test } from 'vitest';
import { chromiumMajor, claimedEngine } from './claimed-engine.ts';
import { USER_AGENTS } from './user-agents-for-tests.ts';

test.each([
  ['chromeWindows', 'Blink', 137],
  ['edge', 'Blink', 137],
  ['webView', 'Blink', 137],
  ['headless', 'Blink', 156],
  ['firefoxLinux', 'Gecko', null],
  ['firefoxAndroid', 'Gecko', null],
  ['safariMac', 'WebKit', null],
  ['safariIphone', 'WebKit', null],
  ['chromeIphone', 'WebKit', null],
] as const)('%s stands for %s', (name, engine, major) => {
  expect(claimedEngine(USER_AGENTS[name])).toBe(engine);
  expect(chromiumMajor(USER_AGENTS[name])).toBe(major);
});

test('a program stands for none, and neither does nothing', () => {
  expect(claimedEngine('curl/8.5.0')).toBeNull();
  expect(claimedEngine('')).toBeNull();
});
