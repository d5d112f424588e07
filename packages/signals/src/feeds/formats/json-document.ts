/** Reads a list that is one JSON object; throws one line for anything else. */
export function parseDocument(text: string): Record<string, unknown> {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    throw new Error('the file is not valid JSON');
  }
  if (typeof document !== 'object' || document === null) throw new Error('the file is not a JSON object');
  return document as Record<string, unknown>;
}

/** The objects of an array; an empty list for other values. */
export function records(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value)
    ? value.filter((each): each is Record<string, unknown> => typeof each === 'object' && each !== null)
    : [];
}
