import { describe, expect, it } from 'vitest';
import type { Language } from '../../shared/languages.ts';
import { describeTranslations } from '../../shared/translations-for-tests.ts';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';
import { initialLanguage } from './load-texts.ts';

const TEXTS: Readonly<Record<Language, Texts>> = { en, es, fr, de, ar };

describeTranslations('console', (language) => TEXTS[language], [
  'code',
  'name',
  'invitation_project',
  'passkeys_title',
  'people_person',
]);

describe('the language of the console', () => {
  it('is the chosen one, else the first supported one of the browser, else English', () => {
    expect(initialLanguage('fr', ['de-CH'])).toBe('fr');
    expect(initialLanguage(null, ['pt-BR', 'de-CH', 'fr'])).toBe('de');
    expect(initialLanguage('unknown', ['ar-EG'])).toBe('ar');
    expect(initialLanguage(null, ['pt-BR'])).toBe('en');
  });
});
