import { cornersOf, type TextBox } from './detect-text.ts';
import { CELL_HEIGHT, CELL_WIDTH } from './glyphs.ts';
import type { Strip } from './match-glyphs.ts';
import type { Raster } from './raster.ts';
import { warp } from './rectify.ts';

/** Start and end of the rows along their direction, in pixels of the image. */
export type Frame = { from: number; to: number };

/** Pixels between two characters in a strip: a little above a cell's, so that no detail is lost. */
export const STRIP_PITCH = 28;

/** Cuts the row between two ends, scaled so that the distance `pitch` of characters becomes STRIP_PITCH. */
export function cutStrip(gray: Raster, box: TextBox, { from, to }: Frame, pitch: number): Strip {
  const turn = (box.angle * Math.PI) / 180;
  const shift = (from + to) / 2 - alongOf(box);
  const wide = to - from;
  const high = pitch * (CELL_HEIGHT / CELL_WIDTH) * 1.3;
  const corners = cornersOf({
    x: box.x + shift * Math.cos(turn),
    y: box.y + shift * Math.sin(turn),
    width: wide,
    height: high,
    angle: box.angle,
  });
  const scale = STRIP_PITCH / pitch;
  const strip = warp(gray, corners, Math.round(wide * scale), Math.round(high * scale));
  return { gray: Float32Array.from(strip.data), width: strip.width, height: strip.height };
}

/** Position of the middle of a row along its direction. */
export function alongOf({ x, y, angle }: TextBox): number {
  const turn = (angle * Math.PI) / 180;
  return x * Math.cos(turn) + y * Math.sin(turn);
}

/** Darkness of each column relative to the surrounding paper. */
export function inkOf({ gray, width, height }: Strip): Float32Array {
  const columns = new Float32Array(width);
  const from = Math.round(height * 0.2);
  const to = Math.round(height * 0.8);
  for (let y = from; y < to; y += 1) {
    for (let x = 0; x < width; x += 1) columns[x]! += 255 - gray[y * width + x]!;
  }
  const reach = STRIP_PITCH * 2;
  return columns.map((value, x) => {
    let paper = Number.POSITIVE_INFINITY;
    for (let at = Math.max(0, x - reach); at <= Math.min(width - 1, x + reach); at += 1) {
      paper = Math.min(paper, columns[at]!);
    }
    return (value - paper) / (to - from);
  });
}

export function sumOf(profiles: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(profiles[0]!.length);
  for (const profile of profiles) for (let at = 0; at < sum.length; at += 1) sum[at]! += profile[at]!;
  return sum;
}
