import anyAscii from 'any-ascii';
import { foldCase } from '../../platform/fold-case.ts';

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
