import { type Language, languageOf } from './texts/texts.ts';

/** What the document says to the script. */
export type Config = {
  sessionId: string;
  /** From the link that opened the page. */
  secret: string;
  /** Path below which the service lies, '' at the root. */
  basePath: string;
  language: Language;
  isSimulated: boolean;
  /** Milliseconds from the response until the result of a simulated session is due. */
  dueInMs: number;
  /** Where an older link wants to lead back to, '' for nowhere. */
  redirectUrl: string;
};

export function readConfig(element: HTMLElement, search: string): Config {
  const {
    sessionId = '',
    basePath = '',
    language = '',
    simulated,
    dueInMs,
    redirectUrl = '',
  } = element.dataset;
  return {
    sessionId,
    secret: new URLSearchParams(search).get('s') ?? '',
    basePath,
    language: languageOf(language) ?? 'en',
    isSimulated: simulated === 'true',
    dueInMs: Number(dueInMs) || 0,
    redirectUrl,
  };
}
