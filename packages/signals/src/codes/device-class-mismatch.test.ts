import { expect, test } from 'vitest';
import { checksWith, factsWith } from '../../../../test/support/signals/facts.ts';
import { USER_AGENTS } from '../../../../test/support/signals/user-agents.ts';
import type { SessionFacts } from '../evidence/evidence.ts';
import { deviceClassMismatch } from './device-class-mismatch.ts';

const evaluate = (
  userAgent: string,
  raw: Record<string, unknown>,
  touchPoints: number | null,
  headers: Record<string, string> = {},
) =>
  deviceClassMismatch.evaluate(
    factsWith({ userAgent, headers, device: { touchPoints }, checks: checksWith(raw) }),
  );

const sized = (
  userAgent: string,
  device: Partial<SessionFacts['device']>,
  raw: Record<string, unknown> = {},
) => deviceClassMismatch.evaluate(factsWith({ userAgent, device, checks: checksWith(raw) }));

test('a phone without touch is a computer', () => {
  expect(evaluate(USER_AGENTS.safariIphone, { touch_events: false }, 0)).toMatchObject({
    group: 'tamper',
    confidence: 0.9,
    observed: 'iPhone without touch',
  });
  expect(evaluate(USER_AGENTS.chromeAndroid, {}, 0)?.confidence).toBe(0.5);
});

test('client hints that contradict the user agent are reported', () => {
  expect(evaluate(USER_AGENTS.chromeWindows, { user_agent_data: { mobile: true } }, 0)?.observed).toBe(
    'computer with client hints of a phone',
  );
  expect(evaluate(USER_AGENTS.chromeAndroid, { user_agent_data: { mobile: false } }, 5)?.observed).toBe(
    'phone with client hints of a computer',
  );
  expect(evaluate(USER_AGENTS.chromeAndroid, {}, 5, { 'sec-ch-ua-mobile': '?0' })).not.toBeNull();
});

test('an iPhone with the size and ratio of a computer is one, and each sign adds confidence', () => {
  const one = sized(USER_AGENTS.safariIphone, { screenWidth: 1920, screenHeight: 1080 });
  const two = sized(USER_AGENTS.safariIphone, { screenWidth: 1920, screenHeight: 1080, pixelRatio: 1 });
  expect(one?.observed).toBe('iPhone with a screen 1080 pixels wide');
  expect(two!.confidence).toBeGreaterThan(one!.confidence);
  expect(sized(USER_AGENTS.safariIphone, {}, { pointer_fine: true, hover: true })?.confidence).toBe(0.4);
});

test('a Mac with a touch screen or without a mouse is not a Mac', () => {
  expect(evaluate(USER_AGENTS.chromeMac, {}, 5)).toMatchObject({ observed: 'Mac with touch points' });
  const held = { pointer_coarse: true, any_pointer_fine: false };
  expect(evaluate(USER_AGENTS.chromeMac, held, 0)?.observed).toBe('Mac without mouse and trackpad');
});

test('a Windows computer with the size and orientation of a phone is a phone', () => {
  const held = { orientation: 'portrait-primary', pointer_coarse: true, any_pointer_fine: false };
  const phone = { screenWidth: 412, screenHeight: 915, touchPoints: 5 };
  expect(sized(USER_AGENTS.chromeWindows, phone, held)?.observed).toBe(
    'Windows PC with the screen size of a phone',
  );
  expect(sized(USER_AGENTS.chromeWindows, { ...phone, screenWidth: 800 }, held)).toBeNull();
});

test('a phone wider than any foldable phone is not a phone', () => {
  expect(sized(USER_AGENTS.chromeAndroid, { screenWidth: 2560, screenHeight: 1440 })).not.toBeNull();
  expect(sized(USER_AGENTS.chromeAndroid, { screenWidth: 884, screenHeight: 1104 })).toBeNull();
});

test.each([
  [
    'a touch laptop',
    USER_AGENTS.chromeWindows,
    { pointer_fine: true, pointer_coarse: false, user_agent_data: { mobile: false } },
    10,
  ],
  [
    'a phone',
    USER_AGENTS.chromeAndroid,
    { touch_events: true, pointer_coarse: true, user_agent_data: { mobile: true } },
    5,
  ],
  ['a phone with a mouse', USER_AGENTS.chromeAndroid, { pointer_fine: true, pointer_coarse: false }, 5],
  [
    'a phone with a keyboard',
    'Mozilla/5.0 (Mobile; Nokia 8110 4G; rv:48.0) Gecko/48.0 Firefox/48.0 KAIOS/2.5',
    {},
    0,
  ],
  ['Firefox that reports no touch points', USER_AGENTS.firefoxAndroid, { touch_events: true }, 0],
  [
    'a web view that requests the desktop page',
    USER_AGENTS.chromeLinux,
    { user_agent_data: { mobile: true } },
    5,
  ],
  [
    'an iPad that identifies itself as a Mac',
    USER_AGENTS.safariMac,
    { touch_events: true, pointer_coarse: true },
    5,
  ],
  [
    'a phone with the desktop page',
    USER_AGENTS.chromeLinux,
    { touch_events: true, pointer_coarse: true, user_agent_data: { mobile: false } },
    5,
  ],
  ['a Chromebook', USER_AGENTS.chromeOs, { touch_events: true, user_agent_data: { mobile: false } }, 10],
])('%s is legitimate', (_name, userAgent, raw, touchPoints) => {
  expect(evaluate(userAgent, raw, touchPoints)).toBeNull();
});

test('missing facts produce no evidence', () => {
  expect(evaluate(USER_AGENTS.safariIphone, {}, null)).toBeNull();
  expect(deviceClassMismatch.evaluate(factsWith({ userAgent: USER_AGENTS.safariIphone }))).toBeNull();
});
