import { expect, test } from 'vitest';
import { browserTamperingDetected } from './browser-tampering-detected.ts';
import { checksWith, factsWith } from './facts-for-tests.ts';

const evaluate = (raw: Record<string, unknown>) =>
  browserTamperingDetected.evaluate(factsWith({ checks: checksWith(raw) }));

test('a getter of navigator that a script replaced is a disguise', () => {
  const evidence = evaluate({ non_native: ['Navigator.userAgent', 'Navigator.platform'] });
  expect(evidence).toMatchObject({
    group: 'tamper',
    confidence: 0.9,
    observed: 'Navigator.userAgent and Navigator.platform replaced',
  });
  expect(evidence?.contributions.deviceRisk).toBeCloseTo(0.675);
});

test('a property on navigator itself and a proxy in front of it add to each other', () => {
  const one = evaluate({ navigator_own_properties: ['webdriver'] });
  const two = evaluate({
    navigator_own_properties: ['webdriver'],
    proxy_traces: ['Navigator.webdriver: stack'],
  });
  expect(two!.confidence).toBeGreaterThan(one!.confidence);
});

test('what extensions against tracking replace counts for little, and never reaches a flag', () => {
  const evidence = evaluate({
    non_native: [
      'HTMLCanvasElement.toDataURL',
      'WebGLRenderingContext.getParameter',
      'AudioBuffer.getChannelData',
    ],
  });
  expect(evidence!.contributions.deviceRisk!).toBeLessThan(0.2);
});

test.each([
  [{ navigator_own_properties: ['globalPrivacyControl'] }],
  [{ non_native: [], navigator_own_properties: [], proxy_traces: [] }],
  [{ non_native: ['MyShop.checkout'] }],
])('%j is honest', (raw) => {
  expect(evaluate(raw)).toBeNull();
});

test('the client’s own text is not echoed', () => {
  const observed =
    evaluate({ navigator_own_properties: ['<b>jane@example.com</b>', 'x'.repeat(500)] })?.observed ?? '';
  expect(observed).not.toContain('@');
  expect(observed.length).toBeLessThan(200);
});

test('nothing is said without checks', () => {
  expect(browserTamperingDetected.evaluate(factsWith())).toBeNull();
  expect(evaluate({})).toBeNull();
});
