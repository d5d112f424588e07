import { chord, chordToPiece, type Piece, type Vector } from '@vouchgraph/signals/internals/geo/outline';

/** The shortest chord between two borders that do not cross: it ends in a point of one of the two. */
export function chordBetweenOutlines(one: readonly Piece[], other: readonly Piece[]): number {
  let nearest = 2;
  for (const a of one) {
    for (const b of other) nearest = Math.min(nearest, chord(a.center, b.center) + a.radius + b.radius);
  }
  for (const a of one) {
    for (const b of other) {
      if (chord(a.center, b.center) - a.radius - b.radius < nearest) {
        nearest = Math.min(nearest, chordBetweenPieces(a, b));
      }
    }
  }
  return nearest;
}

function chordBetweenPieces(a: Piece, b: Piece): number {
  return Math.min(
    ...vectorsOf(a.points).map((vector) => chordToPiece(b.points, vector)),
    ...vectorsOf(b.points).map((vector) => chordToPiece(a.points, vector)),
  );
}

function vectorsOf(points: Float32Array): Vector[] {
  return Array.from({ length: points.length / 3 }, (_, index) => {
    const at = index * 3;
    return [points[at]!, points[at + 1]!, points[at + 2]!];
  });
}
