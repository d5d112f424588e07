import { type Language, languageOf } from '../shared/languages.ts';

/** Configuration of the script in the document. */
export type Config = {
  sessionId: string;
  /** From the link that opened the page. */
  secret: string;
  /** Base path of the service; '' at the root. */
  basePath: string;
  language: Language;
  isSimulated: boolean;
  /** Milliseconds from the response until the result of a simulated session is due. */
  dueInMs: number;
  /** Redirect URL of a `/?session_id=` link; '' without one. */
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
