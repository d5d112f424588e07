/*
 * Readers of the facts of an event: names of the domain, values of any kind. A fact that is missing, empty, or of another
 * kind is unknown: events of earlier versions lack later facts.
 */

export type StoredFacts = Readonly<Record<string, unknown>>;

export const readText = (name: string) => (facts: StoredFacts) => asText(facts[name]);

export const readNumber =
  (name: string) =>
  ({ [name]: value }: StoredFacts): number | null =>
    typeof value === 'number' && Number.isFinite(value) ? value : null;

export const readInt =
  (name: string) =>
  ({ [name]: value }: StoredFacts): number | null =>
    Number.isSafeInteger(value) ? (value as number) : null;

export const readBoolean =
  (name: string) =>
  ({ [name]: value }: StoredFacts): boolean | null =>
    typeof value === 'boolean' ? value : null;

export const readTime =
  (name: string) =>
  ({ [name]: value }: StoredFacts): Date | null => {
    const time = new Date(asText(value) ?? Number.NaN);
    return Number.isNaN(time.getTime()) ? null : time;
  };

/** One of a closed set of words; another word is unknown. */
export const readWord =
  <Word extends string>(name: string, words: readonly Word[]) =>
  ({ [name]: value }: StoredFacts): Word | null =>
    words.find((word) => word === value) ?? null;

/** Several of a closed set of words, in the order of the event; another word is left out. */
export const readWords =
  <Word extends string>(name: string, words: readonly Word[]) =>
  ({ [name]: value }: StoredFacts): Word[] | null =>
    Array.isArray(value) ? value.filter((each): each is Word => words.includes(each as Word)) : null;

/** A day of the calendar as YYYY-MM-DD. */
export const readDay = (name: string) => (facts: StoredFacts) => {
  const text = asText(facts[name]);
  return text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : null;
};

export const readTexts =
  (name: string) =>
  ({ [name]: value }: StoredFacts): string[] | null =>
    Array.isArray(value) ? value.filter((each) => typeof each === 'string') : null;

export const readFacts =
  (name: string) =>
  ({ [name]: value }: StoredFacts): StoredFacts | null =>
    isFacts(value) && Object.keys(value).length > 0 ? value : null;

export const readEach =
  (name: string) =>
  ({ [name]: value }: StoredFacts): StoredFacts[] | null =>
    Array.isArray(value) ? value.filter(isFacts) : null;

function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function isFacts(value: unknown): value is StoredFacts {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
