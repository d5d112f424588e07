import costs from '../data/letter-pairs.json' with { type: 'json' };

/*
 * How unusual a letter is after another one in names and words, in bits: −log2 of its share among the letters after the first
 * one, rounded, at most 9. A row for each first letter, in order, a column for each second, a to z.
 *
 * Counted over 32,000 first and last names of 63 locales written in ASCII, and 9,000 English words, each once: the lists of
 * @faker-js/faker 10.6.0 (MIT). Scripts that omit vowels are excluded, since addresses are not written so.
 */
const COSTS: readonly string[] = Object.values(costs);

const FIRST_LETTER = 'a'.charCodeAt(0);

/** Bits that any letter would cost if all were as likely. */
export const RANDOM_LETTER_BITS = Math.log2(26);

/** Bits that the second letter costs after the first; both are character codes from a to z. */
export function letterPairBits(first: number, second: number): number {
  return Number(COSTS[first - FIRST_LETTER]![second - FIRST_LETTER]);
}
