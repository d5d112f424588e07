/**
 * Characters without a form of their own: controls, also those of bidirectional text, joiners and other characters that are ignored
 * for display, private and unassigned characters, separators of lines, every blank but the space, and a combining mark at the start.
 */
const INVISIBLE =
  /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]|^\p{M}/u;

export const NO_OUTER_SPACE = 'must not start or end with a space';

/** True for a text in which every character is visible: different texts do not look the same because of hidden characters. */
export function isVisibleText(text: string): boolean {
  return !INVISIBLE.test(text);
}

/** The first character that is not visible, by its code and its position from 1: "U+00A0 at position 4". Null without one. */
export function invisibleCharacter(text: string): string | null {
  const found = INVISIBLE.exec(text);
  if (!found) return null;
  const code = found[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  return `U+${code} at position ${[...text.slice(0, found.index)].length + 1}`;
}

/** False for a text that starts or ends with a space. */
export function hasNoOuterSpace(text: string): boolean {
  return text.trim() === text;
}
