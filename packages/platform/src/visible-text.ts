import { z } from 'zod';

/**
 * Characters without a form of their own: controls, also those of bidirectional text, joiners and other characters that are ignored
 * for display, private and unassigned characters, separators of lines, every blank but the space, and a combining mark at the start.
 */
const INVISIBLE =
  /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]|^\p{M}/u;

/** The same in a text of several lines, except tabs, joiners that languages need, and blanks. */
const HIDDEN =
  /(?![\t\n\r\u200c\u200d])[\p{Cc}\p{Co}\p{Cn}\p{Bidi_Control}\p{Default_Ignorable_Code_Point}]/u;

/** Sequences of Unicode that are one emoji: they contain selectors and joiners, which are invisible elsewhere. */
const EMOJI = /\p{RGI_Emoji}/gv;

export const NO_OUTER_SPACE = 'must not start or end with a space';
export const NO_HIDDEN_TEXT = 'must not contain invisible characters';

/** True for a text in which every character is visible: different texts do not look the same because of hidden characters. */
export function isVisibleText(text: string): boolean {
  return !INVISIBLE.test(text.replace(EMOJI, 'x'));
}

/** True for a text, also of several lines, in which no character is hidden or changes the direction of others. */
export function isReadableText(text: string): boolean {
  return !HIDDEN.test(withoutNeedlessSelectors(text).replace(EMOJI, 'x'));
}

/** Without selectors after emoji that look the same without them, which keyboards add. */
export function withoutNeedlessSelectors(text: string): string {
  return text.replace(/(\p{Emoji_Presentation})\ufe0f(?!\ufe0f)/gu, '$1');
}

/** Shape of a name that operators read, in its composed form (NFC). */
export function visibleName(maxLength: number) {
  return z
    .string()
    .normalize('NFC')
    .overwrite(withoutNeedlessSelectors)
    .max(maxLength, `must be at most ${maxLength} characters`)
    .refine(isVisibleText, 'must contain only printable characters')
    .refine((name) => name.trim() !== '', 'must not be empty')
    .refine(hasNoOuterSpace, NO_OUTER_SPACE);
}

/** The first character that is not visible, by its code and its position from 1: "U+00A0 at position 4". Null without one. */
export function invisibleCharacter(text: string): string | null {
  const shown = text.replace(EMOJI, (emoji) => 'x'.repeat([...emoji].length));
  const found = INVISIBLE.exec(shown);
  if (!found) return null;
  const code = found[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0');
  return `U+${code} at position ${[...shown.slice(0, found.index)].length + 1}`;
}

/** False for a text that starts or ends with a space. */
export function hasNoOuterSpace(text: string): boolean {
  return text.trim() === text;
}
