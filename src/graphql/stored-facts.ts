/*
 * Readers of the facts of an event: names of the domain, values of any kind. A fact that is missing, empty, or not of the
 * expected kind is unknown: events of earlier versions lack what was added later.
 */

export type StoredFacts = Readonly<Record<string, unknown>>;

export function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function asNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

export function asInt(value: unknown): number | null {
  return Number.isSafeInteger(value) ? (value as number) : null;
}

export function asBoolean(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

export function asTime(value: unknown): Date | null {
  const time = new Date(asText(value) ?? Number.NaN);
  return Number.isNaN(time.getTime()) ? null : time;
}

/** A day of the calendar as YYYY-MM-DD. */
export function asDay(value: unknown): string | null {
  const text = asText(value);
  return text !== null && /^\d{4}-\d{2}-\d{2}$/.test(text) ? text : null;
}

/** Objects without a property are unknown. */
export function asFacts(value: unknown): StoredFacts | null {
  return isFacts(value) && Object.keys(value).length > 0 ? value : null;
}

export function asEach(value: unknown): StoredFacts[] | null {
  return Array.isArray(value) ? value.filter(isFacts) : null;
}

export function asTexts(value: unknown): string[] | null {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : null;
}

function isFacts(value: unknown): value is StoredFacts {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
