import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type DeviceCategory, describeUserAgent } from './user-agent.ts';

const CHROME = 'AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0';
const SAFARI = 'AppleWebKit/605.1.15 (KHTML, like Gecko)';
const SAFARI_ON_MAC = `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${SAFARI} Version/17.5 Safari/605.1.15`;

type Row = readonly [
  userAgent: string,
  browser: string,
  version: string,
  DeviceCategory,
  type: string,
  os: string,
];

// biome-ignore format: one row a browser
const BROWSERS: readonly Row[] = [
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36`, 'Chrome', '137.0.0.0', 'desktop', 'Windows PC', 'Windows 10'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 Edg/137.0.3296.52`, 'Edge', '137.0.3296.52', 'desktop', 'Windows PC', 'Windows 10'],
  [`Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${CHROME} Safari/537.36 OPR/120.0.0.0`, 'Opera', '120.0.0.0', 'desktop', 'Windows PC', 'Windows 10'],
  [SAFARI_ON_MAC, 'Safari', '17.5', 'desktop', 'Mac', 'macOS 10.15.7'],
  [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${CHROME} Safari/537.36`, 'Chrome', '137.0.0.0', 'desktop', 'Mac', 'macOS 10.15.7'],
  ['Mozilla/5.0 (X11; Ubuntu; Linux x86_64; rv:126.0) Gecko/20100101 Firefox/126.0', 'Firefox', '126.0', 'desktop', 'Linux PC', 'Ubuntu'],
  ['Mozilla/5.0 (X11; FreeBSD amd64; rv:128.0) Gecko/20100101 Firefox/128.0', 'Firefox', '128.0', 'desktop', 'FreeBSD PC', 'FreeBSD'],
  [`Mozilla/5.0 (X11; Linux x86_64) ${SAFARI} Version/17.0 Safari/605.1.15 Epiphany/605.1.15`, 'Epiphany', '605.1.15', 'desktop', 'Linux PC', 'Linux'],
  [`Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) ${CHROME} Safari/537.36`, 'Chrome', '137.0.0.0', 'desktop', 'Chromebook', 'Chrome OS 14541.0.0'],
  [`Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) ${SAFARI} Version/17.5 Mobile/15E148 Safari/604.1`, 'Safari', '17.5', 'mobile', 'iPhone', 'iOS 17.5'],
  [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${SAFARI} CriOS/137.0.7151.79 Mobile/15E148 Safari/604.1`, 'Chrome', '137.0.7151.79', 'mobile', 'iPhone', 'iOS 18.5'],
  [`Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) ${SAFARI} Mobile/22F76 Instagram 385.0.0.28.75 (iPhone16,1; iOS 18_5; de_DE; de; scale=3.00; 1179x2556; 748150302)`, 'Instagram', '385.0.0.28.75', 'mobile', 'iPhone', 'iOS 18.5'],
  [`Mozilla/5.0 (iPod touch; CPU iPhone OS 12_5_7 like Mac OS X) ${SAFARI} Version/12.1.2 Mobile/15E148 Safari/604.1`, 'Safari', '12.1.2', 'mobile', 'iPod touch', 'iOS 12.5.7'],
  [`Mozilla/5.0 (Linux; Android 10; K) ${CHROME} Mobile Safari/537.36`, 'Chrome', '137.0.0.0', 'mobile', 'Android phone', 'Android 10'],
  ['Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36', 'Samsung Internet', '28.0', 'mobile', 'Android phone', 'Android 10'],
  ['Mozilla/5.0 (Linux; Android 15; Pixel 9 Build/AP3A.241005.015; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/137.0.7151.61 Mobile Safari/537.36 [FB_IAB/FB4A;FBAV/512.0.0.58.80;]', 'Facebook', '512.0.0.58.80', 'mobile', 'Android phone', 'Android 15'],
  ['Mozilla/5.0 (Android 15; Mobile; rv:139.0) Gecko/139.0 Firefox/139.0', 'Firefox', '139.0', 'mobile', 'Android phone', 'Android 15'],
  ['Mozilla/5.0 (Mobile; Nokia 8110 4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5', 'Firefox', '48.0', 'mobile', 'KAIOS phone', 'KAIOS 2.5'],
  ['Mozilla/5.0 (Windows Phone 10.0; Android 6.0.1; Microsoft; Lumia 950) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/52.0.2743.116 Mobile Safari/537.36 Edge/15.15063', 'Edge', '15.15063', 'mobile', 'Windows Phone', 'Windows Phone 10.0'],
  [`Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) ${SAFARI} Version/16.6 Mobile/15E148 Safari/604.1`, 'Safari', '16.6', 'tablet', 'iPad', 'iOS 16.6'],
  [`Mozilla/5.0 (Linux; Android 13; SM-X700) ${CHROME} Safari/537.36`, 'Chrome', '137.0.0.0', 'tablet', 'Android tablet', 'Android 13'],
  ['Mozilla/5.0 (Android 14; Tablet; rv:139.0) Gecko/139.0 Firefox/139.0', 'Firefox', '139.0', 'tablet', 'Android tablet', 'Android 14'],
  ['Mozilla/5.0 (Linux; Android 9; KFMAWI) AppleWebKit/537.36 (KHTML, like Gecko) Silk/120.4.1 like Chrome/120.0.6099.230 Safari/537.36', 'Silk', '120.4.1', 'tablet', 'Android tablet', 'Android 9'],
  ['Mozilla/5.0 (PlayStation; PlayStation 5/6.50) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/15.4 Safari/605.1.15', 'Safari', '15.4', 'console', 'PlayStation 5', 'PlayStation 5'],
  ['Mozilla/5.0 (Nintendo Switch; WifiWebAuthApplet) AppleWebKit/609.4 (KHTML, like Gecko) NF/6.0.2.21.3 NintendoBrowser/5.1.0.22474', 'WebKit', '609.4', 'console', 'Switch', 'Nintendo Switch'],
  ['Mozilla/5.0 (Windows NT 10.0; Win64; x64; Xbox; Xbox Series X) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/124.0.0.0 Safari/537.36 Edg/124.0.2478.80', 'Edge', '124.0.2478.80', 'console', 'Xbox', 'Xbox Series X'],
  ['Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/87.0.4280.88 Safari/537.36 WebAppManager', 'Chrome', '87.0.4280.88', 'smarttv', 'Smart TV', 'webOS TV'],
  ['Mozilla/5.0 (SMART-TV; Linux; Tizen 6.0) AppleWebKit/537.36 (KHTML, like Gecko) 76.0.3809.146/6.0 TV Safari/537.36', 'Safari', '', 'smarttv', 'Smart TV', 'Tizen 6.0'],
  ['Mozilla/5.0 (Linux; Android 9; BRAVIA 4K GB ATV3 Build/PTT1.190515.001.S80) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/121.0.6167.178 Safari/537.36', 'Chrome', '121.0.6167.178', 'smarttv', 'Smart TV', 'Android 9'],
  ['Mozilla/5.0 (X11; Linux armv7l) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/90.0.4430.225 Safari/537.36 CrKey/1.54.250320', 'Chrome', '90.0.4430.225', 'smarttv', 'Smart TV', 'Chromecast 1.54.250320'],
  ['Roku/DVP-9.10 (519.10E04111A)', '', '', 'smarttv', 'Smart TV', ''],
  ['Mozilla/5.0 (Linux; Android 11; Wear OS; Galaxy Watch4) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/100.0 Mobile Safari/537.36', 'Chrome', '100.0', 'wearable', 'Galaxy Watch4', 'Android 11'],
  ['Mozilla/5.0 (Linux; Android 12; Quest 3) AppleWebKit/537.36 (KHTML, like Gecko) OculusBrowser/33.0 Chrome/124.0.0.0 VR Safari/537.36', 'Oculus Browser', '33.0', 'wearable', 'Quest 3', 'Android 12'],
  ['Mozilla/5.0 (Linux; Android 7.1.2; Echo Show 8) AppleWebKit/537.36 (KHTML, like Gecko) Silk/108.9.3 like Chrome/108.0.5359.220 Safari/537.36', 'Silk', '108.9.3', 'embedded', 'Echo Show 8', 'Android 7.1.2'],
  ['Mozilla/5.0 (Linux; Android 12; Portal+) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/105.0 Safari/537.36', 'Chrome', '105.0', 'embedded', 'Portal+', 'Android 12'],
  ['Mozilla/5.0 (X11; GNU/Linux) AppleWebKit/537.36 (KHTML, like Gecko) Chromium/88.0.4324.150 Chrome/88.0.4324.150 Safari/537.36 Tesla/2022.44', 'Tesla', '2022.44', 'embedded', 'Tesla', 'Linux'],
  ['SomeApp/3.1 (unknown device)', '', '', 'other', '', ''],
];

