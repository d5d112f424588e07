import { expect, test } from 'vitest';
import { describeUserAgent } from './user-agent.ts';

const SAFARI_ON_MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15';

// biome-ignore format: one row a browser
test.each([
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36', 'Chrome', '137.0.0.0', 'desktop', 'Windows PC', 'Windows 10'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Safari/537.36 Edg/125.0.2535.67', 'Edge', '125.0.2535.67', 'desktop', 'Windows PC', 'Windows 10'],
  [SAFARI_ON_MAC, 'Safari', '17.5', 'desktop', 'Mac', 'macOS 10.15.7'],
  ['Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Mobile/15E148 Safari/604.1', 'Safari', '17.5', 'mobile', 'iPhone', 'iOS 17.5'],
  ['Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1', 'Safari', '16.6', 'tablet', 'iPad', 'iOS 16.6'],
  ['Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36', 'Chrome', '137.0.0.0', 'mobile', 'Android phone', 'Android 10'],
  ['Mozilla/5.0 (Linux; Android 13; SM-X700) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Safari/537.36', 'Chrome', '125.0.0.0', 'tablet', 'Android tablet', 'Android 13'],
  ['Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:126.0) Gecko/20100101 Firefox/126.0', 'Firefox', '126.0', 'desktop', 'Linux PC', 'Ubuntu'],
  ['Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/125.0.0.0 Safari/537.36', 'Chrome', '125.0.0.0', 'desktop', 'Chromebook', 'Chrome OS 14541.0.0'],
  ['Mozilla/5.0 (PlayStation; PlayStation 5/6.50) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.4 Safari/605.1.15', 'Safari', '15.4', 'console', 'PlayStation 5', 'PlayStation 5'],
  ['Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/87.0.4280.88 Safari/537.36 WebAppManager', 'Chrome', '87.0.4280.88', 'smarttv', 'Smart TV', 'webOS TV'],
  ['Mozilla/5.0 (Linux; Android 11; Wear OS; Galaxy Watch4) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/100.0 Mobile Safari/537.36', 'Chrome', '100.0', 'wearable', 'Galaxy Watch4', 'Android 11'],
  ['Mozilla/5.0 (Linux; Android 7.1.2; Echo Show 8) AppleWebKit/537.36 (KHTML, like Gecko) Silk/108.9.3 like Chrome/108.0.5359.220 Safari/537.36', 'Silk', '108.9.3', 'embedded', 'Echo Show 8', 'Android 7.1.2'],
  ['Mozilla/5.0 (X11; GNU/Linux) AppleWebKit/537.36 (KHTML, like Gecko) Chromium/88.0.4324.150 Chrome/88.0.4324.150 Safari/537.36 Tesla/2022.44', 'Tesla', '2022.44', 'embedded', 'Tesla', 'Linux'],
])('%s', (userAgent, browserType, browserVersion, deviceCategory, deviceType, os) => {
  expect(describeUserAgent(userAgent, {})).toEqual({
    browserType, browserVersion, deviceCategory, deviceType, os, declaredBot: false,
  });
});

test('a Mac with touch points is an iPad, whose version is not known', () => {
  const touch = describeUserAgent(SAFARI_ON_MAC, { touchPoints: 5, platform: 'MacIntel' });
  expect(touch).toMatchObject({ deviceCategory: 'tablet', deviceType: 'iPad', os: 'iPadOS' });
  expect(describeUserAgent(SAFARI_ON_MAC, { touchPoints: 0 }).deviceType).toBe('Mac');
  expect(describeUserAgent(SAFARI_ON_MAC, { touchPoints: 5, platform: 'Win32' }).deviceType).toBe('Mac');
});

test('a program that names itself is a bot of no category', () => {
  for (const userAgent of [
    'curl/8.5.0',
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  ]) {
    expect(describeUserAgent(userAgent, {})).toMatchObject({
      declaredBot: true,
      deviceCategory: 'other',
      os: '',
    });
  }
});

test('without a user agent nothing is known', () => {
  for (const userAgent of ['', '  ']) {
    expect(describeUserAgent(userAgent, {})).toEqual({
      browserType: '',
      browserVersion: '',
      deviceCategory: 'other',
      deviceType: '',
      os: '',
      declaredBot: false,
    });
  }
});
