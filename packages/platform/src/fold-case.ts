const NON_ASCII = /\P{ASCII}/u;

/**
 * Key of texts that are equal without case, in every locale: canonical caseless matching of Unicode (D145), composed. `ß` and `SS`
 * are equal, all forms of sigma are, and `i` and `ı` are not.
 */
export function foldCase(text: string): string {
  if (!NON_ASCII.test(text)) return text.toLowerCase();
  return text.normalize('NFD').split(DOTLESS_I).map(foldLetters).join(DOTLESS_I).normalize('NFC');
}

/** Has the upper case of `i`, but is folded to itself. */
const DOTLESS_I = 'ı';

/**
 * JavaScript has no case folding. The lower case of the upper case differs from it in the dotless i, and in the sigma, whose lower
 * case depends on adjacent letters. `ẞ` has an upper case only after its lower case.
 */
function foldLetters(text: string): string {
  return text.toLowerCase().toUpperCase().toLowerCase().replaceAll('ς', 'σ');
}

const UPPER_A = 65;
const UPPER_Z = 90;
const LAST_ASCII = 127;
const TO_LOWER = 32;

/**
 * Whether the text, folded, is `folded`. Texts of ASCII are compared in place: facts are compared by many rules, and
 * folding makes a new text each time.
 */
export function equalsFolded(text: string, folded: string): boolean {
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    // Only a following character can change this one, and the result is not ASCII.
    if (code > LAST_ASCII) return foldCase(text) === folded;
    if (index >= folded.length) return false;
    const expected = folded.charCodeAt(index);
    if (expected > LAST_ASCII) return foldCase(text) === folded;
    const lower = code >= UPPER_A && code <= UPPER_Z ? code + TO_LOWER : code;
    if (lower !== expected) return false;
  }
  return text.length === folded.length;
}
