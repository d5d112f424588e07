import type { Raster } from './raster.ts';
import { warp } from './rectify.ts';

/** Rotated clockwise around its middle, with a frame large enough for the rotated corners. */
export function turnedBy(image: Raster, degrees: number): Raster {
  const turn = (degrees * Math.PI) / 180;
  const cos = Math.abs(Math.cos(turn));
  const sin = Math.abs(Math.sin(turn));
  const width = Math.round(image.width * cos + image.height * sin);
  const height = Math.round(image.width * sin + image.height * cos);
  // Position of each corner of the new frame in the image: rotated back around the middle.
  const at = (x: number, y: number) => ({
    x: image.width / 2 + x * Math.cos(turn) + y * Math.sin(turn),
    y: image.height / 2 - x * Math.sin(turn) + y * Math.cos(turn),
  });
  const [w, h] = [width / 2, height / 2];
  return warp(image, [at(-w, -h), at(w, -h), at(w, h), at(-w, h)], width, height);
}
