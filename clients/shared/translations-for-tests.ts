import { describe, expect, it } from 'vitest';
import { LANGUAGES, type Language } from './languages.ts';

const OTHERS = (Object.keys(LANGUAGES) as Language[]).filter((language) => language !== 'en');

const placesOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

/** Tests that every language has each text of a page, with the placeholders of English. `alike` are keys that need no translation. */
export function describeTranslations<Key extends string>(
  page: string,
  textsOf: (language: Language) => Readonly<Record<Key, string>>,
  alike: readonly Key[] = [],
): void {
  const en = textsOf('en');
  const keys = Object.keys(en) as Key[];
  describe(`texts of the ${page}`, () => {
    it.each(OTHERS)('%s has the keys of English, none of them empty', (language) => {
      const texts = textsOf(language);
      expect(Object.keys(texts).sort()).toEqual([...keys].sort());
      expect(keys.filter((key) => texts[key].trim() === '')).toEqual([]);
    });

    it.each(OTHERS)('%s has the placeholders of English in each text', (language) => {
      const texts = textsOf(language);
      for (const key of keys) expect([key, placesOf(texts[key])]).toEqual([key, placesOf(en[key])]);
    });

    it.each(OTHERS)('%s is translated', (language) => {
      const texts = textsOf(language);
      expect(keys.filter((key) => texts[key] === en[key] && !alike.includes(key))).toEqual([]);
    });
  });
}
