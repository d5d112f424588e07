/*
 * Texts that OCR confuses by one character: zero and O, one and I or L, five and S, eight and
 * B, two and Z, and letters of one shape.
 */

/** Characters of similar shape. A character may belong to several groups. */
const GROUPS = [
  '0OQD',
  '1IL',
  '1T7',
  '2Z',
  '5S',
  '6G',
  '8B',
  '4A',
  'UV',
  'VY',
  'CG',
  'EF',
  'MN',
  'HN',
  'PR',
  'KX',
] as const;

/** Whether two characters (A to Z, 0 to 9) look alike. */
export function looksLike(a: string, b: string): boolean {
  return a === b || GROUPS.some((group) => group.includes(a) && group.includes(b));
}

/** Whether two texts of A to Z and 0 to 9 are equal but for at most one character that looks alike. */
export function isMisreadOnce(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  const differing = [...a].flatMap((character, place) =>
    character === b[place] ? [] : [[character, b[place]!] as const],
  );
  return differing.length === 0 || (differing.length === 1 && looksLike(...differing[0]!));
}
