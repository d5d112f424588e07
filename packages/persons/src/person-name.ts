import { foldCase } from '@vouchgraph/platform/fold-case';
import anyAscii from 'any-ascii';

/**
 * Match key of a person's name: the words of both names in ASCII and lower case, in alphabetical order, so that case, accents,
 * punctuation and the order of the two fields do not matter. '' unless both names have a letter or digit: too many people share
 * one part of a name.
 */
export function nameKey(first: string, last: string): string {
  const given = nameWords(first);
  const family = nameWords(last);
  if (given.length === 0 || family.length === 0) return '';
  return [...given, ...family].sort().join(' ');
}

/**
 * Match key of a first name, as in `nameKey`. '' unless it has a letter or digit.
 */
export function firstNameKey(first: string): string {
  return nameWords(first).sort().join(' ');
}

/** The words of a name in ASCII and lower case, without apostrophes. */
export function nameWords(name: string): string[] {
  return anyAscii(foldCase(name.normalize('NFKC')))
    .toLowerCase()
    .replace(/['`]/g, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}

/** Number of the generation that a suffix of a name states: Sr. is the first, Jr. the second. */
const GENERATIONS: Readonly<Record<string, number>> = {
  ...{ sr: 1, snr: 1, senior: 1, i: 1, '1st': 1 },
  ...{ jr: 2, jnr: 2, junior: 2, ii: 2, '2nd': 2 },
  ...{ iii: 3, '3rd': 3, iv: 4, '4th': 4 },
};
/** Suffixes that can be a whole field: no other word of a name, and no initial. */
const STANDS_ALONE = /^(?:jr|jnr|sr|snr|ii|iii|[1-4](?:st|nd|rd|th))$/;

/**
 * The words of a part of a name without its suffix, and the generation of the suffix; null without one. A suffix is the last
 * of several words: `Smith Jr.`, `Smith, 3rd`, `Paul II`.
 */
export function splitSuffix(words: readonly string[]): {
  words: readonly string[];
  generation: number | null;
} {
  const last = words.at(-1) ?? '';
  const generation = GENERATIONS[last] ?? null;
  if (generation === null || (words.length === 1 && !STANDS_ALONE.test(last)))
    return { words, generation: null };
  return { words: words.slice(0, -1), generation };
}
