import { expect, test } from 'vitest';
import { USER_AGENTS } from '../device/user-agents-for-tests.ts';
import { executionContextMismatch } from './execution-context-mismatch.ts';
import { checksWith, factsWith } from './facts-for-tests.ts';

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

test('a worker that tells the true browser gives a disguised page away', () => {
  const evidence = evaluate({
    worker: { ...SAME, user_agent: USER_AGENTS.chromeLinux, platform: 'Linux x86_64' },
    iframe: SAME,
  });
  expect(evidence).toMatchObject({
    confidence: 1,
    observed: 'userAgent in the worker, platform in the worker',
  });
  expect(evidence?.contributions.deviceRisk).toBeCloseTo(0.7);
});

test.each([
  ['platform', { platform: 'Linux x86_64' }, 1],
  ['timezone', { timezone: 'Europe/Moscow' }, 0.9],
  ['webdriver', { webdriver: true }, 0.9],
  ['language', { languages: ['ru-RU'] }, 0.5],
  ['cpuCores', { cpu_cores: 2 }, 0.3],
])('a frame with another %s is told by how sure it is', (_what, changes, confidence) => {
  expect(evaluate({ iframe: { ...SAME, ...changes } })?.confidence).toBe(confidence);
});

test('contexts that say the same, or leave values out, say nothing', () => {
  expect(evaluate({ worker: SAME, iframe: SAME })).toBeNull();
  expect(evaluate({ worker: { platform: '', user_agent: '' }, iframe: {} })).toBeNull();
  expect(evaluate({ worker: { ...SAME, cpu_cores: 4 } }, USER_AGENTS.chromeWindows, null)).toBeNull();
  expect(evaluate({})).toBeNull();
  expect(executionContextMismatch.evaluate(factsWith())).toBeNull();
});

test('Firefox that names Windows to servers only is honest', () => {
  const facts = factsWith({
    userAgent: USER_AGENTS.firefoxWindows,
    browser: { platform: 'Linux x86_64' },
    checks: checksWith({ worker: { user_agent: USER_AGENTS.firefoxLinux, platform: 'Linux x86_64' } }),
  });
  expect(executionContextMismatch.evaluate(facts)).toBeNull();
});
