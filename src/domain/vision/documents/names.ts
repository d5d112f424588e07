import anyAscii from 'any-ascii';
import { levenshtein } from '../../../platform/edit-distance.ts';

/*
 * Names as zones, barcodes and print have them. A zone writes Müller as MUELLER, a reader of print may see MULLER.
 */

/** How machine readable zones write letters that A to Z lack, where dropping the accent is not the way. */
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

/** A to Z alone, accents dropped: Jean-Luc Müller is JEANLUCMULLER. */
export function bareLetters(name: string): string {
  return anyAscii(name.slice(0, MAX_NAME_LENGTH).normalize('NFC'))
    .toUpperCase()
    .replace(/[^A-Z]/g, '');
}

/** A to Z alone, as zones write it: MUELLER. */
export function zoneLetters(name: string): string {
  const upper = name.slice(0, MAX_NAME_LENGTH).normalize('NFC').toLocaleUpperCase('en');
  return bareLetters([...upper].map((letter) => ZONE_LETTERS[letter] ?? letter).join(''));
}

/** What all spellings of a name share: two-letter spellings of umlauts become one letter. */
function spellingKey(name: string): string {
  return zoneLetters(name)
    .replace(/AE|AA/g, 'A')
    .replaceAll('OE', 'O')
    .replaceAll('UE', 'U')
    .replaceAll('SS', 'S');
}

/** Whether two texts spell one name, apart from accents, case, spaces and punctuation. */
export function isSameName(a: string, b: string): boolean {
  const key = spellingKey(a);
  return key !== '' && key === spellingKey(b);
}

/** Whether the first is the beginning of the second: a field that ended before the name did. */
export function beginsName(beginning: string, name: string): boolean {
  // The last letters may be half of a two-letter spelling.
  const key = spellingKey(beginning).slice(0, -1);
  return key.length >= 3 && spellingKey(name).startsWith(key);
}

/** 1 for one name, 0 for names that share nothing. */
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

/** The words of a name as zones write them, so that accents and case do not matter. */
export function nameWords(name: string): string[] {
  return name
    .split(/[\s-]+/)
    .map(spellingKey)
    .filter((word) => word !== '');
}
