import { expect, it } from 'vitest';
import { edgeMap, edgeSupport } from './edge-support.ts';
import type { Quad, Raster } from './raster.ts';

const rectangle = (left: number, top: number, right: number, bottom: number): Quad => [
  { x: left, y: top },
  { x: right, y: top },
  { x: right, y: bottom },
  { x: left, y: bottom },
];

it('an outline is supported where the image has an edge', () => {
  const data = new Uint8Array(200 * 150).fill(90);
  for (let y = 40; y < 110; y += 1) data.fill(200, y * 200 + 50, y * 200 + 150);
  const image: Raster = { data, width: 200, height: 150, channels: 1 };
  const map = edgeMap(image);
  expect(edgeSupport(rectangle(50, 40, 150, 110), map)).toBeGreaterThan(0.95);
  // One side lies on the desk.
  expect(edgeSupport(rectangle(20, 40, 150, 110), map)).toBeLessThan(0.85);
  expect(edgeSupport(rectangle(10, 10, 190, 140), map)).toBeLessThan(0.05);
});
