import { expect, test } from 'vitest';
import { factsWith } from '../../../../test/support/signals/facts.ts';
import { declaredBotUserAgent } from './declared-bot-user-agent.ts';

test.each([
  'Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)',
  'python-requests/2.31.0',
  'curl/8.5.0',
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/125.0.0.0 Safari/537.36',
])('%s declares a program', (userAgent) => {
  const evidence = declaredBotUserAgent.evaluate(factsWith({ userAgent }));
  expect(evidence).toMatchObject({ bot: 0.95, contributions: { deviceRisk: 0.95 }, factual: true });
  expect(userAgent).toContain(evidence?.observed);
  expect(evidence?.observed).not.toBe('');
});

test('a browser is not a declared bot', () => {
  expect(declaredBotUserAgent.evaluate(factsWith())).toBeNull();
});

test('a missing user agent is not a declaration', () => {
  expect(declaredBotUserAgent.evaluate(factsWith({ userAgent: '' }))).toBeNull();
});

test('a bot word within the model name of a phone is a hint', () => {
  const userAgent =
    'Mozilla/5.0 (Linux; Android 9; GM Discovery II) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/118.0.0.0 Mobile Safari/537.36';
  expect(declaredBotUserAgent.evaluate(factsWith({ userAgent }))).toMatchObject({
    bot: 0.2,
    contributions: { deviceRisk: 0.2 },
    observed: 'Discovery, within the name of a device or product',
    factual: false,
  });
});

test('an app may have any name, a web page may not', () => {
  const userAgent = 'MyShop/3.1';
  expect(declaredBotUserAgent.evaluate(factsWith({ userAgent, source: 'ios' }))).toBeNull();
  expect(declaredBotUserAgent.evaluate(factsWith({ userAgent, source: 'web' }))).toMatchObject({ bot: 0.95 });
  const crawler = { userAgent: 'Scrapy/2.11 (+https://scrapy.org)', source: 'ios' } as const;
  expect(declaredBotUserAgent.evaluate(factsWith(crawler))).toMatchObject({ bot: 0.95 });
});
