import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { CELL_HEIGHT, CELL_WIDTH, GLYPHS } from '@vouchgraph/vision/internals/documents/pixels/glyphs';
import opentype from 'opentype.js';
import sharp from 'sharp';

/*
 * Draws the 37 characters of machine readable zones as `ocrb-glyphs.png`, one cell beside the other, black on white.
 * The typeface is OCR-B as ISO 1073-2 has it, in the drawing by Norbert Schwarz and Matthew Skala that anybody may use,
 * from the bwip-js package. Run by `npm run build:glyphs` after a change of the cells' size.
 */

/** How far the pen goes from one character to the next, as a part of the type's size. */
const ADVANCE = 0.72;
/** Middle of a capital letter above the base line, as a part of the type's size. */
const MIDDLE = 0.38;

const file = readFileSync(new URL('../fonts/OCRB7.ttf', import.meta.resolve('bwip-js')));
const font = opentype.parse(new Uint8Array(file).buffer);
const size = CELL_WIDTH / ADVANCE;
const paths = [...GLYPHS].map((character, index) => {
  const glyph = font.charToGlyph(character);
  const width = ((glyph.advanceWidth ?? 0) / font.unitsPerEm) * size;
  const left = index * CELL_WIDTH + (CELL_WIDTH - width) / 2;
  return `<path d="${glyph.getPath(left, CELL_HEIGHT / 2 + MIDDLE * size, size).toPathData(3)}"/>`;
});
const picture = `<svg xmlns="http://www.w3.org/2000/svg" width="${CELL_WIDTH * GLYPHS.length}" height="${CELL_HEIGHT}">
<rect width="100%" height="100%" fill="#fff"/>${paths.join('')}</svg>`;
await sharp(Buffer.from(picture))
  .grayscale()
  .png({ compressionLevel: 9 })
  .toFile(fileURLToPath(new URL('../../packages/vision/data/ocrb-glyphs.png', import.meta.url)));
