/*
 * The recognizer returns the probability of every character for each column of a line. The text consists of the most
 * probable character of each column; equal adjacent ones count once (CTC decoding).
 */

/** Allowed outputs of the recognizer, and their characters. */
export type Alphabet = { indexes: Int32Array; characters: readonly string[] };

export type Decoded = {
  text: string;
  characters: readonly string[];
  /** Column in which each character was most probable. */
  columns: readonly number[];
  /** Mean probability of the selected characters, 0 to 1. */
  confidence: number;
};

/** The recognizer's output for "no character" (CTC blank). */
const NOTHING = 0;

/** Outputs with allowed characters, the blank first. */
export function alphabetOf(all: readonly string[], isAllowed: (character: string) => boolean): Alphabet {
  const indexes = [NOTHING];
  const characters = [''];
  for (const [index, character] of all.entries()) {
    if (index === NOTHING || !isAllowed(character)) continue;
    indexes.push(index);
    characters.push(character);
  }
  return { indexes: Int32Array.from(indexes), characters };
}

/** One line of the output: `columns` rows of `outputs` numbers from `offset` on. */
export function decodeLine(
  answers: Float32Array,
  offset: number,
  columns: number,
  outputs: number,
  { indexes, characters }: Alphabet,
): Decoded {
  const taken: string[] = [];
  const places: number[] = [];
  let sum = 0;
  let most = 0;
  let before = 0;
  for (let column = 0; column < columns; column += 1) {
    const row = offset + column * outputs;
    let best = 0;
    for (let at = 1; at < indexes.length; at += 1) {
      if (answers[row + indexes[at]!]! > answers[row + indexes[best]!]!) best = at;
    }
    const likelihood = answers[row + indexes[best]!]!;
    if (best !== 0 && best !== before) {
      taken.push(characters[best]!);
      places.push(column);
      sum += likelihood;
      most = likelihood;
    } else if (best !== 0 && likelihood > most) {
      places[places.length - 1] = column;
      most = likelihood;
    }
    before = best;
  }
  const confidence = taken.length === 0 ? 0 : sum / taken.length;
  return { text: taken.join(''), characters: taken, columns: places, confidence };
}

/** Lower case letters within a number are misread digits: 3oo is not printed. */
export function withDigits(text: string): string {
  return text.replaceAll(/(?<![\p{L}\d])\d[\dol]*(?![\p{L}\d])/gu, (number) =>
    number.replaceAll('o', '0').replaceAll('l', '1'),
  );
}

/** Letters of Latin scripts, digits and punctuation of documents. */
export function isLatin(character: string): boolean {
  return /^[\p{Script=Latin}0-9 .,:;/\\()'"’<>*#&%+°º\-–_@!?]$/u.test(character);
}

export function isMrzCharacter(character: string): boolean {
  return /^[A-Z0-9<]$/.test(character);
}
