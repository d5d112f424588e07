import { describe, expect, it } from 'vitest';
import { directionOf, fill, LANGUAGES, type Language, languageOf } from './languages.ts';

describe('languages of the pages', () => {
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
