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

test('a header is read in the order of its wishes, without those that are refused', () => {
  expect(headerLanguages('en-US,en;q=0.8,de;q=0.9,fr;q=0,*;q=0.1')).toEqual(['en', 'de', 'en']);
  expect(headerLanguages('de')).toEqual(['de']);
  expect(headerLanguages(undefined)).toEqual([]);
});

test.each(['*', '*;q=0.5', '', 'und', 'mul;q=0.9', '-', 'de;q=x', 'de;q=0.5;level=1', 'de;q=7', 'de-;q=1'])(
  'no language is in %j',
  (header) => {
    expect(headerLanguages(header)).toEqual([]);
    expect(headerTags(header)).toEqual([]);
  },
);

test('tags stay as they were sent', () => {
  expect(headerTags('*, fr;q=0.2 , de-AT ; q=0.9')).toEqual(['de-AT', 'fr']);
});

test('any header yields languages or nothing', () => {
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
