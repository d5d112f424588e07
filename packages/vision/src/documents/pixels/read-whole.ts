import type { Stopwatch } from '../../stopwatch.ts';
import type { TextBox } from './detect-text.ts';
import { mrzRows } from './mrz-rows.ts';
import { downwards, levelText, type UprightText, upsideDown } from './orient.ts';
import type { Raster } from './raster.ts';
import { readMrzLines, type ZoneRead } from './read-mrz-lines.ts';
import { recognizeText } from './recognize-text.ts';

/*
 * Second pass for a photograph whose outline has no zone, or one with invalid check digits: the outline may cover a part of
 * the document. It searches the whole image without rectification, and only reads possible rows of a zone.
 */

/** Zone found in the whole image. `readText` reads the remaining text of the image. */
export type WholeRead = {
  zone: ZoneRead;
  image: Raster;
  /** Number of detected lines of text, read or not. */
  lineCount: number;
  readText: () => Promise<UprightText>;
};

/** Minimum aspect ratio of a part of a row. */
const MIN_ROW_ASPECT = 8;
/** Rows of a zone differ in height by less than this factor, and lie within this many heights of each other. */
const MAX_ROW_DIFFERENCE = 1.6;
const MAX_ROW_DISTANCE = 4;
/** Maximum number of lines to read: a zone has two or three rows, each in a few parts. */
const MAX_LINES_READ = 10;

/** Zone in the whole image; null without one. */
export async function readWholeZone(image: Raster, watch: Stopwatch): Promise<WholeRead | null> {
  const level = await levelText(image, watch);
  const stacked = stackedBoxes(level.boxes).slice(0, MAX_LINES_READ);
  if (stacked.length === 0) return null;
  const ways = [() => level, () => upsideDown(level.image, level.boxes)];
  for (const [index, way] of ways.entries()) {
    const { image: upright, boxes } = way();
    const wanted = index === 0 ? stacked : upsideDown(level.image, stacked).boxes;
    const lines = await watch.time('recognize', () => recognizeText(upright, wanted));
    if (mrzRows(lines, upright.width).length < 2 || lines.some(({ text }) => text.includes('>>>'))) continue;
    const zone = await watch.time('mrz', () => readMrzLines(upright, lines));
    return {
      zone,
      image: upright,
      lineCount: boxes.length,
      readText: async () => {
        const rest = boxes.filter((box) => !wanted.includes(box) && box.width > 0.8 * box.height);
        const others = await watch.time('recognize', () => recognizeText(upright, rest));
        return { image: upright, lines: downwards([...lines, ...others]) };
      },
    };
  }
  return null;
}

/** Long lines with another of the same height above or below, the widest first. */
export function stackedBoxes(boxes: readonly TextBox[]): TextBox[] {
  const long = boxes.filter(({ width, height }) => width >= MIN_ROW_ASPECT * height);
  return long
    .filter((box) => long.some((other) => other !== box && isStacked(box, other)))
    .toSorted((a, b) => b.width - a.width);
}

function isStacked(a: TextBox, b: TextBox): boolean {
  const high = Math.max(a.height, b.height);
  if (high > MAX_ROW_DIFFERENCE * Math.min(a.height, b.height)) return false;
  const down = Math.abs(a.y - b.y);
  const overlap =
    Math.min(a.x + a.width / 2, b.x + b.width / 2) - Math.max(a.x - a.width / 2, b.x - b.width / 2);
  return down > 0.5 * high && down < MAX_ROW_DISTANCE * high && overlap > 0;
}
