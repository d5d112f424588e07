/*
 * Cheap measurements of the camera image for hints while the person aims. They decide nothing: the server measures the
 * uploaded images.
 */

/** Grayscale image, 0 to 255, row by row. */
export type Gray = { width: number; height: number; pixels: Uint8Array };

export type Measures = {
  /** Mean brightness, 0 to 255. */
  brightness: number;
  /** Variance of the Laplacian: low when nothing in the image is sharp. */
  sharpness: number;
  /** Overexposed share of the image, 0 to 1. */
  glare: number;
  /** Mean difference to the previous image, 0 to 255; null for the first. */
  movement: number | null;
  /** Density of edges along the fullest side of the image, relative to the whole image. */
  borderEdges: number;
  /** Share of the image's area that its edges span, 0 to 1. */
  span: number;
};

/** Brightness of red, green, blue and alpha bytes as a canvas gives them. */
export function grayOf(rgba: ArrayLike<number>, width: number, height: number): Gray {
  const pixels = new Uint8Array(width * height);
  for (let index = 0; index < pixels.length; index += 1) {
    const at = index * 4;
    // ITU-R BT.601, in 256ths.
    pixels[index] = (rgba[at]! * 77 + rgba[at + 1]! * 150 + rgba[at + 2]! * 29) >> 8;
  }
  return { width, height, pixels };
}

export function measure(gray: Gray, before: Gray | null): Measures {
  const edges = edgesOf(gray);
  return {
    brightness: meanOf(gray.pixels),
    sharpness: laplacianVariance(gray),
    glare: shareAbove(gray.pixels, BURNT_OUT),
    movement: before && before.pixels.length === gray.pixels.length ? difference(gray, before) : null,
    borderEdges: borderShare(edges),
    span: spanOf(edges),
  };
}

const BURNT_OUT = 250;
/** A step in brightness that is an edge rather than noise. */
const EDGE = 40;
/** Width of the border of the image, as a share of each side. */
const BORDER = 0.04;

function meanOf(pixels: Uint8Array): number {
  let sum = 0;
  for (const pixel of pixels) sum += pixel;
  return pixels.length > 0 ? sum / pixels.length : 0;
}

function shareAbove(pixels: Uint8Array, limit: number): number {
  let count = 0;
  for (const pixel of pixels) if (pixel >= limit) count += 1;
  return pixels.length > 0 ? count / pixels.length : 0;
}

function difference(gray: Gray, before: Gray): number {
  let sum = 0;
  gray.pixels.forEach((pixel, index) => {
    sum += Math.abs(pixel - before.pixels[index]!);
  });
  return sum / gray.pixels.length;
}

function laplacianVariance({ width, height, pixels }: Gray): number {
  let sum = 0;
  let squares = 0;
  let count = 0;
  for (let y = 1; y < height - 1; y += 1) {
    for (let x = 1; x < width - 1; x += 1) {
      const at = y * width + x;
      const around = pixels[at - 1]! + pixels[at + 1]! + pixels[at - width]! + pixels[at + width]!;
      const value = around - 4 * pixels[at]!;
      sum += value;
      squares += value * value;
      count += 1;
    }
  }
  return count > 0 ? squares / count - (sum / count) ** 2 : 0;
}

type Edges = { width: number; height: number; isEdge: Uint8Array };

function edgesOf({ width, height, pixels }: Gray): Edges {
  const isEdge = new Uint8Array(width * height);
  for (let y = 0; y < height - 1; y += 1) {
    for (let x = 0; x < width - 1; x += 1) {
      const at = y * width + x;
      const across = Math.abs(pixels[at + 1]! - pixels[at]!);
      const down = Math.abs(pixels[at + width]! - pixels[at]!);
      if (across + down > EDGE) isEdge[at] = 1;
    }
  }
  return { width, height, isEdge };
}

/** The densest of the four bands along the sides. The last column and row have no edges of their own. */
function borderShare({ width, height, isEdge }: Edges): number {
  const bandX = Math.max(1, Math.round(width * BORDER));
  const bandY = Math.max(1, Math.round(height * BORDER));
  const density = (left: number, top: number, right: number, bottom: number): number => {
    let count = 0;
    for (let y = top; y < bottom; y += 1)
      for (let x = left; x < right; x += 1) count += isEdge[y * width + x]!;
    return count / ((right - left) * (bottom - top));
  };
  const [right, bottom] = [width - 1, height - 1];
  const all = density(0, 0, right, bottom);
  const sides = [
    density(0, 0, bandX, bottom),
    density(right - bandX, 0, right, bottom),
    density(0, 0, right, bandY),
    density(0, bottom - bandY, right, bottom),
  ];
  return all === 0 ? 0 : Math.max(...sides) / all;
}

/** The box that holds nine tenths of the edges in each direction, so that a few strays do not widen it. */
function spanOf({ width, height, isEdge }: Edges): number {
  const columns = new Array<number>(width).fill(0);
  const rows = new Array<number>(height).fill(0);
  isEdge.forEach((edge, at) => {
    if (edge === 0) return;
    columns[at % width]! += 1;
    rows[Math.floor(at / width)]! += 1;
  });
  return (middleOf(columns) / width) * (middleOf(rows) / height);
}

function middleOf(counts: readonly number[]): number {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return 0;
  let sum = 0;
  let first = -1;
  for (let index = 0; index < counts.length; index += 1) {
    sum += counts[index]!;
    if (first < 0 && sum >= total * 0.05) first = index;
    if (sum >= total * 0.95) return index - first + 1;
  }
  return counts.length;
}
