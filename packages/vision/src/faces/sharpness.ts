import { type RgbImage, toGray } from '../image-check.ts';
import { sampleSquare } from './sample-image.ts';

/**
 * Pixels of a side to which every face is brought, so that near and far faces compare. So few that a dark room's noise
 * is averaged away and is not taken for detail.
 */
const SIZE = 64;
/** Below this much contrast (gray levels squared) there is nothing to be sharp. */
const MIN_VARIANCE = 20;

/**
 * How much of a face's contrast lies in its finest detail: variance of the Laplacian by variance of the brightness,
 * which light and skin do not change. 0 for an even surface.
 */
export function faceSharpness(
  image: RgbImage,
  face: { x: number; y: number; width: number; height: number },
): number {
  const square = { x: face.x + face.width / 2, y: face.y + face.height / 2, side: face.width, angle: 0 };
  const data = Uint8Array.from(sampleSquare(image, square, SIZE, { scale: 1, shift: 0 }), Math.round);
  const gray = toGray({ data, width: SIZE, height: SIZE });
  const contrast = variance(gray);
  return contrast < MIN_VARIANCE ? 0 : variance(laplacian(gray)) / contrast;
}

function laplacian(gray: Float32Array): Float32Array {
  const out = new Float32Array((SIZE - 2) ** 2);
  for (let y = 1, to = 0; y < SIZE - 1; y++)
    for (let x = 1; x < SIZE - 1; x++, to++) {
      const at = y * SIZE + x;
      out[to] = gray[at - 1]! + gray[at + 1]! + gray[at - SIZE]! + gray[at + SIZE]! - 4 * gray[at]!;
    }
  return out;
}

function variance(values: Float32Array): number {
  let [sum, squares] = [0, 0];
  for (const value of values) {
    sum += value;
    squares += value * value;
  }
  return squares / values.length - (sum / values.length) ** 2;
}
