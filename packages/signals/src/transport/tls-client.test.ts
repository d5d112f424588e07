import { describe, expect, test } from 'vitest';
import { describeUserAgent } from '../device/user-agent.ts';
import { expectedFamily, tlsClientOf } from './tls-client.ts';

describe('the software of a JA4 fingerprint', () => {
  test.each([
    ['t13d1516h2_8daaf6152771_02713d6af862', 'Chromium'],
    ['t13d1517h2_8daaf6152771_cb7bf5808d99', 'Chromium'],
    ['t13d1715h2_5b57614c22b0_7121afd63204', 'Firefox'],
    ['t13d2014h2_a09f3c656075_14788d8d241b', 'Safari'],
  ])('%s belongs to the browser family %s', (ja4, family) => {
    expect(tlsClientOf(ja4)).toEqual({ kind: 'browser', family });
  });

  test.each([
    ['t13d1812h1_85036bcba153_b26ce05bbdd6', 'Python'],
    ['t13d5911h1_a33745022dd6_1f22a2ca17c4', 'Node.js'],
    ['t13d5212h1_b262b3658495_8e6e362c5eac', 'Node.js'],
    ['t13d1312h2_f57a46bbacb6_ab7e3b40a677', 'Go'],
    ['t13d3713h2_db35923f8641_7c76daad20ec', 'Java'],
  ])('%s belongs to programs in %s', (ja4, name) => {
    expect(tlsClientOf(ja4)).toEqual({ kind: 'program', name });
  });

  test('is a library when many programs use it unchanged', () => {
    expect(tlsClientOf('t13d3112h2_e8f1e7e78f70_b26ce05bbdd6')).toEqual({ kind: 'library', name: 'OpenSSL' });
  });

  test.each([
    't13d1516h2_000000000000_02713d6af862',
    't13d291300_723694b0fccc_899037bd0b8c',
    '8daaf6152771',
    '',
    '__proto__',
    `t13d1516h2_8daaf6152771_${'0'.repeat(10_000)}`,
  ])('%.60s is unknown', (ja4) => {
    expect(tlsClientOf(ja4)).toBeNull();
  });
});

describe('the TLS library of a browser', () => {
  const familyOf = (userAgent: string) => expectedFamily(describeUserAgent(userAgent, {}), userAgent);

  test.each([
    [
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Safari/537.36 Edg/137.0.0.0',
      'Chromium',
    ],
    [
      'Mozilla/5.0 (Linux; Android 14; SM-S928B) AppleWebKit/537.36 (KHTML, like Gecko) SamsungBrowser/25.0 Chrome/121.0.0.0 Mobile Safari/537.36',
      'Chromium',
    ],
    ['Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0', 'Firefox'],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
      'Safari',
    ],
    [
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/126.0.0.0 Mobile/15E148 Safari/604.1',
      'Safari',
    ],
    [
      'Mozilla/5.0 (iPad; CPU OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/127.0 Mobile/15E148 Safari/605.1.15',
      'Safari',
    ],
    [
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/126.0.0.0 Version/17.5 Safari/605.1.15',
      'Safari',
    ],
  ])('%s uses that of %s', (userAgent, family) => {
    expect(familyOf(userAgent)).toBe(family);
  });

  test.each([
    'curl/8.5.0',
    '',
    'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
    'Mozilla/5.0 (PlayStation 5/SmartTV) AppleWebKit/605.1.15 (KHTML, like Gecko)',
    'Mozilla/5.0 (SMART-TV; Linux; Tizen 7.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/94.0.4606.31 TV Safari/537.36',
    'Mozilla/5.0 (Windows NT 10.0; WOW64; Trident/7.0; rv:11.0) like Gecko',
  ])('%s uses no known one', (userAgent) => {
    expect(familyOf(userAgent)).toBeNull();
  });
});
