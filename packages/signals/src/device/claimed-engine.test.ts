import { expect, test } from 'vitest';
import { USER_AGENTS } from '../../../../test/support/signals/user-agents.ts';
import { claimedEngine, claimedVersion } from './claimed-engine.ts';

test.each([
  [USER_AGENTS.chromeWindows, 'Blink', 137],
  [USER_AGENTS.headless, 'Blink', 156],
  [USER_AGENTS.webView, 'Blink', 137],
  [USER_AGENTS.samsung, 'Blink', 130],
  [USER_AGENTS.firefoxLinux, 'Gecko', 139],
  [USER_AGENTS.firefoxAndroid, 'Gecko', 139],
  [USER_AGENTS.safariMac, 'WebKit', 18.5],
  [USER_AGENTS.safariIphone, 'WebKit', 18.5],
])('%s claims %s %d', (userAgent, engine, version) => {
  expect(claimedEngine(userAgent)).toBe(engine);
  expect(claimedVersion(userAgent)).toBe(version);
});

test.each([
  ['a browser on iOS', USER_AGENTS.chromeIphone, 'WebKit'],
  ['an app on iOS', USER_AGENTS.instagramIphone, 'WebKit'],
  [
    'a browser on an iPad, beside an old Safari',
    'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/137 Version/11.1.1 Safari/605.1.15',
    'WebKit',
  ],
  [
    'a browser with an old Firefox beside its name',
    'Mozilla/5.0 (X11; Linux x86_64; rv:60.0) Gecko/20100101 Firefox/60.0 SeaMonkey/2.53.18',
    'Gecko',
  ],
])('%s contains no version of its engine', (_name, userAgent, engine) => {
  expect(claimedEngine(userAgent)).toBe(engine);
  expect(claimedVersion(userAgent)).toBeNull();
});

test.each([
  'curl/8.5.0',
  '',
  'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
  'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/64.0.3282.140 Safari/537.36 Edge/18.17763',
  'Mozilla/5.0 (Mobile; Windows Phone 8.1; Android 4.0; ARM; Trident/7.0; Touch; rv:11.0; IEMobile/11.0; NOKIA; Lumia 520) like iPhone OS 7_0_3 Mac OS X AppleWebKit/537 (KHTML, like Gecko) Mobile Safari/537',
  'Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) 76.0.3809.146/6.0 TV Safari/537.36',
])('%s claims none of the three engines', (userAgent) => {
  expect(claimedEngine(userAgent)).toBeNull();
  expect(claimedVersion(userAgent)).toBeNull();
});
