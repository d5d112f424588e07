import { distance, type Point, type Quad } from './raster.ts';

/** Width by height of a bank card (ID-1) and of a passport's page (ID-3). */
export const CARD_ASPECT = 1.586;
export const PASSPORT_ASPECT = 1.42;

/** The corners clockwise on the screen, beginning with a long side, so that the document lies on its long side. */
export function orderQuad(points: readonly Point[]): Quad {
  const center = {
    x: points.reduce((sum, { x }) => sum + x, 0) / points.length,
    y: points.reduce((sum, { y }) => sum + y, 0) / points.length,
  };
  const around = points.toSorted(
    (a, b) => Math.atan2(a.y - center.y, a.x - center.x) - Math.atan2(b.y - center.y, b.x - center.x),
  );
  const [a, b, c, d] = around as [Point, Point, Point, Point];
  const isLying = distance(a, b) + distance(c, d) >= distance(b, c) + distance(d, a);
  return isLying ? [a, b, c, d] : [b, c, d, a];
}

/** Mean length of the two sides along, and of the two across, in pixels. */
export function sidesOf([a, b, c, d]: Quad): { along: number; across: number } {
  return { along: (distance(a, b) + distance(c, d)) / 2, across: (distance(b, c) + distance(d, a)) / 2 };
}

export function areaOf(quad: readonly Point[]): number {
  let twice = 0;
  for (const [index, point] of quad.entries()) {
    const next = quad[(index + 1) % quad.length]!;
    twice += point.x * next.y - next.x * point.y;
  }
  return Math.abs(twice) / 2;
}

/** Distance of the outline from the edge of the image, as a share of its shorter side; 0 or less if it is cut. */
export function marginOf(quad: Quad, width: number, height: number): number {
  const nearest = Math.min(...quad.map(({ x, y }) => Math.min(x, y, width - 1 - x, height - 1 - y)));
  return nearest / Math.min(width, height);
}

/** Maximum distance of a shape from a known one for which no second solution is computed. */
const NEAR_SHAPE = 0.08;

/** Distance of a shape from the nearer of card and passport. */
function offShape(aspect: number): number {
  return Math.min(Math.abs(aspect / CARD_ASPECT - 1), Math.abs(aspect / PASSPORT_ASPECT - 1));
}

/**
 * Aspect ratio of the flat rectangle behind a quadrilateral in perspective, with the camera's axis through the middle of
 * the image. Vanishing points determine the focal length. Nearly parallel sides have none, but then their mean lengths are
 * sufficient. Of the two solutions the one that matches a document is used: a wrong one seldom matches by chance.
 */
export function aspectOf(quad: Quad, width: number, height: number): number {
  const { along, across } = sidesOf(quad);
  const plain = along / across;
  if (offShape(plain) < NEAR_SHAPE) return plain;
  const [m1, m2, m4, m3] = quad.map(({ x, y }) => ({ x: x - width / 2, y: y - height / 2 })) as [
    Point,
    Point,
    Point,
    Point,
  ];
  const k2 = triple(m1, m4, m3) / triple(m2, m4, m3);
  const k3 = triple(m1, m4, m2) / triple(m3, m4, m2);
  const n2 = { x: k2 * m2.x - m1.x, y: k2 * m2.y - m1.y, z: k2 - 1 };
  const n3 = { x: k3 * m3.x - m1.x, y: k3 * m3.y - m1.y, z: k3 - 1 };
  const focalSquared = -(n2.x * n3.x + n2.y * n3.y) / (n2.z * n3.z);
  const isTelling = Math.abs(n2.z) > 0.02 && Math.abs(n3.z) > 0.02;
  const longer = Math.max(width, height);
  if (!isTelling || !(focalSquared > (0.4 * longer) ** 2 && focalSquared < (4 * longer) ** 2)) return plain;
  const length = (n: { x: number; y: number; z: number }) =>
    Math.sqrt((n.x * n.x + n.y * n.y) / focalSquared + n.z * n.z);
  const solved = length(n2) / length(n3);
  return offShape(solved) < offShape(plain) ? solved : plain;
}

/** (a × b) · c of three points on the plane z = 1. */
function triple(a: Point, b: Point, c: Point): number {
  return (a.y - b.y) * c.x + (b.x - a.x) * c.y + (a.x * b.y - a.y * b.x);
}

/** Aspect ratio of the documents of this shape, or the shape itself if it matches none. */
export function canonicalAspect(aspect: number): number {
  const nearest =
    Math.abs(aspect / CARD_ASPECT - 1) < Math.abs(aspect / PASSPORT_ASPECT - 1)
      ? CARD_ASPECT
      : PASSPORT_ASPECT;
  return Math.abs(aspect / nearest - 1) <= 0.15 ? nearest : aspect;
}
