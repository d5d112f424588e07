import type { Raster } from './raster.ts';

/** Brightness from which a pixel is overexposed in a channel. */
const OVEREXPOSED = 252;
/** If half of a document is brighter, white paper and an overexposed spot cannot be distinguished. */
const WHITE_PAPER = 244;

/** Variance of the Laplacian: amount of fine detail in a gray image. */
export function sharpnessOf({ data, width, height }: Raster): number {
  let sum = 0;
  let squares = 0;
  const count = Math.max(1, (width - 2) * (height - 2));
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 1; x < width - 1; x += 1) {
      const at = y * width + x;
      const value = data[at - 1]! + data[at + 1]! + data[at - width]! + data[at + width]! - 4 * data[at]!;
      sum += value;
      squares += value * value;
    }
  }
  return squares / count - (sum / count) ** 2;
}

/** Overexposed share of a document, 0 to 1; null if it could be white paper. */
export function glareOf(colors: Raster, gray: Raster): number | null {
  if (medianOf(gray.data) > WHITE_PAPER) return null;
  const { data } = colors;
  let burnt = 0;
  for (let at = 0; at < data.length; at += 3) {
    if (data[at]! >= OVEREXPOSED && data[at + 1]! >= OVEREXPOSED && data[at + 2]! >= OVEREXPOSED) burnt += 1;
  }
  return burnt / (data.length / 3);
}

function medianOf(values: Uint8Array): number {
  const counts = new Uint32Array(256);
  for (const value of values) counts[value]! += 1;
  let below = 0;
  let level = 0;
  while (level < 255 && below + counts[level]! <= values.length / 2) below += counts[level++]!;
  return level;
}
