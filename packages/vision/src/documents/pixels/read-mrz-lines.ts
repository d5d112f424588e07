import type { MrzLines } from '../../readings.ts';
import { SHAPES } from '../mrz-layout.ts';
import { likeliest } from './match-glyphs.ts';
import { type MrzRow, mrzRows } from './mrz-rows.ts';
import { type Raster, toGray } from './raster.ts';
import { COUNTS_OF_THREE, COUNTS_OF_TWO, readGlyphs } from './read-glyphs.ts';
import { type ReadLine, recognizeText } from './recognize-text.ts';
import { typedRows } from './typed-mrz.ts';
import { wholeRows } from './whole-rows.ts';

/** Reads of a zone, most reliable first, with the positions of its rows; both are empty without a zone. */
export type ZoneRead = { candidates: MrzLines[]; rows: readonly MrzRow[] };

/** Reads the machine readable zone among the lines of an image. */
export async function readMrzLines(image: Raster, lines: readonly ReadLine[]): Promise<ZoneRead> {
  const found = mrzRows(lines, image.width);
  if (found.length === 0) return { candidates: [], rows: [] };
  const gray = toGray(image);
  const rows = wholeRows(gray, found, (found.length === 3 ? COUNTS_OF_THREE : COUNTS_OF_TWO)[0]);
  const candidates: MrzLines[] = [];
  const glyphs = await readGlyphs(gray, rows);
  if (glyphs) {
    const typed = typedRows(glyphs);
    const plain = glyphs.map(likeliest);
    if (typed) candidates.push({ engine: 'ocrb', lines: typed });
    if (typed?.join() !== plain.join()) candidates.push({ engine: 'ocrb', lines: plain });
  }
  candidates.push({ engine: 'ppocr', lines: await readRows(image, rows, found) });
  return { candidates, rows };
}

/** Reads rows that were found in parts, or only partially, again as one. */
async function readRows(image: Raster, rows: readonly MrzRow[], found: readonly MrzRow[]): Promise<string[]> {
  const parted = hasWholeShape(found)
    ? []
    : rows.filter(({ box, lines }, index) => {
        const { width } = found[index]!.box;
        return lines.length > 1 || Math.abs(box.width - width) > 0.02 * width;
      });
  const again = await recognizeText(
    image,
    parted.map(({ box }) => box),
  );
  return rows.map((row) => (again[parted.indexOf(row)] ?? row.lines[0]!).mrz);
}

/** Whether each row was read as one line with the number of characters of a zone's row. */
function hasWholeShape(found: readonly MrzRow[]): boolean {
  const lengths = found.map(({ lines }) => (lines.length === 1 ? lines[0]!.mrz.length : 0));
  return SHAPES.some(
    ({ lineCount, length }) => lineCount === found.length && lengths.every((own) => own === length),
  );
}
