/*
 * An image of a screen or of a print contains their grid: sharp periodic peaks in the spectrum, all over the image, where
 * skin, paper and cloth have none. A clean recapture (a fine screen, out of focus) shows no such grid, so that a low score
 * is no proof of a live subject.
 */

/**
 * From these scores on an image looks recaptured. Images of faces and things score up to 2.4, of documents up to 2.9
 * (their fine print is regular), simulated screens and prints in focus from 3.7; real screens were not measured.
 */
export const RECAPTURE_LIMITS = { face: 2.8, document: 3.4 } as const;

/** Pixels of a side of one tile; smaller images prove nothing. */
const TILE = 256;
/** Keeps an index within a tile, a power of two: what leaves it at one end comes in at the other. */
const WRAP = TILE - 1;
/** Pixels of the shorter side from which on there is a score. */
export const MIN_RECAPTURE_SIDE = TILE;
/** Tiles in one direction at most: more only repeat the answer. */
const MAX_TILES = 4;
/** Waves longer than this many pixels are the subject's own: stripes of cloth, lines of text, folds. */
const MAX_WAVE_LENGTH = 10;
/** Bins around a peak that its own energy reaches, and the surrounding bins for comparison. */
const PEAK_REACH = 2;
const SURROUNDINGS = 8;
/** Edges that run upright or level lie on the axes, and JPEG's blocks beside every eighth of the spectrum. */
const AXIS_REACH = 2;
const BLOCK_BINS = TILE / 8;
const BLOCK_REACH = 1;
/** Last row of the half of a spectrum that the other half mirrors. */
const LAST_ROW = TILE / 2;
/** Energy of sensor noise, so that an even surface does not amplify rounding to peaks. */
const FLOOR = 0.05 * TILE * TILE;

/** Where a tile begins. */
type Corner = { left: number; top: number };

const WINDOW = Float64Array.from(
  { length: TILE },
  (_, at) => 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / TILE),
);
const COSINES = Float64Array.from({ length: TILE / 2 }, (_, at) => Math.cos((2 * Math.PI * at) / TILE));
const SINES = Float64Array.from({ length: TILE / 2 }, (_, at) => -Math.sin((2 * Math.PI * at) / TILE));
/** Each index with its eight bits in reverse order. */
const REVERSED = Uint8Array.from({ length: TILE }, (_, at) =>
  Number.parseInt(at.toString(2).padStart(8, '0').split('').toReversed().join(''), 2),
);
const BINS = usableBins();

/**
 * How far the strongest peak stands above its surroundings, as the natural logarithm of the ratio of energies, in
 * the middle one of the image's tiles: what one tile alone has (a barcode, a fence) does not count. About 2 for
 * images of things; null below 256 pixels of width or height.
 */
export function recaptureScore(
  gray: Float32Array | Uint8Array,
  width: number,
  height: number,
): number | null {
  if (width < TILE || height < TILE) return null;
  const tiles = starts(height).flatMap((top) => starts(width).map((left) => ({ left, top })));
  const scores: number[] = [];
  for (let at = 0; at < tiles.length; at += 2) {
    const [first, second] = tileSpectra(gray, width, tiles[at]!, tiles[at + 1] ?? null);
    scores.push(peakScore(first));
    if (second) scores.push(peakScore(second));
  }
  return scores.sort((a, b) => a - b)[Math.floor(scores.length / 2)]!;
}

/** An image too small to judge is as suspicious as a grid: a smaller image would hide the grid. */
export function looksRecaptured(score: number | null, limit: number): boolean {
  return score === null || score >= limit;
}

/** Where tiles begin along one side: evenly spread, overlapping where they must. */
function starts(length: number): number[] {
  const count = Math.min(MAX_TILES, Math.max(1, Math.round((1.5 * length) / TILE) - 1));
  if (count === 1) return [Math.floor((length - TILE) / 2)];
  return Array.from({ length: count }, (_, at) => Math.floor((at * (length - TILE)) / (count - 1)));
}

/**
 * Energy of each wave of two tiles: frequencies 0 to 127, then -128 to -1, in both directions. The second tile is the
 * imaginary part of the one transform: the symmetric part of its result belongs to the first tile.
 */
function tileSpectra(
  gray: Float32Array | Uint8Array,
  width: number,
  first: Corner,
  second: Corner | null,
): [Float64Array, Float64Array | null] {
  // Both transforms are along the columns, the first one of the transposed tile.
  const across = {
    real: windowed(gray, width, first),
    imaginary: second ? windowed(gray, width, second) : new Float64Array(TILE * TILE),
  };
  transform(across);
  const { real, imaginary } = { real: transposed(across.real), imaginary: transposed(across.imaginary) };
  transform({ real, imaginary });
  const energies = [new Float64Array(TILE * TILE), new Float64Array(TILE * TILE)] as const;
  for (let v = 0; v < TILE; v++)
    for (let u = 0; u < TILE; u++) {
      const at = v * TILE + u;
      const mirrored = ((TILE - v) & WRAP) * TILE + ((TILE - u) & WRAP);
      const re = real[at]!;
      const im = imaginary[at]!;
      const otherRe = real[mirrored]!;
      const otherIm = imaginary[mirrored]!;
      energies[0][at] = ((re + otherRe) ** 2 + (im - otherIm) ** 2) / 4 + FLOOR;
      energies[1][at] = ((im + otherIm) ** 2 + (re - otherRe) ** 2) / 4 + FLOOR;
    }
  return [energies[0], second ? energies[1] : null];
}

