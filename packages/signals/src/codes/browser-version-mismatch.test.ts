import { expect, test } from 'vitest';
import { checksWith, factsWith } from '../../../../test/support/signals/facts.ts';
import { USER_AGENTS } from '../../../../test/support/signals/user-agents.ts';
import { browserVersionMismatch } from './browser-version-mismatch.ts';

const GREASE = { brand: 'Not/A)Brand', version: '24' };
const hints = (version: string, brand = 'Google Chrome') => ({
  user_agent_data: { brands: [GREASE, { brand: 'Chromium', version }, { brand, version: '99' }] },
});
const evaluate = (
  userAgent: string,
  raw: Record<string, unknown> = {},
  headers: Record<string, string> = {},
) => browserVersionMismatch.evaluate(factsWith({ userAgent, checks: checksWith(raw), headers }));

test('a user agent with another version than the client hints is a mismatch', () => {
  const evidence = evaluate(USER_AGENTS.chromeWindows, hints('156'));
  expect(evidence).toMatchObject({
    group: 'tamper',
    contributions: { deviceRisk: 0.55 },
    source: 'client_hints',
  });
  expect(evidence?.observed).toBe('user agent of version 137, client hints of 156');
});

test('the client hints header alone is sufficient', () => {
  const header = { 'sec-ch-ua': '"Not/A)Brand";v="24", "Chromium";v="156", "Google Chrome";v="156"' };
  expect(evaluate(USER_AGENTS.chromeWindows, {}, header)).toMatchObject({ confidence: 1 });
});

test.each([
  [USER_AGENTS.safariIphone, 'WebKit'],
  [USER_AGENTS.firefoxLinux, 'Gecko'],
  [USER_AGENTS.safariMac, 'WebKit'],
])('%s sends no client hints: with them it is Chromium', (userAgent, engine) => {
  expect(evaluate(userAgent, hints('156'))?.observed).toBe(
    `client hints of Chromium 156 beside ${engine}'s user agent`,
  );
});

test('values of another engine are a mismatch, and two have more confidence than one', () => {
  const one = evaluate(USER_AGENTS.firefoxLinux, { eval_length: 33 });
  const two = evaluate(USER_AGENTS.firefoxLinux, { eval_length: 33, product_sub: '20030107' });
  expect(one?.confidence).toBeLessThan(two!.confidence);
  expect(
    evaluate(USER_AGENTS.chromeWindows, { eval_length: 37, vendor: 'Apple Computer, Inc.' }),
  ).not.toBeNull();
});

test('one trait of another vendor, which Firefox itself produces on some pages, has little weight', () => {
  expect(evaluate(USER_AGENTS.firefoxLinux, { vendor: 'Google Inc.' })?.confidence).toBeCloseTo(0.3);
});

test.each([
  ['features of Blink', USER_AGENTS.safariMac, { features: { device_memory: true } }],
  ['features of Gecko', USER_AGENTS.chromeWindows, { features: { build_id: true } }],
  ['features of WebKit', USER_AGENTS.firefoxLinux, { features: { webkit_gesture_event: true } }],
])('%s are reported', (observed, userAgent, raw) => {
  expect(evaluate(userAgent, raw)?.observed).toContain(observed);
});

test('a browser older than claimed lacks features of its claimed version', () => {
  const one = evaluate(USER_AGENTS.chromeWindows, { features: { promise_try: false } });
  const two = evaluate(USER_AGENTS.chromeWindows, { features: { promise_try: false, set_union: false } });
  expect(one?.confidence).toBe(0.35);
  expect(two).toMatchObject({ confidence: 0.85, observed: '2 features of version 137 are missing' });
});

test('a browser newer than claimed has later features, except for polyfills', () => {
  const old = USER_AGENTS.chromeWindows.replace('137', '110');
  expect(evaluate(old, { features: { css_anchor_position: true } })).toMatchObject({
    confidence: 0.6,
    observed: 'css_anchor_position is newer than version 110',
  });
  expect(evaluate(old, { features: { promise_try: true, set_union: true } })).toBeNull();
  expect(
    evaluate(USER_AGENTS.safariMac, { features: { css_anchor_position: true, css_has: true } })?.observed,
  ).toContain('newer than version 18.5');
});

test.each([
  ['a trial of the next version', USER_AGENTS.chromeWindows, { features: { uint8_array_from_base64: true } }],
  ['a recently added feature', USER_AGENTS.chromeWindows, { features: { regexp_escape: false } }],
  [
    'Pale Moon, derived from an old Firefox',
    'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Goanna/6.7 Firefox/128.0 PaleMoon/33.7',
    { features: { set_union: false, array_to_sorted: false } },
  ],
  [
    'an app without a version',
    USER_AGENTS.instagramIphone,
    { features: { set_union: false, css_has: false } },
  ],
])('%s produces no evidence', (_name, userAgent, raw) => {
  expect(evaluate(userAgent, raw)).toBeNull();
});

test.each([
  [
    'Chrome',
    USER_AGENTS.chromeWindows,
    { ...hints('137'), eval_length: 33, vendor: 'Google Inc.', product_sub: '20030107' },
  ],
  ['Edge', USER_AGENTS.edge, hints('137', 'Microsoft Edge')],
  ['Opera, whose own version differs', USER_AGENTS.opera, hints('135', 'Opera')],
  ['Samsung Internet', USER_AGENTS.samsung, hints('130', 'Samsung Internet')],
  ['a web view', USER_AGENTS.webView, hints('137', 'Android WebView')],
  [
    'Chrome on iOS, which is WebKit',
    USER_AGENTS.chromeIphone,
    { eval_length: 37, vendor: 'Apple Computer, Inc.' },
  ],
  ['an app on iOS', USER_AGENTS.instagramIphone, { eval_length: 37, vendor: 'Apple Computer, Inc.' }],
  [
    'Firefox',
    USER_AGENTS.firefoxWindows,
    { eval_length: 37, product_sub: '20100101', features: { build_id: true } },
  ],
  [
    'Safari',
    USER_AGENTS.safariMac,
    {
      eval_length: 37,
      product_sub: '20030107',
      vendor: 'Apple Computer, Inc.',
      features: { apple_pay: true },
    },
  ],
])('%s is legitimate', (_name, userAgent, raw) => {
  expect(evaluate(userAgent, raw)).toBeNull();
});

test('missing hints and checks, and programs, produce no evidence', () => {
  expect(evaluate(USER_AGENTS.chromeWindows)).toBeNull();
  expect(browserVersionMismatch.evaluate(factsWith())).toBeNull();
  expect(evaluate('curl/8.5.0', hints('156'))).toBeNull();
  expect(evaluate(USER_AGENTS.chromeWindows, { user_agent_data: { brands: [GREASE] } })).toBeNull();
});