test.each(BROWSERS)('%s', (userAgent, browserType, browserVersion, deviceCategory, deviceType, os) => {
  expect(describeUserAgent(userAgent, {})).toEqual({
    browserType,
    browserVersion,
    deviceCategory,
    deviceType,
    os,
    bot: null,
  });
});

test('the table has every category', () => {
  const categories = new Set(BROWSERS.map(([, , , category]) => category));
  expect([...categories].sort()).toEqual([
    'console',
    'desktop',
    'embedded',
    'mobile',
    'other',
    'smarttv',
    'tablet',
    'wearable',
  ]);
});

test.each([
  ['Safari', SAFARI_ON_MAC],
  [
    'Chrome',
    `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${SAFARI} CriOS/137 Version/11.1.1 Safari/605.1.15`,
  ],
  ['Firefox', `Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15) ${SAFARI} FxiOS/139.0 Safari/605.1.15`],
  ['the page of an app', `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${SAFARI}`],
])('%s on a Mac with touch points runs on an iPad of unknown version', (_name, userAgent) => {
  const touch = describeUserAgent(userAgent, { touchPoints: 5, platform: 'MacIntel' });
  expect(touch).toMatchObject({ deviceCategory: 'tablet', deviceType: 'iPad', os: 'iPadOS' });
  expect(describeUserAgent(userAgent, { touchPoints: 5 }).deviceType).toBe('iPad');
  expect(describeUserAgent(userAgent, { touchPoints: 0 }).deviceType).toBe('Mac');
  expect(describeUserAgent(userAgent, { touchPoints: 5, platform: 'Win32' }).deviceType).toBe('Mac');
});

