import { expect, test } from 'vitest';
import { checksWith, factsWith } from './facts-for-tests.ts';
import { languageMismatch } from './language-mismatch.ts';

const evaluate = (header: string, languages: string[], locale = '') =>
  languageMismatch.evaluate(
    factsWith({
      headers: { 'accept-language': header },
      browser: { languages },
      checks: checksWith({ locale }),
    }),
  );

test('a browser that asks for one language and tells another is told', () => {
  const evidence = evaluate('en-US,en;q=0.9', ['de-DE', 'de']);
  expect(evidence).toMatchObject({ group: 'tamper', observed: 'asks for en, tells de' });
  expect(evidence?.contributions).toEqual({ deviceRisk: 0.3, deviceNetworkMismatch: 0.2 });
});

test('the same languages in another order, and a locale outside of them, count for less', () => {
  expect(evaluate('en', ['de-DE', 'en-US'])?.confidence).toBe(0.3);
  expect(evaluate('de', ['de-DE'], 'zh-CN')?.confidence).toBe(0.3);
});

test.each([
  ['en-US,en;q=0.9', ['en-GB', 'en']],
  ['de', ['de-DE', 'de', 'en']],
  ['he-IL', ['iw-IL']],
  ['nb-NO', ['no']],
  ['*', ['de-DE']],
])('%s beside %j is honest', (header, languages) => {
  expect(evaluate(header, languages)).toBeNull();
});

test('an English browser with German pages first has its own language among them', () => {
  expect(evaluate('de-DE,de;q=0.9,en;q=0.8', ['de-DE', 'de', 'en'], 'en-US')).toBeNull();
});

test('nothing is said without a header or languages', () => {
  expect(evaluate('', ['de-DE'])).toBeNull();
  expect(evaluate('de', [])).toBeNull();
  expect(languageMismatch.evaluate(factsWith())).toBeNull();
});
