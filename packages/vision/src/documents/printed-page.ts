import type { TextLine } from '../readings.ts';
import { parseUsDate } from './dates.ts';
import { isMisreadOnce } from './lookalikes.ts';
import { bareLetters, nameWords } from './names.ts';
import { datesIn, isDay, type PrintedDate } from './printed-dates.ts';
import { namesTemplate } from './template.ts';
import { labelOf } from './visual-labels.ts';

/*
 * Searches values anywhere in print: labels are small and often misread, values are large. A value of the zone or the barcode
 * is searched in all lines except those of the zone itself.
 */

export type PrintedPage = {
  /** Number of lines with a date (MM/DD/YYYY). A two-digit year counts. */
  countDate: (value: string) => number;
  /** Whether a line has a date with a four-digit year. */
  hasWholeDate: (value: string) => boolean;
  /** All dates with their century, MM/DD/YYYY apart from their form. */
  dates: readonly PrintedDate[];
  /** Whether a line has a number; one character may be misread unless it has to be exact. */
  hasNumber: (value: string, isExact?: boolean) => boolean;
  /** A number in print that begins with another and continues with digits; null for none. */
  longerNumber: (value: string) => string | null;
  /** Whether a line has a name as whole words; of five letters or more, one may be misread unless it has to be exact. */
  hasName: (value: string, isExact?: boolean) => boolean;
};

/** Minimum length. Shorter numbers occur on a page by chance. */
const SHORTEST_NUMBER = 5;
/** From this length on one misread character is allowed. */
const SHORTEST_MISREAD = 5;
/** Names of up to this length are only searched in lines of a few words: DE, LA and VAN occur anywhere. */
const SHORT_NAME = 3;
const FEW_WORDS = 3;

/** `lines` without those of the zone: see `withoutZone`. */
export function readPage(lines: readonly TextLine[], country: string): PrintedPage {
  const texts = lines.map(({ text }) => text);
  const dates = texts.map((text) => datesIn(text, country));
  const numbers = texts.map(splitNumber);
  const names = texts
    .map(withoutLabel)
    .filter((text) => !isBoilerplate(text))
    .map(wordsOf);
  const count = (value: string, isWhole: boolean) => {
    const day = parseUsDate(value);
    if (!day) return 0;
    return dates.filter((found) => found.some((date) => (date.hasCentury || !isWhole) && isDay(date, day)))
      .length;
  };
  return {
    countDate: (value) => count(value, false),
    hasWholeDate: (value) => count(value, true) > 0,
    dates: dates.flat().filter(({ hasCentury }) => hasCentury),
    hasNumber: (value, isExact = false) => {
      const wanted = squeeze(value);
      const isSame = isExact ? isEqual : isMisreadOnce;
      return wanted.length >= SHORTEST_NUMBER && numbers.some((text) => findNumber(text, wanted, isSame));
    },
    longerNumber: (value) => {
      const wanted = squeeze(value);
      if (wanted.length < SHORTEST_NUMBER) return null;
      const found = numbers.flatMap(({ text }) => new RegExp(`${wanted}\\d{1,4}(?!\\d)`).exec(text) ?? []);
      return found[0] ?? null;
    },
    hasName: (value, isExact = false) => {
      const wanted = nameWords(value).join('');
      const isSame = isExact || wanted.length < SHORTEST_MISREAD ? isEqual : isMisreadOnce;
      return wanted.length > 1 && names.some((words) => findName(words, wanted, isSame));
    },
  };
}

function squeeze(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, '');
}

/** Letters and digits of a line, with the positions at which a number may start or end. */
type NumberText = { text: string; isEdge: readonly boolean[] };

function splitNumber(line: string): NumberText {
  let text = '';
  const isEdge = [true];
  let wasGap = true;
  for (const character of line.toUpperCase()) {
    if (!/[A-Z0-9]/.test(character)) {
      // Dots and dashes separate groups of a number, and possibly two numbers.
      wasGap = true;
      isEdge[text.length] = true;
      continue;
    }
    const before = text.at(-1);
    const isOtherClass = before !== undefined && /\d/.test(before) !== /\d/.test(character);
    isEdge[text.length] = wasGap || isOtherClass;
    text += character;
    wasGap = false;
  }
  isEdge[text.length] = true;
  return { text, isEdge };
}

