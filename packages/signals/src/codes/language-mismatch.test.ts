import { expect, test } from 'vitest';
import { checksWith, factsWith } from '../../../../test/support/signals/facts.ts';
import { languageMismatch } from './language-mismatch.ts';

const evaluate = (header: string, languages: string[], locale = '') =>
  languageMismatch.evaluate(
    factsWith({
      headers: { 'accept-language': header },
      browser: { languages },
      checks: checksWith({ locale }),
    }),
  );

test('a browser with different languages in header and page is reported', () => {
  const evidence = evaluate('en-US,en;q=0.9', ['de-DE', 'de']);
  expect(evidence).toMatchObject({ group: 'tamper', observed: 'header en, page de', confidence: 0.8 });
  expect(evidence?.contributions.deviceRisk).toBeCloseTo(0.24);
  expect(evidence?.contributions.deviceNetworkMismatch).toBeCloseTo(0.16);
});

test('an interface language that equals the header confirms that the language of the page was changed', () => {
  const evidence = evaluate('en-US,en;q=0.9', ['de-DE', 'de'], 'en-US');
  expect(evidence?.confidence).toBeGreaterThan(0.8);
  expect(evidence?.observed).toBe('header en, page de; interface en');
});

test('a language further down in either list has a lower weight', () => {
  expect(evaluate('en', ['de-DE', 'en-US'])?.confidence).toBeCloseTo(0.3);
  expect(evaluate('en-US,de;q=0.5', ['de-DE'])?.confidence).toBeCloseTo(0.3);
});

test('the languages of the header are ordered by quality', () => {
  expect(evaluate('en;q=0.5,de;q=0.9,fr;q=0', ['de-DE'])).toBeNull();
});

test.each([
  ['en-US,en;q=0.9', ['en-GB', 'en']],
  ['de', ['de-DE', 'de', 'en']],
  ['he-IL', ['iw-IL']],
  ['nb-NO', ['no']],
  ['*', ['de-DE']],
])('%s beside %j is legitimate', (header, languages) => {
  expect(evaluate(header, languages)).toBeNull();
});

test('a browser whose interface language is not in its page languages is legitimate', () => {
  expect(evaluate('de-DE', ['de-DE'], 'en-US')).toBeNull();
  expect(evaluate('de-DE,de;q=0.9,en;q=0.8', ['de-DE', 'de', 'en'], 'en-US')).toBeNull();
});

test('a missing header and missing languages produce no evidence', () => {
  expect(evaluate('', ['de-DE'])).toBeNull();
  expect(evaluate('de', [])).toBeNull();
  expect(languageMismatch.evaluate(factsWith())).toBeNull();
});
