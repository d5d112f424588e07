import type { PlaceKind } from './mrz-layout.ts';

/*
 * Corrects misread characters of a machine readable zone, if the position only allows a letter or a digit. Ambiguous
 * characters stay as they were read; the check digits decide.
 */

const TO_DIGIT: Readonly<Record<string, string>> = {
  O: '0',
  Q: '0',
  D: '0',
  U: '0',
  I: '1',
  L: '1',
  Z: '2',
  S: '5',
  G: '6',
  B: '8',
  A: '4',
  T: '7',
};
const TO_LETTER: Readonly<Record<string, string>> = {
  0: 'O',
  1: 'I',
  2: 'Z',
  5: 'S',
  6: 'G',
  8: 'B',
  4: 'A',
  7: 'T',
};

/** Pairs that are often confused at positions where both are allowed. */
const TWINS: Readonly<Record<string, string>> = {
  0: 'ODQ',
  O: '0',
  D: '0',
  Q: '0',
  1: 'IL',
  I: '1',
  L: '1',
  2: 'Z',
  Z: '2',
  5: 'S',
  S: '5',
  8: 'B',
  B: '8',
  6: 'G',
  G: '6',
  K: '<',
  C: '<',
};

/** Maximum difference of the length. Beyond it the line is another kind of text. */
const MAX_LENGTH_ERROR = 5;
/** OCR mostly loses fillers at the end of a line. */
const MAX_LOSS_AT_END = 12;

/** Capital letters, digits and fillers. Characters that OCR returns for fillers are replaced by them. */
export function cleanLine(line: string): string {
  return line
    .toUpperCase()
    .replaceAll('«', '<<')
    .replace(/[‹〈＜({[≤]/g, '<')
    .replace(/[^A-Z0-9<]/g, '');
}

/** The line at the given length, if only its longest run of fillers can have been miscounted; otherwise null. */
export function fitLength(line: string, length: number): string | null {
  const missing = length - line.length;
  if (missing === 0) return line;
  const runs = [...line.matchAll(/<{2,}/g)].sort((a, b) => b[0].length - a[0].length);
  const longest = runs[0];
  if (!longest || longest[0].length + missing < 2) return null;
  const end = longest.index + longest[0].length;
  const isAtEnd = end === line.length && longest[0].length > 2;
  if (missing > (isAtEnd ? MAX_LOSS_AT_END : MAX_LENGTH_ERROR) || -missing > MAX_LENGTH_ERROR) return null;
  return line.slice(0, longest.index) + '<'.repeat(longest[0].length + missing) + line.slice(end);
}

/** Corrects each character to the kind of its position. */
export function correctByPlace(line: string, kinds: readonly PlaceKind[]): string {
  return [...line]
    .map((character, place) => {
      if (kinds[place] === 'digit') return TO_DIGIT[character] ?? character;
      return kinds[place] === 'letter' ? (TO_LETTER[character] ?? character) : character;
    })
    .join('');
}

/** Texts with one or two confusable characters replaced. Those with one replacement come first. */
export function confusableTexts(text: string): string[] {
  const once = oneChange(text, 0);
  const twice = once.flatMap(({ changed, place }) => oneChange(changed, place + 1));
  return [...once, ...twice].map(({ changed }) => changed);
}

function oneChange(text: string, from: number): { changed: string; place: number }[] {
  const found: { changed: string; place: number }[] = [];
  for (let place = from; place < text.length; place += 1) {
    for (const twin of TWINS[text[place]!] ?? '') {
      found.push({ changed: text.slice(0, place) + twin + text.slice(place + 1), place });
    }
  }
  return found;
}

/** Combinations of several reads of equal length: at each position one of the characters read there. */
export function mixtures(texts: readonly string[], limit: number): string[] {
  let mixed = [''];
  for (let place = 0; place < texts[0]!.length; place += 1) {
    const characters = [...new Set(texts.map((text) => text[place]!))];
    mixed = mixed.flatMap((start) => characters.map((character) => start + character));
    if (mixed.length > limit) return [];
  }
  return mixed;
}
