import { expect, test } from 'vitest';
import { checksWith, factsWith } from '../../../../test/support/signals/facts.ts';
import { USER_AGENTS } from '../../../../test/support/signals/user-agents.ts';
import { executionContextMismatch } from './execution-context-mismatch.ts';

const CHROME_156 = USER_AGENTS.chromeWindows.replace('137', '156');
const SAME = {
  user_agent: USER_AGENTS.chromeWindows,
  platform: 'Win32',
  language: 'en-US',
  languages: ['en-US'],
  timezone: 'America/Chicago',
  cpu_cores: 8,
  webdriver: false,
};
const evaluate = (
  raw: Record<string, unknown>,
  userAgent: string = USER_AGENTS.chromeWindows,
  cpuCores: number | null = 8,
) =>
  executionContextMismatch.evaluate(
    factsWith({ userAgent, device: { cpuCores }, checks: checksWith({ webdriver: false, ...raw }) }),
  );

test('a worker that reports the real browser exposes a forged user agent of the page', () => {
  const evidence = evaluate({
    worker: { ...SAME, user_agent: USER_AGENTS.chromeLinux, platform: 'Linux x86_64' },
    iframe: SAME,
  });
  expect(evidence).toMatchObject({
    confidence: 1,
    observed: 'another system in a worker',
  });
  expect(evidence?.contributions.deviceRisk).toBeCloseTo(0.7);
});

test.each([
  ['platform Linux in a frame, Windows outside', { platform: 'Linux x86_64' }, 1],
  ['another browser in a frame', { user_agent: USER_AGENTS.firefoxWindows }, 1],
  ['version 156 in a frame, 137 outside', { user_agent: CHROME_156 }, 0.9],
  ['another timezone in a frame', { timezone: 'Europe/Moscow' }, 0.9],
  ['webdriver in a frame only', { webdriver: true }, 0.95],
  ['language ru in a frame, en outside', { languages: ['ru-RU'] }, 0.7],
  ['2 processors in a frame, 8 outside', { cpu_cores: 2 }, 0.9],
  ['16 processors in a frame, 8 outside', { cpu_cores: 16 }, 0.25],
])('%s', (observed, changes, confidence) => {
  expect(evaluate({ iframe: { ...SAME, ...changes } })).toMatchObject({ observed, confidence });
});

test.each([
  [
    'an app that adds its name to the window',
    { user_agent: USER_AGENTS.chromeWindows.replace(' Safari/537.36', '') },
  ],
  ['another name of the same time zone', { timezone: 'America/Menominee' }],
  ['a region of the same language', { languages: ['en-GB'] }],
])('%s is legitimate', (_name, changes) => {
  expect(evaluate({ worker: { ...SAME, ...changes } })).toBeNull();
});

test('two processors in the window are the value that DuckDuckGo reports to every page', () => {
  expect(evaluate({ worker: SAME }, USER_AGENTS.chromeWindows, 2)).toBeNull();
});

test('Brave reports another number of processors to each context', () => {
  expect(evaluate({ worker: { ...SAME, cpu_cores: 3 }, features: { brave: true } })).toBeNull();
});

test('an iPad reports a Mac in its window and an iPad in its workers', () => {
  const facts = factsWith({
    userAgent: USER_AGENTS.safariMac,
    browser: { platform: 'MacIntel' },
    checks: checksWith({ worker: { user_agent: USER_AGENTS.safariMac, platform: 'iPad' } }),
  });
  expect(executionContextMismatch.evaluate(facts)).toBeNull();
});

test('contexts with equal or missing values are no evidence', () => {
  expect(evaluate({ worker: SAME, iframe: SAME })).toBeNull();
  expect(evaluate({ worker: { platform: '', user_agent: '' }, iframe: {} })).toBeNull();
  expect(evaluate({ worker: { ...SAME, cpu_cores: 4 } }, USER_AGENTS.chromeWindows, null)).toBeNull();
  expect(evaluate({})).toBeNull();
  expect(executionContextMismatch.evaluate(factsWith())).toBeNull();
});

test('Firefox with Windows in frames and another platform in the header is a mismatch', () => {
  const facts = factsWith({
    userAgent: USER_AGENTS.firefoxWindows,
    browser: { platform: 'Linux x86_64' },
    checks: checksWith({ iframe: SAME, worker: { user_agent: USER_AGENTS.firefoxLinux } }),
  });
  expect(executionContextMismatch.evaluate(facts)).not.toBeNull();
});

test('Firefox that names Windows to servers only is legitimate', () => {
  const facts = factsWith({
    userAgent: USER_AGENTS.firefoxWindows,
    browser: { platform: 'Linux x86_64' },
    checks: checksWith({ worker: { user_agent: USER_AGENTS.firefoxLinux, platform: 'Linux x86_64' } }),
  });
  expect(executionContextMismatch.evaluate(facts)).toBeNull();
});