test('a Mac with another engine than WebKit is not an iPad', () => {
  const userAgent = `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${CHROME} Safari/537.36`;
  expect(describeUserAgent(userAgent, { touchPoints: 5, platform: 'MacIntel' }).deviceType).toBe('Mac');
});

test.each([
  'curl/8.5.0',
  'python-requests/2.32.3',
  'Go-http-client/2.0',
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'Mozilla/5.0 (compatible; bingbot/2.0; +http://www.bing.com/bingbot.htm)',
])('%s identifies itself as a program, and has no category', (userAgent) => {
  expect(describeUserAgent(userAgent, {})).toMatchObject({
    bot: { strength: 'plain' },
    deviceCategory: 'other',
    os: '',
  });
});

test('a bot that names a phone is a bot in the category mobile', () => {
  const userAgent = `Mozilla/5.0 (Linux; Android 6.0.1; Nexus 5X Build/MMB29P) ${CHROME} Mobile Safari/537.36 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)`;
  expect(describeUserAgent(userAgent, {})).toMatchObject({
    bot: { strength: 'plain' },
    deviceCategory: 'mobile',
  });
});

test('a missing user agent has an empty description', () => {
  for (const userAgent of ['', '  ']) {
    expect(describeUserAgent(userAgent, {})).toEqual({
      browserType: '',
      browserVersion: '',
      deviceCategory: 'other',
      deviceType: '',
      os: '',
      bot: null,
    });
  }
});

test('equal input produces an equal description', () => {
  const words = fc.constantFrom(...BROWSERS.flatMap(([userAgent]) => userAgent.split(' ')));
  const userAgent = fc.oneof(
    fc.string(),
    fc.array(words, { maxLength: 30 }).map((all) => all.join(' ')),
  );
  fc.assert(
    fc.property(userAgent, (sent) => {
      expect(describeUserAgent(sent, {})).toEqual(describeUserAgent(sent, {}));
    }),
  );
});
