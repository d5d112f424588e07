import { invalidInput } from '@vouchgraph/platform/errors';

/** The words of a boolean, in lower case. */
const MEANING: ReadonlyMap<string, boolean> = new Map([
  ['true', true],
  ['1', true],
  ['yes', true],
  ['false', false],
  ['0', false],
  ['no', false],
]);

/** Suffixes that HTTP clients append to the name of a list parameter. */
const LIST_SUFFIX = /\[\d*\]$/;

export const withoutListSuffix = (name: string): string => name.replace(LIST_SUFFIX, '');

const meaningOf = (value: string): boolean | undefined => MEANING.get(value.toLowerCase());

/**
 * The value of a boolean query parameter: false when it is absent or empty. Throws `input.invalid` for another word, and
 * for a parameter that is given twice with different meanings.
 */
export function readFlag(query: URLSearchParams, name: string): boolean {
  const meanings = new Set<boolean>();
  for (const value of query.getAll(name)) {
    if (value === '') continue;
    const meaning = meaningOf(value);
    if (meaning === undefined) throw invalidInput(`${name}: must be true, false, 1, 0, yes or no`);
    meanings.add(meaning);
  }
  if (meanings.size > 1) throw invalidInput(`${name}: must have the same value each time it is given`);
  return meanings.has(true);
}

/**
 * Whether a parameter excludes something. A client with an unusual spelling must not receive what it meant to exclude:
 * every value but false, 0 and no counts, under the name in any case, and one occurrence is enough. HTTP clients that write
 * the members of a list as `name[]` or `name[0]` name the parameter too.
 */
export function readExclusion(query: URLSearchParams, name: string): boolean {
  const lowerCaseName = name.toLowerCase();
  for (const [given, value] of query) {
    const givenName = withoutListSuffix(given.toLowerCase());
    if (givenName === lowerCaseName && meaningOf(value) !== false) return true;
  }
  return false;
}
