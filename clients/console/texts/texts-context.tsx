import { createContext, type ReactNode, use, useEffect, useMemo, useState } from 'react';
import { I18nProvider } from 'react-aria-components/I18nProvider';
import { directionOf, fill, type Language } from '../../shared/languages.ts';
import { storeChoice } from '../app/stored-choice.ts';
import type { TextKey, Texts } from './en.ts';
import { loadTexts } from './load-texts.ts';

type Values = Readonly<Record<string, string | number>>;

/** Texts of the current language. */
export type TextsContext = {
  language: Language;
  text: (key: TextKey, values?: Values) => string;
  /** Date and time of an ISO 8601 text. */
  time: (iso: string) => string;
  /** A number of seconds, in minutes from two minutes on. */
  duration: (seconds: number) => string;
  chooseLanguage: (language: Language) => Promise<void>;
};

const Context = createContext<TextsContext | null>(null);

/** Provides the texts to the page, and sets its language and direction. */
export function TextsProvider(props: { language: Language; texts: Texts; children: ReactNode }) {
  const [current, setCurrent] = useState({ language: props.language, texts: props.texts });
  const { language } = current;
  useEffect(() => {
    document.documentElement.lang = language;
    document.documentElement.dir = directionOf(language);
  }, [language]);
  const value = useMemo<TextsContext>(() => {
    const { language, texts } = current;
    const times = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' });
    return {
      language,
      text: (key, values = {}) => fill(texts[key], isolate(language, values)),
      time: (iso) => times.format(new Date(iso)),
      duration: (seconds) => formatDuration(language, seconds),
      async chooseLanguage(chosen) {
        const loaded = await loadTexts(chosen);
        storeChoice('language', chosen);
        setCurrent({ language: chosen, texts: loaded });
      },
    };
  }, [current]);
  return (
    <I18nProvider locale={language}>
      <Context value={value}>{props.children}</Context>
    </I18nProvider>
  );
}

/** Texts of the current language. */
export function useTexts(): TextsContext {
  const value = use(Context);
  if (value === null) throw new Error('TextsProvider is missing');
  return value;
}

/** Inserted values keep their own direction in a text from right to left. */
function isolate(language: Language, values: Values): Values {
  if (directionOf(language) === 'ltr') return values;
  const entries = Object.entries(values).map(([name, value]) => [name, `\u2068${value}\u2069`]);
  return Object.fromEntries(entries);
}

function formatDuration(language: Language, seconds: number): string {
  const [amount, unit] = seconds < 120 ? [seconds, 'second'] : [Math.ceil(seconds / 60), 'minute'];
  return new Intl.NumberFormat(language, { style: 'unit', unit, unitDisplay: 'long' }).format(amount);
}
