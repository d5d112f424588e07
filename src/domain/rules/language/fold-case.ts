/** The text as it is compared: composed the same way and without case, alike in every locale. */
export function foldCase(text: string): string {
  return text.normalize('NFC').toLowerCase();
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
