import type { Stopwatch } from '../../stopwatch.ts';
import { detectText, type TextBox } from './detect-text.ts';
import { type Raster, turned } from './raster.ts';
import { type ReadLine, recognizeText } from './recognize-text.ts';
import { turnedBy } from './turn-image.ts';

/** Image with upright text. */
export type UprightText = { image: Raster; lines: ReadLine[] };

/** Image with level lines, possibly upside down. */
export type LevelText = { image: Raster; boxes: TextBox[] };

/** Number of the widest lines that determine the orientation. */
const SAMPLED_LINES = 5;
/** Minimum confidence of upright lines. Few lines reach it upside down. */
const SURE = 0.93;
/** Minimum difference of confidence in favor of upside down. */
const SURER = 0.03;
/** Images whose lines lean by more degrees are deskewed first. */
const LEANING = 1.5;

/** Reads the text of an image, and rotates the image until the text is upright. */
export async function readUpright(image: Raster, watch: Stopwatch): Promise<UprightText> {
  const recognize: typeof recognizeText = (from, boxes) =>
    watch.time('recognize', () => recognizeText(from, boxes));
  const level = await levelText(image, watch);
  // Lines that run down a page of text are not read.
  const widestFirst = level.boxes
    .filter(({ width, height }) => width > 0.8 * height)
    .toSorted((a, b) => b.width - a.width);
  const some = widestFirst.slice(0, SAMPLED_LINES);
  const rest = widestFirst.slice(SAMPLED_LINES);
  const first = await recognize(level.image, some);
  const sure = meanConfidence(first);
  if (some.length > 0 && sure < SURE && !first.some(hasUprightFillers)) {
    const over = upsideDown(level.image, some);
    const other = await recognize(over.image, over.boxes);
    if (meanConfidence(other) > sure + SURER) {
      const others = await recognize(over.image, upsideDown(level.image, rest).boxes);
      return { image: over.image, lines: downwards([...other, ...others]) };
    }
  }
  return {
    image: level.image,
    lines: downwards([...first, ...(await recognize(level.image, rest))]),
  };
}

/** The image rotated by 180 degrees, with the positions of its lines. */
export function upsideDown(image: Raster, boxes: readonly TextBox[]): LevelText {
  const { width, height } = image;
  return {
    image: turned(image, 2),
    boxes: boxes.map((box) => ({ ...box, x: width - box.x, y: height - box.y })),
  };
}

/** A zone's fillers point to the left; upside down they are read as `>`. */
function hasUprightFillers({ text }: ReadLine): boolean {
  return text.includes('<<<') && !text.includes('>>');
}

/** The image rotated until its lines are level, possibly upside down. */
export async function levelText(image: Raster, watch: Stopwatch): Promise<LevelText> {
  const detect = (from: Raster) => watch.time('detect', () => detectText(from));
  let level = image;
  let boxes = await detect(level);
  if (isSideways(boxes)) {
    level = turned(level, 1);
    boxes = await detect(level);
  }
  const lean = leanOf(boxes);
  if (Math.abs(lean) > LEANING) {
    level = turnedBy(level, -lean);
    boxes = await detect(level);
  }
  return { image: level, boxes };
}

/** Whether more of the text's area is higher than wide. */
function isSideways(boxes: readonly TextBox[]): boolean {
  let level = 0;
  let sideways = 0;
  for (const { width, height } of boxes) {
    if (width > 1.8 * height) level += width * height;
    if (height > 1.8 * width) sideways += width * height;
  }
  return sideways > level;
}

/** Median angle of the longer lines. */
function leanOf(boxes: readonly TextBox[]): number {
  const angles = boxes
    .filter(({ width, height }) => width > 5 * height)
    .map(({ angle }) => angle)
    .toSorted((a, b) => a - b);
  return angles.length < 3 ? 0 : angles[Math.floor(angles.length / 2)]!;
}

/** Mean confidence of the lines. A line without text counts as 0. */
function meanConfidence(lines: readonly ReadLine[]): number {
  return lines.reduce((sum, { confidence }) => sum + confidence, 0) / Math.max(1, lines.length);
}

/** Lines from top to bottom. */
export function downwards(lines: readonly ReadLine[]): ReadLine[] {
  return lines.toSorted((a, b) => a.box.y - b.box.y || a.box.x - b.box.x);
}
