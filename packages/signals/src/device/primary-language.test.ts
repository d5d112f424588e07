import fc from 'fast-check';
import { expect, test } from 'vitest';
import { headerLanguages, headerTags, primaryLanguage } from './primary-language.ts';

test.each([
  ['de-DE', 'de'],
  ['zh_Hant_TW', 'zh'],
  ['EN', 'en'],
  ['fil-PH', 'fil'],
  ['iw-IL', 'he'],
  ['nn-NO', 'no'],
  ['*', ''],
  ['', ''],
  ['german', ''],
  ['constructor', ''],
  ['und', ''],
  ['und-DE', ''],
  ['mul', ''],
  ['zxx', ''],
  ['de-', ''],
  ['de-!', ''],
])('%s is %s', (tag, language) => {
  expect(primaryLanguage(tag)).toBe(language);
});

test('the languages of a header are ordered by quality, without those of quality 0', () => {
  expect(headerLanguages('en-US,en;q=0.8,de;q=0.9,fr;q=0,*;q=0.1')).toEqual(['en', 'de', 'en']);
  expect(headerLanguages('de')).toEqual(['de']);
  expect(headerLanguages(undefined)).toEqual([]);
});

test.each(['*', '*;q=0.5', '', 'und', 'mul;q=0.9', '-', 'de;q=x', 'de;q=0.5;level=1', 'de;q=7', 'de-;q=1'])(
  '%j contains no language',
  (header) => {
    expect(headerLanguages(header)).toEqual([]);
    expect(headerTags(header)).toEqual([]);
  },
);

test('tags are unchanged', () => {
  expect(headerTags('*, fr;q=0.2 , de-AT ; q=0.9')).toEqual(['de-AT', 'fr']);
});

test('any header produces languages or an empty list', () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.string(),
        fc.array(fc.string()).map((all) => all.join(';q=')),
      ),
      (header) => {
        for (const language of headerLanguages(header)) expect(language).toMatch(/^[a-z]{2,3}$/);
      },
    ),
  );
});
