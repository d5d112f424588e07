import type { RgbImage } from '../image-check.ts';

/** A square of an image: its middle and side in pixels, turned clockwise by `angle` radians. */
export type Square = { x: number; y: number; side: number; angle: number };

/**
 * The square as `size` by `size` pixels of red, green and blue, mapped by `scale * value + shift`; black where it leaves
 * the image. Where the image is larger than the square's pixels, each is the mean of several samples (at most `maxTaps`
 * along each side), so that fine patterns do not become false edges.
 */
export function sampleSquare(
  image: RgbImage,
  square: Square,
  size: number,
  { scale, shift }: { scale: number; shift: number },
  maxTaps = 2,
): Float32Array {
  const out = new Float32Array(size * size * 3).fill(shift);
  const step = square.side / size;
  const taps = Math.max(1, Math.min(maxTaps, Math.round(step)));
  const [cos, sin] = [Math.cos(square.angle) * step, Math.sin(square.angle) * step];
  const weight = scale / taps ** 2;
  for (let row = 0, at = 0; row < size; row++)
    for (let column = 0; column < size; column++, at += 3)
      for (let tap = 0; tap < taps * taps; tap++) {
        const u = column + ((tap % taps) + 0.5) / taps - size / 2;
        const v = row + (Math.floor(tap / taps) + 0.5) / taps - size / 2;
        addPixel(
          image,
          square.x + cos * u - sin * v - 0.5,
          square.y + sin * u + cos * v - 0.5,
          weight,
          out,
          at,
        );
      }
  return out;
}

/** Where a point of the sampled square (0 to 1 in both directions) lies in the image. */
export function fromSquare(square: Square, u: number, v: number): [x: number, y: number] {
  const [a, b] = [(u - 0.5) * square.side, (v - 0.5) * square.side];
  const [cos, sin] = [Math.cos(square.angle), Math.sin(square.angle)];
  return [square.x + cos * a - sin * b, square.y + sin * a + cos * b];
}

/** Adds the bilinear interpolation of the four adjacent pixels. */
function addPixel(
  { data, width, height }: RgbImage,
  x: number,
  y: number,
  weight: number,
  out: Float32Array,
  at: number,
): void {
  const left = Math.floor(x);
  const top = Math.floor(y);
  if (left < -1 || top < -1 || left >= width || top >= height) return;
  const right = weight * (x - left);
  const rest = weight * (1 - (x - left));
  const lower = y - top;
  const from = (top * width + left) * 3;
  const below = from + width * 3;
  if (top >= 0) {
    if (left >= 0) addShare(data, from, rest * (1 - lower), out, at);
    if (left + 1 < width) addShare(data, from + 3, right * (1 - lower), out, at);
  }
  if (top + 1 < height) {
    if (left >= 0) addShare(data, below, rest * lower, out, at);
    if (left + 1 < width) addShare(data, below + 3, right * lower, out, at);
  }
}

function addShare(data: Uint8Array, from: number, share: number, out: Float32Array, at: number): void {
  out[at]! += share * data[from]!;
  out[at + 1]! += share * data[from + 1]!;
  out[at + 2]! += share * data[from + 2]!;
}