/** A tile without its mean, fading out at its edges, with rows as columns. */
function windowed(gray: Float32Array | Uint8Array, width: number, { left, top }: Corner): Float64Array {
  let mean = 0;
  for (let y = 0; y < TILE; y++)
    for (let x = 0; x < TILE; x++) mean += gray[(top + y) * width + left + x]! / (TILE * TILE);
  const tile = new Float64Array(TILE * TILE);
  for (let y = 0; y < TILE; y++)
    for (let x = 0; x < TILE; x++)
      tile[y * TILE + x] = (gray[(top + y) * width + left + x]! - mean) * WINDOW[x]! * WINDOW[y]!;
  return transposed(tile);
}

/** Side of the squares in which a tile is transposed: both of their copies fit into the processor's cache. */
const SQUARE = 16;

function transposed(tile: Float64Array): Float64Array {
  const out = new Float64Array(TILE * TILE);
  for (let top = 0; top < TILE; top += SQUARE)
    for (let left = 0; left < TILE; left += SQUARE)
      for (let y = top; y < top + SQUARE; y++)
        for (let x = left; x < left + SQUARE; x++) out[x * TILE + y] = tile[y * TILE + x]!;
  return out;
}

function peakScore(energy: Float64Array): number {
  // The window spreads a peak over 3 by 3 bins.
  const peaks = boxMean(energy, 1);
  const near = boxMean(energy, PEAK_REACH);
  const far = boxMean(energy, SURROUNDINGS);
  const [nearCells, farCells] = [(2 * PEAK_REACH + 1) ** 2, (2 * SURROUNDINGS + 1) ** 2];
  let best = 0;
  for (const bin of BINS) {
    const around = (far[bin]! * farCells - near[bin]! * nearCells) / (farCells - nearCells);
    best = Math.max(best, peaks[bin]! / around);
  }
  return Math.log(best);
}

/**
 * Means of squares around each value of the rows that usable bins lie in; the spectrum continues at its opposite side.
 */
function boxMean(values: Float64Array, reach: number): Float64Array {
  const count = 2 * reach + 1;
  const along = new Float64Array(values.length);
  for (let row = -reach; row <= LAST_ROW + reach; row++) {
    const start = (row & WRAP) * TILE;
    let sum = 0;
    for (let index = -reach; index <= reach; index++) sum += values[start + (index & WRAP)]!;
    for (let index = 0; index < TILE; index++) {
      along[start + index] = sum / count;
      sum += values[start + ((index + reach + 1) & WRAP)]! - values[start + ((index - reach) & WRAP)]!;
    }
  }
  // All columns of a row together: values below each other are far apart in memory.
  const out = new Float64Array(values.length);
  const sums = new Float64Array(TILE);
  for (let row = -reach; row <= reach; row++) {
    const start = (row & WRAP) * TILE;
    for (let index = 0; index < TILE; index++) sums[index]! += along[start + index]!;
  }
  for (let row = 0; row <= LAST_ROW; row++) {
    const [start, next, last] = [row, row + reach + 1, row - reach].map((at) => (at & WRAP) * TILE) as [
      number,
      number,
      number,
    ];
    for (let index = 0; index < TILE; index++) {
      out[start + index] = sums[index]! / count;
      sums[index]! += along[next + index]! - along[last + index]!;
    }
  }
  return out;
}

/** Waves that can belong to a grid, from the half of the spectrum that the other half mirrors. */
function usableBins(): number[] {
  const bins: number[] = [];
  const nearBlock = (bin: number) => Math.abs(bin - Math.round(bin / BLOCK_BINS) * BLOCK_BINS) <= BLOCK_REACH;
  for (let v = 0; v <= LAST_ROW; v++)
    for (let column = 0; column < TILE; column++) {
      const u = column < TILE / 2 ? column : column - TILE;
      const isSlow = Math.hypot(u, v) < TILE / MAX_WAVE_LENGTH;
      const isOnAxis = Math.abs(u) <= AXIS_REACH || v <= AXIS_REACH;
      if (!isSlow && !isOnAxis && !(nearBlock(u) && nearBlock(v))) bins.push(v * TILE + column);
    }
  return bins;
}

/** The fast Fourier transform of each column, in place. The columns of a row lie together and have the same factors. */
function transform({ real, imaginary }: { real: Float64Array; imaginary: Float64Array }): void {
  for (let row = 0; row < TILE; row++) {
    const other = REVERSED[row]!;
    if (other <= row) continue;
    for (const part of [real, imaginary]) {
      const values = part.slice(row * TILE, (row + 1) * TILE);
      part.copyWithin(row * TILE, other * TILE, (other + 1) * TILE);
      part.set(values, other * TILE);
    }
  }
  for (let half = 1; half < TILE; half *= 2)
    for (let block = 0; block < TILE; block += 2 * half)
      for (let index = 0; index < half; index++) {
        const turn = (index * TILE) / (2 * half);
        combine(real, imaginary, block + index, block + index + half, COSINES[turn]!, SINES[turn]!);
      }
}

/** The sum and the difference of two rows, the second one multiplied by a complex factor, in their places. */
function combine(
  real: Float64Array,
  imaginary: Float64Array,
  first: number,
  second: number,
  cos: number,
  sin: number,
): void {
  const end = (first + 1) * TILE;
  for (let a = first * TILE, b = second * TILE; a < end; a++, b++) {
    const re = real[b]! * cos - imaginary[b]! * sin;
    const im = real[b]! * sin + imaginary[b]! * cos;
    real[b] = real[a]! - re;
    imaginary[b] = imaginary[a]! - im;
    real[a]! += re;
    imaginary[a]! += im;
  }
}
