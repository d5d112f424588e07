import anyAscii from 'any-ascii';

/**
 * What spellings of one person's name have in common: the words of both names in ASCII and lower case, in alphabetical
 * order, so that case, accents, punctuation and the order of the two fields do not matter. '' unless both names have a
 * letter or digit: half a name is shared by too many people to support a link.
 */
export function nameKey(first: string, last: string): string {
  const given = nameWords(first);
  const family = nameWords(last);
  if (given.length === 0 || family.length === 0) return '';
  return [...given, ...family].sort().join(' ');
}

/**
 * What spellings of one first name have in common, as in `nameKey`: names of accounts are compared by it. '' unless it
 * has a letter or digit.
 */
export function firstNameKey(first: string): string {
  return nameWords(first).sort().join(' ');
}

/** The words of a name in ASCII and lower case, without apostrophes. */
export function nameWords(name: string): string[] {
  return anyAscii(name.normalize('NFKC'))
    .toLowerCase()
    .replace(/['`]/g, '')
    .split(/[^a-z0-9]+/)
    .filter((word) => word !== '');
}
