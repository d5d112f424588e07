import { type Language, languageOf } from '../../shared/languages.ts';
import type { Texts } from './en.ts';

/** Each language is a file of its own, so that a person loads one. */
const LOADERS: Readonly<Record<Language, () => Promise<Texts>>> = {
  en: async () => (await import('./en.ts')).en,
  es: async () => (await import('./es.ts')).es,
  fr: async () => (await import('./fr.ts')).fr,
  de: async () => (await import('./de.ts')).de,
  ar: async () => (await import('./ar.ts')).ar,
};

export function loadTexts(language: Language): Promise<Texts> {
  return LOADERS[language]();
}

/** The chosen language, else the first supported one of the browser, else English. */
export function initialLanguage(chosen: string | null, preferred: readonly string[]): Language {
  for (const tag of [chosen ?? '', ...preferred]) {
    const language = languageOf(tag);
    if (language) return language;
  }
  return 'en';
}
