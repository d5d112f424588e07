import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { alongOf, cutStrip, inkOf, sumOf } from './cut-strip.ts';
import { fitCombs } from './fit-comb.ts';
import { type GlyphSets, glyphSets } from './glyphs.ts';
import { type GlyphLine, matchGlyphs } from './match-glyphs.ts';
import type { MrzRow } from './mrz-rows.ts';
import type { Raster } from './raster.ts';

/** Numbers of characters in a row of zones with two and with three rows, descending. */
export const COUNTS_OF_TWO = [44, 36] as const;
export const COUNTS_OF_THREE = [30] as const;
/** Minimum mean similarity. Below it the typeface differs, or the comb is misplaced. */
const FAMILIAR = 0.6;

let sets: Promise<GlyphSets[]> | null = null;

/** Compares each complete row of a zone with the typeface of zones; null if it has another typeface. */
export async function readGlyphs(gray: Raster, rows: readonly MrzRow[]): Promise<GlyphLine[] | null> {
  if (rows.length < 2) return null;
  sets ??= loadGlyphs();
  const glyphs = await sets;
  const counts = rows.length === 3 ? COUNTS_OF_THREE : COUNTS_OF_TWO;
  const { box: first } = rows[0]!;
  const pitch = first.width / counts[0];
  const middle = alongOf(first);
  const frame = { from: middle - first.width / 2 - pitch, to: middle + first.width / 2 + pitch };
  const strips = rows.map(({ box }) => cutStrip(gray, box, frame, pitch));
  const combs = fitCombs(sumOf(strips.map(inkOf)), counts);
  let best: GlyphLine[] | null = null;
  for (const comb of combs) {
    // Skip a count with much more ink between its characters than another one.
    if (best && comb.ink > 2 * combs[0]!.ink + 0.1) break;
    const lines = strips.map((strip) => matchGlyphs(strip, comb, glyphs));
    if (!best || meanLikeness(lines) > meanLikeness(best)) best = lines;
  }
  return best && meanLikeness(best) >= FAMILIAR ? best : null;
}

function meanLikeness(lines: readonly GlyphLine[]): number {
  return lines.reduce((sum, { likeness }) => sum + likeness, 0) / lines.length;
}

async function loadGlyphs(): Promise<GlyphSets[]> {
  const file = fileURLToPath(new URL('../../../data/ocrb-glyphs.png', import.meta.url));
  return glyphSets(await sharp(file).grayscale().extractChannel(0).raw().toBuffer());
}
