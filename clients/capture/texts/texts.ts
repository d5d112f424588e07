import type { Language } from '../../shared/languages.ts';
import { ar } from './ar.ts';
import { de } from './de.ts';
import { en, type Texts } from './en.ts';
import { es } from './es.ts';
import { fr } from './fr.ts';

const TEXTS: Readonly<Record<Language, Texts>> = { en, es, fr, de, ar };

export function textsOf(language: Language): Texts {
  return TEXTS[language];
}
