import { levenshtein } from '@vouchgraph/platform/edit-distance';
import anyAscii from 'any-ascii';

/*
 * Names in zones, barcodes and print. A zone writes Müller as MUELLER; OCR of print may return MULLER.
 */

/** Transliteration in machine readable zones, for letters that do not simply lose their accent. */
const ZONE_LETTERS: Readonly<Record<string, string>> = {
  Ä: 'AE',
  Ö: 'OE',
  Ü: 'UE',
  Å: 'AA',
  Æ: 'AE',
  Ø: 'OE',
  Œ: 'OE',
  ß: 'SS',
  ẞ: 'SS',
  Þ: 'TH',
};

/** Longer texts are compared by their first characters. No name is longer. */
const MAX_NAME_LENGTH = 100;

/** Only A to Z, without accents: Jean-Luc Müller is JEANLUCMULLER. */
export function bareLetters(name: string): string {
  return anyAscii(name.slice(0, MAX_NAME_LENGTH).normalize('NFC'))
    .toUpperCase()
    .replace(/[^A-Z]/g, '');
}

/** Only A to Z, as in zones: MUELLER. */
export function zoneLetters(name: string): string {
  const upper = name.slice(0, MAX_NAME_LENGTH).normalize('NFC').toLocaleUpperCase('en');
  return bareLetters([...upper].map((letter) => ZONE_LETTERS[letter] ?? letter).join(''));
}

/** Common form of all spellings of a name: two-letter spellings of umlauts become one letter. */
function spellingKey(name: string): string {
  return zoneLetters(name)
    .replace(/AE|AA/g, 'A')
    .replaceAll('OE', 'O')
    .replaceAll('UE', 'U')
    .replaceAll('SS', 'S');
}

/** Whether two names are equal apart from accents, case, spaces and punctuation. */
export function isSameName(a: string, b: string): boolean {
  const key = spellingKey(a);
  return key !== '' && key === spellingKey(b);
}

/** Whether the first is a prefix of the second, truncated by its field. */
export function beginsName(beginning: string, name: string): boolean {
  // The last letters may be half of a two-letter spelling.
  const key = spellingKey(beginning).slice(0, -1);
  return key.length >= 3 && spellingKey(name).startsWith(key);
}

/** Similarity: 1 for equal names, 0 for names that share nothing. */
export function nameSimilarity(a: string, b: string): number {
  const [first, second] = [spellingKey(a), spellingKey(b)];
  const longest = Math.max(first.length, second.length);
  return longest === 0 ? 0 : 1 - levenshtein(first, second) / longest;
}

/** A name in capitals as people write it: JEAN-LUC O'BRIEN becomes Jean-Luc O'Brien. Mixed case stays as it is. */
export function titleCase(name: string): string {
  const trimmed = name.replace(/\s+/g, ' ').trim();
  if (trimmed !== trimmed.toLocaleUpperCase('en')) return trimmed;
  return trimmed
    .toLocaleLowerCase('en')
    .replace(
      /(^|[\s-]|(?<=\p{L})['’])(\p{L})/gu,
      (_, before: string, letter: string) => before + letter.toLocaleUpperCase('en'),
    );
}

/** Capitals A to Z, digits and apostrophes, other characters as one space. */
export function bareWords(text: string): string {
  return anyAscii(text.normalize('NFC'))
    .toUpperCase()
    .replace(/[^A-Z0-9']+/g, ' ')
    .trim();
}

/** Words of a name as in zones, independent of accents and case. */
export function nameWords(name: string): string[] {
  return name
    .split(/[\s-]+/)
    .map(spellingKey)
    .filter((word) => word !== '');
}
