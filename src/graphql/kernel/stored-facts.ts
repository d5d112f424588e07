/*
 * Readers of stored facts: names of the domain, values of any kind. A fact is unknown if it is empty, or missing because the
 * viewer may not see it.
 */

export type StoredFacts = Readonly<Record<string, unknown>>;

export function asText(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

export function asNumber(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}

export function asBoolean(value: unknown): boolean | null {
  return typeof value === 'boolean' ? value : null;
}

export function asTime(value: unknown): Date | null {
  const text = asText(value);
  return text === null ? null : new Date(text);
}

/** Objects without a property are unknown. */
export function asFacts(value: unknown): StoredFacts | null {
  return isFacts(value) && Object.keys(value).length > 0 ? value : null;
}

export function asEach(value: unknown): StoredFacts[] | null {
  return Array.isArray(value) ? value : null;
}

export function asTexts(value: unknown): string[] | null {
  return Array.isArray(value) ? value : null;
}

function isFacts(value: unknown): value is StoredFacts {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
