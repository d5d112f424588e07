import { describe, expect, it } from 'vitest';
import { en } from './en.ts';
import { directionOf, fill, LANGUAGES, type Language, languageOf, textsOf } from './texts.ts';

const OTHERS = (Object.keys(LANGUAGES) as Language[]).filter((language) => language !== 'en');

const placesOf = (text: string) => (text.match(/\{\w+\}/g) ?? []).sort();

describe('texts of the page', () => {
  it.each(OTHERS)('%s has the keys of English, none of them empty', (language) => {
    const texts = textsOf(language);
    expect(Object.keys(texts).sort()).toEqual(Object.keys(en).sort());
    expect(Object.entries(texts).filter(([, text]) => text.trim() === '')).toEqual([]);
  });

  it.each(OTHERS)('%s has the placeholders of English in each text', (language) => {
    const texts = textsOf(language);
    for (const key of Object.keys(en) as (keyof typeof en)[]) {
      expect([key, placesOf(texts[key])]).toEqual([key, placesOf(en[key])]);
    }
  });

  it.each(OTHERS)('%s is translated', (language) => {
    const texts = textsOf(language);
    const alike = (Object.keys(en) as (keyof typeof en)[]).filter((key) => texts[key] === en[key]);
    expect(alike).toEqual([]);
  });

  it('are selected by the first subtag of a language tag', () => {
    expect(languageOf('es-MX')).toBe('es');
    expect(languageOf('AR')).toBe('ar');
    expect(languageOf('pt-BR')).toBeNull();
    expect(languageOf('toString')).toBeNull();
    expect(languageOf('')).toBeNull();
  });

  it('have right-to-left direction only in Arabic', () => {
    const rightToLeft = (Object.keys(LANGUAGES) as Language[]).filter((one) => directionOf(one) === 'rtl');
    expect(rightToLeft).toEqual(['ar']);
  });

  it('contain inserted values in place of their placeholders', () => {
    expect(fill('Step {n} of {total}', { n: 2, total: 4 })).toBe('Step 2 of 4');
    expect(fill('{unknown}', {})).toBe('{unknown}');
  });
});
