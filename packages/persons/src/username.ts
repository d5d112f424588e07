import { remove as foldConfusables } from 'confusables';

/**
 * Letters of other scripts that look like Latin letters. A name of these letters alone imitates a Latin name, as a name of mixed
 * scripts does.
 */
const LATIN_LOOKALIKES = /^[\P{L}асеорхуіѕјһԁԛԝӏοαυνρι]*$/u;
const LATIN_LETTER = /\p{Script=Latin}/u;
const NON_ASCII = /\P{ASCII}/u;
/** Folding converges within two rounds in practice; the limit is for adversarial text. */
const MAX_ROUNDS = 8;

/**
 * Match key of usernames that look the same: folds compatibility forms, case, invisible characters, accents and look-alike
 * letters. '' for a text without visible characters.
 *
 * Look-alikes are folded only in names that contain or imitate Latin letters. The table of look-alikes is made for English:
 * in a Russian name it would map both д and л to `a` and match different names.
 */
export function usernameKey(text: string): string {
  let key = text;
  for (let round = 0; round < MAX_ROUNDS; round += 1) {
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

/** Upper case between, which maps ß and ſ to SS and S; ẞ has one only after its lower case. */
function foldCase(text: string): string {
  return text
    .normalize('NFKC')
    .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()
    .toUpperCase()
    .toLowerCase()
    .normalize('NFKC')
    .replace(/\s+/g, ' ')
    .trim();
}

function imitatesLatin(text: string): boolean {
  return LATIN_LETTER.test(text) || LATIN_LOOKALIKES.test(text);
}
