import { describe, expect, it } from 'vitest';
import { refineQuad } from './fit-sides.ts';
import type { Point, Quad } from './raster.ts';

/** Points along a rectangle from (100, 100) to (500, 350) whose corners are round. */
function roundOutline(radius: number): Point[] {
  const points: Point[] = [];
  for (let x = 100 + radius; x <= 500 - radius; x += 1) points.push({ x, y: 100 }, { x, y: 350 });
  for (let y = 100 + radius; y <= 350 - radius; y += 1) points.push({ x: 100, y }, { x: 500, y });
  return points;
}

const cut: Quad = [
  { x: 104, y: 105 },
  { x: 495, y: 104 },
  { x: 496, y: 346 },
  { x: 105, y: 345 },
];
const whole = [
  { x: 100, y: 100 },
  { x: 500, y: 100 },
  { x: 500, y: 350 },
  { x: 100, y: 350 },
];

function farthest(quad: Quad): number {
  return Math.max(...quad.map(({ x, y }, index) => Math.hypot(x - whole[index]!.x, y - whole[index]!.y)));
}

describe('the corners of a card', () => {
  it('are the intersections of its straight sides', () => {
    expect(farthest(refineQuad(cut, roundOutline(15)))).toBeLessThan(0.5);
  });

  it('are not moved by a finger over an edge', () => {
    const finger = Array.from({ length: 60 }, (_, at) => ({ x: 250 + at, y: 107 }));
    const covered = roundOutline(15).filter(({ x, y }) => !(y === 100 && x >= 250 && x < 310));
    expect(farthest(refineQuad(cut, [...covered, ...finger]))).toBeLessThan(1);
  });

  it('are unchanged without points', () => {
    expect(farthest(refineQuad(cut, []))).toBeCloseTo(farthest(cut), 5);
  });
});
