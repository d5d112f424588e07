import type { Point, Quad } from './raster.ts';

/*
 * Cards have round corners, so the corners are the intersections of their straight sides. Each side is fitted to the
 * middle part of its points.
 */

/** Share of a side at each end that may belong to the round corner. */
const CORNER_PART = 0.12;
/** Points farther from the side than this share of its length belong to something else. */
const NEAR_PART = 0.025;

/** A line: x · nx + y · ny = d. */
type Line = { nx: number; ny: number; d: number };

export function refineQuad(quad: Quad, outline: readonly Point[]): Quad {
  const sides = quad.map((corner, index) => fitSide(corner, quad[(index + 1) % 4]!, outline));
  const corners = quad.map((corner, index) => {
    const met = meet(sides[(index + 3) % 4]!, sides[index]!);
    const reach = 0.1 * Math.hypot(quad[2].x - quad[0].x, quad[2].y - quad[0].y);
    return met && Math.hypot(met.x - corner.x, met.y - corner.y) < reach ? met : corner;
  });
  return corners as unknown as Quad;
}

/** Line through the outline's points between two corners; the line of the corners if there are too few points. */
function fitSide(from: Point, to: Point, outline: readonly Point[]): Line {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const ux = (to.x - from.x) / length;
  const uy = (to.y - from.y) / length;
  const near = outline.filter(({ x, y }) => {
    const along = ((x - from.x) * ux + (y - from.y) * uy) / length;
    const off = Math.abs((y - from.y) * ux - (x - from.x) * uy) / length;
    return along > CORNER_PART && along < 1 - CORNER_PART && off < NEAR_PART;
  });
  const straight = { nx: -uy, ny: ux, d: -uy * from.x + ux * from.y };
  if (near.length < 0.3 * length) return straight;
  return fitLine(keepNearest(near, fitLine(near)));
}

/** Half of the points nearest to the line, so that a finger or a shadow does not bend it. */
function keepNearest(points: readonly Point[], line: Line): Point[] {
  const off = ({ x, y }: Point) => Math.abs(line.nx * x + line.ny * y - line.d);
  const limit = points.map(off).toSorted((a, b) => a - b)[Math.floor(points.length * 0.7)]!;
  return points.filter((point) => off(point) <= limit);
}

/** Principal axis of the points through their mean. */
function fitLine(points: readonly Point[]): Line {
  const n = points.length;
  const mx = points.reduce((sum, { x }) => sum + x, 0) / n;
  const my = points.reduce((sum, { y }) => sum + y, 0) / n;
  let xx = 0;
  let xy = 0;
  let yy = 0;
  for (const { x, y } of points) {
    xx += (x - mx) ** 2;
    xy += (x - mx) * (y - my);
    yy += (y - my) ** 2;
  }
  const angle = 0.5 * Math.atan2(2 * xy, xx - yy);
  const nx = -Math.sin(angle);
  const ny = Math.cos(angle);
  return { nx, ny, d: nx * mx + ny * my };
}

function meet(a: Line, b: Line): Point | null {
  const determinant = a.nx * b.ny - b.nx * a.ny;
  if (Math.abs(determinant) < 0.2) return null;
  return { x: (a.d * b.ny - b.d * a.ny) / determinant, y: (a.nx * b.d - b.nx * a.d) / determinant };
}
