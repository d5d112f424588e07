import type { Quad, Raster } from './raster.ts';

/** Gradient of the colors at each pixel, with the median gradient of the image. */
export type EdgeMap = { strength: Uint8Array; width: number; height: number; usual: number };

/** Number of points along a side that are tested for an edge. */
const STEPS = 60;
/** Maximum distance of the edge to both sides, in pixels. */
const REACH = 2;
/** An edge counts from this multiple of the median gradient on. */
const STRONG = 4;

/** Largest change of a channel against the pixels two to the left and two above. */
export function edgeMap(image: Raster): EdgeMap {
  const { data, width, height, channels } = image;
  const strength = new Uint8Array(width * height);
  const counts = new Uint32Array(256);
  for (let y = 2; y < height; y += 1) {
    for (let x = 2; x < width; x += 1) {
      const at = y * width + x;
      let most = 0;
      for (let channel = 0; channel < channels; channel += 1) {
        const here = data[at * channels + channel]!;
        const left = Math.abs(here - data[(at - 2) * channels + channel]!);
        const above = Math.abs(here - data[(at - 2 * width) * channels + channel]!);
        most = Math.max(most, left, above);
      }
      strength[at] = most;
      counts[most]! += 1;
    }
  }
  let below = 0;
  let usual = 0;
  while (below < (width * height) / 2) below += counts[usual++]!;
  return { strength, width, height, usual: Math.max(1, usual - 1) };
}

/** Share of an outline's length that lies on an edge of the image, 0 to 1. */
export function edgeSupport(quad: Quad, map: EdgeMap): number {
  let hits = 0;
  for (const [index, from] of quad.entries()) {
    const to = quad[(index + 1) % 4]!;
    const length = Math.hypot(to.x - from.x, to.y - from.y);
    const across = { x: -(to.y - from.y) / length, y: (to.x - from.x) / length };
    for (let step = 1; step < STEPS; step += 1) {
      const part = step / STEPS;
      const at = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
      if (strongestNear(at, across, map) >= STRONG * map.usual) hits += 1;
    }
  }
  return hits / (4 * (STEPS - 1));
}

function strongestNear(at: { x: number; y: number }, across: { x: number; y: number }, map: EdgeMap): number {
  let strongest = 0;
  // One more on the far side, since the gradient compares with earlier pixels.
  for (let off = -REACH; off <= REACH + 1; off += 1) {
    const x = Math.round(at.x + across.x * off);
    const y = Math.round(at.y + across.y * off);
    if (x < 0 || y < 0 || x >= map.width || y >= map.height) continue;
    strongest = Math.max(strongest, map.strength[y * map.width + x]!);
  }
  return strongest;
}
