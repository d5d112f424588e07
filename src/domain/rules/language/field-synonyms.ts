import synonyms from '../field-synonyms.json' with { type: 'json' };

const GROUPS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = synonyms;

/**
 * Words that users write for a field whose name they do not know: each with the possible fields, the likeliest first. Words
 * are in snake case. A name is looked up as a whole, then by its last part.
 */
export const FIELD_SYNONYMS: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.values(GROUPS).flatMap((group) => Object.entries(group)),
);
