/** The characters of machine readable zones, in the order of `ocrb-glyphs.png`. */
export const GLYPHS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ<';
/** Size of one character's cell in pixels; its width is the distance from one character to the next. */
export const CELL_WIDTH = 24;
export const CELL_HEIGHT = 32;

/**
 * Characters at one degree of blur, one cell after the other, each with mean 0 and length 1, so that the dot product of two
 * is their similarity. `step`: width of one of these pixels in pixels of a full cell.
 */
export type GlyphSet = { cells: readonly Float32Array[]; step: 1 | 2 };

/** The same degree of blur for the first pass at half the size, and for the exact one. */
export type GlyphSets = { coarse: GlyphSet; fine: GlyphSet };

/** Degrees of blur, in pixels of a cell, at which characters are compared: print, camera and compression add up. */
const BLURS = [0.6, 1.4, 2.2] as const;

/** The characters at each degree of blur, from the image's bytes (one per pixel, black on white). */
export function glyphSets(sheet: Uint8Array): GlyphSets[] {
  return BLURS.map((blur) => {
    const cells = [...GLYPHS].map((_, index) => blurred(cellOf(sheet, index), blur));
    return {
      coarse: { cells: cells.map((cell) => normalized(halved(cell))), step: 2 },
      fine: { cells: cells.map((cell) => normalized(cell)), step: 1 },
    };
  });
}

function cellOf(sheet: Uint8Array, index: number): Float32Array {
  const cell = new Float32Array(CELL_WIDTH * CELL_HEIGHT);
  for (let y = 0; y < CELL_HEIGHT; y += 1) {
    const row = y * CELL_WIDTH * GLYPHS.length + index * CELL_WIDTH;
    for (let x = 0; x < CELL_WIDTH; x += 1) cell[y * CELL_WIDTH + x] = 255 - sheet[row + x]!;
  }
  return cell;
}

function halved(cell: Float32Array): Float32Array {
  const half = new Float32Array(cell.length / 4);
  const width = CELL_WIDTH / 2;
  for (let at = 0; at < half.length; at += 1) {
    const from = Math.floor(at / width) * 2 * CELL_WIDTH + (at % width) * 2;
    half[at] = (cell[from]! + cell[from + 1]! + cell[from + CELL_WIDTH]! + cell[from + CELL_WIDTH + 1]!) / 4;
  }
  return half;
}

/** Mean 0 and length 1; an even cell becomes all zeros. Changes the cell that it is given. */
export function normalized(cell: Float32Array): Float32Array {
  let sum = 0;
  for (let at = 0; at < cell.length; at += 1) sum += cell[at]!;
  const mean = sum / cell.length;
  let squares = 0;
  for (let at = 0; at < cell.length; at += 1) {
    const value = cell[at]! - mean;
    cell[at] = value;
    squares += value * value;
  }
  const factor = squares > 1e-6 ? 1 / Math.sqrt(squares) : 0;
  for (let at = 0; at < cell.length; at += 1) cell[at]! *= factor;
  return cell;
}

function blurred(cell: Float32Array, sigma: number): Float32Array {
  const reach = Math.ceil(3 * sigma);
  const weights = Array.from({ length: 2 * reach + 1 }, (_, at) =>
    Math.exp(-((at - reach) ** 2) / (2 * sigma ** 2)),
  );
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const pass = (from: Float32Array, stepX: number, stepY: number) =>
    from.map((_, at) => {
      const x = at % CELL_WIDTH;
      const y = Math.floor(at / CELL_WIDTH);
      let sum = 0;
      for (const [place, weight] of weights.entries()) {
        const fromX = x + (place - reach) * stepX;
        const fromY = y + (place - reach) * stepY;
        // Beyond its cell a character has no ink.
        if (fromX >= 0 && fromX < CELL_WIDTH && fromY >= 0 && fromY < CELL_HEIGHT) {
          sum += weight * from[fromY * CELL_WIDTH + fromX]!;
        }
      }
      return sum / total;
    });
  return pass(pass(cell, 1, 0), 0, 1);
}
