import { remove as foldConfusables } from 'confusables';

/**
 * Letters of other scripts that cannot be told from Latin ones on a screen. A name made of these alone imitates a
 * Latin name as surely as one that mixes scripts.
 */
const LATIN_LOOKALIKES = /^[\P{L}асеорхуіѕјһԁԛԝӏοαυνρι]*$/u;
const LATIN_LETTER = /\p{Script=Latin}/u;
const NON_ASCII = /\P{ASCII}/u;
/** Folding settles in two rounds in practice; the bound is for text that is built to go on. */
const MOST_ROUNDS = 8;

/**
 * What usernames that look the same have in common: compatibility forms, case, invisible marks, accents and look-alike
 * letters folded. '' when nothing visible is left.
 *
 * Look-alikes are folded only where a Latin name is written or imitated. The table behind it is made for reading
 * English: in a Russian name it would turn both д and л into `a` and make one person of two.
 */
export function usernameKey(text: string): string {
  let key = text;
  for (let round = 0; round < MOST_ROUNDS; round += 1) {
    const folded = foldOnce(key);
    if (folded === key) break;
    key = folded;
  }
  return key;
}

function foldOnce(text: string): string {
  const folded = foldCase(text);
  if (!NON_ASCII.test(folded)) return folded;
  return imitatesLatin(folded) ? foldCase(foldConfusables(folded)) : folded;
}

/** Upper case first: ß and ſ have no other way to ss and s. */
function foldCase(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')
    .replace(/\s+/g, ' ')
    .trim();
}

function imitatesLatin(text: string): boolean {
  return LATIN_LETTER.test(text) || LATIN_LOOKALIKES.test(text);
}
