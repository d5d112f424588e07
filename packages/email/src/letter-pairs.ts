/*
 * How unusual a letter is after another one in names and words, in bits: −log2 of its share among the letters after the first
 * one, rounded, at most 9. A row for each first letter, a column for each second, a to z.
 *
 * Counted over 32,000 first and last names of 63 locales written in ASCII, and 9,000 English words, each once: the lists of
 * @faker-js/faker 10.6.0 (MIT). Scripts that omit vowels are excluded, since addresses are not written so.
 */
const COSTS = [
  '75547756565342769344657956', // a
  '27962996388499399379499969', // b
  '39593992384599399585599976', // c
  '28962976388677399468477965', // d
  '56546767575353569244647766', // e
  '39993499298489399375499969', // f
  '27873864388475399467397968', // g
  '29893999397566399586467959', // h
  '46354757965452469444769966', // i
  '19663999396776399967399998', // j
  '28894995397587299457488969', // k
  '27753778266468379966579949', // l
  '25793999298768359779499968', // m
  '37543837365895399844699966', // n
  '66657766766453669345525866', // o
  '29893895397499359366499979', // p
  '48997999299999599979158999', // q
  '26653858386665389554578957', // r
  '38493994393567459843577977', // s
  '29793894397688399454498957', // t
  '54445656575353769334978876', // u
  '19783999297699499648699979', // v
  '28883795298695499537599969', // w
  '38594796199968548764487777', // x
  '26653878595454469546489987', // y
  '26752984296666499878578955', // z
] as const;

const FIRST_LETTER = 'a'.charCodeAt(0);

/** Bits that any letter would cost if all were as likely. */
export const RANDOM_LETTER_BITS = Math.log2(26);

/** Bits that the second letter costs after the first; both are character codes from a to z. */
export function letterPairBits(first: number, second: number): number {
  return Number(COSTS[first - FIRST_LETTER]![second - FIRST_LETTER]);
}
