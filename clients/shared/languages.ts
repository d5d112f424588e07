/** Languages of the pages, by their native names. */
export const LANGUAGES = {
  en: 'English',
  es: 'Español',
  fr: 'Français',
  de: 'Deutsch',
  ar: 'العربية',
} as const;
export type Language = keyof typeof LANGUAGES;

/** Language of a tag such as `es-MX`; null if not supported. */
export function languageOf(tag: string): Language | null {
  const primary = tag.trim().toLowerCase().split(/[-_]/)[0]!;
  return Object.keys(LANGUAGES).includes(primary) ? (primary as Language) : null;
}

export function directionOf(language: Language): 'ltr' | 'rtl' {
  return language === 'ar' ? 'rtl' : 'ltr';
}

/** Replaces the placeholders in braces of a text. */
export function fill(text: string, values: Readonly<Record<string, string | number>>): string {
  return text.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place));
}
