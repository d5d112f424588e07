import { layoutOf, type PlaceKind, placeKinds, SHAPES } from '../mrz-layout.ts';
import { GLYPHS } from './glyphs.ts';
import { type GlyphLine, indexOfMost } from './match-glyphs.ts';

/*
 * Allowed characters by position in a machine readable zone. A round letter where only a digit is allowed is a zero. The
 * similarity to each character is more reliable than the misread letter alone.
 */

const ALLOWED: Readonly<Record<PlaceKind, RegExp>> = { letter: /[A-Z<]/, digit: /[0-9<]/, any: /[0-9A-Z<]/ };
const ALLOWED_GLYPHS = Object.fromEntries(
  Object.entries(ALLOWED).map(([kind, pattern]) => [
    kind,
    [...GLYPHS].flatMap((character, index) => (pattern.test(character) ? [index] : [])),
  ]),
) as Record<PlaceKind, number[]>;

/** Best characters among those allowed at each position; null for rows without the shape of a zone. */
export function typedRows(lines: readonly GlyphLine[]): string[] | null {
  const length = lines[0]?.scores.length ?? 0;
  const isKnown = SHAPES.some((shape) => shape.lineCount === lines.length && shape.length === length);
  if (!isKnown) return null;
  const head = lines[0]!.scores.slice(0, 5).map((one) => GLYPHS[indexOfMost(one)]!);
  const kinds = placeKinds(layoutOf(lines.length, length, head.join('')));
  return lines.map(({ scores }, row) => scores.map((one, place) => pick(one, kinds[row]![place]!)).join(''));
}

function pick(scores: Float32Array, kind: PlaceKind): string {
  const allowed = ALLOWED_GLYPHS[kind];
  let best = allowed[0]!;
  for (const index of allowed) if (scores[index]! > scores[best]!) best = index;
  return GLYPHS[best]!;
}
