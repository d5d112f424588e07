import { expect, test } from 'vitest';
import { declaredBotUserAgent } from './declared-bot-user-agent.ts';
import { factsWith } from './facts-for-tests.ts';

test.each([
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'python-requests/2.31.0',
  'curl/8.5.0',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/125.0.0.0 Safari/537.36',
])('%s says that it is a program', (userAgent) => {
  const evidence = declaredBotUserAgent.evaluate(factsWith({ userAgent }));
  expect(evidence).toMatchObject({ bot: 0.95, contributions: { deviceRisk: 0.95 }, factual: true });
  expect(userAgent).toContain(evidence?.observed);
  expect(evidence?.observed).not.toBe('');
});

test('a browser does not', () => {
  expect(declaredBotUserAgent.evaluate(factsWith())).toBeNull();
});

test('no user agent is no declaration', () => {
  expect(declaredBotUserAgent.evaluate(factsWith({ userAgent: '' }))).toBeNull();
});
