import { expect, test } from 'vitest';
import { USER_AGENTS } from '../device/user-agents-for-tests.ts';
import { deviceClassMismatch } from './device-class-mismatch.ts';
import { checksWith, factsWith } from './facts-for-tests.ts';

const evaluate = (
  userAgent: string,
  raw: Record<string, unknown>,
  touchPoints: number | null,
  headers: Record<string, string> = {},
) =>
  deviceClassMismatch.evaluate(
    factsWith({ userAgent, headers, device: { touchPoints }, checks: checksWith(raw) }),
  );

test('a telephone without touch, with a mouse alone, is a computer, and each sign adds', () => {
  const one = evaluate(USER_AGENTS.safariIphone, { touch_events: false }, 0);
  const two = evaluate(
    USER_AGENTS.safariIphone,
    { touch_events: false, pointer_fine: true, pointer_coarse: false },
    0,
  );
  expect(one).toMatchObject({ group: 'tamper', confidence: 0.8 });
  expect(two!.confidence).toBeGreaterThan(one!.confidence);
  expect(two?.observed).toContain('a mouse and no touch screen');
});

test('client hints that contradict the user agent are told', () => {
  expect(evaluate(USER_AGENTS.chromeWindows, { user_agent_data: { mobile: true } }, 0)?.observed).toContain(
    'say mobile',
  );
  expect(evaluate(USER_AGENTS.chromeAndroid, { user_agent_data: { mobile: false } }, 5)?.observed).toContain(
    'not mobile',
  );
  expect(evaluate(USER_AGENTS.chromeAndroid, {}, 5, { 'sec-ch-ua-mobile': '?0' })).not.toBeNull();
});

test.each([
  [
    'a touch laptop',
    USER_AGENTS.chromeWindows,
    { pointer_fine: true, pointer_coarse: false, user_agent_data: { mobile: false } },
    10,
  ],
  [
    'a telephone',
    USER_AGENTS.chromeAndroid,
    { touch_events: true, pointer_coarse: true, user_agent_data: { mobile: true } },
    5,
  ],
  ['a telephone with a mouse', USER_AGENTS.chromeAndroid, { pointer_fine: true, pointer_coarse: true }, 5],
  ['an iPad that calls itself a Mac', USER_AGENTS.safariMac, { touch_events: true, pointer_coarse: true }, 5],
  [
    'a telephone asked for the desktop page',
    USER_AGENTS.chromeLinux,
    { touch_events: true, pointer_coarse: true, user_agent_data: { mobile: false } },
    5,
  ],
  ['a Chromebook', USER_AGENTS.chromeOs, { touch_events: true, user_agent_data: { mobile: false } }, 10],
])('%s is honest', (_name, userAgent, raw, touchPoints) => {
  expect(evaluate(userAgent, raw, touchPoints)).toBeNull();
});

test('nothing is said of what was not told', () => {
  expect(evaluate(USER_AGENTS.safariIphone, {}, null)).toBeNull();
  expect(deviceClassMismatch.evaluate(factsWith({ userAgent: USER_AGENTS.safariIphone }))).toBeNull();
});
