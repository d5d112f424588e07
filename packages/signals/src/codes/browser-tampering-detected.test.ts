import { expect, test } from 'vitest';
import { checksWith, factsWith } from '../../../../test/support/signals/facts.ts';
import { browserTamperingDetected } from './browser-tampering-detected.ts';

const evaluate = (raw: Record<string, unknown>) =>
  browserTamperingDetected.evaluate(factsWith({ checks: checksWith(raw) }));

test('a getter of navigator that a script replaced is tampering', () => {
  const evidence = evaluate({ non_native: ['Navigator.userAgent', 'Navigator.platform'] });
  expect(evidence).toMatchObject({
    group: 'tamper',
    confidence: 0.85,
    observed: 'Navigator.userAgent is not native',
  });
  expect(evidence?.contributions.deviceRisk).toBeGreaterThan(0.5);
});

test.each([
  [{ navigator_own_properties: ['webdriver'] }, 'navigator.webdriver was put there', 0.95],
  [{ proxy_traces: ['Navigator.platform: takes any object'] }, 'a Proxy before Navigator.platform', 0.85],
  [{ proxy_traces: ['Navigator.platform: unnamed'] }, 'a Proxy before Navigator.platform', 0.425],
  [{ non_native: ['Date.getTimezoneOffset'] }, 'Date.getTimezoneOffset is not native', 0.5],
])('%j is reported', (raw, observed, confidence) => {
  expect(evaluate(raw)).toMatchObject({ observed, confidence: expect.closeTo(confidence) });
});

test('each kind of hidden value increases the confidence', () => {
  const one = evaluate({ non_native: ['Permissions.query'] });
  const two = evaluate({ non_native: ['Permissions.query', 'WebGLRenderingContext.getParameter'] });
  expect(two!.confidence).toBeGreaterThan(one!.confidence);
  expect(two!.contributions.deviceRisk).toBeLessThan(0.5);
});

test('replacements by tracking blockers have little weight and never raise a flag', () => {
  const drawing = ['HTMLCanvasElement.toDataURL', 'AudioBuffer.getChannelData'];
  expect(evaluate({ non_native: drawing })?.contributions.deviceRisk).toBeCloseTo(0.15);
  const withCard = evaluate({ non_native: [...drawing, 'WebGLRenderingContext.getParameter'] });
  expect(withCard?.contributions.deviceRisk).toBeLessThan(0.4);
});

test.each([
  ['zone.js and core-js', { non_native: ['Function.toString'] }],
  [
    'DuckDuckGo',
    {
      proxy_traces: ['Navigator.hardwareConcurrency: takes any object'],
      non_native: ['Screen.availWidth', 'Navigator.deviceMemory'],
    },
  ],
  ['a polyfill of Intl', { non_native: ['Intl.DateTimeFormat.resolvedOptions'] }],
  [
    'a page with its own properties in these objects',
    { navigator_own_properties: ['globalPrivacyControl', 'share'] },
  ],
  [
    'an old television whose properties are all own ones',
    {
      navigator_own_properties: [
        'userAgent',
        'platform',
        'vendor',
        'language',
        'plugins',
        'mimeTypes',
        'onLine',
        'cookieEnabled',
        'appVersion',
        'product',
      ],
    },
  ],
  [
    'an engine that does not name getters',
    { proxy_traces: Array.from({ length: 14 }, (_, index) => `Navigator.platform${index || ''}: unnamed`) },
  ],
  ['a replaced function of the page', { non_native: ['MyShop.checkout'] }],
  ['an untouched browser', { non_native: [], navigator_own_properties: [], proxy_traces: [] }],
])('%s is legitimate', (_name, raw) => {
  expect(evaluate(raw)).toBeNull();
});

test('the text of the client is not quoted', () => {
  const names = ['<b>jane@example.com</b>', 'webdriver'];
  const observed = evaluate({ navigator_own_properties: names, proxy_traces: names })?.observed ?? '@';
  expect(observed).not.toContain('@');
});

test('missing checks produce no evidence', () => {
  expect(browserTamperingDetected.evaluate(factsWith())).toBeNull();
  expect(evaluate({})).toBeNull();
});
