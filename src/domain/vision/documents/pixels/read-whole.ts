import type { Stopwatch } from '../../stopwatch.ts';
import type { TextBox } from './detect-text.ts';
import { mrzRows } from './mrz-rows.ts';
import { downwards, levelText, type UprightText, upsideDown } from './orient.ts';
import type { Raster } from './raster.ts';
import { readMrzLines, type ZoneRead } from './read-mrz-lines.ts';
import { recognizeText } from './recognize-text.ts';

/*
 * The second look at a photograph whose outline has no zone, or one whose check digits fail: the outline may be that of a
 * part of the document. The whole picture is looked at as it is, and only what can be a row of a zone is read.
 */

/** A zone found on the whole picture. `readText` reads the rest of the picture's text. */
export type WholeRead = {
  zone: ZoneRead;
  picture: Raster;
  /** Lines of text that were found, read or not. */
  lineCount: number;
  readText: () => Promise<UprightText>;
};

/** A part of a row is at least this many times as wide as high. */
const MIN_ROW_ASPECT = 8;
/** Rows of a zone differ in height by less than this factor, and lie within this many heights of each other. */
const MAX_ROW_DIFFERENCE = 1.6;
const MAX_ROW_DISTANCE = 4;
/** Lines read at most: a zone has two or three rows, each in a few parts. */
const MAX_LINES_READ = 10;

/** The zone on the whole picture; null when nothing looks like one. */
export async function readWholeZone(picture: Raster, watch: Stopwatch): Promise<WholeRead | null> {
  const level = await levelText(picture, watch);
  const stacked = stackedBoxes(level.boxes).slice(0, MAX_LINES_READ);
  if (stacked.length === 0) return null;
  const ways = [() => level, () => upsideDown(level.picture, level.boxes)];
  for (const [index, way] of ways.entries()) {
    const { picture: upright, boxes } = way();
    const wanted = index === 0 ? stacked : upsideDown(level.picture, stacked).boxes;
    const lines = await watch.time('recognize', () => recognizeText(upright, wanted));
    if (mrzRows(lines, upright.width).length < 2 || lines.some(({ text }) => text.includes('>>>'))) continue;
    const zone = await watch.time('mrz', () => readMrzLines(upright, lines));
    return {
      zone,
      picture: upright,
      lineCount: boxes.length,
      readText: async () => {
        const rest = boxes.filter((box) => !wanted.includes(box) && box.width > 0.8 * box.height);
        const others = await watch.time('recognize', () => recognizeText(upright, rest));
        return { picture: upright, lines: downwards([...lines, ...others]) };
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
