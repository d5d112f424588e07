import type { Raster } from './raster.ts';
import { warp } from './rectify.ts';

/** Rotated clockwise around its middle, with a frame large enough for the rotated corners. */
export function turnedBy(picture: Raster, degrees: number): Raster {
  const turn = (degrees * Math.PI) / 180;
  const cos = Math.abs(Math.cos(turn));
  const sin = Math.abs(Math.sin(turn));
  const width = Math.round(picture.width * cos + picture.height * sin);
  const height = Math.round(picture.width * sin + picture.height * cos);
  // Position of each corner of the new frame in the image: rotated back around the middle.
  const at = (x: number, y: number) => ({
    x: picture.width / 2 + x * Math.cos(turn) + y * Math.sin(turn),
    y: picture.height / 2 - x * Math.sin(turn) + y * Math.cos(turn),
  });
  const [w, h] = [width / 2, height / 2];
  return warp(picture, [at(-w, -h), at(w, -h), at(w, h), at(-w, h)], width, height);
}
