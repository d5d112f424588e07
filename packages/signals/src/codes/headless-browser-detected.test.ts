import { describe, expect, test } from 'vitest';
import { checksWith, factsWith } from '../../../../test/support/signals/facts.ts';
import { headlessBrowserDetected } from './headless-browser-detected.ts';

const HEADLESS =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/137.0.0.0 Safari/537.36';

const evaluate = (raw: Record<string, unknown>, userAgent?: string) =>
  headlessBrowserDetected.evaluate(factsWith({ userAgent, checks: checksWith(raw) }));

describe('a headless browser', () => {
  test('is detected by its user agent', () => {
    const evidence = headlessBrowserDetected.evaluate(factsWith({ userAgent: HEADLESS }));
    expect(evidence).toMatchObject({ contributions: { deviceRisk: 0.85 }, bot: 0.85 });
    expect(evidence?.observed).toBe('named headless in user agent');
  });

  test.each([
    ['client hints', { user_agent_data: { brands: [{ brand: 'HeadlessChrome', version: '137' }] } }],
    ['worker', { worker: { user_agent: HEADLESS } }],
    ['iframe', { iframe: { user_agent: HEADLESS } }],
    ['appVersion', { botd: { appVersion: HEADLESS.replace('Mozilla/', '') } }],
  ])('is detected by its %s when the user agent is forged', (place, raw) => {
    expect(evaluate(raw)?.observed).toBe(`named headless in ${place}`);
  });

  test('is detected by the client hints header', () => {
    const headers = { 'sec-ch-ua': '"Chromium";v="137", "HeadlessChrome";v="137"' };
    expect(headlessBrowserDetected.evaluate(factsWith({ headers }))?.bot).toBe(0.85);
  });

  test('has no outer size in an active tab', () => {
    const raw = { outer_width: 0, outer_height: 0, inner_width: 780, botd: { documentFocus: true } };
    expect(evaluate(raw)?.bot).toBeGreaterThan(0.6);
  });

  test('lacks plugins, window.chrome and a consistent permission, and each sign increases the confidence', () => {
    const plugins = evaluate({ plugins_count: 0 });
    const both = evaluate({ plugins_count: 0, has_chrome_object: false });
    const all = evaluate({
      plugins_count: 0,
      has_chrome_object: false,
      notification_permission: 'denied',
      notification_permission_state: 'prompt',
    });
    expect(plugins?.bot).toBeLessThan(0.2);
    expect(both?.bot).toBeGreaterThan(plugins?.bot ?? 1);
    expect(all?.bot).toBeGreaterThan(0.6);
    expect(all?.observed).toContain('no window.chrome');
  });

  test('is detected by the rules of BotD over raw components, with each sign counted once', () => {
    const botd = { pluginsLength: 0, android: false, browserKind: 'chrome', browserEngineKind: 'chromium' };
    expect(evaluate({ botd })?.confidence).toBeCloseTo(0.2);
    expect(evaluate({ botd, plugins_count: 0 })?.confidence).toBeCloseTo(0.2);
    expect(evaluate({ botd: { languages: [] } })?.observed).toBe('no languages');
    expect(
      evaluate({ botd: { webGL: { vendor: 'Brian Paul', renderer: 'Mesa OffScreen' } } })?.bot,
    ).toBeGreaterThan(0.7);
  });
});

const BARE = {
  outer_width: 0,
  outer_height: 0,
  inner_width: 390,
  plugins_count: 0,
  has_chrome_object: false,
  notification_permission: 'denied',
  notification_permission_state: 'prompt',
};

describe('a legitimate browser', () => {
  test.each([
    ['Firefox', 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:128.0) Gecko/20100101 Firefox/128.0'],
    [
      'Safari',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.5 Safari/605.1.15',
    ],
    [
      'an iPhone app',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148',
    ],
    [
      'Chrome on Android',
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/137.0.0.0 Mobile Safari/537.36',
    ],
    [
      'an Android WebView',
      'Mozilla/5.0 (Linux; Android 14; Pixel 8; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/137.0.0.0 Mobile Safari/537.36',
    ],
    [
      'an Electron program',
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Notes/2.1.0 Chrome/136.0.0.0 Electron/36.0.0 Safari/537.36',
    ],
    [
      'Qt WebEngine',
      'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) QtWebEngine/6.7.2 Chrome/118.0.5993.220 Safari/537.36',
    ],
  ])('%s may lack features of desktop Chrome', (_, userAgent) => {
    expect(evaluate(BARE, userAgent)).toBeNull();
  });

  test('has no outer size in a tab that is not displayed yet', () => {
    expect(evaluate({ outer_width: 0, outer_height: 0, botd: { documentFocus: false } })).toBeNull();
    expect(evaluate({ outer_width: 0, outer_height: 0 })?.bot).toBeLessThan(0.4);
  });

  test('has an outer size, plugins and window.chrome', () => {
    const raw = {
      outer_width: 1280,
      outer_height: 800,
      inner_width: 1280,
      plugins_count: 5,
      has_chrome_object: true,
      notification_permission: 'denied',
      notification_permission_state: 'denied',
      botd: { pluginsLength: 5, pluginsArray: true, languages: [['en-US'], ['en-US', 'en']] },
    };
    expect(evaluate(raw)).toBeNull();
  });
});

test('a missing user agent without checks produces no evidence', () => {
  expect(headlessBrowserDetected.evaluate(factsWith())).toBeNull();
  expect(headlessBrowserDetected.evaluate(factsWith({ userAgent: '' }))).toBeNull();
  expect(evaluate(BARE, '')).toBeNull();
});