type Same = (a: string, b: string) => boolean;
const isEqual: Same = (a, b) => a === b;

function findNumber({ text, isEdge }: NumberText, wanted: string, isSame: Same): boolean {
  for (let start = 0; start + wanted.length <= text.length; start += 1) {
    if (!isEdge[start] || !isEdge[start + wanted.length]) continue;
    if (isSame(text.slice(start, start + wanted.length), wanted)) return true;
  }
  return false;
}

/** `Label: value` without its label. */
function withoutLabel(text: string): string {
  const [label = '', ...value] = text.split(':');
  return labelOf(label) === null ? text : value.join(':');
}

/** Labels, and words on every copy of a document. */
function isBoilerplate(text: string): boolean {
  return labelOf(text) !== null || namesTemplate(text);
}

/** Words of letters. Digits within a word are replaced by the letters that they look like. */
function wordsOf(text: string): string[] {
  const words = text.split(/[^\p{L}\d'’]+/u);
  return words.map((word) => (/\p{L}{2}/u.test(word) ? withLetters(word) : word)).flatMap(nameWords);
}

function withLetters(word: string): string {
  return word.replace(/[012568]/g, (digit) => LETTERS[digit]!);
}

const LETTERS: Readonly<Record<string, string>> = { 0: 'O', 1: 'I', 2: 'Z', 5: 'S', 6: 'G', 8: 'B' };

/** Whether the name occurs as adjacent whole words. Spaces within it may be lost or added. */
function findName(words: readonly string[], wanted: string, isSame: Same): boolean {
  if (wanted.length <= SHORT_NAME && words.length > FEW_WORDS) return false;
  for (let start = 0; start < words.length; start += 1) {
    let joined = '';
    for (let end = start; end < words.length && joined.length < wanted.length; end += 1) {
      joined += words[end]!;
      if (isSame(joined, wanted)) return true;
    }
  }
  return false;
}

/** Length of a substring of a zone's line that is not a separate field, in characters. */
const ZONE_STRETCH = 12;
/** Above this share of the height a name in one line is print; below, it may be the last line of a card's zone. */
const LOWER_PART = 0.6;

/** The lines of one side without those of the machine readable zone, which must not confirm itself. */
export function withoutZone(side: readonly TextLine[], zone: readonly string[] | null): TextLine[] {
  const bare = (zone ?? []).map(squeeze).filter((line) => line.length >= ZONE_STRETCH);
  const isZone = (line: TextLine) => isZoneLine(line, bare);
  // Text beside or below a line of the zone belongs to the zone.
  const top = Math.min(...side.filter(isZone).map(({ box }) => box.y));
  return side.filter((line) => line.box.y < top && !FILLER.test(line.text));
}

const FILLER = /[<«‹≤]/;
const FILLERS = /(?:[<«‹≤].*){3}/;

function isZoneLine({ text, box }: TextLine, zone: readonly string[]): boolean {
  if (FILLERS.test(text)) return true;
  const squeezed = squeeze(text);
  return zone.some((line, index) => {
    const isNames = index === (zone.length === 3 ? 2 : 0);
    // The last line of a card's zone contains only the name, which print may contain too.
    if (isNames && zone.length === 3) return bareLetters(text) === line && box.y >= LOWER_PART;
    return sharesStretch(squeezed, line, isNames ? line.slice(0, ZONE_STRETCH) : null);
  });
}

/** Whether a text contains a substring of the zone's line; for the line of names its start, which print never contains. */
function sharesStretch(text: string, line: string, only: string | null): boolean {
  if (text.length < ZONE_STRETCH) return false;
  if (only !== null) return text.includes(only) || isMisreadOnce(text.slice(0, ZONE_STRETCH), only);
  // The number, its digit, the country and the birth's first digits; the birth, its digit, the sex and the expiry.
  const stretch = Math.min(ZONE_STRETCH + 2, line.length);
  for (let start = 0; start + stretch <= line.length; start += 1)
    if (text.includes(line.slice(start, start + stretch))) return true;
  return false;
}
