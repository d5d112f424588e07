import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type PlaceholderKind, placeholderFile } from '@vouchgraph/vision/internals/placeholders';
import opentype, { type PathCommand } from 'opentype.js';
import sharp from 'sharp';
import { drawPlaceholder, type MarkOutline, PLACEHOLDER_SIZES } from './draw-placeholder.ts';

/*
 * Draws the images of simulated checks as JPEG files, which are committed. The typeface is OCR-B from the bwip-js package,
 * as for `ocrb-glyphs.png`. Run by `npm run build:placeholders` after a change of a drawing.
 */

const MARK = 'SIMULATED';
const JPEG_QUALITY = 82;

const file = readFileSync(new URL('../fonts/OCRB7.ttf', import.meta.resolve('bwip-js')));
const font = opentype.parse(new Uint8Array(file).buffer);

const outlineOfMark: MarkOutline = ({ center, baseline, width }) => {
  const glyphs = [...MARK].map((character) => font.charToGlyph(character));
  const size = (width * font.unitsPerEm) / glyphs.reduce((sum, { advanceWidth }) => sum + advanceWidth, 0);
  let left = center - width / 2;
  const outlines = glyphs.map((glyph) => {
    const { commands } = glyph.getPath(left, baseline, size);
    left += (glyph.advanceWidth / font.unitsPerEm) * size;
    // Not by `toPathData`: opentype.js 2.0.0 writes NaN for some numbers.
    return commands.map(pathData).join('');
  });
  return outlines.join('');
};

function pathData({ type, x1, y1, x2, y2, x, y }: PathCommand): string {
  const numbers = [x1, y1, x2, y2, x, y].filter((number) => number !== undefined);
  return type + numbers.map((number) => number.toFixed(2)).join(' ');
}

for (const kind of Object.keys(PLACEHOLDER_SIZES) as PlaceholderKind[])
  await sharp(Buffer.from(drawPlaceholder(kind, outlineOfMark)))
    .jpeg({ quality: JPEG_QUALITY })
    .toFile(fileURLToPath(placeholderFile(kind)));
